//! What the process monitor says of tools.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::event::{ToolCalled, ToolEvent, ToolReturned};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory};

/// The process monitor's notes on tools.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ToolNote {
    MemberSearches { member: String, query: String },
    MemberFound { member: String, sources: usize, ms: u64 },
    MemberFoundNothing { member: String, error: String },
}

impl fmt::Display for ToolNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MemberSearches { member, query } => write!(f, "{member} searches: {query}"),
            Self::MemberFound { member, sources: 1, ms } => write!(f, "{member} has 1 source after {ms} ms"),
            Self::MemberFound { member, sources, ms } => {
                write!(f, "{member} has {sources} sources after {ms} ms")
            }
            Self::MemberFoundNothing { member, error } => {
                write!(f, "{member} goes on without what it wanted to look up: {error}")
            }
        }
    }
}

impl FeatureEvent for ToolEvent {
    fn note(&self) -> Option<Note> {
        match self {
            Self::Stage1ToolCall(call) | Self::ToolCall(call) => called(call),
            Self::Stage1ToolResult(result) | Self::ToolResult(result) => Some(returned(result)),
        }
    }
}

/// A call that could not be read is reported with its result.
fn called(call: &ToolCalled) -> Option<Note> {
    let fact = ToolNote::MemberSearches { member: call.member.clone(), query: call.args.query.clone()? };
    let details = json!({ "model": call.model, "round": call.round });
    Some(Note::of(MODELS, NoteCategory::Model, &fact).with(details))
}

fn returned(result: &ToolReturned) -> Note {
    let member = result.member.clone();
    let details = json!({ "model": result.model, "round": result.round });
    match &result.error {
        Some(error) => {
            let fact = ToolNote::MemberFoundNothing { member, error: error.clone() };
            Note::of(MODELS, NoteCategory::Warning, &fact).with(details)
        }
        None => {
            let fact = ToolNote::MemberFound { member, sources: result.sources.len(), ms: result.ms };
            Note::of(MODELS, NoteCategory::Success, &fact).with(details)
        }
    }
}
