//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{Category, RoutingEvent, RoutingInfo};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{Note, NoteCategory, STAGES};

/// The process monitor's notes on routing.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RoutingNote {
    Classifying,
    Classified {
        category: Category,
        /// How many models of its own answer; absent where the whole council does.
        #[serde(skip_serializing_if = "Option::is_none")]
        models: Option<usize>,
    },
}

impl fmt::Display for RoutingNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classifying => f.write_str("Routing: what kind of question is it?"),
            Self::Classified { category, models: Some(models) } => {
                write!(f, "Routing: {}; its own {models} models answer", category.as_str())
            }
            Self::Classified { category, models: None } => {
                write!(f, "Routing: {}; the whole council answers", category.as_str())
            }
        }
    }
}

impl FeatureEvent for RoutingEvent {
    fn note(&self) -> Option<Note> {
        Some(match self {
            Self::RoutingStart {} => Note::of(STAGES, NoteCategory::Stage, &RoutingNote::Classifying),
            Self::RoutingComplete { data } => routed(data),
        })
    }
}

fn routed(info: &RoutingInfo) -> Note {
    let models = info.is_routed.then_some(info.models.len());
    let fact = RoutingNote::Classified { category: info.category, models };
    Note::of(STAGES, NoteCategory::Success, &fact).with(json!({
        "category": info.category, "confidence": info.confidence, "models": info.models,
        "is_routed": info.is_routed,
    }))
}
