//! The events of a refinement, and what is stored of it.

use serde::{Deserialize, Serialize};

use super::critique::Critique;
use super::facts::RefinementFact;
use crate::council::revision;
use crate::council::run::UnderWay;
use crate::council::seat::Seat;
use crate::llm::fact::known;
use crate::llm::{CallFact, ErrorKind};

/// The events of refinement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RefinementEvent {
    RefinementStart {
        max_iterations: u8,
    },
    IterationStart {
        iteration: u8,
    },
    /// The members are asked for critiques of the draft.
    CritiquesStart {
        iteration: u8,
        model_count: usize,
        #[serde(default)]
        members: Vec<Seat>,
    },
    /// A critic has answered, or failed (`error`).
    CritiqueComplete {
        iteration: u8,
        #[serde(flatten)]
        data: Box<Critique>,
    },
    /// Every critic has answered or failed.
    CritiquesComplete {
        iteration: u8,
        substantive_count: usize,
        critiques: Vec<Critique>,
    },
    /// The author of the draft revises it.
    RevisionStart {
        iteration: u8,
        model: String,
    },
    /// A piece of the revision.
    RevisionToken {
        iteration: u8,
        content: String,
        model: String,
    },
    /// The revision is whole, and is the answer from now on.
    RevisionComplete {
        iteration: u8,
        model: String,
        content: String,
        /// USD; absent when unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        latency_ms: u64,
    },
    /// There is no revision: the draft before it stands, and refinement ends.
    RevisionError {
        iteration: u8,
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// The iteration is over, but for one that converged. Without a revision it is the last, and
    /// `stop_reason` says why.
    IterationComplete {
        iteration: u8,
        revision: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        stop_reason_fact: Option<RefinementFact>,
    },
    /// Fewer than two critics found something: the draft is good.
    RefinementConverged {
        iteration: u8,
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        reason_fact: Option<RefinementFact>,
        final_response: String,
    },
    /// Refinement is over.
    RefinementComplete(Box<Refinement>),
}

impl RefinementEvent {
    /// The text that is the answer after this event, if it changes it.
    #[must_use]
    pub fn new_answer(&self) -> Option<&str> {
        if let Self::RevisionComplete { content, .. } = self {
            Some(content)
        } else if let Self::RefinementComplete(refinement) = self {
            Some(&refinement.final_response)
        } else {
            None
        }
    }
}

/// One round of critiques, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Iteration {
    /// From 1.
    pub iteration: u8,
    /// In the members' order once all are there.
    pub critiques: Vec<Critique>,
    /// How many of them name faults.
    pub substantive_count: usize,
    /// `substantive_count` under the name that an existing client reads.
    pub substantive_critique_count: usize,
    /// The draft after this iteration; absent when it stayed as it was.
    pub revision: Option<String>,
    /// The last iteration: it ended without a revision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Why, in a plain sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub stop_reason_fact: Option<RefinementFact>,
    /// What had arrived of a revision when the run was cancelled in it. It is not the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished_revision: Option<String>,
}

/// A draft's refinement as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Refinement {
    /// The most iterations there could have been.
    pub max_iterations: u8,
    pub iterations: Vec<Iteration>,
    /// The draft after the last revision; the draft itself where there was none.
    pub final_response: String,
    /// How many iterations began, the last one without a revision included.
    pub total_iterations: usize,
    /// Whether it ended because fewer than two critics found something.
    pub converged: bool,
    /// USD over the calls whose cost is known; absent when none is.
    pub total_cost: Option<f64>,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    pub unknown_cost_calls: u32,
}

impl Iteration {
    pub(super) fn set_critiques(&mut self, critiques: Vec<Critique>) {
        self.substantive_count = critiques.iter().filter(|critique| critique.is_substantive).count();
        self.substantive_critique_count = self.substantive_count;
        self.critiques = critiques;
    }

    pub(super) fn stop(&mut self, fact: RefinementFact) {
        self.stop_because(fact.to_string(), Some(fact));
    }

    fn stop_because(&mut self, reason: String, fact: Option<RefinementFact>) {
        self.stopped = true;
        self.stop_reason = Some(reason);
        self.stop_reason_fact = fact;
    }
}

impl Refinement {
    /// Takes in one event, so that a run that ends in the middle keeps what it had.
    pub fn apply(&mut self, event: &RefinementEvent) {
        match event {
            RefinementEvent::RefinementStart { max_iterations } => self.max_iterations = *max_iterations,
            RefinementEvent::IterationStart { iteration } => {
                self.iterations.push(Iteration { iteration: *iteration, ..Iteration::default() });
                self.total_iterations = self.iterations.len();
            }
            RefinementEvent::CritiqueComplete { data, .. } => {
                if let Some(last) = self.iterations.last_mut() {
                    last.critiques.push((**data).clone());
                }
            }
            RefinementEvent::CritiquesComplete { critiques, .. } => {
                if let Some(last) = self.iterations.last_mut() {
                    last.set_critiques(critiques.clone());
                }
            }
            RefinementEvent::RevisionComplete { content, .. } => {
                self.final_response.clone_from(content);
                if let Some(last) = self.iterations.last_mut() {
                    last.revision = Some(content.clone());
                }
            }
            RefinementEvent::IterationComplete {
                stop_reason: Some(reason), stop_reason_fact: fact, ..
            }
            | RefinementEvent::RefinementConverged { reason, reason_fact: fact, .. } => {
                if let Some(last) = self.iterations.last_mut() {
                    last.stop_because(reason.clone(), fact.clone());
                }
            }
            RefinementEvent::RefinementComplete(whole) => *self = (**whole).clone(),
            RefinementEvent::CritiquesStart { .. }
            | RefinementEvent::RevisionStart { .. }
            | RefinementEvent::RevisionToken { .. }
            | RefinementEvent::RevisionError { .. }
            | RefinementEvent::IterationComplete { stop_reason: None, .. } => {}
        }
    }

    /// Keeps what had been shown of a call that never ended; it ended the iteration.
    pub fn keep_unfinished(&mut self, call: &UnderWay, fact: &CallFact) {
        let Some(last) = self.iterations.last_mut() else { return };
        if *call.purpose == revision::REVISION {
            last.unfinished_revision = Some(call.text.clone()).filter(|text| !text.is_empty());
        } else {
            last.critiques.push(Critique {
                model: call.model.clone(),
                member: call.member.clone().unwrap_or_else(|| call.model.clone()),
                error: Some(fact.to_string()),
                error_kind: Some(ErrorKind::Cancelled),
                error_fact: Some(fact.clone()),
                ..Critique::default()
            });
        }
        last.stop(RefinementFact::Unfinished);
    }
}
