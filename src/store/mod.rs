//! Postgres: SQL next to the function that runs it, one file per aggregate.
//!
//! What this room promises: nobody sees another's data, even if a query forgets its `WHERE`. Every
//! transaction is made from a [`Scope`], which decides the role that row level security binds
//! and the user it lets through. Without one no row of a user can be queried.
//!
//! It imports `id` and nothing else of the program. Start reading at [`Db::begin`].

/// A sub-query for the rows of a query, as JSON: so that one statement can read what several of these files know.
macro_rules! rows_as_json {
    ($query:expr) => {
        concat!("(SELECT coalesce(json_agg(found), '[]') FROM (", $query, ") AS found)")
    };
}

pub mod access;
pub mod analytics;
pub mod attachments;
pub mod audit;
pub mod benches;
pub mod blocks;
pub mod budgets;
pub mod cache;
mod connect;
mod connection;
pub mod conversations;
pub mod erasure;
mod error;
pub mod export;
pub mod feedback;
pub mod figures;
pub mod folders;
mod health;
pub mod holds;
mod housekeeping;
mod inspect;
pub mod journal;
mod kept;
pub mod leases;
pub mod library;
mod like;
pub mod local;
mod migrate;
pub mod notify;
pub mod objects;
pub mod outbox;
pub mod plans;
mod pool;
pub mod presets;
pub mod project_files;
pub mod projects;
pub mod push;
pub mod questions;
pub mod retention;
mod run_status;
pub mod runs;
pub mod schedules;
mod sessions;
pub mod settings;
pub mod shares;
pub mod tokens;
pub mod usage;
pub mod user_names;
pub mod users;
pub mod versions;
pub mod webhooks;

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::Row as _;
use sqlx::postgres::{PgConnectOptions, PgPool};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::id::{AccessId, UserId};
use health::{ACQUIRE_TIMEOUT, Cutoff, LastFailure};
use kept::{Kept, Lent};
use pool::Beginning;
use sessions::SessionState;

pub use connect::{Pooling, prepare};
pub use connection::TxConnection;
pub use error::{SetupError, StoreError, clean, clean_json, refuse_nul, refuse_nul_in_json};
pub use housekeeping::{expire, purge_now, remove_unused_files, run_housekeeping};
pub use inspect::{Inspection, Schema, inspect};
pub use migrate::migrate;
pub use pool::PoolState;
pub use run_status::RunStatus;
pub use sessions::Sessions;

/// No statement of the server is meant to take long; one that does is a fault and is cut off.
const STATEMENT_TIMEOUT_MS: u32 = 30_000;
/// A transaction that nobody continues (a frozen process, a lost network) may not hold locks for ever: its user's next question
/// waits for them. None of the server's waits for anything but the database between two statements.
const IDLE_IN_TRANSACTION_MS: u32 = 10_000;
/// The engine's transactions lock rows of runs, which another server may have to take over soon.
const ENGINE_IDLE_IN_TRANSACTION_MS: u32 = 5_000;

/// Whose data a transaction may touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One user's own rows.
    User(UserId),
    /// The engine that runs everyone's deliberations: runs, calls, decisions, events, messages and
    /// conversations of all users, and the look-up of tokens.
    Engine,
    /// The views without content, users, the audit log and the instance's settings.
    Admin,
    /// An administrator who reads another user's conversations with a request that a second administrator has approved:
    /// read-only, as long as the request is open, and each read is recorded ([`access`]).
    Access {
        /// Who reads.
        admin: UserId,
        /// With which request.
        request: AccessId,
        /// Whose conversations.
        subject: UserId,
    },
}

impl Scope {
    fn role(&self) -> &'static str {
        match self {
            Self::User(_) | Self::Access { .. } => "llm_council_app",
            Self::Engine => "llm_council_engine",
            Self::Admin => "llm_council_admin",
        }
    }

    /// Who acts, where that is a person.
    fn person(&self) -> Option<&UserId> {
        match self {
            Self::User(user) | Self::Access { admin: user, .. } => Some(user),
            Self::Engine | Self::Admin => None,
        }
    }

    /// How a transaction begins: one text, one round trip.
    fn begin_sql(&self, sessions: Sessions, limits: Limits) -> String {
        // Nobody writes in a user's name while their data is being erased: see migration 30.
        let enter = match self {
            Self::User(_) | Self::Access { .. } => "; SELECT enter_as(current_setting('app.user_id'))",
            Self::Engine | Self::Admin => "",
        };
        format!("{}; {}{enter}", sessions.begin(), self.settings_sql(limits, true))
    }

    /// Sets the role, the user and the limits, for the transaction (`is_local`) or for the session. The only free text in it
    /// is written as hexadecimal digits, so nothing in a user's name can end the literal.
    fn settings_sql(&self, limits: Limits, is_local: bool) -> String {
        let user = hex::encode(self.person().map_or("", UserId::as_str));
        let idle = match self {
            Self::Engine => ENGINE_IDLE_IN_TRANSACTION_MS,
            Self::User(_) | Self::Admin | Self::Access { .. } => IDLE_IN_TRANSACTION_MS,
        };
        let more = match self {
            // A process that claims runs declares that it checks their versions: see migration 11.
            Self::Engine => format!(", set_config('app.reads_plan_versions', 'on', {is_local})"),
            // An id is hexadecimal digits and hyphens.
            Self::Access { request, .. } => {
                format!(", set_config('app.access_request', '{request}', {is_local})")
            }
            Self::User(_) | Self::Admin => String::new(),
        };
        let plans = if limits.is_frequent {
            format!(", set_config('plan_cache_mode', 'force_generic_plan', {is_local})")
        } else {
            String::new()
        };
        // Compiling a query (`jit`) costs up to a second and a half, more than it gains in any of these (docs/performance.md).
        format!(
            "SELECT set_config('role', '{role}', {is_local}), \
             set_config('app.user_id', convert_from(decode('{user}', 'hex'), 'UTF8'), {is_local}), \
             set_config('jit', 'off', {is_local}), \
             set_config('statement_timeout', '{statement}', {is_local}), \
             set_config('lock_timeout', '{lock}', {is_local}), \
             set_config('idle_in_transaction_session_timeout', '{idle}', {is_local}){more}{plans}",
            role = self.role(),
            statement = limits.statement_ms,
            lock = limits.lock_ms,
        )
    }
}

/// How long statements may take, and how they are planned.
#[derive(Debug, Clone, Copy)]
struct Limits {
    statement_ms: u32,
    /// How much of that may be spent waiting for a lock; 0 for all of it.
    lock_ms: u32,
    /// The statements are few and made with every run: each is planned once per connection, for any values, and not
    /// again for each execution. Planning was a fifth of what Postgres did for a run.
    is_frequent: bool,
}

impl Limits {
    fn statement_limit(self) -> Duration {
        Duration::from_millis(self.statement_ms.into())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { statement_ms: STATEMENT_TIMEOUT_MS, lock_ms: 0, is_frequent: false }
    }
}

/// The database: a pool of connections that can only be used through a [`Scope`].
#[derive(Debug, Clone)]
pub struct Db {
    pool: PgPool,
    /// A pool only for prolonging leases, which must not wait behind requests: they would run out.
    for_leases: PgPool,
    /// Connections of `pool` that have just been used.
    kept: Kept,
    /// When a connection last failed.
    last_failure: LastFailure,
    /// Which connections are replaced.
    cutoff: Cutoff,
    /// Why no transaction is begun yet; absent once the database is open.
    held: Arc<watch::Sender<Option<&'static str>>>,
    /// The state of the sessions behind the connections.
    session_state: SessionState,
    /// Where to listen for notices, if the other connections cannot.
    listening: Option<PgConnectOptions>,
    /// How many transactions wait to begin.
    beginning: Beginning,
}

impl Db {
    /// Opens a transaction that sees what `scope` may see. One round trip.
    ///
    /// Dropping the [`Tx`] rolls back; dropping this future leaves nothing behind either.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when no connection is free in time or the database is unavailable;
    /// [`StoreError::NulCharacter`] for a user id that Postgres cannot hold.
    pub async fn begin(&self, scope: &Scope) -> Result<Tx, StoreError> {
        self.begin_within(scope, Limits::default()).await
    }

    /// Like [`Db::begin`], for what is done with every run: see [`Limits::is_frequent`].
    ///
    /// # Errors
    /// As [`Db::begin`].
    pub async fn begin_frequent(&self, scope: &Scope) -> Result<Tx, StoreError> {
        self.begin_within(scope, Limits { is_frequent: true, ..Limits::default() }).await
    }

    /// Like [`Db::begin`], with these limits.
    async fn begin_within(&self, scope: &Scope, limits: Limits) -> Result<Tx, StoreError> {
        let lent = self.lend();
        self.begin_on(lent, Some(&self.kept), scope, limits).await
    }

    /// A transaction on the connection that only leases are prolonged with.
    async fn begin_for_leases(&self, limits: Limits) -> Result<Tx, StoreError> {
        let lent = Box::pin(async { self.for_leases.acquire().await.map(Lent::new) });
        self.begin_on(lent, None, &Scope::Engine, limits).await
    }

    /// A connection for one statement of the engine, which is then a transaction of its own: one round trip instead of three.
    /// It has the limits of its session. `None` where sessions are shared, or work for nobody in particular.
    async fn for_one_statement(&self) -> Result<Option<TxConnection>, StoreError> {
        let Some(role) = self.session_state.role() else { return Ok(None) };
        self.refuse_while_held()?;
        let limit = role.statement_limit;
        let (kept, cutoff) = (self.kept.clone(), self.cutoff.clone());
        let lent = self.lend();
        let connection = async |lent| Ok(TxConnection::for_one_statement(lent, kept, limit, cutoff));
        Ok(Some(self.in_time(lent, connection).await?))
    }

    /// A connection. Opening one may be a part of it: boxed, that takes up its 15 kB only while it lasts, and not in everything
    /// that reads the database somewhere: every open stream, every run (docs/performance.md).
    fn lend(&self) -> impl Future<Output = Result<Lent, sqlx::Error>> + Unpin {
        Box::pin(self.kept.or_acquire(&self.pool))
    }

    fn refuse_while_held(&self) -> Result<(), StoreError> {
        let refuse = |reason| Err(StoreError::Unavailable(sqlx::Error::Io(io::Error::other(reason))));
        self.held().map_or(Ok(()), refuse)
    }

    async fn begin_on(
        &self,
        lent: impl Future<Output = Result<Lent, sqlx::Error>> + Unpin,
        kept: Option<&Kept>,
        scope: &Scope,
        limits: Limits,
    ) -> Result<Tx, StoreError> {
        if let Some(user) = scope.person() {
            refuse_nul("the user id", user.as_str())?;
        }
        self.refuse_while_held()?;
        let begin = scope.begin_sql(self.sessions(), limits);
        let statement_limit = limits.statement_limit();
        let (kept, cutoff) = (kept.cloned(), self.cutoff.clone());
        let begin = |lent| TxConnection::begin(lent, begin, kept, statement_limit, cutoff);
        // Boxed for the same reason as the connection.
        let begun = Box::pin(self.in_time(lent, begin));
        let beginning = self.beginning.one_more();
        let begun = begun.await;
        drop(beginning);
        if let Some(refused) = begun.as_ref().err().and_then(error::refusal) {
            return Err(refused);
        }
        if matches!(begun, Err(sqlx::Error::PoolTimedOut)) {
            pool::timed_out();
        }
        Ok(Tx { inner: begun?, scope: scope.clone() })
    }

    /// Whether the database answers now and takes writes: for readiness. Otherwise why not, in words that
    /// anybody may read.
    pub async fn ready(&self) -> Result<(), &'static str> {
        if let Some(reason) = self.held() {
            return Err(reason);
        }
        let asked = sqlx::raw_sql("SELECT current_setting('transaction_read_only') = 'on' AS read_only");
        let lent = self.lend();
        let ask = async |mut lent: Lent| asked.fetch_one(&mut *lent.connection).await?.try_get("read_only");
        let is_read_only: bool = self.in_time(lent, ask).await.map_err(|error| {
            tracing::warn!(%error, "the database does not answer");
            error::UNREACHABLE
        })?;
        if is_read_only {
            // Sessions that were opened while the database took no writes refuse them for as long as they last.
            self.cutoff.move_to_now();
            return Err(error::READ_ONLY);
        }
        Ok(())
    }

    /// Waits for a connection and for what is done with it first, both together no longer than for a free connection: a
    /// frozen database gives no answer. A failure is remembered: where one connection died, others may have. That all of them
    /// are in use is none.
    async fn in_time<T>(
        &self,
        lent: impl Future<Output = Result<Lent, sqlx::Error>>,
        first: impl AsyncFnOnce(Lent) -> Result<T, sqlx::Error>,
    ) -> Result<T, sqlx::Error> {
        let deadline = Instant::now() + ACQUIRE_TIMEOUT;
        let result = match timeout_at(deadline, lent).await {
            Ok(Ok(lent)) => timeout_at(deadline, first(lent))
                .await
                .unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into()))),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        };
        let is_failure =
            |error| error::refusal(error).is_none() && !matches!(error, sqlx::Error::PoolTimedOut);
        if result.as_ref().is_err_and(is_failure) {
            self.last_failure.note();
        }
        result
    }

    /// The connections now.
    #[must_use]
    pub fn pool_state(&self) -> PoolState {
        let (open, most) = (self.pool.size(), self.pool.options().get_max_connections());
        let idle = self.pool.num_idle() + self.kept.count();
        let idle = u32::try_from(idle).unwrap_or(u32::MAX).min(open);
        let waiting = if idle == 0 && open >= most { self.beginning.count() } else { 0 };
        PoolState { in_use: open - idle, idle, waiting, most }
    }

    /// Waits for the transactions under way and closes every connection.
    pub async fn close(&self) {
        self.kept.close();
        tokio::join!(self.pool.close(), self.for_leases.close());
    }
}

/// A transaction made from a [`Scope`]. Runs queries as `&mut *tx`; rolls back when dropped.
#[derive(Debug)]
pub struct Tx {
    inner: TxConnection,
    scope: Scope,
}

impl Tx {
    /// The scope it was made from.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The user whose data it is about: the first barrier, as every query of a user's data filters by it.
    ///
    /// # Errors
    /// [`StoreError::WrongScope`] in the engine's and the admins' scope.
    pub fn user(&self) -> Result<UserId, StoreError> {
        match &self.scope {
            Scope::User(user) | Scope::Access { subject: user, .. } => Ok(user.clone()),
            Scope::Engine | Scope::Admin => Err(StoreError::WrongScope { needed: "user" }),
        }
    }

    /// Whose rows it writes where admins have rows as well as users: the user's, or in the admins' scope the rows that
    /// are nobody's own (`user_id` is null).
    ///
    /// # Errors
    /// [`StoreError::WrongScope`] in the engine's scope.
    fn owner(&self) -> Result<Option<String>, StoreError> {
        match &self.scope {
            Scope::User(user) => Ok(Some(user.as_str().to_owned())),
            Scope::Admin => Ok(None),
            Scope::Engine | Scope::Access { .. } => Err(StoreError::WrongScope { needed: "user" }),
        }
    }

    /// Refuses to go on in any other scope than `scope`'s kind.
    fn require(&self, scope: &Scope, needed: &'static str) -> Result<(), StoreError> {
        if self.scope == *scope { Ok(()) } else { Err(StoreError::WrongScope { needed }) }
    }

    /// Refuses to go on outside [`Scope::Engine`].
    pub fn require_engine(&self) -> Result<(), StoreError> {
        self.require(&Scope::Engine, "engine")
    }

    /// Refuses to go on outside [`Scope::Admin`].
    pub fn require_admin(&self) -> Result<(), StoreError> {
        self.require(&Scope::Admin, "admin")
    }

    /// Lets the statements until [`Tx::see_own_rows`] read the rows of everybody, for sums over them. An error in
    /// between ends the transaction, and with it this right.
    async fn see_all_rows(&mut self) -> Result<(), StoreError> {
        self.set_role(Scope::Engine.role()).await
    }

    /// Ends what [`Tx::see_all_rows`] began.
    async fn see_own_rows(&mut self) -> Result<(), StoreError> {
        self.set_role(self.scope.role()).await
    }

    async fn set_role(&mut self, role: &str) -> Result<(), StoreError> {
        sqlx::query("SELECT set_config('role', $1, true)").bind(role).execute(&mut self.inner).await?;
        Ok(())
    }

    /// Makes everything done in it durable.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the connection was lost: the outcome is then unknown.
    pub async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }
}

impl Deref for Tx {
    type Target = TxConnection;

    fn deref(&self) -> &TxConnection {
        &self.inner
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut TxConnection {
        &mut self.inner
    }
}

/// Reads a `timestamptz`.
fn time(row: &sqlx::postgres::PgRow, column: &str) -> Result<jiff::Timestamp, sqlx::Error> {
    Ok(row.try_get::<jiff_sqlx::Timestamp, _>(column)?.into())
}

/// Reads a `timestamptz` that may be null.
fn time_or_null(row: &sqlx::postgres::PgRow, column: &str) -> Result<Option<jiff::Timestamp>, sqlx::Error> {
    Ok(row.try_get::<Option<jiff_sqlx::Timestamp>, _>(column)?.map(Into::into))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_leave_its_place_in_the_opening_statement() {
        let sql = Scope::User(UserId::from_canonical("o'); DROP TABLE users; --é"));
        let sql = sql.begin_sql(Sessions::Own, Limits::default());
        assert!(sql.contains("decode('6f27293b2044524f50205441424c452075736572733b202d2dc3a9', 'hex')"));
        assert!(!sql.contains("DROP"));
    }
    #[tokio::test]
    async fn what_reads_the_database_does_not_hold_the_opening_of_a_connection() {
        let db = Db::lazy(Db::options("postgres://nobody@localhost/none").unwrap(), 1);
        let bytes = size_of_val(&db.begin(&Scope::Engine));
        assert!(bytes < 1_024, "{bytes} bytes");
    }
}
