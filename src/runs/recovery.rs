//! Keeping this process's leases, and taking over runs whose owner is gone.

use std::collections::HashMap;
use std::time::Duration;

use super::driver::Runs;
use crate::id::RunId;
use crate::store::runs;

const HEARTBEAT: Duration = Duration::from_secs(5);
/// How many abandoned runs one look takes at most, so that several processes share them.
const TAKE: i64 = 20;

/// Looks after leases until it is dropped.
pub(super) async fn watch(all: &Runs) {
    let mut ticks = tokio::time::interval(HEARTBEAT);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = heartbeat(all).await {
            tracing::warn!(%error, "leases could not be prolonged; trying again");
        }
        if !all.is_closed()
            && let Err(error) = recover(all).await
        {
            tracing::warn!(%error, "abandoned runs could not be looked for; trying again");
        }
    }
}

/// Prolongs the leases, stops what somebody wants stopped, lets go of what is ours no more.
async fn heartbeat(all: &Runs) -> Result<(), crate::store::StoreError> {
    let live: Vec<_> = all.live().values().cloned().collect();
    if live.is_empty() {
        return Ok(());
    }
    let mine: Vec<(RunId, i32)> = live.iter().map(|live| (live.id, live.attempt)).collect();
    let held: HashMap<RunId, bool> = runs::heartbeat(all.db(), &mine).await?.into_iter().collect();
    for live in live {
        match held.get(&live.id) {
            Some(true) => live.cancel.cancel(),
            Some(false) => {}
            // Over, or taken by somebody else; a run that is over has left the table by itself.
            None if all.live().contains_key(&live.id) => live.lose(),
            None => {}
        }
    }
    Ok(())
}

/// Takes over what is abandoned.
pub(super) async fn recover(all: &Runs) -> Result<(), crate::store::StoreError> {
    for claimed in runs::claim_abandoned(all.db(), all.owner(), TAKE).await? {
        all.take_over(claimed).await;
    }
    Ok(())
}
