//! What a run cost: sums over its finished calls, with unknown costs counted separately.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::stage::Stage;
use crate::llm::{CallError, CostSource, Reply, Usage, counted_as};

/// The key of the event with the costs: it is sent once per run, from whichever place.
pub const KEY: &str = "costs";

/// What one finished call used.
#[derive(Debug, Clone)]
pub struct Spent {
    stage: Stage,
    /// The model to which it is attributed.
    model: String,
    usage: Option<Usage>,
    /// A call that never reached a model cost nothing; its missing usage is not "unknown".
    reached: bool,
    latency_ms: u64,
}

impl Spent {
    /// The stage of the call.
    #[must_use]
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Whether it reached a model and its cost is unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.reached && self.usage.and_then(|usage| usage.cost_usd).is_none()
    }

    /// What a finished call used, failed ones included: what arrived before a failure was paid for.
    #[must_use]
    pub fn on(stage: &Stage, model: &str, result: &Result<Reply, CallError>) -> Self {
        let reply = result.as_ref().map_or_else(|error| error.partial.as_deref(), Some);
        let model = counted_as(model, reply.and_then(|reply| reply.served_by.as_deref())).to_owned();
        match result {
            Ok(reply) => Self {
                stage: stage.clone(),
                model,
                usage: reply.usage,
                reached: true,
                latency_ms: reply.latency_ms,
            },
            Err(error) => Self {
                stage: stage.clone(),
                model,
                usage: error.partial.as_ref().and_then(|reply| reply.usage),
                // Journals of earlier versions lack `reached`; a kept partial reply shows it.
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
    /// Tokens of the prompts.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens of the replies, reasoning included.
    #[serde(default)]
    pub completion_tokens: u64,
    /// Its share of the run's known cost, in percent; absent where the known cost is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_percent: Option<f64>,
    /// Its share of the run's tokens, in percent; absent where the run used none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_percent: Option<f64>,
    /// The time of the slowest call, since the calls of one stage run concurrently.
    pub latency_ms: u64,
    pub calls: u32,
    /// Calls that reached a model and whose cost is unknown: not in the sum.
    #[serde(default)]
    pub unknown_cost_calls: u32,
    /// Calls in the sum whose cost was worked out from list prices.
    #[serde(default)]
    pub estimated_cost_calls: u32,
}

/// What one model used in a run, over all stages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ModelCosts {
    /// USD over the calls whose cost is known; absent when none is.
    pub cost: Option<f64>,
    pub tokens: u64,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the replies, reasoning included.
    pub completion_tokens: u64,
    pub calls: u32,
    /// Calls that reached the model and whose cost is unknown: not in the sum.
    pub unknown_cost_calls: u32,
}

/// The costs of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Costs {
    /// USD over the calls whose cost is known; absent when none is.
    pub total_cost: Option<f64>,
    pub total_tokens: u64,
    /// Tokens of the prompts.
    #[serde(default)]
    pub total_prompt_tokens: u64,
    /// Tokens of the replies, reasoning included.
    #[serde(default)]
    pub total_completion_tokens: u64,
    /// Calls that reached a model and whose cost is unknown: not in the sum.
    pub unknown_cost_calls: u32,
    /// Calls in the sum whose cost was worked out from list prices.
    #[serde(default)]
    pub estimated_cost_calls: u32,
    #[schema(value_type = BTreeMap<String, StageCosts>)]
    pub by_stage: BTreeMap<Stage, StageCosts>,
    /// By model id; a call to a floating name counts for the model that answered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_model: BTreeMap<String, ModelCosts>,
}

impl Costs {
    /// The total in USD, if every call's cost is known: a partial sum would look like the total.
    #[must_use]
    pub fn whole_cost(&self) -> Option<f64> {
        self.total_cost.filter(|_| self.unknown_cost_calls == 0)
    }

    /// Sums finished calls.
    #[must_use]
    pub fn of<'a>(spent: impl IntoIterator<Item = &'a Spent>) -> Self {
        let mut costs = Self::default();
        for call in spent {
            let stage = costs.by_stage.entry(call.stage.clone()).or_default();
            let model = costs.by_model.entry(call.model.clone()).or_default();
            stage.calls += 1;
            model.calls += 1;
            stage.latency_ms = stage.latency_ms.max(call.latency_ms);
            let usage = call.usage.unwrap_or_default();
            for (sums, tokens) in [
                ([&mut stage.tokens, &mut model.tokens, &mut costs.total_tokens], usage.total_tokens),
                (
                    [&mut stage.prompt_tokens, &mut model.prompt_tokens, &mut costs.total_prompt_tokens],
                    usage.prompt_tokens,
                ),
                (
                    [
                        &mut stage.completion_tokens,
                        &mut model.completion_tokens,
                        &mut costs.total_completion_tokens,
                    ],
                    usage.completion_tokens,
                ),
            ] {
                for sum in sums {
                    *sum = sum.saturating_add(tokens);
                }
            }
            match call.usage.and_then(|usage| usage.cost_usd) {
                Some(cost) => {
                    *stage.cost.get_or_insert(0.0) += cost;
                    *model.cost.get_or_insert(0.0) += cost;
                    *costs.total_cost.get_or_insert(0.0) += cost;
                    let source = call.usage.and_then(|usage| usage.cost_source);
                    if source.is_some_and(CostSource::is_estimate) {
                        stage.estimated_cost_calls += 1;
                        costs.estimated_cost_calls += 1;
                    }
                }
                None if call.is_unknown() => {
                    stage.unknown_cost_calls += 1;
                    model.unknown_cost_calls += 1;
                    costs.unknown_cost_calls += 1;
                }
                None => {}
            }
        }
        costs.share_out();
        costs
    }

    /// Sets each stage's share of the whole.
    #[expect(clippy::cast_precision_loss, reason = "a percentage of tokens is rounded far above that")]
    fn share_out(&mut self) {
        let (cost, tokens) = (self.total_cost.unwrap_or_default(), self.total_tokens as f64);
        for stage in self.by_stage.values_mut() {
            stage.cost_percent = stage.cost.and_then(|part| percent(part, cost));
            stage.tokens_percent = percent(stage.tokens as f64, tokens);
        }
    }
}

/// A part of a whole in percent, with one decimal; `None` if the whole is zero.
fn percent(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| (part / whole * 1000.0).round() / 10.0)
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
            Spent::on(&stage(1), "m/one", &priced(Some(CostSource::Reported))),
            Spent::on(&stage(1), "m/one", &priced(Some(CostSource::Listed))),
            Spent::on(&stage(3), "m/one", &priced(Some(CostSource::BuiltIn))),
            // Stored before costs had a source.
            Spent::on(&stage(3), "m/one", &priced(None)),
        ]);
        assert_eq!((costs.total_cost, costs.estimated_cost_calls), (Some(1.0), 2));
        assert_eq!(costs.by_stage[&stage(1)].estimated_cost_calls, 1);
        assert_eq!(costs.unknown_cost_calls, 0);
    }

    #[test]
    fn stages_and_models_say_what_is_theirs() {
        let used = |prompt_tokens, completion_tokens, cost_usd| {
            let total_tokens = prompt_tokens + completion_tokens;
            let usage =
                Usage { prompt_tokens, completion_tokens, total_tokens, cost_usd, ..Usage::default() };
            Ok(Reply { usage: Some(usage), served_by: Some("m/newest".to_owned()), ..Reply::default() })
        };
        let costs = Costs::of(&[
            Spent::on(&stage(1), "m/one", &used(10, 90, Some(0.25))),
            Spent::on(&stage(1), "~m/latest", &used(20, 80, Some(0.5))),
            Spent::on(&stage(2), "m/one", &used(100, 0, None)),
            Spent::on(&stage(3), "m/one", &used(60, 40, Some(0.25))),
        ]);
        assert_eq!((costs.total_prompt_tokens, costs.total_completion_tokens), (190, 210));
        let of = |number| {
            let stage = costs.by_stage[&stage(number)];
            (stage.prompt_tokens, stage.completion_tokens, stage.cost_percent, stage.tokens_percent)
        };
        assert_eq!(of(1), (30, 170, Some(75.0), Some(50.0)));
        assert_eq!(of(2), (100, 0, None, Some(25.0)), "an unknown part is none");
        assert_eq!(of(3), (60, 40, Some(25.0), Some(25.0)));
        assert_eq!(costs.by_model.keys().collect::<Vec<_>>(), ["m/newest", "m/one"]);
        let one = costs.by_model["m/one"];
        assert_eq!((one.prompt_tokens, one.completion_tokens, one.tokens), (170, 130, 300));
        assert_eq!((one.cost, one.calls, one.unknown_cost_calls), (Some(0.5), 3, 1));
        let free = Costs::of(&[Spent::on(&stage(1), "m/one", &used(0, 0, Some(0.0)))]);
        assert_eq!(free.by_stage[&stage(1)].cost_percent, None);
        assert_eq!(free.by_stage[&stage(1)].tokens_percent, None);
    }

    #[test]
    fn an_unknown_cost_is_counted_not_guessed() {
        let refused: Result<Reply, CallError> = Err(CallError::new(ErrorKind::Auth, "no"));
        let silent = Err(CallError::new(ErrorKind::Timeout, "no first token").having_reached());
        let costs = Costs::of(&[
            Spent::on(&stage(1), "m/one", &reply(Some(0.25), 10, 900)),
            Spent::on(&stage(1), "m/one", &reply(None, 5, 1200)),
            Spent::on(&stage(2), "m/one", &refused),
            Spent::on(&stage(3), "m/one", &silent),
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
