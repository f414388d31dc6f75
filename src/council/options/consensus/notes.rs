//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::ConsensusEvent;
use crate::council::any_event::FeatureEvent;
use crate::council::note::{Note, NoteCategory, STAGES};

/// The process monitor's notes on early consensus.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ConsensusNote {
    AgreedOn {
        /// Whose answer it is; absent where that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        member: Option<String>,
    },
}

impl fmt::Display for ConsensusNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::AgreedOn { member } = self;
        write!(f, "The council agrees on the answer by {}", member.as_deref().unwrap_or("one member"))
    }
}

impl FeatureEvent for ConsensusEvent {
    fn note(&self) -> Option<Note> {
        let Self::ConsensusDetected { data } = self;
        let member = data.consensus_member.as_ref().or(data.consensus_model.as_ref()).cloned();
        let note = Note::of(STAGES, NoteCategory::Success, &ConsensusNote::AgreedOn { member });
        Some(note.with(json!({ "model": data.consensus_model })))
    }
}
