//! What failures say about the connections that did not fail: which are pinged before use, and which are replaced.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Error;

/// How long a caller waits for a free connection before the database counts as unavailable.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Waits for an answer of the database, which may have vanished, for `limit` at most.
pub(super) async fn answer_within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(Error::Io(io::ErrorKind::TimedOut.into())))
}

/// How long every connection is pinged before use after one has failed.
const PING_AFTER_FAILURE: Duration = Duration::from_secs(60);

/// When a connection last failed: others may have failed with it.
#[derive(Debug, Clone, Default)]
pub(super) struct LastFailure(Arc<Mutex<Option<Instant>>>);

impl LastFailure {
    /// A connection fails now.
    pub(super) fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether it was so recently that no connection is used without a ping.
    pub(super) fn is_recent(&self) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|at| at.elapsed() < PING_AFTER_FAILURE)
    }
}

/// Connections that were opened before it are replaced by new ones; shared by a pool and its connections.
#[derive(Debug, Clone, Default)]
pub(super) struct Cutoff(Arc<Mutex<Option<Instant>>>);

impl Cutoff {
    /// Connections from before now are useless, or may be.
    pub(super) fn move_to_now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether a connection that was opened then is replaced.
    pub(super) fn is_after(&self, opened: Instant) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|cutoff| cutoff >= opened)
    }

    /// Waits for an answer as [`answer_within`] does. Where none comes, the other connections may be dead as well: each
    /// of them would be waited for in turn.
    pub(super) async fn answer_within<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let answer = answer_within(limit, work).await;
        if matches!(&answer, Err(Error::Io(error)) if error.kind() == io::ErrorKind::TimedOut) {
            self.move_to_now();
        }
        answer
    }
}
