//! What a model is asked.

use serde::{Deserialize, Serialize};

use super::purpose::Purpose;
use super::schema::Schema;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// One message of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    pub role: Role,
    pub content: String,
}

/// Sampling settings; absent means the provider's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// 0.0 to 2.0.
    pub temperature: Option<f64>,
    /// Upper bound on generated tokens.
    pub max_tokens: Option<u32>,
}

/// Time limits of one call, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until the first chunk of the reply (text or reasoning), per try.
    pub first_token_ms: u64,
    /// Between two chunks.
    pub idle_ms: u64,
    /// For the whole call, tries and pauses included.
    pub total_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { first_token_ms: 60_000, idle_ms: 60_000, total_ms: 300_000 }
    }
}

/// One request to one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// `provider:model`, or a bare id for the default provider.
    pub model: String,
    pub messages: Vec<ChatMessage>,
    pub purpose: &'static Purpose,
    pub sampling: Sampling,
    pub timeouts: Timeouts,
    /// Repeatability for the simulated provider: the run's seed and the call's key.
    pub seed: u64,
    /// The JSON that the reply is to consist of. Left out where the model does not offer it or
    /// refuses it, so the prompt must say by itself what to write, and the reply may be either.
    pub schema: Option<Schema>,
}
