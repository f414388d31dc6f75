//! What a run looks like, folded from its events: live, resumed and stored runs go through it.
//!
//! The same as the web app's reducer (`static/src/run`, `static/src/features/*/state.ts`); recorded streams keep the
//! two alike, event by event. A family of events has a place in `families`, with what it adds to the state. Forgiving: an event of
//! a newer server changes nothing, and one that lacks a field is read as far as it goes.
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

pub mod event;
pub mod families;
pub mod piece;
mod run;
pub mod state;
mod stored;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use event::{Event, Fields};
pub use piece::{Answer, CallStatus, Outcome, Piece, RunStatus, Seat};
pub use state::LiveRun;

impl LiveRun {
    /// What this event makes of the run. What is no event, or one of a newer server, changes nothing.
    pub fn apply(&mut self, event: &Value) {
        if let Some(event) = Event::of(event) {
            families::fold(self, event);
        }
    }

    /// The state that a stored assistant message's run ended in, or is in (`GET /api/conversations/{id}`). It has no
    /// notes (the process log has them), no title (the conversation has it), and no conversation unless it is named.
    #[must_use]
    pub fn of_message(message: &Value) -> Self {
        stored::read(Fields::of(message))
    }
}
