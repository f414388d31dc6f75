//! The journal of one run in Postgres: the `Host` of its deliberation.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;

use super::budget::{Reserved, RunBudget};
use super::carried::CarriedCalls;
use super::corrections;
use super::earlier::EarlierAnswers;
use super::frame::{Frame, from_log};
use super::live::{Appended, LiveRun, Record, Urgency};
use super::log::Log;
use crate::council::budget::{BudgetEvent, BudgetState};
use crate::council::correction::Corrections;
use crate::council::costs::{Costs, Spent};
use crate::council::earlier::{AnswerToKeep, EarlierAnswer, EarlierLookup, EarlierQuery, KeepOutcome};
use crate::council::fingerprint::Fingerprint;
use crate::council::member_retry::{self, Retries};
use crate::council::run::{FinishedCall, Host};
use crate::council::{AnyEvent, Deliberation, Token};
use crate::id::{RunId, UserId};
use crate::llm::{CallError, CostSource, Reply};
use crate::store::journal::{CallRow, DecisionRow, Remembered};
use crate::store::{Db, conversations};

/// The journal of a run that this process executes.
pub struct Journal {
    live: Arc<LiveRun>,
    log: Arc<Log>,
    db: Db,
    calls: HashMap<String, FinishedCall>,
    decisions: HashMap<String, Value>,
    corrections: Corrections,
    retries: Retries,
    /// The calls taken over from the runs that this one replaces, if it replaces any.
    carried: OnceLock<CarriedCalls>,
    /// What the run has reserved in the budgets that bind it, if any does.
    budget: Option<RunBudget>,
    earlier: EarlierAnswers,
    /// The fold over the run's events, which is stored at its end.
    deliberation: Mutex<Deliberation>,
    /// What every call in the ledger used, by key, including those of earlier executions.
    spent: Mutex<BTreeMap<String, Spent>>,
}

/// What earlier executions of a run left, ready to be looked up.
#[derive(Debug, Default)]
pub struct Recovered {
    pub calls: HashMap<String, FinishedCall>,
    pub decisions: HashMap<String, Value>,
    pub corrections: Corrections,
    pub retries: Retries,
    /// The keys of structural events that are logged already.
    pub known_keys: HashSet<String>,
    /// The structural events that are logged already, in order.
    pub events: Vec<AnyEvent>,
    pub last_seq: u64,
}

impl Recovered {
    /// What the finished calls cost, as budgets count it.
    #[must_use]
    pub fn spent_usd(&self) -> f64 {
        self.calls.values().filter_map(|call| cost_of(&call.result).or_else(|| call.assumed_usd())).sum()
    }

    /// Reads what the store remembers. What cannot be read is left out and logged: its call is
    /// made again, which costs money but loses nothing.
    #[must_use]
    pub fn read(remembered: Remembered) -> Self {
        let mut recovered = Self { decisions: remembered.decisions.into_iter().collect(), ..Self::default() };
        for value in remembered.calls {
            match serde_json::from_value::<FinishedCall>(value) {
                Ok(call) => {
                    recovered.calls.insert(call.key.clone(), call);
                }
                Err(error) => tracing::error!(%error, "a journaled call cannot be read"),
            }
        }
        for frame in remembered.frames.iter().flat_map(|text| from_log(text)) {
            let Some(frame) = frame else {
                tracing::error!("a logged event cannot be read");
                continue;
            };
            recovered.last_seq = recovered.last_seq.max(frame.seq);
            if frame.is_token() {
                continue;
            }
            match frame.event() {
                Ok(event) => recovered.events.push(event),
                Err(error) => tracing::error!(key = frame.key, %error, "a logged event cannot be understood"),
            }
            recovered.known_keys.insert(frame.key);
        }
        recovered.corrections = corrections::after(&recovered.events);
        recovered.retries = member_retry::begun(&recovered.events);
        recovered
    }
}

impl Journal {
    /// The journal of a live run.
    pub(super) fn new(
        live: Arc<LiveRun>,
        (log, db): (Arc<Log>, Db),
        calls: HashMap<String, FinishedCall>,
        decisions: HashMap<String, Value>,
        (corrections, retries): (Corrections, Retries),
        budget: Option<RunBudget>,
        earlier: EarlierAnswers,
    ) -> Self {
        let (carried, deliberation) = (OnceLock::new(), Mutex::default());
        let spent =
            calls.values().map(|call| (call.key.clone(), Spent::on(&call.stage, &call.model, &call.result)));
        let spent = Mutex::new(spent.collect());
        Self {
            live,
            log,
            db,
            calls,
            decisions,
            corrections,
            retries,
            carried,
            budget,
            earlier,
            deliberation,
            spent,
        }
    }

    /// Takes over the calls of earlier runs. Must be called before the first call.
    pub(super) fn carry(&self, carried: CarriedCalls) {
        self.carried.get_or_init(|| carried);
    }

    /// Whether the run has reserved anything in a budget.
    #[must_use]
    pub fn has_reservation(&self) -> bool {
        self.budget.is_some()
    }

    /// Publishes warnings of the budgets that were nearly used up when the run was admitted.
    pub async fn publish_warnings(&self) {
        if let Some(budget) = &self.budget {
            self.warn(budget.warnings.clone()).await;
        }
    }

    async fn warn(&self, nearly_used_up: Vec<BudgetState>) {
        for data in nearly_used_up {
            self.publish(&data.key(), BudgetEvent::BudgetWarning { data }.into()).await;
        }
    }

    /// The run's results so far.
    #[must_use]
    pub fn deliberation(&self) -> Deliberation {
        self.deliberation.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the run has cost so far, according to the ledger.
    #[must_use]
    pub fn costs(&self) -> Costs {
        Costs::of(self.spent.lock().unwrap_or_else(PoisonError::into_inner).values())
    }

    /// Applies the events of earlier executions that this one does not produce again.
    pub fn replay(&self, events: &[AnyEvent]) {
        let mut deliberation = self.deliberation.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().for_each(|event| deliberation.apply(event));
    }

    /// Appends a record and an event, each if there is one, and waits until they are durable.
    pub async fn record(&self, record: Option<Record>, event: Option<(&str, AnyEvent)>) {
        let frame = event.map(|(key, event)| Frame::structural(0, key, event));
        let appended = self.append(record, frame, Urgency::Now);
        self.live.durable(appended.position).await;
    }

    fn append(&self, record: Option<Record>, frame: Option<Frame>, urgency: Urgency) -> Appended {
        let appended = self.live.append(record, frame, urgency);
        if let Some(urgency) = appended.wake_writer {
            self.log.wake(&self.live, urgency);
        }
        appended
    }

    fn decision_row(&self, key: &str, value: &Value) -> DecisionRow {
        let (run, user) = (self.live.id, self.live.user.clone());
        DecisionRow { run, user, key: key.to_owned(), value: value.to_string() }
    }
}

#[async_trait]
impl Host for Journal {
    fn finished_call(&self, key: &str) -> Option<FinishedCall> {
        self.calls.get(key).cloned()
    }

    fn carried_call(&self, key: &str, fingerprint: Fingerprint<'_>) -> Option<FinishedCall> {
        let asked = self.carried.get()?.get(key)?;
        asked.iter().find(|call| fingerprint.is(&call.fingerprint)).cloned()
    }

    fn decision(&self, key: &str) -> Option<Value> {
        self.decisions.get(key).cloned()
    }

    fn corrections(&self) -> Corrections {
        self.corrections.clone()
    }

    fn retries(&self) -> Retries {
        self.retries.clone()
    }

    async fn commit_call(&self, call: &FinishedCall) {
        let row = call_row(self.live.id, &self.live.user, call);
        let spent_usd = row.cost_usd.or(row.assumed_usd);
        self.spent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(call.key.clone())
            .or_insert_with(|| Spent::on(&call.stage, &call.model, &call.result));
        self.record(Some(Record::Call(Box::new(row))), None).await;
        if let Some(budget) = &self.budget {
            let nearly_used_up = budget.settle(&call.key, spent_usd).await;
            self.warn(nearly_used_up).await;
        }
    }

    async fn commit_decision(&self, key: &str, value: Value) {
        self.record(Some(Record::Decision(self.decision_row(key, &value))), None).await;
    }

    async fn note_decision(&self, key: &str, value: Value) {
        self.append(Some(Record::Decision(self.decision_row(key, &value))), None, Urgency::Soon);
    }

    async fn publish(&self, key: &str, event: AnyEvent) {
        self.deliberation.lock().unwrap_or_else(PoisonError::into_inner).apply(&event);
        let waits = event.waits_for_person().then_some(Record::Waits);
        let appended = self.append(waits, Some(Frame::structural(0, key, event)), Urgency::Soon);
        if appended.full {
            self.live.durable(appended.position).await;
        }
    }

    async fn stream(&self, call: &str, token: Token) {
        let appended = self.live.append_token(call, token);
        if let Some(urgency) = appended.wake_writer {
            self.log.wake(&self.live, urgency);
        }
        if appended.full {
            self.live.durable(appended.position).await;
        }
    }

    fn attempt(&self) -> u32 {
        u32::try_from(self.live.attempt).unwrap_or(1)
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    async fn own_title(&self) -> Option<String> {
        if !self.live.may_be_renamed() {
            return None;
        }
        conversations::own_title(&self.db, self.live.conversation).await.unwrap_or_else(|error| {
            tracing::warn!(run.id = %self.live.id, error = &error as &dyn std::error::Error, "the name of a conversation cannot be read");
            None
        })
    }

    async fn earlier(&self, query: &EarlierQuery<'_>) -> EarlierLookup {
        self.earlier.look(query).await
    }

    async fn events_of(&self, answer: &EarlierAnswer) -> Option<Vec<Value>> {
        self.earlier.events_of(answer).await
    }

    async fn note_look(&self, hit: Option<&EarlierAnswer>, embedding_failed: bool) -> Option<u32> {
        self.earlier.note(hit, embedding_failed).await
    }

    async fn keep(&self, keep: &AnswerToKeep<'_>) -> KeepOutcome {
        self.earlier.keep(keep, &self.deliberation()).await
    }

    async fn reserve(&self, call: &str, usd: Option<f64>) -> Result<(), CallError> {
        let Some(budget) = &self.budget else { return Ok(()) };
        match budget.reserve(call, usd).await {
            Reserved::Granted(nearly_used_up) => {
                self.warn(nearly_used_up).await;
                Ok(())
            }
            Reserved::Refused(error) => Err(error),
            Reserved::Lost => {
                self.live.mark_lost();
                std::future::pending().await
            }
        }
    }
}

/// A finished call as a row of the ledger.
pub(super) fn call_row(run: RunId, user: &UserId, call: &FinishedCall) -> CallRow {
    let (reply, outcome) = match &call.result {
        Ok(reply) => (Some(reply), "ok".to_owned()),
        Err(error) => (error.partial.as_deref(), name_of(&error.kind)),
    };
    let usage = reply.and_then(|reply| reply.usage);
    let tokens = |count: fn(&crate::llm::Usage) -> u64| usage.as_ref().map(|usage| signed(count(usage)));
    CallRow {
        run,
        user: user.clone(),
        key: call.key.clone(),
        stage: call.stage.as_str().to_owned(),
        model: call.counted_as().to_owned(),
        purpose: call.purpose.clone().into_owned(),
        fingerprint: call.fingerprint.clone(),
        outcome,
        result: Some(serde_json::to_string(call).expect("a finished call is plain data with string keys")),
        prompt_tokens: tokens(|usage| usage.prompt_tokens),
        completion_tokens: tokens(|usage| usage.completion_tokens),
        reasoning_tokens: tokens(|usage| usage.reasoning_tokens),
        cached_tokens: tokens(|usage| usage.cached_tokens),
        cache_saved_usd: usage.and_then(|usage| usage.cache_saved_usd),
        total_tokens: tokens(|usage| usage.total_tokens),
        cost_usd: usage.and_then(|usage| usage.cost_usd),
        cost_source: usage.and_then(|usage| usage.cost_source).map(CostSource::as_str),
        assumed_usd: call.assumed_usd(),
        latency_ms: reply.map(|reply| signed(reply.latency_ms)),
        ttft_ms: reply.and_then(|reply| reply.ttft_ms).map(signed),
        tries: match &call.result {
            Ok(reply) => i32::try_from(reply.tries).unwrap_or(i32::MAX),
            Err(error) => i32::try_from(error.tries).unwrap_or(i32::MAX),
        },
    }
}

fn cost_of(result: &Result<Reply, CallError>) -> Option<f64> {
    let reply = match result {
        Ok(reply) => reply,
        Err(error) => error.partial.as_deref()?,
    };
    reply.usage?.cost_usd
}

/// The name that serde gives a plain enum.
fn name_of(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        Ok(_) | Err(_) => unreachable!("a plain enum is serialised as its name"),
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
