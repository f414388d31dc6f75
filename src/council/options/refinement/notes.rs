//! What the process monitor says of its events, and who is being asked by them.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::facts::RefinementFact;
use super::{Refinement, RefinementEvent, STAGE};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{EVERYTHING, MODELS, Note, NoteCategory, STAGES, reason, seconds, short};
use crate::council::options::refinement::critique::Critique;
use crate::llm::Reason;

/// The process monitor's notes on refinement.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RefinementNote {
    RefinementBegins {
        max_iterations: u8,
    },
    RoundBegins {
        iteration: u8,
    },
    CriticsAsked {
        asked: usize,
    },
    NamesFaults {
        member: String,
    },
    FindsNoFault {
        member: String,
    },
    NoCritique {
        member: String,
        reason: Reason,
    },
    CriticsDone {
        found: usize,
        asked: usize,
    },
    DraftRevising {
        model: String,
    },
    DraftRevised {
        model: String,
        latency_ms: u64,
    },
    DraftNotRevised {
        model: String,
        reason: Reason,
    },
    RoundOver {
        iteration: u8,
    },
    /// It ends before its last round.
    RoundStopped {
        /// Why, in English.
        why: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<RefinementFact>,
    },
    NothingMoreToImprove {
        /// Why, in English.
        why: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<RefinementFact>,
    },
    RefinementOver {
        revisions: usize,
    },
}

impl fmt::Display for RefinementNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RefinementBegins { max_iterations: 1 } => {
                f.write_str("Refinement: one round of critique and revision")
            }
            Self::RefinementBegins { max_iterations } => {
                write!(f, "Refinement: at most {max_iterations} rounds of critique and revision")
            }
            Self::RoundBegins { iteration } => write!(f, "Refinement: round {iteration}"),
            Self::CriticsAsked { asked: 1 } => f.write_str("One member looks for faults in the draft"),
            Self::CriticsAsked { asked } => write!(f, "{asked} members look for faults in the draft"),
            Self::NamesFaults { member } => write!(f, "{member} names faults"),
            Self::FindsNoFault { member } => write!(f, "{member} finds no fault"),
            Self::NoCritique { member, reason } => write!(f, "{member} gave no critique: {reason}"),
            Self::CriticsDone { found, asked } => write!(f, "{found} of {asked} critics name faults"),
            Self::DraftRevising { model } => write!(f, "{model} revises the draft"),
            Self::DraftRevised { model, latency_ms } => {
                write!(f, "{model} has revised the draft{}", seconds(Some(*latency_ms)))
            }
            Self::DraftNotRevised { model, reason } => {
                write!(f, "{model} could not revise the draft: {reason}")
            }
            Self::RoundOver { iteration } => write!(f, "Refinement: round {iteration} is over"),
            Self::RoundStopped { why, .. } => f.write_str(why),
            Self::NothingMoreToImprove { why, .. } => write!(f, "Refinement converged: {why}"),
            Self::RefinementOver { revisions: 0 } => f.write_str("Refinement: the draft stays as it was"),
            Self::RefinementOver { revisions: 1 } => f.write_str("Refinement: the draft was revised once"),
            Self::RefinementOver { revisions } => {
                write!(f, "Refinement: the draft was revised {revisions} times")
            }
        }
    }
}

impl FeatureEvent for RefinementEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::CritiquesStart { members, .. } => Some(Asking::begins(STAGE, members)),
            Self::CritiqueComplete { data, .. } => Some(Asking::ends(STAGE, &data.member)),
            Self::RefinementStart { .. }
            | Self::IterationStart { .. }
            | Self::CritiquesComplete { .. }
            | Self::RevisionStart { .. }
            | Self::RevisionToken { .. }
            | Self::RevisionComplete { .. }
            | Self::RevisionError { .. }
            | Self::IterationComplete { .. }
            | Self::RefinementConverged { .. }
            | Self::RefinementComplete(_) => None,
        }
    }
}

fn note(event: &RefinementEvent) -> Option<Note> {
    Some(match event {
        RefinementEvent::RefinementStart { max_iterations } => {
            let fact = RefinementNote::RefinementBegins { max_iterations: *max_iterations };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "max_iterations": max_iterations }))
        }
        RefinementEvent::IterationStart { iteration } => {
            let fact = RefinementNote::RoundBegins { iteration: *iteration };
            Note::of(EVERYTHING, NoteCategory::Info, &fact).with(json!({ "iteration": iteration }))
        }
        RefinementEvent::CritiquesStart { iteration, model_count, .. } => {
            let fact = RefinementNote::CriticsAsked { asked: *model_count };
            Note::of(EVERYTHING, NoteCategory::Model, &fact)
                .with(json!({ "iteration": iteration, "model_count": model_count }))
        }
        RefinementEvent::CritiqueComplete { data, .. } => criticised(data),
        RefinementEvent::CritiquesComplete { iteration, substantive_count: found, critiques } => {
            let fact = RefinementNote::CriticsDone { found: *found, asked: critiques.len() };
            Note::of(EVERYTHING, NoteCategory::Data, &fact)
                .with(json!({ "iteration": iteration, "substantive_count": found }))
        }
        RefinementEvent::RevisionStart { iteration, model } => {
            Note::of(MODELS, NoteCategory::Model, &RefinementNote::DraftRevising { model: model.clone() })
                .with(json!({ "iteration": iteration, "model": model }))
        }
        RefinementEvent::RevisionComplete { iteration, model, latency_ms, .. } => {
            let fact = RefinementNote::DraftRevised { model: model.clone(), latency_ms: *latency_ms };
            Note::of(MODELS, NoteCategory::Success, &fact)
                .with(json!({ "iteration": iteration, "model": model, "latency_ms": latency_ms }))
        }
        RefinementEvent::RevisionError { model, error, error_kind, error_fact, .. } => {
            let reason = reason(Some(*error_kind), error_fact.as_ref(), error);
            let fact = RefinementNote::DraftNotRevised { model: model.clone(), reason };
            Note::of(STAGES, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        RefinementEvent::IterationComplete { iteration, stop_reason, stop_reason_fact, .. } => {
            match stop_reason {
                Some(why) => {
                    let (why, reason) = (short(why), stop_reason_fact.clone());
                    Note::of(MODELS, NoteCategory::Warning, &RefinementNote::RoundStopped { why, reason })
                }
                None => {
                    let fact = RefinementNote::RoundOver { iteration: *iteration };
                    Note::of(EVERYTHING, NoteCategory::Info, &fact)
                }
            }
        }
        RefinementEvent::RefinementConverged { reason: why, reason_fact, .. } => {
            let (why, reason) = (why.clone(), reason_fact.clone());
            let fact = RefinementNote::NothingMoreToImprove { why, reason };
            Note::of(STAGES, NoteCategory::Success, &fact)
        }
        RefinementEvent::RefinementComplete(refinement) => refined(refinement),
        RefinementEvent::RevisionToken { .. } => return None,
    })
}

fn criticised(critique: &Critique) -> Note {
    let Critique { model, .. } = critique;
    let member = critique.member.clone();
    if let Some(error) = &critique.error {
        let reason = reason(critique.error_kind, critique.error_fact.as_ref(), error);
        return Note::of(MODELS, NoteCategory::Error, &RefinementNote::NoCritique { member, reason })
            .with(json!({ "model": model }));
    }
    let fact = if critique.is_substantive {
        RefinementNote::NamesFaults { member }
    } else {
        RefinementNote::FindsNoFault { member }
    };
    Note::of(MODELS, NoteCategory::Info, &fact)
        .with(json!({ "model": model, "is_substantive": critique.is_substantive }))
}

fn refined(refinement: &Refinement) -> Note {
    let revisions = refinement.iterations.iter().filter(|iteration| iteration.revision.is_some()).count();
    let fact = RefinementNote::RefinementOver { revisions };
    Note::of(STAGES, NoteCategory::Success, &fact).with(json!({
        "total_iterations": refinement.total_iterations, "revisions": revisions,
        "converged": refinement.converged, "total_cost": refinement.total_cost,
    }))
}
