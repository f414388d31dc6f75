//! Executes runs, each in a task of its own that ends with the run, or when the run is lost to another
//! process or handed over. Runs that cannot be executed are ended.

use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument as _;

use super::budget::RunBudget;
use super::earlier::EarlierAnswers;
use super::execution::{Ending, drive, finish};
use super::journal::{Journal, Recovered};
use super::late::keeping;
use super::live::LiveRun;
use super::queue::Slot;
use super::state::Runs;
use super::store_retry::until_answered;
use crate::council::{AnyEvent, Plan};
use crate::store::StoreError;
use crate::store::journal::{self, Remembered};
use crate::store::leases::{self, Claimed};
use crate::store::runs::Reservation;

/// How long a run that is handed over waits for its last records to be durable.
pub(super) const WRITE_OUT: Duration = Duration::from_millis(700);

/// Executes a run, from its beginning or from where an earlier execution stopped. Returns it once it is among the live ones.
pub(super) fn execute(
    runs: &Runs,
    live: LiveRun,
    plan: Plan,
    recovered: Recovered,
    reservation: Option<Reservation>,
    slot: Option<Slot>,
) -> Arc<LiveRun> {
    let live = Arc::new(live);
    let executing = Executing::begin(runs, &live);
    // Those who read the log find the run in memory from now on.
    runs.shared.waiters.wake(live.id);
    let journal = journal(runs, &live, recovered, reservation);
    let (runs, tasks) = (runs.clone(), runs.shared.tasks.clone());
    let (span, begun) = (log_span(&live), live.clone());
    let task = async move {
        let shared = &runs.shared;
        tokio::select! {
            () = drive(shared, &live, &journal, &plan) => {}
            () = live.lost() => {}
            () = shared.handed_over.cancelled() => {
                tracing::info!(run.id = %live.id, "the run is left for another process");
                // Answers are paid for: they are written before another process takes over.
                live.written(WRITE_OUT).await;
                live.mark_lost();
            }
        }
        drop(executing);
        if live.is_refused() {
            end_refused(&runs, &live, Keep::PublishedEvents).await;
        }
        drop(slot);
        if !shared.queue.is_empty() {
            shared.look_for_work();
        }
    };
    tasks.spawn(task.instrument(span));
    begun
}

/// An execution's entry in the table of live runs. However its task ends, even by a panic, dropping this removes the
/// entry: a run that stayed there would keep its lease for ever, and nobody would take it over.
struct Executing {
    runs: Runs,
    live: Arc<LiveRun>,
}

impl Executing {
    fn begin(runs: &Runs, live: &Arc<LiveRun>) -> Self {
        runs.shared.live().insert(live.id, live.clone());
        metrics::gauge!("llm_council_runs_live").increment(1.0);
        Self { runs: runs.clone(), live: live.clone() }
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        metrics::gauge!("llm_council_runs_live").decrement(1.0);
        self.runs.shared.remove_live(&self.live);
        self.live.mark_over();
    }
}

/// The span that puts the run's id on every log line of its task. It has no parent, since the run outlives the request.
fn log_span(live: &LiveRun) -> tracing::Span {
    tracing::info_span!(parent: None, "run", run.id = %live.id, request_id = live.asked_by.request_id)
}

/// Ends a run that cannot be executed, keeping the events that it has published.
pub(super) fn give_up(
    runs: &Runs,
    live: LiveRun,
    recovered: Recovered,
    reservation: Option<Reservation>,
    published: &[AnyEvent],
    ending: Ending,
) {
    let is_bare = published.is_empty();
    let live = Arc::new(live);
    let journal = journal(runs, &live, recovered, reservation);
    journal.replay(published);
    let executing = Executing::begin(runs, &live);
    let runs = runs.clone();
    runs.shared.tasks.clone().spawn(async move {
        let shared = &runs.shared;
        tokio::select! {
            () = finish(shared, &live, &journal, ending) => {}
            () = live.lost() => {}
            () = shared.handed_over.cancelled() => {}
        }
        drop(executing);
        if live.is_refused() && !is_bare {
            end_refused(&runs, &live, Keep::Nothing).await;
        }
    });
}

fn journal(
    runs: &Runs,
    live: &Arc<LiveRun>,
    recovered: Recovered,
    reservation: Option<Reservation>,
) -> Arc<Journal> {
    let shared = &runs.shared;
    if !shared.waiters.is_notified() {
        live.mark_renamed();
    }
    let budget = reservation.map(|reservation| {
        let spent_usd = recovered.spent_usd();
        RunBudget::new(shared.db.clone(), shared.settings.budgets, live, reservation, spent_usd)
    });
    let Recovered { calls, decisions, corrections, retries, events, .. } = recovered;
    let earlier = EarlierAnswers::new(shared.db.clone(), shared.settings.cache, live.clone());
    let stores = (shared.log.clone(), shared.db.clone());
    let taken_in = (corrections, retries);
    let journal = Journal::new(live.clone(), stores, calls, decisions, taken_in, budget, earlier);
    journal.replay(&events);
    Arc::new(journal)
}

/// What could be kept of a run whose records the database refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    PublishedEvents,
    /// Not even the published events could be stored.
    Nothing,
}

/// Ends a run whose records the database refuses while it accepts those of others. If it were executed again, it would
/// reach the same point and pay for the same call again: so it fails, with what is durable of it.
async fn end_refused(runs: &Runs, refused: &LiveRun, keep: Keep) {
    match claim_again(runs, refused).await {
        Ok(Some((claimed, stored))) => {
            let ids = (claimed.id, claimed.conversation, claimed.message);
            let mut recovered = Recovered::read(stored);
            let known = std::mem::take(&mut recovered.known_keys);
            let mut published = std::mem::take(&mut recovered.events);
            if keep == Keep::Nothing {
                published.clear();
            }
            let live = LiveRun::new(ids, claimed.user, claimed.attempt, recovered.last_seq, known);
            let message = "a part of this run could not be stored, so it was ended; what came before is kept";
            let ending = Ending::failed("unwritable", message.to_owned());
            give_up(runs, live, recovered, claimed.reservation, &published, ending);
        }
        // Another process owns it.
        Ok(None) => {}
        Err(error) => {
            tracing::error!(run.id = %refused.id, error = &error as &dyn std::error::Error, "a run that cannot be stored cannot be ended either");
        }
    }
}

/// Claims a run for another attempt by this process, and reads what is stored of it.
async fn claim_again(runs: &Runs, live: &LiveRun) -> Result<Option<(Claimed, Remembered)>, StoreError> {
    let shared = &runs.shared;
    let (db, lease) = (&shared.db, shared.settings.lease);
    let what = "to be ended";
    let claimed = until_answered(what, || leases::begin_again(db, live.id, live.attempt, lease)).await?;
    let Some(claimed) = claimed else { return Ok(None) };
    let ids = [live.id];
    let read = until_answered(what, || journal::remembered(db, &ids));
    let stored = keeping(shared, &[(claimed.id, claimed.attempt)], read).await?;
    Ok(Some((claimed, stored.into_values().next().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use async_trait::async_trait;

    use super::super::settings::RunSettings;
    use super::*;
    use crate::id::{ConversationId, MessageId, RunId, UserId};
    use crate::llm::{CallError, ChatRequest, DeltaSink, Models, Reply};
    use crate::objects::Objects;
    use crate::shutdown::Tasks;
    use crate::store::Db;

    /// Nobody is asked here.
    struct Nobody;

    #[async_trait]
    impl Models for Nobody {
        async fn chat(&self, _: &ChatRequest, _: &mut dyn DeltaSink) -> Result<Reply, CallError> {
            std::future::pending().await
        }

        fn is_simulated(&self, _: &str) -> bool {
            false
        }
    }

    fn fault() {
        panic!("a fault of this server");
    }

    #[tokio::test]
    async fn a_run_whose_task_panics_is_left_to_whoever_finds_it_without_an_owner() {
        let options = Db::options("postgres://nobody@localhost/none").unwrap();
        let (db, tasks) = (Db::lazy(options, 1), Tasks::default());
        let settings = RunSettings::default();
        let runs = Runs::new(db, Arc::new(Nobody), Objects::default(), tasks.clone(), settings);
        let ids = (RunId::generate(), ConversationId::generate(), MessageId::generate());
        let live = Arc::new(LiveRun::new(ids, UserId::from_canonical("ann"), 1, 0, HashSet::new()));
        let executing = Executing::begin(&runs, &live);
        assert_eq!(runs.live_count(), 1, "its lease is kept");
        tasks.spawn(async move {
            let _executing = executing;
            fault();
        });
        tokio::time::timeout(Duration::from_secs(60), runs.idle()).await.expect("it is still there");
        assert!(live.progress().borrow().over, "its readers read the log");
    }
}
