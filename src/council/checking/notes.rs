//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;

use super::event::{Action, CheckEvent};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory};

/// The process monitor's notes on a writer's checks.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum CheckNote {
    WriterChecks { model: String, query: String },
    WriterFound { model: String, sources: usize },
    WriterFoundNothing { model: String, error: String },
    WriterKnowsEnough { model: String },
}

impl fmt::Display for CheckNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WriterChecks { model, query } => write!(f, "{model} checks: {query}"),
            Self::WriterFound { model, sources: 1 } => write!(f, "{model} has found 1 source"),
            Self::WriterFound { model, sources } => write!(f, "{model} has found {sources} sources"),
            Self::WriterFoundNothing { model, error } => {
                write!(f, "{model} goes on without what it wanted to check: {error}")
            }
            Self::WriterKnowsEnough { model } => write!(f, "{model} knows enough and writes"),
        }
    }
}

impl FeatureEvent for CheckEvent {
    fn note(&self) -> Option<Note> {
        match self {
            Self::Thought(_) => None,
            Self::Acted(done) => {
                let model = done.model.clone();
                let fact = match (done.action, &done.query) {
                    (Action::Synthesize, _) => CheckNote::WriterKnowsEnough { model },
                    (Action::SearchWeb, query) => CheckNote::WriterChecks { model, query: query.clone()? },
                };
                Some(Note::of(MODELS, NoteCategory::Model, &fact))
            }
            Self::Observation(seen) => {
                let model = seen.model.clone();
                Some(match &seen.error {
                    Some(error) => {
                        let fact = CheckNote::WriterFoundNothing { model, error: error.clone() };
                        Note::of(MODELS, NoteCategory::Warning, &fact)
                    }
                    None => {
                        let fact = CheckNote::WriterFound { model, sources: seen.sources.len() };
                        Note::of(MODELS, NoteCategory::Success, &fact)
                    }
                })
            }
        }
    }
}
