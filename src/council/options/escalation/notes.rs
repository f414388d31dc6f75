//! What the process monitor says of its events, and who is being asked by them.

use serde_json::json;

use super::{EscalationEvent, EscalationInfo};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, short};
use crate::council::stages::answers;

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
        EscalationEvent::Tier1Start { models, .. } => tier("first", models),
        EscalationEvent::Tier1Complete { data, metadata } => {
            let good = data.iter().filter(|answer| answer.is_good()).count();
            let average = metadata.aggregate_confidence.average;
            let message = format!("Escalation: {good} of {} models of the first tier answered", data.len());
            Note::new(MODELS, NoteCategory::Data, message)
                .with(json!({ "answered": good, "asked": data.len(), "average_confidence": average }))
        }
        EscalationEvent::EscalationTriggered { data } => triggered(data),
        EscalationEvent::Tier2Start { models, .. } => tier("second", models),
    }
}

fn tier(which: &str, models: &[String]) -> Note {
    let message = format!("Escalation: the {which} tier answers, {} models", models.len());
    Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "models": models }))
}

fn triggered(info: &EscalationInfo) -> Note {
    let message = format!("Escalation: the first tier is unsure: {}", short(&info.reasons.join("; ")));
    Note::new(STAGES, NoteCategory::Warning, message).with(json!({ "reasons": info.reasons }))
}
