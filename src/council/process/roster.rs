//! What is said of the options that decide who answers.

use serde_json::json;

use super::{MODELS, Note, NoteCategory, STAGES, short};
use crate::council::options::escalation::{EscalationEvent, EscalationInfo};
use crate::council::options::routing::{RoutingEvent, RoutingInfo};

pub(super) fn of_routing(event: &RoutingEvent) -> Note {
    match event {
        RoutingEvent::RoutingStart {} => {
            Note::new(STAGES, NoteCategory::Stage, "Routing: what kind of question is it?")
        }
        RoutingEvent::RoutingComplete { data } => routed(data),
    }
}

fn routed(info: &RoutingInfo) -> Note {
    let category = info.category.as_str();
    let message = if info.is_routed {
        format!("Routing: {category}; its own {} models answer", info.models.len())
    } else {
        format!("Routing: {category}; the whole council answers")
    };
    Note::new(STAGES, NoteCategory::Success, message).with(json!({
        "category": info.category, "confidence": info.confidence, "models": info.models,
        "is_routed": info.is_routed,
    }))
}

pub(super) fn of_escalation(event: &EscalationEvent) -> Note {
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
