//! The council's answer on its way: written by the first verdict that stands, then bettered.

use super::options::consensus::{self, ConsensusEvent};
use super::options::{adversary, multi_chairman, refinement};
use super::round::Round;
use super::run::Run;
use super::stages::synthesis::{self, Synthesis, SynthesisEvent};

/// An answer that may still be bettered.
#[derive(Debug, Clone)]
pub struct Draft {
    pub synthesis: Synthesis,
    /// Nothing more is to be done with it: the council agreed, or nobody could write.
    pub settled: bool,
}

impl Draft {
    /// The first verdict that stands: that of a council that agrees, else that of several chairmen
    /// where the plan has them, else the chairman's.
    pub async fn write(run: &Run, round: &Round<'_>) -> Self {
        let consensus = round.plan.early_consensus.then(|| consensus::look(round));
        let agreed = consensus.as_ref().and_then(|info| consensus::take(round, info));
        let is_consensus = agreed.is_some();
        if let Some(info) = consensus.as_ref().filter(|_| is_consensus) {
            let event = ConsensusEvent::ConsensusDetected { data: Box::new(info.clone()) };
            run.emit("consensus", event).await;
        }
        let mut verdict = agreed;
        if verdict.is_none() {
            verdict = multi_chairman::write(run, round).await;
        }
        let synthesis = match verdict {
            Some(synthesis) => synthesis,
            None => synthesis::write(run, round).await,
        };
        let complete = SynthesisEvent::Stage3Complete {
            data: Box::new(synthesis.clone()),
            is_consensus,
            consensus_info: consensus.map(Box::new),
            use_multi_chairman: synthesis.selected_synthesis.is_some(),
        };
        run.emit("stage3/complete", complete).await;
        Self { settled: is_consensus || synthesis.error.is_some(), synthesis }
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
