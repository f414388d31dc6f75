//! The state of a run, folded from its events: live, resumed and stored runs all go through it.
//!
//! It does the same as the web app's reducer (`static/src/run`, `static/src/features/*/state.ts`); recorded streams
//! keep the two alike, event by event. What every run has is in `state`, what an option or a format adds in a folder of
//! `features`. Forgiving: an event of a newer server changes nothing, and one that lacks a field is read as far as
//! possible.
//!
//! ```ignore
//! let mut run = LiveRun::default();
//! for event in events {
//!     run.apply(&event);
//!     draw(&run);
//! }
//! ```
//!
//! A token costs an append: no text is copied.

pub mod asked;
pub mod event;
pub mod feature_state;
pub mod features;
pub mod piece;
mod run;
pub mod state;
mod stored;
#[cfg(test)]
mod tests;

use std::ops::Deref;

use serde::Serialize;
use serde_json::Value;

pub use event::{Event, Fields};
pub use features::{Earlier, Options};
pub use piece::{Answer, CallStatus, Outcome, Piece, RunStatus, Seat};
pub use state::Run;

/// The state of a run, as far as events have shown it: the only thing that views read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LiveRun {
    #[serde(flatten)]
    run: Run,
    #[serde(flatten)]
    pub options: Options,
}

/// Gives access to the fields that every run has.
impl Deref for LiveRun {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

impl LiveRun {
    /// Applies this event to the run. Anything that is not an event, or an unknown one of a newer server, changes
    /// nothing.
    pub fn apply(&mut self, event: &Value) {
        if let Some(event) = Event::of(event) {
            features::fold(&mut self.run, &mut self.options, event);
        }
    }

    /// The state in which the run of a stored assistant message ended, or is now (`GET /api/conversations/{id}`). It
    /// has no notes (the process log has them), no title (the conversation has it), and no conversation unless it is
    /// named.
    #[must_use]
    pub fn of_message(message: &Value) -> Self {
        let message = Fields::of(message);
        let mut state = Self::default();
        stored::events(message).iter().for_each(|event| state.apply(event));
        let status = message.text("status");
        let is_live = matches!(status, Some("queued" | "running"));
        features::read(&mut state.run, &mut state.options, message, is_live);
        if status == Some("queued") {
            state.run.status = RunStatus::Queued;
        }
        state
    }
}
