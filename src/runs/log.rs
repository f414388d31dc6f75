//! Group commit: one writer per process makes the calls, decisions, events and results of all
//! runs durable in batches, so that database work does not grow with tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::frame;
use super::live::{LiveRun, Pending, Record};
use crate::id::RunId;
use crate::store::journal::{self, Batch, EventsRow};
use crate::store::{Db, StoreError};

/// How long tokens may wait for company before they are written. They are shown at once all the
/// same; this only bounds what a crash can take from a reader's scroll-back, and how far readers on
/// other servers are behind.
const TOKEN_DELAY: Duration = Duration::from_millis(100);
/// How long a busy writer gathers for the next commit.
const GATHER: Duration = Duration::from_millis(4);
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MOST: Duration = Duration::from_secs(2);

/// The writer's inbox.
#[derive(Debug, Default)]
pub struct Log {
    waiting: Mutex<Waiting>,
    urgent: Notify,
    tokens: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    urgent: Vec<Arc<LiveRun>>,
    tokens: Vec<Arc<LiveRun>>,
}

impl Log {
    /// A run has something that somebody waits for.
    pub fn urgent(&self, run: &Arc<LiveRun>) {
        self.waiting().urgent.push(run.clone());
        self.urgent.notify_one();
    }

    /// A run has tokens.
    pub fn tokens(&self, run: &Arc<LiveRun>) {
        self.waiting().tokens.push(run.clone());
        self.tokens.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes until it is dropped. While the database is away nothing is lost: batches wait here,
    /// and the runs behind them.
    pub async fn write(self: Arc<Self>, db: Db) {
        // When the tokens' round is, once some wait.
        let mut round: Option<Instant> = None;
        loop {
            tokio::select! {
                biased;
                () = self.urgent.notified() => {}
                () = at(round) => {}
                () = self.tokens.notified(), if round.is_none() => {
                    round = Some(Instant::now() + TOKEN_DELAY);
                    continue;
                }
            }
            let mut runs = std::mem::take(&mut self.waiting().urgent);
            if round.is_some_and(|round| round <= Instant::now()) {
                round = None;
                runs.append(&mut self.waiting().tokens);
            }
            let taken: Vec<Taken> = runs
                .into_iter()
                .map(|run| {
                    let pending = run.take();
                    (run, pending)
                })
                // Its tokens went with something urgent.
                .filter(|(_, pending)| !pending.records.is_empty() || !pending.frames.is_empty())
                .collect();
            if !taken.is_empty() {
                commit(&db, &taken).await;
            }
            if taken.len() > 1 {
                // Many runs are under way: a moment of patience makes one commit of several.
                tokio::time::sleep(GATHER).await;
            }
        }
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
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
        batch.is_waited_for |=
            !pending.records.is_empty() || pending.frames.iter().any(|frame| !frame.key.is_empty());
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
