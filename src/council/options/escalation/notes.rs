//! What the process monitor says of its events, and who is being asked by them.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{EscalationEvent, EscalationFact, EscalationInfo};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, short};
use crate::council::stages::answers;

/// The process monitor's notes on escalation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum EscalationNote {
    FirstTierAsked {
        models: usize,
    },
    FirstTierAnswered {
        answered: usize,
        asked: usize,
    },
    FirstTierUnsure {
        /// Why, in English.
        why: String,
        reasons: Vec<EscalationFact>,
    },
    SecondTierAsked {
        models: usize,
    },
}

impl fmt::Display for EscalationNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Escalation: ")?;
        match self {
            Self::FirstTierAsked { models } => write!(f, "the first tier answers, {models} models"),
            Self::FirstTierAnswered { answered, asked } => {
                write!(f, "{answered} of {asked} models of the first tier answered")
            }
            Self::FirstTierUnsure { why, .. } => write!(f, "the first tier is unsure: {why}"),
            Self::SecondTierAsked { models: 1 } => f.write_str("the second tier answers, one model"),
            Self::SecondTierAsked { models } => write!(f, "the second tier answers, {models} models"),
        }
    }
}

impl FeatureEvent for EscalationEvent {
    fn note(&self) -> Option<Note> {
        Some(note(self))
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::Tier1Start { members, .. } | Self::Tier2Start { members, .. } => {
                Some(Asking::begins(answers::STAGE, members))
            }
            Self::Tier1Complete { .. } | Self::EscalationTriggered { .. } => None,
        }
    }
}

fn note(event: &EscalationEvent) -> Note {
    match event {
        EscalationEvent::Tier1Start { models, .. } => {
            let fact = EscalationNote::FirstTierAsked { models: models.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "models": models }))
        }
        EscalationEvent::Tier1Complete { data, metadata } => {
            let (answered, asked) = (data.iter().filter(|answer| answer.is_good()).count(), data.len());
            let average = metadata.aggregate_confidence.average;
            let fact = EscalationNote::FirstTierAnswered { answered, asked };
            Note::of(MODELS, NoteCategory::Data, &fact)
                .with(json!({ "answered": answered, "asked": asked, "average_confidence": average }))
        }
        EscalationEvent::EscalationTriggered { data } => triggered(data),
        EscalationEvent::Tier2Start { models, .. } => {
            let fact = EscalationNote::SecondTierAsked { models: models.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "models": models }))
        }
    }
}

fn triggered(info: &EscalationInfo) -> Note {
    let why = short(&info.reasons.join("; "));
    let fact = EscalationNote::FirstTierUnsure { why, reasons: info.reason_facts.clone() };
    Note::of(STAGES, NoteCategory::Warning, &fact).with(json!({ "reasons": info.reasons }))
}
