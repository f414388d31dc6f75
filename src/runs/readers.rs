//! The readers of runs in this process, and the end of runs that nobody reads any more, here or on another server.

use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;

use super::state::Runs;
use super::stop::{self, Stopped};
use crate::id::{RunId, UserId};
use crate::store::StoreError;
use crate::store::notify::{self, Notice};

/// How long the other servers have to say that somebody reads a run there. A server that does not answer has no
/// reader of it, or is of a version that does not know the question.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// A reader of a run, counted. When the last one goes before the run's end, and the rules say so,
/// the run is cancelled unless somebody comes back in time.
pub(super) struct Reader {
    runs: Runs,
    user: UserId,
    run: RunId,
    /// How long the run goes on without any reader once this one has gone; `None` means until its end.
    grace: Option<Duration>,
    finished: bool,
}

impl Reader {
    pub(super) fn begin(runs: &Runs, user: &UserId, run: RunId) -> Self {
        *runs.shared.readers().entry(run).or_default() += 1;
        let grace = runs.shared.settings.unwatched;
        Self { runs: runs.clone(), user: user.clone(), run, grace, finished: false }
    }

    /// Lets the run be cancelled this long after this reader has gone, unless another one is there.
    pub(super) fn is_waited_for(&mut self, grace: Duration) {
        self.grace = Some(self.grace.map_or(grace, |known| known.min(grace)));
    }

    /// Lets the run go on when this reader has gone.
    pub(super) fn may_go(&mut self) {
        self.grace = None;
    }

    /// Notes that this reader has had the run's last event.
    pub(super) fn finished(&mut self) {
        self.finished = true;
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let shared = &self.runs.shared;
        let mut readers = shared.readers();
        let left = readers.get_mut(&self.run).map_or(0, |count| {
            *count -= 1;
            *count
        });
        if left > 0 {
            return;
        }
        readers.remove(&self.run);
        drop(readers);
        let Some(grace) = self.grace else { return };
        if self.finished || self.runs.is_closed() {
            return;
        }
        let (runs, user, run) = (self.runs.clone(), self.user.clone(), self.run);
        shared.tasks.spawn_background(async move {
            tokio::time::sleep(grace).await;
            let is_read_here = || runs.shared.readers().contains_key(&run);
            if is_read_here() || is_read_elsewhere(&runs, run).await || is_read_here() || runs.is_closed() {
                return;
            }
            match stop::cancel(&runs, &user, run).await {
                Ok(Stopped { cancelled: true, .. }) => {
                    tracing::info!(run.id = %run, "the run has no readers left: it is cancelled");
                }
                Ok(Stopped { cancelled: false, .. }) | Err(StoreError::NotFound) => {}
                Err(error) => {
                    tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error, "an unwatched run could not be cancelled");
                }
            }
        });
    }
}

/// Asks the other servers whether anybody reads the run there. Where notices do not arrive, a server knows only its
/// own readers.
async fn is_read_elsewhere(runs: &Runs, run: RunId) -> bool {
    let shared = &runs.shared;
    if !shared.waiters.is_notified() {
        return false;
    }
    let mut answers = shared.read_elsewhere.subscribe();
    if let Err(error) = notify::send_alone(&shared.db, &Notice::IsRead(run)).await {
        tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error, "the other servers could not be asked whether anybody reads a run");
        return false;
    }
    let answer = async {
        loop {
            match answers.recv().await {
                Ok(read) if read == run => return true,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return false,
            }
        }
    };
    tokio::time::timeout(ANSWER_WITHIN, answer).await.unwrap_or(false)
}

/// Answers another server that asks whether anybody reads the run here.
pub(super) fn answer(runs: &Runs, run: RunId) {
    let shared = &runs.shared;
    if !shared.readers().contains_key(&run) {
        return;
    }
    let db = shared.db.clone();
    shared.tasks.spawn_background(async move {
        if let Err(error) = notify::send_alone(&db, &Notice::Read(run)).await {
            tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error, "another server could not be told that somebody reads a run here");
        }
    });
}
