//! What came of one question asked of one variant.

use serde::{Deserialize, Serialize};

use super::graders::Verdict;
use crate::id::RunId;

/// See the module. Stored, so new fields need defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub verdict: Verdict,
    /// The run that answered; none where a model was asked alone.
    #[serde(default)]
    pub run: Option<RunId>,
    /// How the answer ends, for a look at why it was graded so.
    #[serde(default)]
    pub ending: String,
    /// Why there is no answer.
    #[serde(default)]
    pub error: Option<String>,
    /// What the answer cost.
    #[serde(default)]
    pub spent: Spent,
    /// How long models were at work on it.
    #[serde(default)]
    pub time_ms: u64,
    /// What judges cost.
    #[serde(default)]
    pub grading: Spent,
    /// What each member of a council answered by itself.
    #[serde(default)]
    pub members: Vec<MemberOutcome>,
}

/// What one member answered, before anybody reviewed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberOutcome {
    pub member: String,
    pub model: String,
    pub verdict: Verdict,
    /// What its answer cost, in USD; absent when unknown.
    #[serde(default)]
    pub cost_usd: Option<f64>,
}

/// What calls cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchSpent)]
pub struct Spent {
    /// USD, of the calls whose cost is known.
    pub usd: f64,
    pub calls: u64,
    /// Calls whose cost is not known.
    pub unpriced_calls: u64,
}

impl Spent {
    /// One more call.
    pub fn add(&mut self, cost_usd: Option<f64>) {
        self.calls += 1;
        match cost_usd {
            Some(usd) => self.usd += usd,
            None => self.unpriced_calls += 1,
        }
    }

    /// The sum of these calls and others.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            usd: self.usd + other.usd,
            calls: self.calls + other.calls,
            unpriced_calls: self.unpriced_calls + other.unpriced_calls,
        }
    }
}
