//! Runs that this process has claimed but could not begin at once: their leases may have expired in the meantime, and
//! another process may own them. Beginning them all the same would make every call twice until the next heartbeat.

use std::collections::HashSet;
use std::convert::Infallible;

use tokio::time::Instant;

use super::state::Shared;
use super::store_retry::until_answered;
use crate::id::RunId;
use crate::store::leases;

/// Which of these executions, claimed no earlier than `began`, this process still owns. Within one heartbeat that is
/// certain; later the database is asked, and prolongs the leases.
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

/// Waits for what these executions need before they can begin, and prolongs their leases in the meantime: they are not
/// among the live runs yet, so another server would take them over and count this one as crashed.
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

/// Releases these executions, which this process owns and cannot begin, as soon as the database answers. That does not
/// count as a crash.
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
