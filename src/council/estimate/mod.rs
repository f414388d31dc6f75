//! What a run will probably cost, before anything is asked: the calls that its plan makes, folded over
//! their prices. Which calls those are is in `calls`: an option adds a line there.

mod calls;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::kept::Kept;
use super::plan::Plan;
use super::pricing::{completion, cost, prompt_tokens};
use super::stage::Stage;
use crate::llm::{ChatRequest, Models, Pricing};

/// A call that a plan is expected to make.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ExpectedCall {
    stage: Stage,
    model: String,
    prompt_tokens: u64,
    completion_tokens: u64,
}

/// What some calls will probably cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct StageEstimate {
    pub calls: u32,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// USD over the calls whose price is known; absent when none is.
    pub cost_usd: Option<f64>,
}

/// What a run will probably cost. Where it depends on what the models say which calls there are, the
/// dearest course is taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Estimate {
    pub calls: u32,
    /// USD over the calls whose price is known; absent when none is.
    pub cost_usd: Option<f64>,
    #[schema(value_type = BTreeMap<String, StageEstimate>)]
    pub by_stage: BTreeMap<Stage, StageEstimate>,
    /// Models without a known price: their calls are not in the sums.
    pub unknown_price_models: Vec<String>,
}

/// What a plan will probably cost, beyond what is kept of an earlier run, at the price of each model for
/// a prompt of so many tokens.
#[must_use]
pub fn of_plan(plan: &Plan, kept: &Kept, price: impl Fn(&str, u64) -> Option<Pricing>) -> Estimate {
    let courses = calls::courses(plan, kept).into_iter().map(|calls| Estimate::of(&calls, &price));
    let usd = |estimate: &Estimate| estimate.cost_usd.unwrap_or_default();
    let mut dearest = Estimate::default();
    let mut unknown = Vec::new();
    for course in courses {
        unknown.extend(course.unknown_price_models.iter().cloned());
        if dearest.calls == 0 || (usd(&course), course.calls) > (usd(&dearest), dearest.calls) {
            dearest = course;
        }
    }
    // Also those of the other courses: nobody knows which one it will be.
    unknown.sort();
    unknown.dedup();
    dearest.unknown_price_models = unknown;
    dearest
}

/// The models that a plan may ask, beyond what is kept of an earlier run.
#[must_use]
pub fn models(plan: &Plan, kept: &Kept) -> BTreeSet<String> {
    calls::courses(plan, kept).into_iter().flatten().map(|call| call.model).collect()
}

/// What a call that is no part of a plan will probably cost.
#[must_use]
pub fn of_single(stage: Stage, request: &ChatRequest, models: &dyn Models) -> Estimate {
    let call = ExpectedCall {
        stage,
        model: request.model.clone(),
        prompt_tokens: prompt_tokens(request),
        completion_tokens: completion(request.purpose, request.sampling),
    };
    Estimate::of(&[call], |model, prompt_tokens| models.price(model, prompt_tokens))
}

impl Estimate {
    fn of(calls: &[ExpectedCall], price: impl Fn(&str, u64) -> Option<Pricing>) -> Self {
        let mut estimate = Self::default();
        for call in calls {
            let stage = estimate.by_stage.entry(call.stage).or_default();
            estimate.calls += 1;
            stage.calls += 1;
            stage.prompt_tokens += call.prompt_tokens;
            stage.completion_tokens += call.completion_tokens;
            match price(&call.model, call.prompt_tokens) {
                Some(price) => {
                    let usd = cost(price, call.prompt_tokens, call.completion_tokens);
                    *stage.cost_usd.get_or_insert(0.0) += usd;
                    *estimate.cost_usd.get_or_insert(0.0) += usd;
                }
                None => estimate.unknown_price_models.push(call.model.clone()),
            }
        }
        estimate
    }
}
