//! What the process monitor says of a decomposition, and who is being asked in it.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::event::DecompositionEvent;
use super::facts::SkipFact;
use super::purposes::stage;
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, reason, seconds};
use crate::council::seat::Seat;
use crate::council::stages::synthesis;
use crate::llm::Reason;

/// The process monitor's notes on a decomposition.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum DecompositionNote {
    LooksForParts {
        model: String,
    },
    LeftWhole {
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<SkipFact>,
        reason: String,
    },
    TakenApart {
        parts: usize,
    },
    PartAnswered {
        part: usize,
        member: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
    },
    PartNotAnswered {
        part: usize,
        member: String,
        reason: Reason,
    },
    PartDone {
        part: usize,
        /// Whose answer is the best; absent where nobody answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        member: Option<String>,
    },
    Merges {
        model: String,
    },
    NotMerged {
        model: String,
        reason: Reason,
    },
    Merged {
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
    },
}

impl fmt::Display for DecompositionNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LooksForParts { model } => write!(f, "{model} looks whether the question has parts"),
            Self::LeftWhole { reason, .. } => write!(f, "The council answers the whole question: {reason}"),
            Self::TakenApart { parts } => write!(f, "The question is taken apart into {parts} parts"),
            Self::PartAnswered { part, member, latency_ms } => {
                write!(f, "Part {part}: {member} answered{}", seconds(*latency_ms))
            }
            Self::PartNotAnswered { part, member, reason } => {
                write!(f, "Part {part}: {member} gave no answer: {reason}")
            }
            Self::PartDone { part, member: Some(member) } => {
                write!(f, "Part {part}: the answer of {member} is taken")
            }
            Self::PartDone { part, member: None } => write!(f, "Part {part}: nobody answered"),
            Self::Merges { model } => write!(f, "{model} puts the parts together"),
            Self::NotMerged { model, reason } => {
                write!(f, "{model} could not put the parts together: {reason}")
            }
            Self::Merged { model, latency_ms } => {
                write!(f, "{model} has put the parts together{}", seconds(*latency_ms))
            }
        }
    }
}

impl FeatureEvent for DecompositionEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn asking(&self) -> Option<Asking> {
        Some(match self {
            Self::SubCouncilStart { index, members, .. } => Asking::begins(stage(*index), members),
            Self::SubCouncilResponse { index, member, .. } => Asking::ends(stage(*index), member),
            Self::SubCouncilComplete { index, .. } => Asking::Over { stage: stage(*index) },
            Self::MergeStart { model, .. } => {
                let seat = Seat { model: model.clone(), member: model.clone(), alias: None };
                Asking::begins(synthesis::STAGE, &[seat])
            }
            Self::MergeError { model, .. } => Asking::ends(synthesis::STAGE, model),
            Self::MergeComplete { .. } => Asking::Over { stage: synthesis::STAGE },
            Self::DecompositionStart { .. }
            | Self::ComplexityAnalyzed { .. }
            | Self::DecompositionSkip { .. }
            | Self::SubQuestionsGenerated { .. }
            | Self::AllSubCouncilsComplete { .. }
            | Self::MergeToken { .. }
            | Self::MergeReasoningToken { .. }
            | Self::DecompositionComplete { .. } => return None,
        })
    }
}

fn note(event: &DecompositionEvent) -> Option<Note> {
    let of = |level, category, fact: &DecompositionNote| Some(Note::of(level, category, fact));
    match event {
        DecompositionEvent::DecompositionStart { model } => {
            of(STAGES, NoteCategory::Stage, &DecompositionNote::LooksForParts { model: model.clone() })
        }
        DecompositionEvent::DecompositionSkip { reason, reason_fact, .. } => {
            let fact = DecompositionNote::LeftWhole { why: reason_fact.clone(), reason: reason.clone() };
            of(STAGES, NoteCategory::Info, &fact)
        }
        DecompositionEvent::SubQuestionsGenerated { count, .. } => {
            of(STAGES, NoteCategory::Stage, &DecompositionNote::TakenApart { parts: *count })
        }
        DecompositionEvent::SubCouncilResponse { index, data, .. } => {
            let (part, member) = (index + 1, data.member.clone());
            if let Some(error) = &data.error {
                let reason = reason(data.error_kind, data.error_fact.as_ref(), error);
                let fact = DecompositionNote::PartNotAnswered { part, member, reason };
                return of(MODELS, NoteCategory::Error, &fact);
            }
            let fact = DecompositionNote::PartAnswered { part, member, latency_ms: data.latency_ms };
            of(MODELS, NoteCategory::Model, &fact)
        }
        DecompositionEvent::SubCouncilComplete { index, data, .. } => {
            let fact = DecompositionNote::PartDone { part: index + 1, member: data.best_member.clone() };
            of(STAGES, NoteCategory::Success, &fact)
        }
        DecompositionEvent::MergeStart { model, .. } => {
            of(STAGES, NoteCategory::Stage, &DecompositionNote::Merges { model: model.clone() })
        }
        DecompositionEvent::MergeError { model, error, error_kind, error_fact } => {
            let reason = reason(Some(*error_kind), error_fact.as_ref(), error);
            of(STAGES, NoteCategory::Error, &DecompositionNote::NotMerged { model: model.clone(), reason })
        }
        DecompositionEvent::MergeComplete { model, data, .. } if data.error.is_none() => {
            let fact = DecompositionNote::Merged { model: model.clone(), latency_ms: data.latency_ms };
            let note = Note::of(STAGES, NoteCategory::Success, &fact);
            Some(note.with(json!({ "model": model, "latency_ms": data.latency_ms })))
        }
        DecompositionEvent::ComplexityAnalyzed { .. }
        | DecompositionEvent::SubCouncilStart { .. }
        | DecompositionEvent::AllSubCouncilsComplete { .. }
        | DecompositionEvent::MergeToken { .. }
        | DecompositionEvent::MergeReasoningToken { .. }
        | DecompositionEvent::MergeComplete { .. }
        | DecompositionEvent::DecompositionComplete { .. } => None,
    }
}
