//! Keeping the leases of this process, and claiming runs that nobody executes: those whose owner is gone, and
//! those that wait for a slot.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::live::LiveRun;
use super::metrics;
use super::state::{Runs, Shared};
use super::takeover::take_over;
use crate::council::plan;
use crate::id::RunId;
use crate::shutdown::Hold;
use crate::store::RunStatus;
use crate::store::leases::{LeaseState, Readable};
use crate::store::{StoreError, leases};

/// How many runs are claimed at a time, so that several processes share them.
const CLAIM_BATCH: usize = 40;
/// The pause before the next batch, in which other processes claim theirs and the database does other work.
const BATCH_PAUSE: Duration = Duration::from_millis(100);
/// How often the queue is read while a run waits in it.
const QUEUE_POLL: Duration = Duration::from_secs(1);
/// The runs that this server can read. The others are left for one that can.
const READABLE: Readable = Readable { formats: plan::FORMATS, version: plan::VERSION };

/// Prolongs the leases at every heartbeat, until it is dropped.
pub(super) async fn keep_leases(runs: &Runs) {
    let shared = &runs.shared;
    let mut ticks = interval(shared.settings.heartbeat());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shared.skip_requested.notified() => {}
        }
        if let Err(error) = heartbeat(shared).await {
            shared.suspend_takeovers();
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases could not be prolonged; trying again"
            );
        }
    }
}

/// Prolongs the leases, passes on users' requests, and drops runs that another process owns now.
async fn heartbeat(shared: &Shared) -> Result<(), StoreError> {
    let Shared { db, settings, .. } = shared;
    let live: Vec<_> = shared.live().values().cloned().collect();
    if live.is_empty() {
        return Ok(());
    }
    let began = Instant::now();
    let held = leases::heartbeat(db, &attempts(&live), settings.lease).await?;
    let locked = take_in(live, held);
    if !locked.is_empty() {
        let mine = attempts(&locked);
        let held = leases::heartbeat_of_locked(db, &mine, settings.lease, settings.heartbeat()).await?;
        // What is missing now was erased with its user's data.
        drop(take_in(locked, held));
    }
    if began.elapsed() > settings.heartbeat() {
        shared.suspend_takeovers();
    }
    Ok(())
}

fn attempts(live: &[Arc<LiveRun>]) -> Vec<(RunId, i32)> {
    live.iter().map(|live| (live.id, live.attempt)).collect()
}

/// Tells runs the state of their leases, with the requests on their rows; returns the runs whose state is missing.
fn take_in(live: Vec<Arc<LiveRun>>, held: Vec<LeaseState>) -> Vec<Arc<LiveRun>> {
    let held: HashMap<RunId, LeaseState> = held.into_iter().map(|held| (held.run, held)).collect();
    let mut left = Vec::new();
    for live in live {
        match held.get(&live.id) {
            Some(held) if !held.ours => {
                tracing::warn!(run.id = %live.id, attempt = live.attempt, "the run has another owner now");
                live.mark_lost();
            }
            Some(held) => {
                live.read_requests(&held.requests);
                if held.cancel && live.stop() {
                    live.stop_recorded(RunStatus::Running);
                }
            }
            None => left.push(live),
        }
    }
    left
}

/// Looks for abandoned and for queued runs until it is dropped.
pub(super) async fn find_work(runs: &Runs) {
    let shared = &runs.shared;
    loop {
        let claiming = shared.claiming.lock().await;
        let scan = if runs.is_closed() {
            // A closing server claims nothing: the others report who waits.
            metrics::waiting(std::iter::empty());
            Ok(Scan::All { next_expiry: None })
        } else {
            claim_work(runs).await
        };
        drop(claiming);
        if let Err(error) = &scan {
            shared.suspend_takeovers();
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "runs that nobody executes could not be looked for; trying again"
            );
        }
        let next_expiry = match scan {
            Ok(Scan::MoreAbandoned) => {
                tokio::time::sleep(BATCH_PAUSE).await;
                continue;
            }
            Ok(Scan::All { next_expiry }) => next_expiry,
            Err(_) => None,
        };
        let pause = if shared.queue.is_empty() { shared.settings.heartbeat() } else { QUEUE_POLL };
        // If that lease's owner is gone, its run can be taken over just then.
        let pause = next_expiry.map_or(pause, |next| pause.min(next.max(BATCH_PAUSE)));
        // Either time is up or there is work: scan again.
        drop(tokio::time::timeout(pause, shared.work.notified()).await);
    }
}

/// What there is still to do after a scan for work.
enum Scan {
    /// Everything was claimed that could be.
    All {
        /// How long until a lease of another process runs out, unless it is prolonged.
        next_expiry: Option<Duration>,
    },
    /// A whole batch of abandoned runs was claimed: there may be more.
    MoreAbandoned,
}

/// Claims runs that nobody executes. A slot is held only for a run that is there to be claimed: new runs find the
/// others free, however long the database takes.
async fn claim_work(runs: &Runs) -> Result<Scan, StoreError> {
    let Shared { db, queue, settings, owner, .. } = runs.shared.as_ref();
    let mut scan = Scan::All { next_expiry: None };
    // After an outage of the database every lease may have expired: the owners get time to prolong
    // them first, since taking over a run that is alive would pay for its open calls twice.
    if runs.shared.may_take_over() {
        // What is executed here is not abandoned, whatever its lease says: this process may have been
        // asleep for longer, and its heartbeat is as late as this scan.
        let elsewhere = leases::elsewhere(db, CLAIM_BATCH, &runs.shared.here(), READABLE).await?;
        scan = Scan::All { next_expiry: elsewhere.next };
        let mut slots = queue.slots(elsewhere.abandoned);
        if !slots.is_empty() {
            let Some(_claiming) = begin_claiming(runs) else { return Ok(scan) };
            let here = || runs.shared.here();
            let began = Instant::now();
            let claimed =
                leases::claim_abandoned(db, owner, settings.lease, slots.len(), here, READABLE).await?;
            if claimed.len() == CLAIM_BATCH {
                scan = Scan::MoreAbandoned;
            }
            metrics::taken_over(claimed.len());
            slots.truncate(claimed.len());
            take_over(runs, claimed, slots, began).await;
        }
    }
    let waiting = leases::queue(db, READABLE).await?;
    if waiting.is_empty() {
        queue.update(&waiting);
        return Ok(scan);
    }
    let slots = queue.slots(waiting.len().min(CLAIM_BATCH));
    let Some(_claiming) = begin_claiming(runs) else { return Ok(scan) };
    let began = Instant::now();
    let claimed =
        leases::claim_queued(db, owner, settings.lease, settings.max_per_user, slots.len(), READABLE).await?;
    take_over(runs, claimed, slots, began).await;
    queue.update(&leases::queue(db, READABLE).await?);
    Ok(scan)
}

/// A guard that makes a closing server wait, so that runs claimed under it are executed or handed over like any others.
/// `None` if the server is closing already: nothing may be claimed then.
fn begin_claiming(runs: &Runs) -> Option<Hold> {
    // Held before the check, as when a run is started: either the server waits for it, or the check sees that the
    // server is closing.
    let hold = runs.shared.tasks.hold();
    (!runs.is_closed()).then_some(hold)
}
