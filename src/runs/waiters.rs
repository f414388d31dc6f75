//! Readers of runs that another server executes: they wait for its notices that a log has grown. A lost
//! notice costs a reader a moment, never an event: it also polls now and then.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::id::RunId;

/// How often a reader polls the log while notices arrive.
const POLL_NOTIFIED: Duration = Duration::from_secs(2);
/// How often a reader polls the log while they do not.
const POLL_UNNOTIFIED: Duration = Duration::from_millis(250);

/// The readers that wait for logs to grow, by run.
#[derive(Debug, Default)]
pub struct LogWaiters {
    senders: Mutex<HashMap<RunId, watch::Sender<()>>>,
    /// Whether notices of other servers arrive.
    notified: AtomicBool,
}

/// One reader's wait for one run's log.
#[derive(Debug)]
pub struct LogWaiter {
    waiters: Arc<LogWaiters>,
    run: RunId,
    grown: watch::Receiver<()>,
}

impl LogWaiters {
    /// A waiter for this run's log.
    pub fn waiter(self: &Arc<Self>, run: RunId) -> LogWaiter {
        let grown = self.senders().entry(run).or_insert_with(|| watch::Sender::new(())).subscribe();
        LogWaiter { waiters: self.clone(), run, grown }
    }

    /// Wakes the readers of one run.
    pub fn wake(&self, run: RunId) {
        if let Some(sender) = self.senders().get(&run) {
            sender.send_replace(());
        }
    }

    /// Wakes every reader: a notice may have been missed.
    pub fn wake_all(&self) {
        for sender in self.senders().values() {
            sender.send_replace(());
        }
    }

    /// Sets whether notices of other servers arrive; returns whether they did until now.
    pub fn set_notified(&self, notified: bool) -> bool {
        self.notified.swap(notified, Ordering::Relaxed)
    }

    /// Whether notices of other servers arrive.
    pub fn is_notified(&self) -> bool {
        self.notified.load(Ordering::Relaxed)
    }

    fn senders(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<()>>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogWaiter {
    /// Called before the log is read: only notices after this end the next wait.
    pub fn mark_read(&mut self) {
        self.grown.mark_unchanged();
    }

    /// Waits until the log has grown, or it is time to poll it.
    pub async fn wait(&mut self) {
        let limit = if self.waiters.is_notified() { POLL_NOTIFIED } else { POLL_UNNOTIFIED };
        // The sender stays in the table as long as this waiter exists; a timeout is fine too.
        drop(tokio::time::timeout(limit, self.grown.changed()).await);
    }
}

impl Drop for LogWaiter {
    fn drop(&mut self) {
        let mut senders = self.waiters.senders();
        // This one is still counted.
        if senders.get(&self.run).is_some_and(|sender| sender.receiver_count() <= 1) {
            senders.remove(&self.run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_notice_between_reading_and_waiting_is_not_missed() {
        let waiters = Arc::new(LogWaiters::default());
        waiters.set_notified(true);
        let run = RunId::generate();
        let mut waiter = waiters.waiter(run);
        waiter.mark_read();
        waiters.wake(run);
        tokio::time::pause();
        let before = tokio::time::Instant::now();
        waiter.wait().await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        waiter.wait().await;
        assert!(before.elapsed() >= POLL_NOTIFIED, "once is enough");
    }

    #[test]
    fn nothing_is_kept_of_readers_that_are_gone() {
        let waiters = Arc::new(LogWaiters::default());
        let run = RunId::generate();
        let (one, two) = (waiters.waiter(run), waiters.waiter(run));
        drop(one);
        assert_eq!(waiters.senders().len(), 1);
        drop(two);
        assert!(waiters.senders().is_empty());
    }
}
