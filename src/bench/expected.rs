//! What a bench will probably take, before anything is asked.

use std::collections::BTreeSet;

use super::graders::{self, Grading, judge};
use super::question::Question;
use super::request;
use super::suite::{Asks, Suite};
use crate::council::Plan;
use crate::council::estimate::{self, Estimate, Kept};
use crate::council::formats;
use crate::council::prompts::fence::Fence;
use crate::council::stages::answers;
use crate::llm::Models;

/// What is expected of a number of calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expected {
    pub calls: usize,
    /// USD, of the models whose price is known.
    pub usd: f64,
    pub unknown_price_models: BTreeSet<String>,
}

impl Expected {
    fn add(&mut self, estimate: &Estimate, times: usize) {
        self.calls += usize::try_from(estimate.calls).unwrap_or(usize::MAX) * times;
        self.usd += estimate.cost_usd.unwrap_or_default() * super::statistics::count(times);
        self.unknown_price_models.extend(estimate.unknown_price_models.iter().cloned());
    }

    /// Adds the calls of another expectation.
    pub fn plus(&mut self, other: &Self) {
        self.calls += other.calls;
        self.usd += other.usd;
        self.unknown_price_models.extend(other.unknown_price_models.iter().cloned());
    }
}

/// A model writes about so many characters for a token.
const CHARS_OF_A_TOKEN: u64 = 4;

/// What one question asked of one variant will probably take, its grading included.
#[must_use]
pub fn of_one(suite: &Suite, question: &Question, variant: usize, models: &dyn Models) -> Expected {
    let mut expected = Expected::default();
    let Some(variant) = suite.variants.get(variant) else { return expected };
    let answers = match &variant.asks {
        Asks::Council(plan) => {
            let plan = with_question(plan, question);
            let estimate =
                formats::estimate(&plan, &Kept::default(), |model, tokens| models.price(model, tokens));
            expected.add(&estimate, 1);
            1 + plan.brief().members().len()
        }
        Asks::Model(model) => {
            let request = request::answer(model, &graders::prompt(question));
            expected.add(&estimate::of_single(answers::STAGE, &request, models), 1);
            1
        }
    };
    let is_judged = graders::of(question).is_some_and(|grader| matches!(grader.grading, Grading::Judge));
    if let Some(model) = suite.judge.as_ref().filter(|_| is_judged) {
        let length = usize::try_from(answers::ANSWER.usual_tokens * CHARS_OF_A_TOKEN).unwrap_or(usize::MAX);
        let prompt =
            judge::prompt(question, &"x".repeat(length), judge::Order::StandardFirst, &Fence::new("marker"));
        let request = request::judgement(model, &prompt);
        expected.add(&estimate::of_single(request::GRADING, &request, models), judge::ORDERS.len() * answers);
    }
    expected
}

/// What these questions asked of every variant will probably take.
#[must_use]
pub fn of_all<'q>(
    suite: &Suite,
    places: impl IntoIterator<Item = (&'q Question, usize)>,
    models: &dyn Models,
) -> Expected {
    let mut sum = Expected::default();
    for (question, variant) in places {
        sum.plus(&of_one(suite, question, variant, models));
    }
    sum
}

/// The plan without earlier runs' answers, which would count as answers that cost nothing and took no time. Nor are a
/// bench's answers kept for its user's own questions.
fn fresh(plan: &Plan) -> Plan {
    Plan { cache: None, ..plan.clone() }
}

/// A variant's plan for one of the questions.
#[must_use]
pub fn with_question(plan: &Plan, question: &Question) -> Plan {
    let mut plan = fresh(plan);
    plan.task.brief.question = graders::prompt(question);
    // Its conversation is named after the bench.
    plan.title = false;
    plan
}

/// The models that a suite may ask.
#[must_use]
pub fn models(suite: &Suite) -> BTreeSet<String> {
    let of_variant = |asks: &Asks| match asks {
        Asks::Council(plan) => formats::models(&fresh(plan), &Kept::default()),
        Asks::Model(model) => BTreeSet::from([model.model.clone()]),
    };
    let judge = suite.judge.iter().map(|judge| judge.model.clone());
    suite.variants.iter().flat_map(|variant| of_variant(&variant.asks)).chain(judge).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bench::suite::Variant;
    use crate::council::plan::Context;

    #[test]
    fn every_question_is_asked_whatever_the_settings_say_of_earlier_answers() {
        let settings = json!({
            "council_models": ["a", "b"], "chairman_model": "a", "title_model": "a", "utility_model": "a"
        });
        let context = Context { settings: serde_json::from_value(settings).unwrap(), ..Context::default() };
        let plan = Plan::parse(&json!({"content": "?", "use_cache": true}), context).unwrap();
        assert!(plan.cache.is_some());
        assert_eq!(with_question(&plan, &Question::default()).cache, None);
        let variants = vec![Variant { name: "council".into(), asks: Asks::Council(Box::new(plan)) }];
        let suite = Suite { variants, judge: None, simulated: false };
        assert_eq!(models(&suite), BTreeSet::from(["a".to_owned(), "b".to_owned()]), "no embedding model");
    }
}
