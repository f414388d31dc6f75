//! Readers of runs that another server executes, and what wakes them: the notices of that server.
//! A lost notice costs a reader a moment, never an event: it also looks by itself now and then.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::driver::Runs;
use crate::id::RunId;
use crate::store::notify::{Listener, Notice};
use crate::store::{Db, StoreError};

/// How long the listener waits before it connects again.
const RECONNECT: Duration = Duration::from_secs(1);
/// How often a reader looks for itself while notices arrive.
const LOOK: Duration = Duration::from_secs(2);
/// And while they do not.
const LOOK_DEAF: Duration = Duration::from_millis(250);

/// Who waits for which run's log to grow.
#[derive(Debug, Default)]
pub struct Wake {
    ears: Mutex<HashMap<RunId, watch::Sender<()>>>,
    hears: AtomicBool,
}

/// One reader's wait for one run.
#[derive(Debug)]
pub struct Ear {
    wake: Arc<Wake>,
    run: RunId,
    woken: watch::Receiver<()>,
}

impl Wake {
    /// Hears of this run from now on.
    pub fn ear(self: &Arc<Self>, run: RunId) -> Ear {
        let woken = self.ears().entry(run).or_insert_with(|| watch::Sender::new(())).subscribe();
        Ear { wake: self.clone(), run, woken }
    }

    /// Wakes the readers of one run.
    pub fn wake(&self, run: RunId) {
        if let Some(ears) = self.ears().get(&run) {
            ears.send_replace(());
        }
    }

    /// Wakes every reader: something may have been missed.
    pub fn wake_all(&self) {
        for ears in self.ears().values() {
            ears.send_replace(());
        }
    }

    /// Listens to the other servers until it is dropped.
    pub async fn listen(&self, runs: &Runs, db: &Db) {
        loop {
            let lost = self.listen_once(runs, db).await;
            if self.hears.swap(false, Ordering::Relaxed) {
                tracing::warn!(error = %lost, "the other servers cannot be heard; looking for their news instead");
            }
            self.wake_all();
            tokio::time::sleep(RECONNECT).await;
        }
    }

    /// Listens until the connection cannot be made again, and says why.
    async fn listen_once(&self, runs: &Runs, db: &Db) -> StoreError {
        let mut listener = match Listener::open(db).await {
            Ok(listener) => listener,
            Err(error) => return error,
        };
        loop {
            if !self.hears.swap(true, Ordering::Relaxed) {
                self.wake_all();
                runs.look_for_work();
            }
            match listener.next().await {
                Ok(Some(Notice::Log(grown))) => grown.into_iter().for_each(|run| self.wake(run)),
                Ok(Some(Notice::Stop(run))) => runs.stop_here(run),
                Ok(Some(Notice::Work)) => runs.look_for_work(),
                // The connection was lost and is made again by the next call.
                Ok(None) => self.hears.store(false, Ordering::Relaxed),
                Err(error) => return error,
            }
        }
    }

    fn ears(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<()>>> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ear {
    /// What is read from the log after this is new to whoever waits next.
    pub fn prick(&mut self) {
        self.woken.mark_unchanged();
    }

    /// Waits until the log has grown, or for a while.
    pub async fn wait(&mut self) {
        let patience = if self.wake.hears.load(Ordering::Relaxed) { LOOK } else { LOOK_DEAF };
        // The sender stays in the table as long as this ear is there; time is up all the same.
        drop(tokio::time::timeout(patience, self.woken.changed()).await);
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let mut ears = self.wake.ears();
        // This one is still counted.
        if ears.get(&self.run).is_some_and(|ears| ears.receiver_count() <= 1) {
            ears.remove(&self.run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_notice_between_reading_and_waiting_is_not_missed() {
        let wake = Arc::new(Wake::default());
        wake.hears.store(true, Ordering::Relaxed);
        let run = RunId::generate();
        let mut ear = wake.ear(run);
        ear.prick();
        wake.wake(run);
        tokio::time::pause();
        let before = tokio::time::Instant::now();
        ear.wait().await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        ear.wait().await;
        assert!(before.elapsed() >= LOOK, "once is enough");
    }

    #[test]
    fn nothing_is_kept_of_readers_that_are_gone() {
        let wake = Arc::new(Wake::default());
        let run = RunId::generate();
        let (one, two) = (wake.ear(run), wake.ear(run));
        drop(one);
        assert_eq!(wake.ears().len(), 1);
        drop(two);
        assert!(wake.ears().is_empty());
    }
}
