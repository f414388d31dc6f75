//! Metrics of calls: their number, duration, tokens and cost. Labelled by provider and never by model, since anybody
//! may name models.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::SEARCH_PREFIX;
use super::error::{CallError, ErrorKind};
use super::reply::{Reply, Usage};
use super::request::ChatRequest;
use crate::trace::{self, CallFigures};

/// The labels for how a call can end.
const OUTCOMES: [&str; 9] = [
    "ok",
    "auth",
    "rate_limited",
    "overloaded",
    "context_too_long",
    "refused",
    "timeout",
    "bad_response",
    "cancelled",
];

/// The labels of token counts: the first two are all tokens, the others are parts of these.
const TOKEN_KINDS: [&str; 5] = ["prompt", "completion", "reasoning", "cached", "cache_write"];

/// Begins the series of a provider at 0, so that the first event of each kind shows as an increase.
pub(super) fn begin(provider: &str) {
    metrics::describe_counter!("llm_council_calls_total", "Calls to models and searches, by how they ended.");
    metrics::describe_counter!(
        "llm_council_tokens_total",
        "Tokens; reasoning is a part of completion, cached and cache_write are parts of prompt."
    );
    metrics::describe_gauge!(
        "llm_council_cost_usd_total",
        "US dollars that calls have cost, where that is known."
    );
    metrics::describe_counter!(
        "llm_council_calls_of_unknown_cost_total",
        "Calls that reached a model and whose cost is unknown: not in llm_council_cost_usd_total."
    );
    metrics::describe_histogram!(
        "llm_council_call_duration_seconds",
        "Duration of whole calls, including waiting for a place and all tries."
    );
    metrics::describe_histogram!(
        "llm_council_time_to_first_token_seconds",
        "Time from sending the last try to its first text or reasoning."
    );
    metrics::describe_counter!(
        "llm_council_retries_total",
        "Tries after the first, sent or over their budget."
    );
    metrics::describe_counter!(
        "llm_council_breaker_changes_total",
        "Circuits that opened or closed; without a model, that of the whole provider."
    );
    for outcome in OUTCOMES {
        calls(provider, outcome).increment(0);
    }
    for kind in TOKEN_KINDS {
        tokens(provider, kind).increment(0);
    }
    cost(provider).increment(0.0);
    unknown_cost(provider).increment(0);
    // The histograms of other outcomes begin with the first call that ends so.
    drop(duration(provider, OUTCOMES[0]));
    drop(first_token(provider, OUTCOMES[0]));
    for outcome in ["sent", "over_budget"] {
        metrics::counter!("llm_council_retries_total", "provider" => provider.to_owned(), "outcome" => outcome)
            .increment(0);
    }
    for state in ["open", "closed"] {
        metrics::counter!("llm_council_breaker_changes_total",
            "provider" => provider.to_owned(), "model" => "", "state" => state)
        .increment(0);
    }
}

fn calls(provider: &str, outcome: &'static str) -> metrics::Counter {
    metrics::counter!("llm_council_calls_total", "provider" => provider.to_owned(), "outcome" => outcome)
}

fn tokens(provider: &str, kind: &'static str) -> metrics::Counter {
    metrics::counter!("llm_council_tokens_total", "provider" => provider.to_owned(), "kind" => kind)
}

/// A gauge that only grows, since counters hold only whole numbers; it is exported as a counter.
fn cost(provider: &str) -> metrics::Gauge {
    metrics::gauge!("llm_council_cost_usd_total", "provider" => provider.to_owned())
}

fn unknown_cost(provider: &str) -> metrics::Counter {
    metrics::counter!("llm_council_calls_of_unknown_cost_total", "provider" => provider.to_owned())
}

fn duration(provider: &str, outcome: &'static str) -> metrics::Histogram {
    metrics::histogram!("llm_council_call_duration_seconds", "provider" => provider.to_owned(), "outcome" => outcome)
}

fn first_token(provider: &str, outcome: &'static str) -> metrics::Histogram {
    metrics::histogram!("llm_council_time_to_first_token_seconds",
        "provider" => provider.to_owned(), "outcome" => outcome)
}

/// The label of a failure.
#[must_use]
pub fn outcome(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Auth => "auth",
        ErrorKind::RateLimited => "rate_limited",
        ErrorKind::Overloaded => "overloaded",
        ErrorKind::ContextTooLong => "context_too_long",
        ErrorKind::Refused => "refused",
        ErrorKind::Timeout => "timeout",
        ErrorKind::BadResponse => "bad_response",
        // A budget refuses before a provider is asked, so no call ends here with it.
        ErrorKind::Budget | ErrorKind::Cancelled => "cancelled",
    }
}

/// What a request asks for, as OpenTelemetry's conventions for GenAI call it.
#[must_use]
pub fn operation(request: &ChatRequest) -> &'static str {
    if request.model.starts_with(SEARCH_PREFIX) {
        "execute_tool"
    } else if request.embeds {
        "embeddings"
    } else {
        "chat"
    }
}

/// One call under way. If it is dropped before its end, it counts as cancelled.
pub(super) struct CallWatch<'p> {
    provider: &'p str,
    /// The id that the caller asked for.
    model: &'p str,
    operation: &'static str,
    began: Instant,
    /// Whether a try has been sent.
    sent: AtomicBool,
    ended: bool,
}

impl<'p> CallWatch<'p> {
    /// A call to this provider begins.
    pub(super) fn begin(provider: &'p str, model: &'p str, operation: &'static str) -> Self {
        Self { provider, model, operation, began: Instant::now(), sent: AtomicBool::new(false), ended: false }
    }

    /// A try is sent.
    pub(super) fn sent(&self) {
        self.sent.store(true, Ordering::Relaxed);
    }

    /// The call has ended, and its cost is known if it ever will be.
    pub(super) fn end(mut self, result: &Result<Reply, CallError>) {
        self.ended = true;
        let (outcome, reply, reached) = match result {
            Ok(reply) => (OUTCOMES[0], Some(reply), true),
            Err(error) => (outcome(error.kind), error.partial.as_deref(), error.reached),
        };
        let usage = reply.and_then(|reply| reply.usage);
        self.count(outcome, usage.as_ref());
        if let Some(ms) = reply.and_then(|reply| reply.ttft_ms) {
            first_token(self.provider, outcome).record(Duration::from_millis(ms));
        }
        if let Some(usage) = &usage {
            self.count_tokens(usage);
        }
        match usage.and_then(|usage| usage.cost_usd) {
            Some(usd) => cost(self.provider).increment(usd),
            None if reached => unknown_cost(self.provider).increment(1),
            None => {}
        }
    }

    fn count(&self, outcome: &'static str, usage: Option<&Usage>) {
        let took = self.began.elapsed();
        calls(self.provider, outcome).increment(1);
        duration(self.provider, outcome).record(took);
        trace::count(&CallFigures {
            operation: self.operation,
            provider: self.provider,
            model: self.model,
            took,
            input_tokens: usage.map(|usage| usage.prompt_tokens),
            output_tokens: usage.map(|usage| usage.completion_tokens),
            error: (outcome != OUTCOMES[0]).then_some(outcome),
        });
    }

    fn count_tokens(&self, usage: &Usage) {
        let counts = [
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.reasoning_tokens,
            usage.cached_tokens,
            usage.cache_write_tokens,
        ];
        for (kind, count) in TOKEN_KINDS.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
            tokens(self.provider, kind).increment(count);
        }
    }
}

impl Drop for CallWatch<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.count(outcome(ErrorKind::Cancelled), None);
        if self.sent.load(Ordering::Relaxed) {
            unknown_cost(self.provider).increment(1);
        }
    }
}
