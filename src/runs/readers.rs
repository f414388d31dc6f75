//! Who reads a run in this process, and what becomes of a run that nobody reads any more.

use std::time::Duration;

use super::state::Runs;
use super::stop::{self, Stopped};
use crate::id::{RunId, UserId};
use crate::store::StoreError;

/// A reader of a run, counted. When the last one goes before the run's end, and the rules say so,
/// the run is cancelled unless somebody comes back in time.
pub(super) struct Reader {
    runs: Runs,
    user: UserId,
    run: RunId,
    /// How long the run goes on without any reader once this one has gone; for ever without.
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

    /// The run's last event was read.
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
            if runs.shared.readers().contains_key(&run) || runs.is_closed() {
                return;
            }
            match stop::cancel(&runs, &user, run).await {
                Ok(Stopped { cancelled: true, .. }) => {
                    tracing::info!(run.id = %run, "nobody watches the run any more: it is cancelled");
                }
                Ok(Stopped { cancelled: false, .. }) | Err(StoreError::NotFound) => {}
                Err(error) => {
                    tracing::warn!(run.id = %run, %error, "an unwatched run could not be cancelled");
                }
            }
        });
    }
}
