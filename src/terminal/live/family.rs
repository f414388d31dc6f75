//! What an option or a format adds to a run.

use super::event::{Event, Fields};
use super::state::Run;

/// The state that an option or a format adds, and what becomes of it.
pub trait Family {
    /// Folds an event, where it is one of the family's.
    fn apply(&mut self, run: &mut Run, event: Event);

    /// Reads what a stored message tells of it and no event that would have led there; the run is still under way, or
    /// it is not.
    fn read(&mut self, _run: &mut Run, _message: Fields, _is_live: bool) {}

    /// Closes what is still open when the run is over.
    fn settle(&mut self) {}
}
