//! A run that is not stored: its events go to the caller, and it is gone when the process ends.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::execution::{OPENING_KEY, opening};
use crate::council::costs::{self, Costs, Spent};
use crate::council::run::{FinishedCall, Host};
use crate::council::{self, AnyEvent, Deliberation, Plan, Run, RunEvent, Token};
use crate::id::{ConversationId, MessageId, RunId};
use crate::llm::{CallFact, Models};
use crate::store::RunStatus;

/// The outcome of a run.
pub struct EphemeralOutcome {
    pub status: RunStatus,
    /// Why it failed.
    pub error: Option<String>,
    pub deliberation: Deliberation,
}

/// Executes a plan and sends its events as JSON, each as it comes. Random choices repeat those of the run `seed`, if
/// given. The run goes on when nobody receives the events any more; `cancel` stops it.
pub async fn execute(
    (run_id, conversation, message): (RunId, ConversationId, MessageId),
    (plan, seed): (&Plan, Option<RunId>),
    models: Arc<dyn Models>,
    cancel: &CancellationToken,
    events: mpsc::Sender<String>,
) -> EphemeralOutcome {
    let host = Arc::new(EphemeralHost { events, deliberation: Mutex::default(), spent: Mutex::default() });
    let run = Run::new(run_id, host.clone(), models).choosing_like(seed.unwrap_or(run_id));
    run.emit(OPENING_KEY, opening((run_id, conversation, message), plan)).await;
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        ended = AssertUnwindSafe(Box::pin(council::deliberate(&run, plan))).catch_unwind() => Some(ended),
    };
    let (status, error, last) = match ended {
        Some(Ok(Ok(()))) => (RunStatus::Complete, None, RunEvent::Complete {}),
        Some(Ok(Err(failure))) => failed(failure.kind(), failure.to_string()),
        Some(Err(_panic)) => failed("internal", "A fault of this program ended the run.".to_owned()),
        None => (RunStatus::Cancelled, None, RunEvent::Cancelled { message: None, error_kind: None }),
    };
    let under_way = run.under_way();
    if status != RunStatus::Complete {
        let data = {
            let mut spent = lock(&host.spent);
            for call in &under_way {
                spent.insert(
                    call.key.clone(),
                    Spent::on(&call.stage, &call.model, &Err(call.dropped(CallFact::Unfinished))),
                );
            }
            Costs::of(spent.values())
        };
        if !data.by_stage.is_empty() {
            host.publish(costs::KEY, RunEvent::CostsComplete { data }.into()).await;
        }
        lock(&host.deliberation).keep_unfinished(&under_way, &CallFact::Unfinished);
    }
    host.publish(super::frame::END_KEY, last.into()).await;
    let deliberation = lock(&host.deliberation).clone();
    EphemeralOutcome { status, error, deliberation }
}

fn failed(kind: &'static str, message: String) -> (RunStatus, Option<String>, RunEvent) {
    let event = RunEvent::Error { message: message.clone(), error_kind: Some(kind.to_owned()) };
    (RunStatus::Failed, Some(message), event)
}

struct EphemeralHost {
    events: mpsc::Sender<String>,
    deliberation: Mutex<Deliberation>,
    spent: Mutex<BTreeMap<String, Spent>>,
}

impl EphemeralHost {
    async fn show(&self, json: String) {
        // The reader has left: the run goes on until it is stopped.
        drop(self.events.send(json).await);
    }
}

#[async_trait]
impl Host for EphemeralHost {
    fn finished_call(&self, _key: &str) -> Option<FinishedCall> {
        None
    }

    fn decision(&self, _key: &str) -> Option<Value> {
        None
    }

    async fn commit_call(&self, call: &FinishedCall) {
        lock(&self.spent).insert(call.key.clone(), Spent::on(&call.stage, &call.model, &call.result));
    }

    async fn commit_decision(&self, _key: &str, _value: Value) {}

    async fn publish(&self, _key: &str, event: AnyEvent) {
        lock(&self.deliberation).apply(&event);
        self.show(event.json()).await;
    }

    async fn stream(&self, _call: &str, token: Token) {
        self.show(token.json()).await;
    }

    fn attempt(&self) -> u32 {
        1
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
