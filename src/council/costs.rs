//! What a run cost: sums over its finished calls, with what is unknown said as such.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::stage::Stage;
use crate::llm::{CallError, CostSource, Reply, Usage};

/// The key of the event that tells them: once in a run, whoever tells it.
pub const KEY: &str = "costs";

/// What one finished call used.
#[derive(Debug, Clone)]
pub struct Spent {
    stage: Stage,
    usage: Option<Usage>,
    /// A call that never reached a model cost nothing; its missing usage is not "unknown".
    reached: bool,
    latency_ms: u64,
}

impl Spent {
    /// The stage it was spent in.
    #[must_use]
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Whether it reached a model and nobody told its cost.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.reached && self.usage.and_then(|usage| usage.cost_usd).is_none()
    }

    /// Reads a finished call, failed ones included: what arrived before a cut was paid for.
    #[must_use]
    pub fn on(stage: &Stage, result: &Result<Reply, CallError>) -> Self {
        match result {
            Ok(reply) => {
                Self { stage: stage.clone(), usage: reply.usage, reached: true, latency_ms: reply.latency_ms }
            }
            Err(error) => Self {
                stage: stage.clone(),
                usage: error.partial.as_ref().and_then(|reply| reply.usage),
                // A journal of an earlier version says it by keeping what arrived.
                reached: error.reached || error.partial.is_some(),
                latency_ms: error.partial.as_ref().map_or(0, |reply| reply.latency_ms),
            },
        }
    }
}

/// The costs of one stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StageCosts {
    /// USD over the calls whose cost is known; absent when none is.
    pub cost: Option<f64>,
    pub tokens: u64,
    /// The slowest call: calls of one stage run side by side.
    pub latency_ms: u64,
    pub calls: u32,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    #[serde(default)]
    pub unknown_cost_calls: u32,
    /// Calls in the sum whose cost was worked out from list prices.
    #[serde(default)]
    pub estimated_cost_calls: u32,
}

/// The costs of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Costs {
    /// USD over the calls whose cost is known; absent when none is.
    pub total_cost: Option<f64>,
    pub total_tokens: u64,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    pub unknown_cost_calls: u32,
    /// Calls in the sum whose cost was worked out from list prices.
    #[serde(default)]
    pub estimated_cost_calls: u32,
    #[schema(value_type = BTreeMap<String, StageCosts>)]
    pub by_stage: BTreeMap<Stage, StageCosts>,
}

impl Costs {
    /// Sums finished calls.
    #[must_use]
    pub fn of<'a>(spent: impl IntoIterator<Item = &'a Spent>) -> Self {
        let mut costs = Self::default();
        for call in spent {
            let stage = costs.by_stage.entry(call.stage.clone()).or_default();
            stage.calls += 1;
            stage.latency_ms = stage.latency_ms.max(call.latency_ms);
            let tokens = call.usage.map_or(0, |usage| usage.total_tokens);
            stage.tokens = stage.tokens.saturating_add(tokens);
            costs.total_tokens = costs.total_tokens.saturating_add(tokens);
            match call.usage.and_then(|usage| usage.cost_usd) {
                Some(cost) => {
                    *stage.cost.get_or_insert(0.0) += cost;
                    *costs.total_cost.get_or_insert(0.0) += cost;
                    let source = call.usage.and_then(|usage| usage.cost_source);
                    if source.is_some_and(CostSource::is_estimate) {
                        stage.estimated_cost_calls += 1;
                        costs.estimated_cost_calls += 1;
                    }
                }
                None if call.is_unknown() => {
                    stage.unknown_cost_calls += 1;
                    costs.unknown_cost_calls += 1;
                }
                None => {}
            }
        }
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ErrorKind;

    fn stage(number: u8) -> Stage {
        Stage::named(["stage1", "stage2", "stage3"][usize::from(number) - 1])
    }

    fn reply(cost_usd: Option<f64>, total_tokens: u64, latency_ms: u64) -> Result<Reply, CallError> {
        let usage = Some(Usage { total_tokens, cost_usd, ..Usage::default() });
        Ok(Reply { usage, latency_ms, ..Reply::default() })
    }

    #[test]
    fn a_sum_says_what_in_it_is_estimated() {
        let priced = |source| {
            let usage = Usage { cost_usd: Some(0.25), cost_source: source, ..Usage::default() };
            Ok(Reply { usage: Some(usage), ..Reply::default() })
        };
        let costs = Costs::of(&[
            Spent::on(&stage(1), &priced(Some(CostSource::Reported))),
            Spent::on(&stage(1), &priced(Some(CostSource::Listed))),
            Spent::on(&stage(3), &priced(Some(CostSource::BuiltIn))),
            // Stored before sources were.
            Spent::on(&stage(3), &priced(None)),
        ]);
        assert_eq!((costs.total_cost, costs.estimated_cost_calls), (Some(1.0), 2));
        assert_eq!(costs.by_stage[&stage(1)].estimated_cost_calls, 1);
        assert_eq!(costs.unknown_cost_calls, 0);
    }

    #[test]
    fn an_unknown_cost_is_counted_not_guessed() {
        let refused: Result<Reply, CallError> = Err(CallError::new(ErrorKind::Auth, "no"));
        let silent = Err(CallError::new(ErrorKind::Timeout, "no first token").having_reached());
        let costs = Costs::of(&[
            Spent::on(&stage(1), &reply(Some(0.25), 10, 900)),
            Spent::on(&stage(1), &reply(None, 5, 1200)),
            Spent::on(&stage(2), &refused),
            Spent::on(&stage(3), &silent),
        ]);
        assert_eq!(costs.total_cost, Some(0.25));
        assert_eq!(costs.total_tokens, 15);
        assert_eq!(costs.unknown_cost_calls, 2);
        assert_eq!(costs.by_stage[&stage(1)].unknown_cost_calls, 1);
        assert_eq!(costs.by_stage[&stage(2)].unknown_cost_calls, 0);
        assert_eq!(costs.by_stage[&stage(3)].unknown_cost_calls, 1);
        assert_eq!(costs.by_stage[&stage(1)].latency_ms, 1200);
        assert_eq!(costs.by_stage[&stage(2)].cost, None);
    }
}
