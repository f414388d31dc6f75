//! What the process monitor says of its events.

use serde_json::json;

use super::ConsensusEvent;
use crate::council::any_event::FeatureEvent;
use crate::council::note::{Note, NoteCategory, STAGES};

impl FeatureEvent for ConsensusEvent {
    fn note(&self) -> Option<Note> {
        Some(note(self))
    }
}

fn note(event: &ConsensusEvent) -> Note {
    let ConsensusEvent::ConsensusDetected { data } = event;
    let whose = data.consensus_member.as_deref().or(data.consensus_model.as_deref()).unwrap_or("one member");
    Note::new(STAGES, NoteCategory::Success, format!("The council agrees on the answer by {whose}"))
        .with(json!({ "model": data.consensus_model }))
}
