//! Runs of which this process learns late that they are its own: their leases may have run out meanwhile, and others may
//! have them. Whoever began them all the same would make every call a second time until its next heartbeat.

use std::collections::HashSet;
use std::convert::Infallible;

use tokio::time::Instant;

use super::state::Shared;
use super::store_retry::until_answered;
use crate::id::RunId;
use crate::store::leases;

/// Those of these executions, whose leases are no older than `began`, that have no other owner by now. Nobody is asked
/// before the next heartbeat would be due; after that the leases are prolonged as well.
pub(super) async fn still_ours(shared: &Shared, runs: &[(RunId, i32)], began: Instant) -> HashSet<RunId> {
    let settings = &shared.settings;
    if began.elapsed() <= settings.heartbeat() {
        return runs.iter().map(|(run, _)| *run).collect();
    }
    let held = leases::heartbeat_of_locked(&shared.db, runs, settings.lease, settings.lease / 2).await;
    let ours: HashSet<RunId> = match held {
        Ok(held) => held.into_iter().filter(|held| held.ours).map(|held| held.run).collect(),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "it is not known whether runs are still this server's: they are left to whoever finds them without an owner"
            );
            give_back(shared, runs.to_vec());
            return HashSet::new();
        }
    };
    for (run, attempt) in runs.iter().filter(|(run, _)| !ours.contains(run)) {
        tracing::warn!(run.id = %run, attempt, "the run has another owner now");
    }
    ours
}

/// Waits for what has to be known before these executions can begin, and prolongs their leases meanwhile. They are not among
/// the live runs yet: another server would take them, and count this one as crashed.
pub(super) async fn keeping<T>(
    shared: &Shared,
    runs: &[(RunId, i32)],
    waited_for: impl Future<Output = T>,
) -> T {
    tokio::select! {
        biased;
        known = waited_for => known,
        never = prolong(shared, runs) => match never {},
    }
}

async fn prolong(shared: &Shared, runs: &[(RunId, i32)]) -> Infallible {
    let settings = &shared.settings;
    loop {
        tokio::time::sleep(settings.heartbeat()).await;
        if let Err(error) = leases::heartbeat(&shared.db, runs, settings.lease).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases of runs that are about to begin could not be prolonged; trying again"
            );
        }
    }
}

/// Gives up these executions, which this process has and cannot begin, as soon as the database answers: it has not crashed.
pub(super) fn give_back(shared: &Shared, runs: Vec<(RunId, i32)>) {
    let db = shared.db.clone();
    shared.tasks.spawn_background(async move {
        if let Err(error) = until_answered("to be given back", || leases::give_back(&db, &runs)).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "runs could not be given back: their owner counts as crashed"
            );
        }
    });
}
