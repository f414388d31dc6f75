//! Executing claimed runs: those that waited, and those whose process is gone.

use tokio::time::Instant;

use super::driver;
use super::execution::Ending;
use super::journal::Recovered;
use super::late::{give_back, keeping, still_ours};
use super::live::LiveRun;
use super::queue::Slot;
use super::state::Runs;
use crate::council::budget::BudgetEvent;
use crate::council::{AnyEvent, Plan, RunEvent};
use crate::id::RunId;
use crate::store::RunStatus;
use crate::store::journal::{self, Remembered};
use crate::store::leases::Claimed;

/// How many crashes of its owners a run survives; with the next one it is given up.
const MAX_CRASHES: i32 = 3;

/// Executes runs that were claimed since `began`, each in one of `slots` while there are any. A run that was stopped
/// needs none: it ends at once.
pub(super) async fn take_over(runs: &Runs, mut claimed: Vec<Claimed>, mut slots: Vec<Slot>, began: Instant) {
    if claimed.is_empty() {
        return;
    }
    let ids: Vec<RunId> = claimed.iter().map(|claimed| claimed.id).collect();
    let attempts: Vec<_> = claimed.iter().map(|claimed| (claimed.id, claimed.attempt)).collect();
    let read = journal::remembered(&runs.shared.db, &ids);
    let mut stored = match keeping(&runs.shared, &attempts, read).await {
        Ok(stored) => stored,
        // Once given back, the runs are claimed again.
        Err(error) => {
            tracing::warn!(
                runs = ids.len(),
                error = &error as &dyn std::error::Error,
                "abandoned runs could not be read"
            );
            give_back(&runs.shared, attempts);
            return;
        }
    };
    let ours = still_ours(&runs.shared, &attempts, began).await;
    claimed.retain(|claimed| ours.contains(&claimed.id));
    for claimed in claimed {
        let stored = stored.remove(&claimed.id).unwrap_or_default();
        let slot = if claimed.cancel_requested { None } else { slots.pop() };
        resume(runs, claimed, stored, slot);
    }
}

fn resume(runs: &Runs, claimed: Claimed, stored: Remembered, slot: Option<Slot>) {
    let ids = (claimed.id, claimed.conversation, claimed.message);
    let mut recovered = Recovered::read(stored);
    let known = std::mem::take(&mut recovered.known_keys);
    let published = std::mem::take(&mut recovered.events);
    let live = LiveRun::new(ids, claimed.user, claimed.attempt, recovered.last_seq, known);
    live.read_requests(&claimed.requests);
    if claimed.cancel_requested {
        live.stop();
        live.stop_recorded(RunStatus::Running);
    }
    tracing::info!(run.id = %claimed.id, attempt = claimed.attempt, crashes = claimed.crashes, calls = recovered.calls.len(), "run taken up");
    if claimed.crashes > MAX_CRASHES && !claimed.cancel_requested {
        tracing::error!(run.id = %claimed.id, crashes = claimed.crashes, "a run is given up: several servers died while executing it");
        let message =
            format!("The run was given up after {} servers stopped in the middle of it.", claimed.crashes);
        let ending = Ending::failed("abandoned", message);
        return driver::give_up(runs, live, recovered, claimed.reservation, &published, ending);
    }
    match serde_json::from_value::<Plan>(claimed.plan) {
        Ok(plan) => {
            // Other events are produced again. Warnings of budgets are not, as they depend on what others spend, nor
            // are corrections; and a stopped run produces nothing.
            let is_kept = |event: &AnyEvent| {
                claimed.cancel_requested
                    || event.get::<BudgetEvent>().is_some()
                    || matches!(event.get(), Some(RunEvent::CorrectionAdded { .. }))
            };
            recovered.events = published.into_iter().filter(is_kept).collect();
            driver::execute(runs, live, plan, recovered, claimed.reservation, slot);
        }
        Err(error) => {
            tracing::error!(run.id = %claimed.id, %error, "a stored plan cannot be read");
            let message = "This server cannot read what the run was to do. Ask again.".to_owned();
            let ending = Ending::failed("unreadable_plan", message);
            driver::give_up(runs, live, recovered, claimed.reservation, &published, ending);
        }
    }
}
