//! Who reads a run in this process, and what becomes of a run that nobody reads any more.

use super::state::Runs;
use super::stop::{self, Stopped};
use crate::id::{RunId, UserId};
use crate::store::StoreError;

/// A reader of a run, counted. When the last one goes before the run's end, and the rules say so,
/// the run is cancelled unless somebody comes back in time.
pub(super) struct Reader {
    all: Runs,
    user: UserId,
    run: RunId,
    finished: bool,
}

impl Reader {
    pub(super) fn begin(all: &Runs, user: &UserId, run: RunId) -> Self {
        *all.shared.readers().entry(run).or_default() += 1;
        Self { all: all.clone(), user: user.clone(), run, finished: false }
    }

    /// The run's last event was read.
    pub(super) fn finished(&mut self) {
        self.finished = true;
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let shared = &self.all.shared;
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
        let Some(grace) = shared.settings.unwatched else { return };
        if self.finished || self.all.is_closed() {
            return;
        }
        let (all, user, run) = (self.all.clone(), self.user.clone(), self.run);
        shared.tasks.spawn_background(async move {
            tokio::time::sleep(grace).await;
            if all.shared.readers().contains_key(&run) || all.is_closed() {
                return;
            }
            match stop::cancel(&all, &user, run).await {
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
