//! Metrics of the pool of connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The connections of a pool at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolState {
    /// Used by a transaction.
    pub in_use: u32,
    /// Open, and free to be used.
    pub idle: u32,
    /// Transactions that wait for a connection, since all of them are in use.
    pub waiting: u32,
    /// How many connections there may be.
    pub most: u32,
}

/// Begins every series at 0, so that the first event of each kind shows as an increase.
pub(super) fn begin_metrics() {
    metrics::describe_counter!(
        "llm_council_db_timeouts_total",
        "Transactions that got no connection in time: all were in use, or the database did not answer."
    );
    metrics::counter!("llm_council_db_timeouts_total").increment(0);
}

/// A transaction got no connection in time.
pub(super) fn timed_out() {
    metrics::counter!("llm_council_db_timeouts_total").increment(1);
}

/// Counts the transactions that have not begun yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Beginning(Arc<AtomicU32>);

impl Beginning {
    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// One more, until the guard is dropped.
    pub(super) fn one_more(&self) -> BeginningGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        BeginningGuard(self.0.clone())
    }
}

/// See [`Beginning::one_more`].
#[must_use]
pub(super) struct BeginningGuard(Arc<AtomicU32>);

impl Drop for BeginningGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
