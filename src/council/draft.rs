//! The council's answer on its way: written by the first verdict that stands, then bettered.

use super::options::{adversary, refinement};
use super::round::Round;
use super::run::Run;
use super::stages::synthesis::{self, Synthesis};

/// An answer that may still be bettered.
#[derive(Debug, Clone)]
pub struct Draft {
    pub synthesis: Synthesis,
    /// Nothing more is to be done with it: the council agreed, or nobody could write.
    pub settled: bool,
}

impl Draft {
    /// A draft as its writer left it.
    #[must_use]
    pub fn of(synthesis: Synthesis) -> Self {
        Self { settled: synthesis.error.is_some(), synthesis }
    }

    /// The first verdict that stands: in the end, the chairman's.
    pub async fn write(run: &Run, round: &Round<'_>) -> Self {
        Self::of(synthesis::write(run, round).await)
    }

    /// The same after everything that betters it, in order; a settled draft stays as it is.
    pub async fn polished(self, run: &Run, round: &Round<'_>) -> Self {
        let mut draft = self;
        if draft.settled {
            return draft;
        }
        if let Some(options) = &round.plan.refinement {
            draft = refinement::polish(run, round, options, draft).await;
        }
        if let Some(options) = &round.plan.adversary {
            draft = adversary::polish(run, round, options, draft).await;
        }
        draft
    }
}
