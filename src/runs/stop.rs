//! Stopping a run. Its calls end at once, whatever the database does, while the request to stop is being recorded. The
//! stop is reported as durable once that is done: if this server dies afterwards, the run ends as stopped wherever it
//! is taken over.

use std::sync::Arc;
use std::time::Duration;

use super::live::LiveRun;
use super::state::{Runs, Shared};
use super::store_retry::until_answered;
use crate::id::{ConversationId, RunId, UserId};
use crate::store::{Db, RunStatus, Scope, StoreError, runs};

/// How long a request to stop a run waits until the database has recorded it.
const RECORD_TIMEOUT: Duration = Duration::from_secs(3);

/// The outcome of a request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// There was something to stop.
    pub cancelled: bool,
    /// The stop holds even if this process dies now.
    pub durable: bool,
}

impl Stopped {
    const NOTHING: Self = Self { cancelled: false, durable: true };
}

impl Runs {
    /// Stops a run, wherever it is executed.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not this user's; [`StoreError::Unavailable`] when it is not
    /// executed here and the database cannot be asked.
    pub async fn cancel(&self, user: &UserId, run: RunId) -> Result<Stopped, StoreError> {
        cancel(self, user, run).await
    }

    /// Stops the live run of a conversation, if it has one. If that is executed here, the database need not
    /// be asked first.
    pub async fn cancel_in(
        &self,
        user: &UserId,
        conversation: ConversationId,
    ) -> Result<Stopped, StoreError> {
        let here = self.shared.live().values().find(|live| live.is_of(user, conversation)).cloned();
        if let Some(live) = here {
            return Ok(stop_live(&self.shared, live).await);
        }
        match runs::live_of(&self.shared.db, &Scope::User(user.clone()), conversation).await? {
            Some(run) => cancel(self, user, run).await,
            None => Ok(Stopped::NOTHING),
        }
    }
}

/// See [`Runs::cancel`].
pub(super) async fn cancel(runs: &Runs, user: &UserId, run: RunId) -> Result<Stopped, StoreError> {
    let shared = &runs.shared;
    match shared.live_run(run) {
        Some(live) if live.user == *user => Ok(stop_live(shared, live).await),
        Some(_) => Err(StoreError::NotFound),
        None => {
            let status = runs::request_cancel(&shared.db, &Scope::User(user.clone()), run).await?;
            Ok(Stopped { cancelled: !status.is_over(), durable: true })
        }
    }
}

/// Stops a run if it is executed here; the request to stop it is recorded already. A queued run is claimed,
/// to be ended.
pub(super) fn stop_if_live(shared: &Shared, run: RunId) {
    match shared.live_run(run) {
        Some(live) if live.stop() => live.stop_recorded(RunStatus::Running),
        Some(_) => {}
        None => shared.look_for_work(),
    }
}

async fn stop_live(shared: &Shared, live: Arc<LiveRun>) -> Stopped {
    if !live.stop() {
        return Stopped::NOTHING;
    }
    if live.record_stop() {
        shared.tasks.spawn_background(record(shared.db.clone(), live.clone()));
    }
    let mut progress = live.progress();
    let recorded = progress.wait_for(|progress| progress.stop_recorded.is_some());
    let recorded = tokio::time::timeout(RECORD_TIMEOUT, recorded).await;
    // The sender lives in `live`: an error means that time is up.
    let status = recorded.ok().and_then(Result::ok).and_then(|progress| progress.stop_recorded);
    match status {
        // Another server may have completed it in the meantime, or ended it as stopped.
        Some(status) => {
            Stopped { cancelled: !status.is_over() || status == RunStatus::Cancelled, durable: true }
        }
        None => Stopped { cancelled: true, durable: false },
    }
}

/// Records that a run is to stop, however long that takes.
async fn record(db: Db, live: Arc<LiveRun>) {
    let scope = Scope::User(live.user.clone());
    let what = "to record that it is stopped";
    match until_answered(what, || runs::request_cancel(&db, &scope, live.id)).await {
        Ok(status) => live.stop_recorded(status),
        // Erased with its user's data, or about to be, so it cannot come back. Runs of a blocked user do not go on
        // either.
        Err(StoreError::NotFound | StoreError::Erasing | StoreError::Blocked) => {
            live.stop_recorded(RunStatus::Cancelled);
        }
        Err(error) => {
            tracing::error!(run.id = %live.id, error = &error as &dyn std::error::Error, "the request to stop a run cannot be recorded");
        }
    }
}
