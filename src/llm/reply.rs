//! What a model answered.

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
    /// What it cites; of a search, what was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// The vector that was asked for in the place of words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Embedding>,
    /// The model takes no tools, as far as is known: it was asked without those of the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_refused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that really answered, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// From sending the successful try to its last chunk.
    pub latency_ms: u64,
    /// From sending the successful try to its first text or reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// How often it was tried, 1 for the first time.
    pub tries: u32,
}

impl Reply {
    /// The model that wrote it, where the provider names another than the one that was asked.
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
    /// Part of the prompt that was written to it, for the next call.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    pub total_tokens: u64,
    /// USD: the provider's own figure, else from list prices, else unknown (absent, never 0 by
    /// guess).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Where that figure comes from; absent when it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_source: Option<CostSource>,
    /// USD that the cache saved by list prices, less the cost of writing to it; below 0 where it cost more than it
    /// saved. Absent where the cache had no part, or its prices are unknown.
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
    /// The provider said what it charges.
    Reported,
    /// From the price in the provider's list of models: an estimate.
    Listed,
    /// From the price list that this program brings along: an estimate of some age.
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
