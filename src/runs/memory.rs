//! A journal in memory, for tests that simulate a crash.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::council::earlier::{AnswerToKeep, EarlierAnswer, EarlierLookup, EarlierQuery, KeepOutcome};
use crate::council::member_retry::{self, Retries};
use crate::council::run::{FinishedCall, Host};
use crate::council::{AnyEvent, Deliberation, Token};

/// What survives a crash: the journal and the log.
#[derive(Debug, Default)]
pub struct MemoryStore {
    pub calls: HashMap<String, FinishedCall>,
    pub decisions: HashMap<String, Value>,
    /// Structural events by key, in order.
    pub events: Vec<(String, AnyEvent)>,
    /// How many commits there were over all executions.
    pub commits: usize,
    /// The keys of calls whose request in a later execution differed from that in an earlier one.
    pub mismatches: Vec<String>,
    /// Answers that may be given again, each with the events of its results; `None` where no answers are kept.
    pub earlier: Option<Vec<(EarlierAnswer, Vec<Value>)>>,
    /// How often answers were given again, by their ids.
    pub given: HashMap<String, u32>,
}

/// A [`Host`] in memory.
pub struct MemoryHost {
    store: Arc<Mutex<MemoryStore>>,
    deliberation: Mutex<Deliberation>,
    attempt: u32,
    /// How many more commits this execution may make.
    commits_left: Mutex<Option<usize>>,
    crashed: CancellationToken,
}

impl MemoryHost {
    /// A host over what earlier executions left. With `dies_after`, that many commits go through
    /// and the next one never returns, as in a process that was killed.
    #[must_use]
    pub fn new(store: Arc<Mutex<MemoryStore>>, attempt: u32, dies_after: Option<usize>) -> Self {
        Self {
            store,
            deliberation: Mutex::default(),
            attempt,
            commits_left: Mutex::new(dies_after),
            crashed: CancellationToken::new(),
        }
    }

    /// Waits until the host has crashed.
    pub async fn death(&self) {
        self.crashed.cancelled().await;
    }

    /// The run's results so far.
    #[must_use]
    pub fn deliberation(&self) -> Deliberation {
        lock(&self.deliberation).clone()
    }

    async fn commit(&self, write: impl FnOnce(&mut MemoryStore) + Send) {
        let alive = {
            let mut commits_left = lock(&self.commits_left);
            match commits_left.as_mut() {
                None => true,
                Some(0) => false,
                Some(more) => {
                    *more -= 1;
                    true
                }
            }
        };
        if !alive {
            self.crashed.cancel();
            std::future::pending::<()>().await;
        }
        let mut store = lock(&self.store);
        store.commits += 1;
        write(&mut store);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Host for MemoryHost {
    fn finished_call(&self, key: &str) -> Option<FinishedCall> {
        lock(&self.store).calls.get(key).cloned()
    }

    fn asks_something_else(&self, key: &str) {
        lock(&self.store).mismatches.push(key.to_owned());
    }

    fn decision(&self, key: &str) -> Option<Value> {
        lock(&self.store).decisions.get(key).cloned()
    }

    fn retries(&self) -> Retries {
        member_retry::begun(lock(&self.store).events.iter().map(|(_, event)| event))
    }

    async fn commit_call(&self, call: &FinishedCall) {
        self.commit(|store| {
            store.calls.insert(call.key.clone(), call.clone());
        })
        .await;
    }

    async fn commit_decision(&self, key: &str, value: Value) {
        self.commit(|store| {
            store.decisions.insert(key.to_owned(), value);
        })
        .await;
    }

    async fn publish(&self, key: &str, event: AnyEvent) {
        lock(&self.deliberation).apply(&event);
        if lock(&self.store).events.iter().any(|(known, _)| known == key) {
            return;
        }
        self.commit(|store| store.events.push((key.to_owned(), event))).await;
    }

    async fn stream(&self, _call: &str, _token: Token) {}

    async fn earlier(&self, query: &EarlierQuery<'_>) -> EarlierLookup {
        let store = lock(&self.store);
        let Some(answers) = &store.earlier else { return EarlierLookup::Unavailable };
        let same = answers.iter().find(|(answer, _)| answer.question.as_deref() == Some(query.question));
        match same {
            Some((answer, _)) => EarlierLookup::Answer(Box::new(answer.clone())),
            None => EarlierLookup::Nothing { best: None, difference: None },
        }
    }

    async fn events_of(&self, answer: &EarlierAnswer) -> Option<Vec<Value>> {
        let store = lock(&self.store);
        let answers = store.earlier.iter().flatten();
        answers.filter(|(known, _)| known.id == answer.id).map(|(_, events)| events.clone()).next()
    }

    async fn note_look(&self, hit: Option<&EarlierAnswer>, _embedding_failed: bool) -> Option<u32> {
        let answer = hit?;
        // Counted once per run, however often the run is executed.
        let mut store = lock(&self.store);
        Some(*store.given.entry(answer.id.clone()).or_insert(answer.hit_count + 1))
    }

    async fn keep(&self, _keep: &AnswerToKeep<'_>) -> KeepOutcome {
        match lock(&self.store).earlier {
            Some(_) => KeepOutcome::As { id: "kept".to_owned(), size: 1 },
            None => KeepOutcome::Unavailable,
        }
    }

    fn attempt(&self) -> u32 {
        self.attempt
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
