//! Who watches a run in this process, and what becomes of one that nobody watches.

use super::driver::Runs;
use crate::id::{RunId, UserId};
use crate::store::StoreError;

/// A reader of a run, counted. When the last one goes before the run's end, and the rules say so,
/// the run is cancelled unless somebody comes back in time.
pub(super) struct Reading {
    runs: Runs,
    user: UserId,
    run: RunId,
    finished: bool,
}

impl Reading {
    pub(super) fn begin(runs: &Runs, user: &UserId, run: RunId) -> Self {
        *runs.inner.readers().entry(run).or_default() += 1;
        Self { runs: runs.clone(), user: user.clone(), run, finished: false }
    }

    /// The run's last event was read.
    pub(super) fn finished(&mut self) {
        self.finished = true;
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let inner = &self.runs.inner;
        let mut readers = inner.readers();
        let left = readers.get_mut(&self.run).map_or(0, |count| {
            *count -= 1;
            *count
        });
        if left > 0 {
            return;
        }
        readers.remove(&self.run);
        drop(readers);
        let Some(grace) = inner.settings.unwatched else { return };
        if self.finished || inner.closed.is_cancelled() {
            return;
        }
        let (runs, user, run) = (self.runs.clone(), self.user.clone(), self.run);
        inner.tasks.spawn_background(async move {
            tokio::time::sleep(grace).await;
            if runs.inner.readers().contains_key(&run) || runs.is_closed() {
                return;
            }
            match runs.cancel(&user, run).await {
                Ok(true) => tracing::info!(run.id = %run, "nobody watches the run any more: it is cancelled"),
                Ok(false) | Err(StoreError::NotFound) => {}
                Err(error) => {
                    tracing::warn!(run.id = %run, %error, "an unwatched run could not be cancelled");
                }
            }
        });
    }
}
