//! What an option or a format adds to a run.

use super::event::{Event, Fields};
use super::state::Run;

/// The state that an option or a format adds to a run, and how events change it.
pub trait FeatureState {
    /// Folds an event, if it is one of the feature's.
    fn apply(&mut self, run: &mut Run, event: Event);

    /// Reads the parts of a stored message that no event would have produced, whether or not the run is still under
    /// way.
    fn read(&mut self, _run: &mut Run, _message: Fields, _is_live: bool) {}

    /// Closes what is still open when the run is over.
    fn settle(&mut self) {}
}
