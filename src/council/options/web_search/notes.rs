//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{WebSearch, WebSearchEvent};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{Note, NoteCategory, STAGES};

/// The process monitor's notes on a web search.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum WebSearchNote {
    WebSearching { query: String },
    WebSearched { sources: usize },
    WebSearchFailed { error: String },
}

impl fmt::Display for WebSearchNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WebSearching { query } => write!(f, "Web search: {query}"),
            Self::WebSearched { sources: 1 } => f.write_str("Web search: 1 source"),
            Self::WebSearched { sources } => write!(f, "Web search: {sources} sources"),
            Self::WebSearchFailed { error } => {
                write!(f, "Web search failed; the run goes on without it: {error}")
            }
        }
    }
}

impl FeatureEvent for WebSearchEvent {
    fn note(&self) -> Option<Note> {
        Some(match self {
            Self::WebSearchStart { query } => {
                Note::of(STAGES, NoteCategory::Stage, &WebSearchNote::WebSearching { query: query.clone() })
            }
            Self::WebSearchComplete { data } => complete(data),
        })
    }
}

fn complete(data: &WebSearch) -> Note {
    let details = json!({ "query": data.query, "sources": data.sources.len(), "error": data.error });
    match &data.error {
        Some(error) => {
            let fact = WebSearchNote::WebSearchFailed { error: error.clone() };
            Note::of(STAGES, NoteCategory::Warning, &fact).with(details)
        }
        None => {
            let fact = WebSearchNote::WebSearched { sources: data.sources.len() };
            Note::of(STAGES, NoteCategory::Success, &fact).with(details)
        }
    }
}
