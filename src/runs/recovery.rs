//! Keeping this process's leases, taking over runs whose owner is gone, and taking queued runs.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::driver::Runs;
use super::queue::Place;
use crate::id::RunId;
use crate::store::leases::Held;
use crate::store::{StoreError, leases};

/// How many abandoned runs one look takes at most, so that several processes share them.
const TAKE: usize = 20;
/// How often the line is looked at while somebody stands in it.
const LINE: Duration = Duration::from_secs(1);
/// How many owners a run may lose before it is given up: the first one, and three that tried again.
pub(super) const MOST_CRASHES: i32 = 3;

/// Prolongs the leases, again and again until it is dropped.
pub(super) async fn keep_leases(all: &Runs) {
    let mut ticks = interval(all.settings().heartbeat());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = heartbeat(all).await {
            all.distrust_leases();
            tracing::warn!(%error, "leases could not be prolonged; trying again");
        }
    }
}

/// Prolongs the leases, stops what somebody wants stopped, lets go of what is ours no more.
async fn heartbeat(all: &Runs) -> Result<(), StoreError> {
    let live: Vec<_> = all.live().values().cloned().collect();
    if live.is_empty() {
        return Ok(());
    }
    let mine: Vec<(RunId, i32)> = live.iter().map(|live| (live.id, live.attempt)).collect();
    let began = Instant::now();
    let held = leases::heartbeat(all.db(), &mine, all.settings().lease).await?;
    if began.elapsed() > all.settings().heartbeat() {
        all.distrust_leases();
    }
    let held: HashMap<RunId, Held> = held.into_iter().map(|held| (held.run, held)).collect();
    for live in live {
        match held.get(&live.id) {
            Some(held) if !held.ours => {
                tracing::warn!(run.id = %live.id, attempt = live.attempt, "the run has another owner now");
                live.lose();
            }
            Some(held) if held.cancel => live.cancel.cancel(),
            // None: erased with its user's data.
            Some(_) | None => {}
        }
    }
    Ok(())
}

/// Looks for abandoned and for queued runs until it is dropped.
pub(super) async fn find_work(all: &Runs) {
    loop {
        let looking = all.inner.looking.lock().await;
        if !all.is_closed()
            && let Err(error) = look(all).await
        {
            all.distrust_leases();
            tracing::warn!(%error, "runs that nobody executes could not be looked for; trying again");
        }
        drop(looking);
        let pause = if all.queue().is_empty() { all.settings().heartbeat() } else { LINE };
        // Time is up, or somebody knows of work: the same to us.
        drop(tokio::time::timeout(pause, all.work_to_do()).await);
    }
}

async fn look(all: &Runs) -> Result<(), StoreError> {
    let mut places: Vec<Place> = std::iter::from_fn(|| all.queue().place()).take(TAKE).collect();
    let lease = all.settings().lease;
    // After an outage of the database every lease may have run out: their owners get time to
    // prolong them first, for taking over a run that is alive pays its open calls twice.
    if all.trusts_leases() && !places.is_empty() {
        // What is executed here is not abandoned, whatever its lease says: this process may have been
        // asleep for longer, and its heartbeat comes as late as this look.
        let here: Vec<RunId> = all.live().keys().copied().collect();
        for claimed in leases::claim_abandoned(all.db(), all.owner(), lease, places.len(), &here).await? {
            all.take_over(claimed, places.pop()).await;
        }
    }
    let per_user = all.settings().max_per_user;
    for claimed in leases::claim_queued(all.db(), all.owner(), lease, per_user, places.len()).await? {
        // One that somebody stopped needs none: it ends at once.
        let place = if claimed.cancel_requested { None } else { places.pop() };
        all.take_over(claimed, place).await;
    }
    all.queue().seen(leases::queue(all.db()).await?);
    Ok(())
}
