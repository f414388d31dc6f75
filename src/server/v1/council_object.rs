//! What answers hold apart from the text: usage, cited sources, and what each seat said, for requests that ask for
//! that.

use serde_json::{Value, json};

use super::follow::RunView;
use super::followed_run::FollowedRun;
use crate::council::Deliberation;
use crate::council::costs::Costs;
use crate::council::searching::citations;

/// Cached and reasoning tokens over the calls of the answers, reviews and the final text that report them.
fn details(deliberation: &Deliberation) -> (u64, u64) {
    let answers = deliberation.answers();
    let answers = answers.iter().map(|answer| answer.usage);
    let reviews = deliberation.stage2.iter().flatten().map(|review| review.usage);
    let last = deliberation.stage3.iter().map(|synthesis| synthesis.usage);
    let all = answers.chain(reviews).chain(last).flatten();
    all.fold((0, 0), |(cached, reasoning), usage| {
        (cached + usage.cached_tokens, reasoning + usage.reasoning_tokens)
    })
}

/// The sum over the run's calls, in the form of chat completions; with the cost in USD, where that of every call is known.
pub(super) fn chat_usage(followed: &FollowedRun) -> Value {
    let costs = followed.costs().cloned().unwrap_or_default();
    let (cached, reasoning) = details(followed.deliberation());
    let mut usage = json!({
        "prompt_tokens": costs.total_prompt_tokens,
        "completion_tokens": costs.total_completion_tokens,
        "total_tokens": costs.total_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    });
    add_cost(&mut usage, &costs);
    usage
}

/// The tokens and costs in the form of the Responses API.
pub(super) fn response_usage(followed: &FollowedRun) -> Value {
    let costs = followed.costs().cloned().unwrap_or_default();
    let (cached, reasoning) = details(followed.deliberation());
    let mut usage = json!({
        "input_tokens": costs.total_prompt_tokens,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": costs.total_completion_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": costs.total_tokens,
    });
    add_cost(&mut usage, &costs);
    usage
}

fn add_cost(usage: &mut Value, costs: &Costs) {
    if let Some(cost) = costs.whole_cost() {
        usage["cost"] = json!(cost);
    }
}

/// A place in a text that cites a source, in characters.
pub(super) struct Cited {
    pub start: usize,
    pub end: usize,
    pub url: String,
    pub title: String,
}

/// Where a text cites which sources of the run.
pub(super) fn cited(followed: &FollowedRun, text: &str) -> Vec<Cited> {
    let sources = &followed.deliberation().metadata.sources;
    if sources.is_empty() || followed.is_document() {
        return Vec::new();
    }
    let chars = |bytes: usize| text.get(..bytes).map_or(0, |before| before.chars().count());
    let places = citations::places(text).flat_map(|(place, numbers)| {
        let found = numbers.into_iter().filter_map(|n| sources.iter().find(|source| source.n == n));
        let cited = |source: &crate::council::searching::source::Source| Cited {
            start: chars(place.start),
            end: chars(place.end),
            url: source.url.clone(),
            title: source.title.clone(),
        };
        found.map(cited).collect::<Vec<_>>()
    });
    places.collect()
}

/// What each seat said, for `include: ["council"]`.
pub(super) fn council(view: RunView<'_>) -> Value {
    let deliberation = view.followed.deliberation();
    let ranks = &deliberation.metadata.aggregate_rankings;
    let seats: Vec<Value> = deliberation
        .answers()
        .iter()
        .map(|answer| {
            let rank = ranks.iter().position(|row| row.member == answer.member).map(|place| place + 1);
            json!({
                "member": answer.member,
                "model": answer.model,
                "response": answer.response,
                "confidence": answer.confidence,
                "rank": rank,
                "cost": answer.cost,
                "latency_ms": answer.latency_ms,
                "error": answer.error,
            })
        })
        .collect();
    let stage3 = deliberation.stage3.as_ref();
    let costs = deliberation.metadata.costs.as_ref();
    json!({
        "run_id": view.requested.run,
        "conversation_id": view.requested.conversation,
        "seats": seats,
        "writer": stage3.map(|stage3| &stage3.model),
        "heading": stage3.map(|stage3| &stage3.heading),
        "disagreement": stage3.and_then(|stage3| stage3.disagreement.as_ref()),
        "sources": deliberation.metadata.sources,
        "cost": costs.and_then(|costs| costs.total_cost),
        "unknown_cost_calls": costs.map(|costs| costs.unknown_cost_calls),
    })
}
