//! What several chairmen tell, and the choice among their drafts.

use serde::{Deserialize, Serialize};

use super::info::SynthesisDraft;
use crate::llm::fact::known;
use crate::llm::{CallFact, ErrorKind, Usage};

/// The chairman's choice among the drafts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Selection {
    /// Who chose.
    pub model: String,
    /// The model that really chose, where the provider names another than the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// The label of the chosen draft; of the first one when no choice could be read.
    pub selected_synthesis: String,
    /// Who wrote that draft.
    pub selected_model: String,
    /// Whether a choice could be read.
    pub is_read: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection_reasoning: Option<String>,
    /// Everything the chairman wrote before its final response, as it came.
    pub evaluation: String,
    /// The final answer: the chairman's own text, or the chosen draft where it left that as it is.
    pub response: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD, with that of a second request for the letter; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

/// The events of several chairmen, between `stage3_start` and `stage3_complete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MultiChairmanEvent {
    /// The chairmen are asked, in the order of their labels.
    MultiSynthesisStart { models: Vec<String> },
    /// A chairman has written its draft or failed.
    SynthesisComplete { data: Box<SynthesisDraft> },
    /// Every chairman has written or failed.
    MultiSynthesisComplete { syntheses: Vec<SynthesisDraft> },
    /// The chairman begins to choose; a second one means that the first failed: clear its text.
    SelectionStart { model: String },
    /// A piece of the chairman's text, its final response included.
    SelectionToken { model: String, content: String },
    /// The choice is made.
    SelectionComplete { data: Box<Selection> },
    /// A chairman could not choose.
    SelectionError {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
}
