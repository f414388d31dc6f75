//! Group commit: one writer per process makes the calls, decisions, events and results of all
//! runs durable in batches, so that database work does not grow with tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::frame;
use super::live::{LiveRun, Pending, Record};
use crate::id::RunId;
use crate::store::journal::{self, Batch, EventsRow};
use crate::store::{Db, StoreError};

/// How long tokens may wait for company before they are written. They are shown at once all the
/// same; this only bounds what a crash can take from a reader's scroll-back.
const TOKEN_DELAY: Duration = Duration::from_millis(50);
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MOST: Duration = Duration::from_secs(2);

/// The writer's inbox.
#[derive(Debug, Default)]
pub struct Log {
    dirty: Mutex<Vec<Arc<LiveRun>>>,
    tokens: Notify,
    urgent: Notify,
}

impl Log {
    /// Says that a run has something to write. `urgent` when somebody waits for it.
    pub fn wake(&self, run: Option<&Arc<LiveRun>>, urgent: bool) {
        if let Some(run) = run {
            self.dirty.lock().unwrap_or_else(PoisonError::into_inner).push(run.clone());
        }
        if urgent {
            self.urgent.notify_one();
        } else if run.is_some() {
            self.tokens.notify_one();
        }
    }

    fn take(&self) -> Vec<Arc<LiveRun>> {
        std::mem::take(&mut *self.dirty.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes until it is dropped. While the database is away nothing is lost: batches wait here,
    /// and the runs behind them.
    pub async fn write(self: Arc<Self>, db: Db) {
        loop {
            tokio::select! {
                biased;
                () = self.urgent.notified() => {}
                () = self.tokens.notified() => {
                    tokio::select! {
                        () = self.urgent.notified() => {}
                        () = tokio::time::sleep(TOKEN_DELAY) => {}
                    }
                }
            }
            let taken: Vec<(Arc<LiveRun>, Pending)> = self
                .take()
                .into_iter()
                .map(|run| {
                    let pending = run.take();
                    (run, pending)
                })
                .collect();
            if !taken.is_empty() {
                commit(&db, &taken).await;
            }
        }
    }
}

type Taken = (Arc<LiveRun>, Pending);

async fn commit(db: &Db, taken: &[Taken]) {
    let mut pause = RETRY_FIRST;
    loop {
        let began = Instant::now();
        match journal::commit(db, &batch(taken)).await {
            Ok(owned) => {
                let took = began.elapsed();
                metrics::histogram!("llm_council_log_commit_seconds").record(took.as_secs_f64());
                tracing::debug!(runs = taken.len(), duration_us = took.as_micros(), "committed");
                return settle(taken, &owned);
            }
            Err(error @ StoreError::Unavailable(_)) => {
                metrics::counter!("llm_council_log_retries_total").increment(1);
                tracing::warn!(%error, runs = taken.len(), "the event log cannot be written; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(RETRY_MOST);
            }
            Err(error) => return apart(db, taken, error).await,
        }
    }
}

/// A batch that the database refuses for good: find the run whose records are to blame, so that
/// it does not take the others down.
async fn apart(db: &Db, taken: &[Taken], error: StoreError) {
    if let [(run, _)] = taken {
        tracing::error!(run.id = %run.id, error = &error as &dyn std::error::Error, "a run's records cannot be stored");
        run.lose();
        return;
    }
    for one in taken {
        Box::pin(commit(db, std::slice::from_ref(one))).await;
    }
}

fn settle(taken: &[Taken], owned: &[RunId]) {
    for (run, pending) in taken {
        if owned.contains(&run.id) {
            run.committed(pending);
        } else {
            tracing::warn!(run.id = %run.id, attempt = run.attempt, "the run has another owner now");
            run.lose();
        }
    }
}

fn batch(taken: &[Taken]) -> Batch<'_> {
    let mut batch = Batch::default();
    let mut runs: HashMap<RunId, i32> = HashMap::new();
    for (run, pending) in taken {
        runs.insert(run.id, run.attempt);
        for record in &pending.records {
            match record {
                Record::Call(row) => batch.calls.push(row),
                Record::Decision(row) => batch.decisions.push(row),
                Record::Finish(row) => batch.finished.push(row),
            }
        }
        if let Some(row) = frame::to_row(&pending.frames) {
            batch.events.push(EventsRow { run: run.id, user: run.user.clone(), row });
        }
    }
    batch.runs = runs.into_iter().collect();
    batch
}
