//! What is stored of a call.

use serde::{Deserialize, Serialize};

use super::event::ToolArguments;

/// A call of a tool, as it is stored on the answer or statement of its author.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolCallMade {
    /// What was called, as the model wrote it.
    pub tool: String,
    pub args: ToolArguments,
    /// The numbers of the sources that it found.
    #[serde(default)]
    pub result_sources: Vec<u32>,
    /// How long it took, in milliseconds; that of the first search where the run had searched for the same before.
    #[serde(default)]
    pub ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
