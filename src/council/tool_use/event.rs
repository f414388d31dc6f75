//! The events of tools: what a member calls, and what comes back.

use serde::{Deserialize, Serialize};

use crate::council::any_event::AnyEvent;
use crate::council::searching::source::Source;

/// The events of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolEvent {
    /// A member calls a tool before it answers. What it wrote before the call is a thought and none of its answer.
    Stage1ToolCall(ToolCalled),
    /// What came back.
    Stage1ToolResult(ToolReturned),
    /// A speaker calls a tool before it speaks; of a part of a question, who answers it. What it wrote before the call
    /// is a thought and no part of what it says.
    ToolCall(ToolCalled),
    /// What came back.
    ToolResult(ToolReturned),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolCalled {
    pub model: String,
    pub member: String,
    /// The round, or the part of the question, from 1; absent in stage 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Its place among the member's calls, as in `1.2`: the turn and the call in it. The result has the same.
    pub call_id: String,
    pub tool: String,
    pub args: ToolArguments,
}

/// What a call asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolArguments {
    /// Absent where the call could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// What came back from a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolReturned {
    pub model: String,
    pub member: String,
    /// As in the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    pub call_id: String,
    pub tool: String,
    /// What was found, shortened; empty where it failed.
    pub result: String,
    pub sources: Vec<Source>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where a member speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Stage1,
    /// A round, or a part of the question, from 1.
    Round(u32),
}

impl Place {
    pub(super) fn round(self) -> Option<u32> {
        match self {
            Self::Stage1 => None,
            Self::Round(round) => Some(round),
        }
    }

    pub(super) fn called(self, call: ToolCalled) -> AnyEvent {
        match self {
            Self::Stage1 => ToolEvent::Stage1ToolCall(call),
            Self::Round(_) => ToolEvent::ToolCall(call),
        }
        .into()
    }

    pub(super) fn returned(self, result: ToolReturned) -> AnyEvent {
        match self {
            Self::Stage1 => ToolEvent::Stage1ToolResult(result),
            Self::Round(_) => ToolEvent::ToolResult(result),
        }
        .into()
    }
}

impl ToolEvent {
    /// The sources that it tells of.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        match self {
            Self::Stage1ToolResult(result) | Self::ToolResult(result) => &result.sources,
            Self::Stage1ToolCall(_) | Self::ToolCall(_) => &[],
        }
    }
}
