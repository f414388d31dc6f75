//! The journal of one run over Postgres: what `council` stands on.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;

use super::frame::{self, from_log};
use super::live::{LiveRun, Record};
use super::log::Log;
use crate::council::run::{FinishedCall, Host};
use crate::council::{Deliberation, Event};
use crate::id::UserId;
use crate::llm::CostSource;
use crate::store::journal::{CallRow, DecisionRow, Remembered};

/// See the module.
pub struct Journal {
    live: Arc<LiveRun>,
    log: Arc<Log>,
    calls: HashMap<String, FinishedCall>,
    decisions: HashMap<String, Value>,
    /// The fold over the run's events: what will be stored.
    deliberation: Mutex<Deliberation>,
}

/// What an earlier execution left, ready to be looked up.
#[derive(Debug, Default)]
pub struct Memory {
    pub calls: HashMap<String, FinishedCall>,
    pub decisions: HashMap<String, Value>,
    /// Structural events that are logged already.
    pub known: HashSet<String>,
    /// These events, in order.
    pub told: Vec<Event>,
    pub last_seq: u64,
}

impl Memory {
    /// Reads what the store remembers. What cannot be read is left out and logged: its call is
    /// made again, which costs money but loses nothing.
    #[must_use]
    pub fn read(remembered: Remembered) -> Self {
        let mut memory = Self { decisions: remembered.decisions.into_iter().collect(), ..Self::default() };
        for value in remembered.calls {
            match serde_json::from_value::<FinishedCall>(value) {
                Ok(call) => {
                    memory.calls.insert(call.key.clone(), call);
                }
                Err(error) => tracing::error!(%error, "a journaled call cannot be read"),
            }
        }
        for frame in remembered.frames.iter().flat_map(|text| from_log(text)) {
            let Some(frame) = frame else {
                tracing::error!("a logged event cannot be read");
                continue;
            };
            memory.last_seq = memory.last_seq.max(frame.seq);
            if frame.key.is_empty() {
                continue;
            }
            match serde_json::from_slice(&frame.json) {
                Ok(event) => memory.told.push(event),
                Err(error) => tracing::error!(key = frame.key, %error, "a logged event cannot be understood"),
            }
            memory.known.insert(frame.key);
        }
        memory
    }
}

impl Journal {
    /// The journal of a live run.
    pub fn new(
        live: Arc<LiveRun>,
        log: Arc<Log>,
        calls: HashMap<String, FinishedCall>,
        decisions: HashMap<String, Value>,
    ) -> Self {
        Self { live, log, calls, decisions, deliberation: Mutex::default() }
    }

    /// What the run has found out so far.
    #[must_use]
    pub fn deliberation(&self) -> Deliberation {
        self.deliberation.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in what earlier executions told, where it is not found out again.
    pub fn remember(&self, told: &[Event]) {
        let mut deliberation = self.deliberation.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().for_each(|event| deliberation.apply(event));
    }

    /// Makes a record durable, with an event if there is one.
    pub async fn record(&self, record: Option<Record>, event: Option<(&str, &Event)>) {
        let frame = event.map(|(key, event)| (key, frame::encode(event), event.ends_the_run()));
        let appended = self.live.append(record, frame);
        if appended.tell_writer {
            self.log.urgent(&self.live);
        }
        self.live.durable(appended.position).await;
    }
}

#[async_trait]
impl Host for Journal {
    fn finished_call(&self, key: &str) -> Option<FinishedCall> {
        self.calls.get(key).cloned()
    }

    fn decision(&self, key: &str) -> Option<Value> {
        self.decisions.get(key).cloned()
    }

    async fn commit_call(&self, call: FinishedCall) {
        let row = call_row(&self.live, &call);
        self.record(Some(Record::Call(Box::new(row))), None).await;
    }

    async fn commit_decision(&self, key: &str, value: Value) {
        let row = DecisionRow {
            run: self.live.id,
            user: self.live.user.clone(),
            key: key.to_owned(),
            value: value.to_string(),
        };
        self.record(Some(Record::Decision(row)), None).await;
    }

    async fn publish(&self, key: &str, event: Event) {
        self.deliberation.lock().unwrap_or_else(PoisonError::into_inner).apply(&event);
        let appended = self.live.append(None, Some((key, frame::encode(&event), event.ends_the_run())));
        if appended.tell_writer {
            self.log.urgent(&self.live);
        }
        if appended.full {
            self.live.durable(appended.position).await;
        }
    }

    async fn stream(&self, call: &str, event: Event) {
        let appended = self.live.append_token(call, event);
        if appended.tell_writer {
            self.log.tokens(&self.live);
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
}

fn call_row(live: &LiveRun, call: &FinishedCall) -> CallRow {
    let (reply, outcome) = match &call.result {
        Ok(reply) => (Some(reply), "ok".to_owned()),
        Err(error) => (error.partial.as_deref(), name_of(&error.kind)),
    };
    let usage = reply.and_then(|reply| reply.usage);
    let tokens = |count: fn(&crate::llm::Usage) -> u64| usage.as_ref().map(|usage| signed(count(usage)));
    CallRow {
        run: live.id,
        user: UserId::clone(&live.user),
        key: call.key.clone(),
        stage: call.stage.as_str(),
        model: call.model.clone(),
        purpose: name_of(&call.purpose),
        fingerprint: call.fingerprint.clone(),
        outcome,
        result: serde_json::to_string(call).expect("a finished call is plain data with string keys"),
        prompt_tokens: tokens(|usage| usage.prompt_tokens),
        completion_tokens: tokens(|usage| usage.completion_tokens),
        reasoning_tokens: tokens(|usage| usage.reasoning_tokens),
        cached_tokens: tokens(|usage| usage.cached_tokens),
        total_tokens: tokens(|usage| usage.total_tokens),
        cost_usd: usage.and_then(|usage| usage.cost_usd),
        cost_source: usage.and_then(|usage| usage.cost_source).map(CostSource::as_str),
        latency_ms: reply.map(|reply| signed(reply.latency_ms)),
        ttft_ms: reply.and_then(|reply| reply.ttft_ms).map(signed),
        tries: match &call.result {
            Ok(reply) => i32::try_from(reply.tries).unwrap_or(i32::MAX),
            Err(error) => i32::try_from(error.tries).unwrap_or(i32::MAX),
        },
    }
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
