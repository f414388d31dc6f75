//! Group commit: one writer per process makes the calls, decisions, events and results of all
//! runs durable in batches, so that database work does not grow with tokens.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::frame;
use super::live::{LiveRun, Pending, Record, Urgency};
use crate::id::RunId;
use crate::store::journal::{self, Batch, CallRow, EventsRow};
use crate::store::{Db, StoreError};

/// How many connections the writer needs: one for the commits, which are made one after another, and one for a run that
/// is retried alone. With only one, commits would wait for a run that may have to wait for a lock.
pub const WRITER_CONNECTIONS: u32 = 2;
/// How long tokens may wait for others before they are written. They are shown at once in any case; this only
/// bounds how much of them a crash can lose, and how far behind readers on other servers are.
const TOKEN_DELAY: Duration = Duration::from_millis(100);
/// How long events for which no run waits gather before they are written: at the end of a stage several follow each other.
const EVENT_DELAY: Duration = Duration::from_millis(4);
/// How long a busy writer collects records for the next commit.
const BATCH_WAIT: Duration = Duration::from_millis(4);
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(2);
/// How often writing one run's records alone may time out before the run is given up.
const MAX_TIMEOUTS: u32 = 2;

/// The writer's inbox: the runs that have something to be written.
#[derive(Debug, Default)]
pub struct Log {
    waiting: Mutex<Waiting>,
    now: Notify,
    soon: Notify,
    tokens: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    now: Vec<Arc<LiveRun>>,
    soon: Vec<Arc<LiveRun>>,
    tokens: Vec<Arc<LiveRun>>,
}

impl Log {
    /// Notes that a run has something to be written, and how soon.
    pub fn wake(&self, run: &Arc<LiveRun>, urgency: Urgency) {
        let mut waiting = self.waiting();
        let (runs, notify) = match urgency {
            Urgency::Now => (&mut waiting.now, &self.now),
            Urgency::Soon => (&mut waiting.soon, &self.soon),
            Urgency::Tokens => (&mut waiting.tokens, &self.tokens),
        };
        runs.push(run.clone());
        drop(waiting);
        notify.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes until it is dropped. While the database is unavailable nothing is lost: batches wait here, and so do the
    /// runs behind them. A run whose records the database refuses is retried alone, while the others go on.
    pub async fn write(self: Arc<Self>, db: Db) {
        // When the waiting tokens and events are to be written; `None` while none wait.
        let (mut tokens_due, mut events_due): (Option<Instant>, Option<Instant>) = (None, None);
        let turn = tokio::sync::Mutex::default();
        let (mut retrying, mut retrying_ids) = (FuturesUnordered::new(), HashSet::new());
        loop {
            tokio::select! {
                biased;
                Some(run) = retrying.next() => {
                    self.written_alone(&run, &mut retrying_ids);
                    continue;
                }
                () = self.now.notified() => {}
                () = sleep_until(tokens_due) => {}
                () = sleep_until(events_due) => {}
                () = self.soon.notified(), if events_due.is_none() => {
                    // Unless an earlier commit has taken them along.
                    if !self.waiting().soon.is_empty() {
                        events_due = Some(Instant::now() + EVENT_DELAY);
                    }
                    continue;
                }
                () = self.tokens.notified(), if tokens_due.is_none() => {
                    tokens_due = Some(Instant::now() + TOKEN_DELAY);
                    continue;
                }
            }
            // Events never wait for a later commit than this one.
            events_due = None;
            let mut runs = self.waiting().soonest();
            if tokens_due.is_some_and(|tokens_due| tokens_due <= Instant::now()) {
                tokens_due = None;
                runs.append(&mut self.waiting().tokens);
            }
            let taken: Vec<Taken> = runs
                .into_iter()
                // A run that is being retried keeps the order of its records.
                .filter(|run| !retrying_ids.contains(&run.id) && !run.progress().borrow().lost)
                .map(|run| {
                    let pending = run.take();
                    (run, pending)
                })
                // What it had was already written along with something more urgent.
                .filter(|(_, pending)| !pending.records.is_empty() || !pending.frames.is_empty())
                .collect();
            let several = taken.len() > 1;
            if !taken.is_empty() {
                let mut committing = std::pin::pin!(commit(&db, taken));
                let refused = loop {
                    tokio::select! {
                        refused = &mut committing => break refused,
                        // Retries hold a connection and locks, which the commit may wait for.
                        Some(run) = retrying.next() => self.written_alone(&run, &mut retrying_ids),
                    }
                };
                for (run, pending) in refused {
                    retrying_ids.insert(run.id);
                    retrying.push(commit_alone(&db, &turn, (run, pending)));
                }
            }
            if several {
                // Many runs are under way: a short wait makes one commit of several.
                tokio::time::sleep(BATCH_WAIT).await;
            }
        }
    }

    /// Notes that a run is no longer retried alone. It may have got more records in the meantime.
    fn written_alone(&self, run: &Arc<LiveRun>, retrying_ids: &mut HashSet<RunId>) {
        retrying_ids.remove(&run.id);
        self.wake(run, Urgency::Now);
    }
}

impl Waiting {
    /// All but those that have only tokens.
    fn soonest(&mut self) -> Vec<Arc<LiveRun>> {
        let mut runs = std::mem::take(&mut self.now);
        runs.append(&mut self.soon);
        runs
    }
}

async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

type Taken = (Arc<LiveRun>, Pending);

/// Commits what was taken. Returns the runs whose records the database refused or took too long to write: each of
/// them is to be retried alone.
async fn commit(db: &Db, taken: Vec<Taken>) -> Vec<Taken> {
    let mut pause = RETRY_FIRST;
    loop {
        let began = Instant::now();
        match journal::commit(db, &batch(&taken)).await {
            Ok(owned) => {
                let took = began.elapsed();
                metrics::histogram!("llm_council_log_commit_seconds").record(took.as_secs_f64());
                tracing::debug!(runs = taken.len(), duration_us = took.as_micros(), "committed");
                report(&taken, &owned);
                return Vec::new();
            }
            Err(error) if is_outage(&error) => {
                metrics::counter!("llm_council_log_retries_total").increment(1);
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    runs = taken.len(),
                    "the event log cannot be written; trying again"
                );
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(RETRY_MAX);
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    runs = taken.len(),
                    "a batch cannot be written; writing its runs one by one"
                );
                return commit_one_by_one(db, taken).await;
            }
        }
    }
}

/// Whether the database is unavailable, as opposed to refusing one run's records.
fn is_outage(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(_)) && !error.is_too_slow()
}

async fn commit_one_by_one(db: &Db, taken: Vec<Taken>) -> Vec<Taken> {
    if taken.len() < 2 {
        return taken;
    }
    let mut failed = Vec::new();
    for one in taken {
        failed.extend(Box::pin(commit(db, vec![one])).await);
    }
    failed
}

/// Retries one run whose records the database refused in a batch. While a lock or an outage is the reason, it retries
/// for as long as that takes; after any other error, or [`MAX_TIMEOUTS`] timeouts, it enters what the calls cost in the
/// ledger and marks the run as refused, to be ended. Such runs take turns: see [`WRITER_CONNECTIONS`].
async fn commit_alone(db: &Db, turn: &tokio::sync::Mutex<()>, (run, pending): Taken) -> Arc<LiveRun> {
    let taken = [(run.clone(), pending)];
    let (mut pause, mut timeouts) = (RETRY_FIRST, 0);
    loop {
        let turn = turn.lock().await;
        let error = match journal::commit_alone(db, &batch(&taken)).await {
            Ok(owned) => {
                report(&taken, &owned);
                return run;
            }
            Err(error) => error,
        };
        timeouts += u32::from(error.is_cut_off());
        if !matches!(error, StoreError::Unavailable(_)) || timeouts == MAX_TIMEOUTS {
            tracing::error!(run.id = %run.id, error = &error as &dyn std::error::Error, "a run's records cannot be stored: the run is ended as failed");
            store_costs(db, &taken).await;
            run.mark_refused();
            return run;
        }
        drop(turn);
        tracing::warn!(run.id = %run.id, error = &error as &dyn std::error::Error, "a run's records cannot be written; trying again");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(RETRY_MAX);
    }
}

/// Writes calls to the ledger without their replies, so that at least their costs are known.
async fn store_costs(db: &Db, taken: &[Taken]) {
    let whole = batch(taken);
    let calls: Vec<CallRow> =
        whole.calls.iter().map(|call| CallRow { result: None, ..(*call).clone() }).collect();
    if calls.is_empty() {
        return;
    }
    let bare = Batch { runs: whole.runs, calls: calls.iter().collect(), ..Batch::default() };
    if let Err(error) = journal::commit_alone(db, &bare).await {
        for call in &calls {
            tracing::error!(run.id = %call.run, error = &error as &dyn std::error::Error, key = call.key, model = call.model,
                cost_usd = call.cost_usd, "a call that was paid for is not in the ledger");
        }
    }
}

fn report(taken: &[Taken], owned: &[RunId]) {
    for (run, pending) in taken {
        if owned.contains(&run.id) {
            run.committed(pending);
        } else {
            tracing::warn!(run.id = %run.id, attempt = run.attempt, "the run has another owner now");
            run.mark_lost();
        }
    }
}

fn batch(taken: &[Taken]) -> Batch<'_> {
    let mut batch = Batch { has_only_tokens: true, ..Batch::default() };
    let mut runs: HashMap<RunId, i32> = HashMap::new();
    for (run, pending) in taken {
        runs.insert(run.id, run.attempt);
        batch.has_only_tokens &=
            pending.records.is_empty() && pending.frames.iter().all(frame::Frame::is_token);
        for record in &pending.records {
            match record {
                Record::Call(row) => batch.calls.push(row),
                Record::Decision(row) => batch.decisions.push(row),
                Record::Finish(row) => batch.finished.push(row),
                Record::Waits => batch.waits.push(run.id),
            }
        }
        if let Some(row) = frame::to_row(&pending.frames) {
            batch.events.push(EventsRow { run: run.id, user: run.user.clone(), row });
        }
    }
    batch.runs = runs.into_iter().collect();
    batch
}
