//! Connections that go from one transaction straight to the next. The pool asks the database twice about each connection
//! that comes back: whether it is clean, and whether it lives. After a commit or a rollback that was answered both are
//! known, and two of five messages of a transaction are saved (docs/performance.md).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use sqlx::{Connection as _, Postgres};
use tokio::runtime::Handle;

use super::health::{Cutoff, LastFailure};

/// A connection that has been idle for longer goes back to the pool, which pings it before its next use.
const IDLE_AT_MOST: Duration = Duration::from_secs(1);
/// How long a connection may stay away from the pool, which checks it and closes old ones.
const AWAY_AT_MOST: Duration = Duration::from_secs(60);

/// A connection that is away from the pool.
#[derive(Debug)]
pub(super) struct Lent {
    pub(super) connection: PoolConnection<Postgres>,
    /// When it left the pool.
    since: Instant,
}

impl Lent {
    /// A connection that the pool has just given.
    pub(super) fn new(connection: PoolConnection<Postgres>) -> Self {
        Self { connection, since: Instant::now() }
    }
}

/// See the module. Clones share the connections.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    shelf: Arc<Mutex<Shelf>>,
    cutoff: Cutoff,
    last_failure: LastFailure,
}

#[derive(Debug)]
struct Shelf {
    /// Each with the end of its last transaction; the newest is last.
    idle: VecDeque<(Lent, Instant)>,
    /// How many transactions wait for a connection of the pool.
    waiting: u32,
    /// Every connection goes back to the pool, which is being closed.
    is_closed: bool,
}

impl Kept {
    /// Holds no connection at first. For a minute after a failure it keeps none, and from before a cutoff it gives none.
    pub(super) fn new(cutoff: Cutoff, last_failure: LastFailure) -> Self {
        let shelf = Shelf { idle: VecDeque::new(), waiting: 0, is_closed: false };
        Self { shelf: Arc::new(Mutex::new(shelf)), cutoff, last_failure }
    }

    /// A connection from here, or else from the pool.
    pub(super) async fn or_acquire(&self, pool: &PgPool) -> Result<Lent, sqlx::Error> {
        match self.take() {
            Ok(lent) => Ok(lent),
            Err(waiting) => {
                let connection = pool.acquire().await?;
                drop(waiting);
                Ok(Lent::new(connection))
            }
        }
    }

    /// A connection that may be used without asking the database about it. Where there is none, the caller counts as
    /// waiting for the pool for as long as it holds the guard.
    fn take(&self) -> Result<Lent, Waiting> {
        let (mut given_back, mut shelf) = (GivenBack::default(), self.lock());
        shelf.give_back_idle(&mut given_back);
        while let Some((lent, _)) = shelf.idle.pop_back() {
            if self.may_be_used(&lent) {
                return Ok(lent);
            }
            given_back.0.push(lent);
        }
        shelf.waiting += 1;
        Err(Waiting(self.clone()))
    }

    /// Keeps a connection that is in no transaction and in no role for the next transaction, unless one waits for the pool.
    pub(super) fn keep(&self, lent: Lent) {
        let (mut given_back, mut shelf) = (GivenBack::default(), self.lock());
        shelf.give_back_idle(&mut given_back);
        if shelf.waiting > 0 || shelf.is_closed || !self.may_be_used(&lent) {
            given_back.0.push(lent);
        } else {
            shelf.idle.push_back((lent, Instant::now()));
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.lock().idle.len()
    }

    /// Gives all of them back, and keeps no more.
    pub(super) fn close(&self) {
        let mut shelf = self.lock();
        shelf.is_closed = true;
        shelf.idle.clear();
    }

    /// Whether the pool would neither close nor ping it.
    fn may_be_used(&self, lent: &Lent) -> bool {
        lent.since.elapsed() <= AWAY_AT_MOST
            && !self.cutoff.is_after(lent.since)
            && !self.last_failure.is_recent()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connections that go back to the pool when the shelf is no longer locked.
#[derive(Default)]
struct GivenBack(Vec<Lent>);

impl Drop for GivenBack {
    /// The buffers of each are as long as its longest message, which the pool would leave so.
    fn drop(&mut self) {
        for lent in &mut self.0 {
            lent.connection.shrink_buffers();
        }
    }
}

impl Shelf {
    fn give_back_idle(&mut self, given_back: &mut GivenBack) {
        while self.idle.front().is_some_and(|(_, since)| since.elapsed() > IDLE_AT_MOST) {
            given_back.0.extend(self.idle.pop_front().map(|(lent, _)| lent));
        }
    }
}

impl Drop for Shelf {
    /// Outside the event loop a connection cannot go back: it is closed.
    fn drop(&mut self) {
        if Handle::try_current().is_err() {
            for (lent, _) in self.idle.drain(..) {
                drop(lent.connection.detach());
            }
        }
    }
}

/// See [`Kept::take`].
#[must_use]
#[derive(Debug)]
struct Waiting(Kept);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.lock().waiting -= 1;
    }
}
