//! What the process monitor says of its events.

use serde_json::json;

use super::{RoutingEvent, RoutingInfo};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{Note, NoteCategory, STAGES};

impl FeatureEvent for RoutingEvent {
    fn note(&self) -> Option<Note> {
        Some(note(self))
    }
}

fn note(event: &RoutingEvent) -> Note {
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
