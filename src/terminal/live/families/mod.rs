//! What a run is made of: each family of events with what it adds to the state of a run, and how that is folded.
//!
//! A family is its folder, a line in the list below, its fields in [`LiveRun`], and where it is shown
//! (`terminal/sections`).

pub mod adversary;
pub mod answers;
pub mod cache;
pub mod chairmen;
pub mod checks;
pub mod choosing;
pub mod final_answer;
pub mod lookups;
pub mod parts;
pub mod refinement;
pub mod reviews;
pub mod rounds;
pub mod searches;

use super::event::{Event, Fields};
use super::run;
use super::state::LiveRun;

/// What a family does with a run.
struct Family {
    /// Folds an event, where it is one of the family's.
    apply: fn(&mut LiveRun, Event),
    /// Reads what a stored message tells of it and no event that would have led there; the run is still under way, or
    /// it is not.
    read: fn(&mut LiveRun, Fields, bool),
    /// Closes what is still open when the run is over.
    settle: fn(&mut LiveRun),
}

/// Of an event that several know, the acts that every run has come first, then the options.
const FAMILIES: [Family; 13] = [
    Family::of(answers::apply).settled_by(answers::settle),
    Family::of(reviews::apply).read_by(reviews::read).settled_by(reviews::settle),
    Family::of(final_answer::apply).settled_by(final_answer::settle),
    Family::of(cache::apply).read_by(cache::read).settled_by(cache::settle),
    Family::of(searches::apply).read_by(searches::read).settled_by(searches::settle),
    Family::of(lookups::apply).read_by(lookups::read).settled_by(lookups::settle),
    Family::of(chairmen::apply),
    Family::of(checks::apply).read_by(checks::read),
    Family::of(choosing::apply).read_by(choosing::read),
    Family::of(refinement::apply).read_by(refinement::read).settled_by(refinement::settle),
    Family::of(adversary::apply).read_by(adversary::read).settled_by(adversary::settle),
    Family::of(rounds::apply).read_by(rounds::read).settled_by(rounds::settle),
    Family::of(parts::apply).read_by(parts::read).settled_by(parts::settle),
];

/// Folds an event into all that knows it.
pub(super) fn fold(run: &mut LiveRun, event: Event) {
    if run::apply(run, event).is_break() {
        FAMILIES.iter().for_each(|family| (family.settle)(run));
    }
    FAMILIES.iter().for_each(|family| (family.apply)(run, event));
}

/// Reads what a stored message tells of its run and no event that would have led there.
pub(super) fn read(run: &mut LiveRun, message: Fields, is_live: bool) {
    run::read(run, message);
    FAMILIES.iter().for_each(|family| (family.read)(run, message, is_live));
}

impl Family {
    const fn of(apply: fn(&mut LiveRun, Event)) -> Self {
        Self { apply, read: |_, _, _| {}, settle: |_| {} }
    }

    const fn read_by(self, read: fn(&mut LiveRun, Fields, bool)) -> Self {
        Self { read, ..self }
    }

    const fn settled_by(self, settle: fn(&mut LiveRun)) -> Self {
        Self { settle, ..self }
    }
}
