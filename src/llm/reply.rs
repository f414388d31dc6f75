//! Replies of models.

use serde::{Deserialize, Serialize};

use super::citation::Citation;
use super::embedding::Embedding;

/// A whole reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    /// Streamed reasoning, joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Provider-specific reasoning blocks as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_details: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it cites; for a search, what was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// The vector, if one was asked for instead of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Embedding>,
    /// Whether the request was sent without its tools, because the model takes none as far as is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_refused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that actually answered, if the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// From sending the successful try to its last chunk.
    pub latency_ms: u64,
    /// From sending the successful try to its first text or reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// How many tries it took; 1 without a retry.
    pub tries: u32,
}

impl Reply {
    /// The model that wrote it, if that is not the one that was asked.
    #[must_use]
    pub fn served_by_another(&self, asked: &str) -> Option<String> {
        self.served_by.clone().filter(|name| name != asked)
    }
}

/// A complete tool call, its streamed parts joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// JSON as the model wrote it; it may be malformed.
    pub arguments: String,
}

/// No call has more tokens. A larger count is a provider's mistake and counts as absent: sums over it would
/// overflow, and its list price would use up budgets.
const MAX_TOKENS: f64 = 1e9;
/// No call costs more US dollars, for the same reason.
const MAX_COST_USD: f64 = 10_000.0;

/// A number of tokens that one call may have; `None` where it cannot be.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1e9 all fit")]
pub(super) fn plausible_tokens(count: f64) -> Option<u64> {
    (0.0..=MAX_TOKENS).contains(&count).then_some(count as u64)
}

/// A cost in USD that one call may have; `None` where it cannot be.
pub(super) fn plausible_cost(usd: f64) -> Option<f64> {
    (0.0..=MAX_COST_USD).contains(&usd).then_some(usd)
}

/// Token counts of one call, and its cost where known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// Part of the completion that was reasoning.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// Part of the prompt that was read from the provider's cache.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Part of the prompt that was written to the provider's cache, for the next call.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    pub total_tokens: u64,
    /// Cost in USD: the provider's own figure, else computed from list prices; absent if unknown, never 0 as a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Where that figure comes from; absent when it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_source: Option<CostSource>,
    /// USD that the provider's cache saved at list prices, less the cost of writing to it; negative if it cost more
    /// than it saved. Absent if the cache was not used, or its prices are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_saved_usd: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Where a cost comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// Reported by the provider.
    Reported,
    /// From the price in the provider's list of models: an estimate.
    Listed,
    /// From the price list built into this program: an estimate that may be out of date.
    BuiltIn,
}

impl CostSource {
    /// The name in JSON and in the ledger.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Listed => "listed",
            Self::BuiltIn => "built_in",
        }
    }

    /// Whether it was worked out from list prices.
    #[must_use]
    pub fn is_estimate(self) -> bool {
        match self {
            Self::Reported => false,
            Self::Listed | Self::BuiltIn => true,
        }
    }
}
