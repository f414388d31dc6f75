//! Who folds events.

use super::event::Event;
use super::state::LiveRun;
use super::{
    adversary, answers, cache, chairmen, checks, choosing, final_answer, lookups, parts, refinement, reviews,
    rounds, run, searches,
};

/// Of an event that several know, the acts that every run has come first, then the options.
pub(super) const FAMILIES: [fn(&mut LiveRun, Event); 14] = [
    run::apply,
    answers::apply,
    reviews::apply,
    final_answer::apply,
    cache::apply,
    searches::apply,
    lookups::apply,
    chairmen::apply,
    checks::apply,
    choosing::apply,
    refinement::apply,
    adversary::apply,
    rounds::apply,
    parts::apply,
];
