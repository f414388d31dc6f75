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
use super::live::{LiveRun, Pending, Record};
use crate::id::RunId;
use crate::store::journal::{self, Batch, CallRow, EventsRow};
use crate::store::{Db, StoreError};

/// How long tokens may wait for company before they are written. They are shown at once all the
/// same; this only bounds what a crash can take from a reader's scroll-back, and how far readers on
/// other servers are behind.
const TOKEN_DELAY: Duration = Duration::from_millis(100);
/// How long a busy writer gathers for the next commit.
const GATHER: Duration = Duration::from_millis(4);
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MOST: Duration = Duration::from_secs(2);
/// How often the writing of one run's records alone may take too long before it is given up.
const MOST_CUT_OFF: u32 = 2;

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
    /// and the runs behind them. A run whose records it does not take is seen to beside the others.
    pub async fn write(self: Arc<Self>, db: Db) {
        // When the tokens' round is, once some wait.
        let mut round: Option<Instant> = None;
        let (mut beside, mut set_aside) = (FuturesUnordered::new(), HashSet::new());
        loop {
            tokio::select! {
                biased;
                Some(run) = beside.next() => {
                    let run: Arc<LiveRun> = run;
                    set_aside.remove(&run.id);
                    // What has come meanwhile.
                    self.urgent(&run);
                    continue;
                }
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
                // Its records are written in their order.
                .filter(|run| !set_aside.contains(&run.id) && !run.progress().borrow().lost)
                .map(|run| {
                    let pending = run.take();
                    (run, pending)
                })
                // Its tokens went with something urgent.
                .filter(|(_, pending)| !pending.records.is_empty() || !pending.frames.is_empty())
                .collect();
            let several = taken.len() > 1;
            if !taken.is_empty() {
                for (run, pending) in commit(&db, taken).await {
                    set_aside.insert(run.id);
                    beside.push(alone(&db, (run, pending)));
                }
            }
            if several {
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

/// Commits what was taken. What of it the database takes too long about, or refuses, is answered: it is to
/// be seen to alone.
async fn commit(db: &Db, taken: Vec<Taken>) -> Vec<Taken> {
    let mut pause = RETRY_FIRST;
    loop {
        let began = Instant::now();
        match journal::commit(db, &batch(&taken)).await {
            Ok(owned) => {
                let took = began.elapsed();
                metrics::histogram!("llm_council_log_commit_seconds").record(took.as_secs_f64());
                tracing::debug!(runs = taken.len(), duration_us = took.as_micros(), "committed");
                settle(&taken, &owned);
                return Vec::new();
            }
            Err(error) if may_pass(&error) => {
                metrics::counter!("llm_council_log_retries_total").increment(1);
                tracing::warn!(%error, runs = taken.len(), "the event log cannot be written; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(RETRY_MOST);
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    runs = taken.len(),
                    "a batch cannot be written; looking for the run that is to blame"
                );
                return apart(db, taken).await;
            }
        }
    }
}

/// Whether the database is away, and not one run to blame.
fn may_pass(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(_)) && !error.is_too_slow()
}

async fn apart(db: &Db, taken: Vec<Taken>) -> Vec<Taken> {
    if taken.len() < 2 {
        return taken;
    }
    let mut to_blame = Vec::new();
    for one in taken {
        to_blame.extend(Box::pin(commit(db, vec![one])).await);
    }
    to_blame
}

/// Sees to one run whose records the database does not take with the others: for as long as it takes where a
/// lock or the database itself is the reason, else until it is clear that it never will. The run is to be
/// ended then; what its calls cost stays in the ledger.
async fn alone(db: &Db, (run, pending): Taken) -> Arc<LiveRun> {
    let taken = [(run.clone(), pending)];
    let (mut pause, mut cut_off) = (RETRY_FIRST, 0);
    loop {
        let error = match journal::commit_alone(db, &batch(&taken)).await {
            Ok(owned) => {
                settle(&taken, &owned);
                return run;
            }
            Err(error) => error,
        };
        cut_off += u32::from(error.is_cut_off());
        if !matches!(error, StoreError::Unavailable(_)) || cut_off == MOST_CUT_OFF {
            tracing::error!(run.id = %run.id, error = &error as &dyn std::error::Error, "a run's records cannot be stored: it is ended");
            keep_costs(db, &taken).await;
            run.refuse();
            return run;
        }
        tracing::warn!(run.id = %run.id, %error, "a run's records cannot be written; trying again");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(RETRY_MOST);
    }
}

/// Puts the calls into the ledger without what they said.
async fn keep_costs(db: &Db, taken: &[Taken]) {
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
