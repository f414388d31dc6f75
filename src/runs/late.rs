//! Runs of which this process learns late that they are its own: their leases may have run out meanwhile, and others may
//! have them. Whoever began them all the same would make every call a second time until its next heartbeat.

use std::collections::HashSet;

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
