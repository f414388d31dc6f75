//! What keeps the records of a run: its journal and its log.

use std::borrow::Cow;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::council::any_event::AnyEvent;
use crate::council::correction::Corrections;
use crate::council::costs::Spent;
use crate::council::earlier::{AnswerToKeep, EarlierAnswer, EarlierLookup, EarlierQuery, KeepOutcome};
use crate::council::fingerprint::Fingerprint;
use crate::council::member_retry::Retries;
use crate::council::stage::Stage;
use crate::council::token::Token;
use crate::llm::{CallError, CallFact, Purpose, Reply, Usage, counted_as};

/// A model call that is over, well or badly: what the journal keeps and replays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedCall {
    /// The call's place in the deliberation (`stage1/openai/gpt-5.1`), the same in every execution.
    pub key: String,
    pub stage: Stage,
    pub model: String,
    /// What it was for: the name of its [`Purpose`].
    pub purpose: Cow<'static, str>,
    /// What it asked, comparable with a request: see [`Fingerprint`].
    pub fingerprint: String,
    /// What it was expected to cost, in USD; absent where the model's price was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_usd: Option<f64>,
    pub result: Result<Reply, CallError>,
}

impl FinishedCall {
    /// The model that it counts for: the one that answered, where a floating name was asked.
    #[must_use]
    pub fn counted_as(&self) -> &str {
        let reply = self.result.as_ref().map_or_else(|error| error.partial.as_deref(), Some);
        counted_as(&self.model, reply.and_then(|reply| reply.served_by.as_deref()))
    }

    /// What budgets take it to have cost: what was expected of it, where it reached a model and nobody
    /// told its cost. Absent for all others.
    #[must_use]
    pub fn assumed_usd(&self) -> Option<f64> {
        let is_unknown = Spent::on(&self.stage, &self.model, &self.result).is_unknown();
        self.expected_usd.filter(|_| is_unknown)
    }
}

/// The journal and the event log under a run. Implemented by `runs` over Postgres, and in memory.
///
/// A host that has lost the run (fenced by another owner, or shutting down) never returns from a
/// commit: the run's future waits there until it is dropped.
#[async_trait]
pub trait Host: Send + Sync {
    /// The finished call under this key, if an earlier execution made it.
    fn finished_call(&self, key: &str) -> Option<FinishedCall>;

    /// The finished call under this key of the run that this one goes on from, if it asked just this.
    fn carried_call(&self, _key: &str, _fingerprint: Fingerprint<'_>) -> Option<FinishedCall> {
        None
    }

    /// Notes that this execution asks something else under this key than an earlier one did, whose answer stands.
    fn asks_something_else(&self, _key: &str) {}

    /// The fact decided under this key, if an earlier execution did.
    fn decision(&self, key: &str) -> Option<Value>;

    /// The corrections of the question that earlier executions took in, and whether they are closed to more.
    fn corrections(&self) -> Corrections {
        Corrections::default()
    }

    /// How often earlier executions asked members again.
    fn retries(&self) -> Retries {
        Retries::default()
    }

    /// Makes a finished call durable; returns when it is.
    async fn commit_call(&self, call: &FinishedCall);

    /// Makes a fact durable; returns when it is.
    async fn commit_decision(&self, key: &str, value: Value);

    /// Makes a fact durable before whatever the run logs from now on, but may return earlier.
    async fn note_decision(&self, key: &str, value: Value) {
        self.commit_decision(key, value).await;
    }

    /// Logs a structural event: written once under its key, and shown only when it and every earlier
    /// record of the run are durable.
    async fn publish(&self, key: &str, event: AnyEvent);

    /// Logs a token of this call: shown at once. Tokens of one text that nobody has read yet may
    /// become one.
    async fn stream(&self, call: &str, token: Token);

    /// Which execution this is, 1 for the first.
    fn attempt(&self) -> u32;

    /// The current time. Only for what is written once under its key, as events are: the next execution sees another
    /// time.
    fn now(&self) -> Timestamp;

    /// The title that a person has given the conversation during the run, where one has, and as far as that can be
    /// found out.
    async fn own_title(&self) -> Option<String> {
        None
    }

    /// Looks for an answer that may be given again.
    async fn earlier(&self, _query: &EarlierQuery<'_>) -> EarlierLookup {
        EarlierLookup::Unavailable
    }

    /// The events that tell the results of an earlier answer's run, oldest first; none where they are gone or cannot be
    /// read.
    async fn events_of(&self, _answer: &EarlierAnswer) -> Option<Vec<Value>> {
        None
    }

    /// Records the result of a look-up, once in a run: the answer that is given, if any. Returns how often that one has
    /// been given in all; `None` where that is not known.
    async fn note_look(&self, _hit: Option<&EarlierAnswer>, _embedding_failed: bool) -> Option<u32> {
        None
    }

    /// Keeps the run's answer, to be given again.
    async fn keep(&self, _keep: &AnswerToKeep<'_>) -> KeepOutcome {
        KeepOutcome::Unavailable
    }

    /// Reserves what a call is expected to cost, in USD (unknown when absent), in the budgets that bind the run, before
    /// it is sent; [`Host::commit_call`] settles it. Without budgets nothing is reserved.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`] when it does not fit: the call is over, without having been sent.
    async fn reserve(&self, _call: &str, _usd: Option<f64>) -> Result<(), CallError> {
        Ok(())
    }
}

/// A call that has been sent and is not over: what is kept of it when the run is cancelled.
#[derive(Debug, Clone)]
pub struct UnderWay {
    pub key: String,
    pub stage: Stage,
    pub model: String,
    /// The seat's name, where the call belongs to one.
    pub member: Option<String>,
    pub purpose: &'static Purpose,
    pub fingerprint: String,
    /// What it will probably cost, in USD, where that is known.
    pub expected_usd: Option<f64>,
    /// The text shown so far.
    pub text: String,
    /// Whether the request has gone out, in this execution or perhaps in an earlier one. Until then it
    /// waits for its place at the provider, and costs nothing.
    pub(super) sent: bool,
    /// The model is done with it; the result only waits for its commit.
    pub(super) in_hand: bool,
}

impl UnderWay {
    /// The result of a call that is dropped before its end. Whether the provider charges for one
    /// that was sent is unknown, unless the model is free, as the simulated ones are.
    #[must_use]
    pub fn dropped(&self, fact: CallFact) -> CallError {
        let is_free = self.expected_usd.is_some_and(|usd| usd <= 0.0);
        let usage = is_free.then(|| Usage { cost_usd: Some(0.0), ..Usage::default() });
        let arrived = || Box::new(Reply { text: self.text.clone(), usage, ..Reply::default() });
        CallError {
            reached: self.sent,
            partial: self.sent.then(arrived),
            tries: u32::from(self.sent),
            ..CallError::from(fact)
        }
    }
}
