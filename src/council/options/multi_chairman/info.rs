//! What events and stored messages say of several chairmen.

use serde::{Deserialize, Serialize};

use crate::council::stages::editorial::Editorial;
use crate::council::stages::synthesis::facts::NoteFact;
use crate::llm::fact::known;
use crate::llm::{CallFact, ErrorKind, Usage};

/// One chairman's draft of the answer, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SynthesisDraft {
    /// `A`, `B`, … in the order of the settings.
    pub label: String,
    pub model: String,
    /// The model that really wrote it, where the provider names another than the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    pub response: String,
    /// Where the members agree and differ, as this chairman saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<Editorial>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// The writer stopped at its token limit: the text is not whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// What its chairman had to go without, in plain sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Each of them as a fact.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    pub note_facts: Vec<NoteFact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The error as a fact, where it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
}
