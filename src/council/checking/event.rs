//! The events of a writer that checks facts before it writes.

use serde::{Deserialize, Serialize};

use crate::council::searching::source::Source;

/// See the module. They carry who checks: a stand-in may write, and several chairmen at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type")]
pub enum CheckEvent {
    /// What it is not sure of, or why it knows enough.
    #[serde(rename = "react_thought")]
    Thought(CheckThought),
    /// What it does about it.
    #[serde(rename = "react_action")]
    Acted(CheckAction),
    /// What came of a search.
    #[serde(rename = "react_observation")]
    Observation(CheckObservation),
}

impl CheckEvent {
    /// The sources that it tells of.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        match self {
            Self::Observation(seen) => &seen.sources,
            Self::Thought(_) | Self::Acted(_) => &[],
        }
    }
}

/// What it is not sure of, or why it knows enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CheckThought {
    pub model: String,
    /// The turn, from 1.
    pub iteration: u8,
    /// In its own words; may be empty.
    pub thought: String,
}

/// What is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
// Names of types are global in the OpenAPI document.
#[schema(as = CheckActionKind)]
pub enum Action {
    /// It looks something up.
    SearchWeb,
    /// It writes.
    #[default]
    Synthesize,
}

/// What it does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CheckAction {
    pub model: String,
    pub iteration: u8,
    #[schema(inline)]
    pub action: Action,
    /// What it searches for; absent where it does not, or wrote no query that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// What came of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CheckObservation {
    pub model: String,
    pub iteration: u8,
    /// What was found, shortened.
    pub observation: String,
    pub sources: Vec<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
