//! What a model is asked.

use serde::{Deserialize, Serialize};

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

/// What the call is for. The wire does not carry it; the simulated provider writes by it, and
/// the ledger and the sampling settings are keyed by it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Stage 1: a member's answer.
    Answer,
    /// Stage 2: a member's review and ranking.
    Review,
    /// A short second request for a readable ballot.
    BallotRepair,
    /// Stage 3: the chairman's answer.
    Synthesis,
    /// The conversation's title.
    Title,
    /// Which kind of question it is.
    Routing,
    /// The supreme chairman's choice among several drafts.
    Selection,
    /// A member's critique of a draft.
    Critique,
    /// The chairman's next version of a draft.
    Revision,
    /// The devil's advocate's attack on a draft.
    Adversary,
}

impl Purpose {
    /// Every purpose, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::Answer,
        Self::Review,
        Self::BallotRepair,
        Self::Synthesis,
        Self::Title,
        Self::Routing,
        Self::Selection,
        Self::Critique,
        Self::Revision,
        Self::Adversary,
    ];

    /// The name in JSON, in the ledger and in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Review => "review",
            Self::BallotRepair => "ballot_repair",
            Self::Synthesis => "synthesis",
            Self::Title => "title",
            Self::Routing => "routing",
            Self::Selection => "selection",
            Self::Critique => "critique",
            Self::Revision => "revision",
            Self::Adversary => "adversary",
        }
    }
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// `provider:model`, or a bare id for the default provider.
    pub model: String,
    pub messages: Vec<ChatMessage>,
    pub purpose: Purpose,
    #[serde(default)]
    pub sampling: Sampling,
    #[serde(default)]
    pub timeouts: Timeouts,
    /// Repeatability for the simulated provider: the run's seed and the call's key.
    #[serde(default)]
    pub seed: u64,
    /// The JSON that the reply is to consist of. Left out where the model does not offer it or
    /// refuses it, so the prompt must say by itself what to write, and the reply may be either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
}
