//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::event::{ResearchEvent, ResearchResult, SubResultAt};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES};

/// The process monitor's notes on research.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ResearchNote {
    ResearchBegins { model: String },
    Researching { queries: usize },
    Researched { label: String, sources: usize },
    ResearchOfOneFailed { label: String, error: String },
    ResearchNotNeeded { model: String },
    ResearchIsOver { sources: usize },
    ResearchFailed { error: String },
}

impl fmt::Display for ResearchNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ResearchBegins { model } => write!(f, "Research: {model} says what to search for"),
            Self::Researching { queries: 1 } => f.write_str("Research: one search"),
            Self::Researching { queries } => write!(f, "Research: {queries} searches"),
            Self::Researched { label, sources: 1 } => write!(f, "{label}: 1 source"),
            Self::Researched { label, sources } => write!(f, "{label}: {sources} sources"),
            Self::ResearchOfOneFailed { label, error } => write!(f, "{label}: not found: {error}"),
            Self::ResearchNotNeeded { model } => write!(f, "Research: {model} says that none is needed"),
            Self::ResearchIsOver { sources: 1 } => f.write_str("Research: 1 source in all"),
            Self::ResearchIsOver { sources } => write!(f, "Research: {sources} sources in all"),
            Self::ResearchFailed { error } => {
                write!(f, "Research failed; the run goes on without it: {error}")
            }
        }
    }
}

impl FeatureEvent for ResearchEvent {
    fn note(&self) -> Option<Note> {
        Some(match self {
            Self::Stage0Start { model } => {
                let fact = ResearchNote::ResearchBegins { model: model.clone() };
                Note::of(STAGES, NoteCategory::Stage, &fact)
            }
            Self::Stage0Researching { data } => {
                let fact = ResearchNote::Researching { queries: data.sub_queries.len() };
                Note::of(STAGES, NoteCategory::Info, &fact).with(json!({ "sub_queries": data.sub_queries }))
            }
            Self::Stage0SubResult { data } => sub_result(data),
            Self::Stage0Complete { data } => complete(data),
            Self::Stage0Decomposing { .. }
            | Self::Stage0SubQueries { .. }
            | Self::Stage0Synthesizing { .. } => return None,
        })
    }
}

fn sub_result(data: &SubResultAt) -> Note {
    let result = &data.result;
    let label = result.label.clone();
    match &result.error {
        Some(error) => {
            let fact = ResearchNote::ResearchOfOneFailed { label, error: error.clone() };
            Note::of(MODELS, NoteCategory::Warning, &fact)
        }
        None => {
            let fact = ResearchNote::Researched { label, sources: result.sources.len() };
            Note::of(MODELS, NoteCategory::Success, &fact)
        }
    }
}

fn complete(data: &ResearchResult) -> Note {
    let sources = data.sub_results.iter().map(|result| result.sources.len()).sum();
    if !data.needed {
        let fact = ResearchNote::ResearchNotNeeded { model: data.model.clone() };
        return Note::of(STAGES, NoteCategory::Info, &fact);
    }
    match &data.error {
        Some(error) => {
            let fact = ResearchNote::ResearchFailed { error: error.clone() };
            Note::of(STAGES, NoteCategory::Warning, &fact)
        }
        None => Note::of(STAGES, NoteCategory::Success, &ResearchNote::ResearchIsOver { sources }),
    }
}
