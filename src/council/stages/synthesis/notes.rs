//! What the process monitor says of its events, and who is being asked by them.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{STAGE, Synthesis, SynthesisEvent};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{Note, NoteCategory, STAGES, reason, seconds};
use crate::council::seat::Seat;
use crate::llm::Reason;

/// The process monitor's notes on the chairman's answer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum SynthesisNote {
    Writes {
        model: String,
    },
    Written {
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
    },
    /// Nobody wrote: the ballots chose it.
    TakenAsItIs {
        member: String,
    },
    NotWritten {
        model: String,
        reason: Reason,
    },
    NobodyWrote,
}

impl fmt::Display for SynthesisNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Writes { model } => write!(f, "Stage 3: {model} writes the answer"),
            Self::Written { model, latency_ms } => {
                write!(f, "Stage 3: {model} has written the answer{}", seconds(*latency_ms))
            }
            Self::TakenAsItIs { member } => write!(f, "Stage 3: the answer of {member} is taken as it is"),
            Self::NotWritten { model, reason } => write!(f, "{model} could not write the answer: {reason}"),
            Self::NobodyWrote => f.write_str("Stage 3: nobody could write the answer"),
        }
    }
}

impl FeatureEvent for SynthesisEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::Stage3Start { model, use_multi_chairman: false, .. } => {
                let seat = Seat { model: model.clone(), member: model.clone(), alias: None };
                Some(Asking::begins(STAGE, &[seat]))
            }
            Self::Stage3Error { model, .. } => Some(Asking::ends(STAGE, model)),
            Self::Stage3Complete { .. } => Some(Asking::Over { stage: STAGE }),
            Self::Stage3Start { use_multi_chairman: true, .. }
            | Self::Stage3Token { .. }
            | Self::Stage3ReasoningToken { .. } => None,
        }
    }
}

fn note(event: &SynthesisEvent) -> Option<Note> {
    Some(match event {
        // The events that follow report it.
        SynthesisEvent::Stage3Start { use_multi_chairman: true, .. } => return None,
        SynthesisEvent::Stage3Start { model, .. } => {
            Note::of(STAGES, NoteCategory::Stage, &SynthesisNote::Writes { model: model.clone() })
                .with(json!({ "model": model }))
        }
        SynthesisEvent::Stage3Error { model, error, error_kind, error_fact, .. } => {
            let reason = reason(Some(*error_kind), error_fact.as_ref(), error);
            let fact = SynthesisNote::NotWritten { model: model.clone(), reason };
            Note::of(STAGES, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        SynthesisEvent::Stage3Complete { is_consensus: true, .. } => return None,
        SynthesisEvent::Stage3Complete { data, .. } => written(data),
        SynthesisEvent::Stage3Token { .. } | SynthesisEvent::Stage3ReasoningToken { .. } => return None,
    })
}

fn written(synthesis: &Synthesis) -> Note {
    let Synthesis { model, latency_ms, .. } = synthesis;
    if synthesis.error.is_some() {
        return Note::of(STAGES, NoteCategory::Error, &SynthesisNote::NobodyWrote);
    }
    if let Some(member) = &synthesis.selected_member {
        let fact = SynthesisNote::TakenAsItIs { member: member.clone() };
        return Note::of(STAGES, NoteCategory::Success, &fact).with(json!({ "model": model }));
    }
    let fact = SynthesisNote::Written { model: model.clone(), latency_ms: *latency_ms };
    Note::of(STAGES, NoteCategory::Success, &fact).with(json!({ "model": model, "latency_ms": latency_ms }))
}
