//! Who has the sessions behind the connections of a pool, and in which role these are between transactions.
//!
//! Usually they are in none: each transaction takes on its role (`Scope`). The writer's are in the engine's role for
//! as long as they last, with the limits of its statements. So a statement of its own needs neither `BEGIN` nor `COMMIT`:
//! one message instead of three (docs/performance.md). Behind a pooler this is not possible, because others would get the
//! session in that role.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection, Row as _};

/// Who has the database's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// Each connection has one of its own, for as long as it lives.
    Own,
    /// A pooler lends a connection one for a transaction, with whatever others left in it.
    Shared,
}

impl Sessions {
    /// How a transaction begins. Of what others can leave behind only prepared statements are in the way: every server
    /// gives them the same names.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Own => "BEGIN",
            Self::Shared => "BEGIN; DEALLOCATE ALL",
        }
    }
}

/// A role that sessions are in between transactions.
#[derive(Debug)]
pub(super) struct SessionRole {
    pub name: &'static str,
    /// The statement that puts a session into it, and sets its limits.
    pub settings: String,
    /// After how long Postgres ends a statement.
    pub statement_limit: Duration,
}

/// The state of a pool's sessions. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct SessionState {
    is_shared: Arc<AtomicBool>,
    /// The role that they are in unless they are shared.
    role: Option<Arc<SessionRole>>,
}

impl SessionState {
    /// Sessions that are a connection's own until [`SessionState::are_shared`].
    pub(super) fn new(role: Option<SessionRole>) -> Self {
        Self { is_shared: Arc::default(), role: role.map(Arc::new) }
    }

    pub(super) fn are_shared(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }

    pub(super) fn sessions(&self) -> Sessions {
        if self.is_shared.load(Ordering::Relaxed) { Sessions::Shared } else { Sessions::Own }
    }

    /// The role that they are in between transactions, if they are in one.
    pub(super) fn role(&self) -> Option<&SessionRole> {
        self.role.as_deref().filter(|_| self.sessions() == Sessions::Own)
    }

    /// Prepares a new session.
    pub(super) async fn set_up(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let Some(role) = self.role() else { return Ok(()) };
        sqlx::raw_sql(AssertSqlSafe(role.settings.clone())).execute(connection).await.map(drop)
    }

    /// Whether a connection that returns to the pool is clean, in no transaction and in the role it had, and its database
    /// accepts writes. A connection that fails this is closed. So is one that a read-only database has opened: its session would
    /// stay read-only when the database no longer is.
    ///
    /// Inside a transaction its start time lies before the statement's; in simple protocol and outside one the two are the
    /// same.
    pub(super) async fn is_clean(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let role = self.role().map_or("none", |role| role.name);
        let sql = format!(
            "SELECT transaction_timestamp() = statement_timestamp() AND current_setting('role') = '{role}'
                AND current_setting('transaction_read_only') = 'off' AS clean"
        );
        sqlx::raw_sql(AssertSqlSafe(sql)).fetch_one(connection).await?.try_get("clean")
    }
}
