//! Postgres: SQL beside the function that runs it, one file per aggregate.
//!
//! What this room promises: nobody sees another's data, even if a query forgets its `WHERE`. Every
//! transaction is made from a [`Scope`], which decides the role that row level security binds
//! and the user it lets through; there is no way to query without one.
//!
//! It imports `id` and nothing else of the program. Start reading at [`Db::begin`].

pub mod analytics;
pub mod audit;
pub mod budgets;
pub mod conversations;
mod error;
pub mod feedback;
pub mod figures;
mod housekeeping;
pub mod journal;
pub mod leases;
pub mod local;
mod migrate;
pub mod notify;
pub mod presets;
pub mod runs;
pub mod settings;
pub mod tokens;
pub mod usage;
pub mod users;
pub mod versions;

use std::fmt::Write as _;
use std::ops::{Deref, DerefMut};
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Postgres, Row as _, Transaction,
};

use crate::id::UserId;

pub use error::{SetupError, StoreError, clean, clean_json, refuse_nul, refuse_nul_in_json};
pub use housekeeping::keep_house;
pub use migrate::migrate;

/// How long a caller waits for a free connection before it hears that the database is not available.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an idle connection is taken to be alive.
const TRUSTED: Duration = Duration::from_secs(1);
/// How long every connection is asked whether it lives after one has failed.
const ASKED_AFTER_TROUBLE: Duration = Duration::from_secs(60);
/// No statement of the server is meant to take long; one that does is a fault and is cut off.
const STATEMENT_TIMEOUT_MS: u32 = 30_000;
/// A transaction that nobody continues (a frozen process, a lost network) may not hold locks for ever.
const IDLE_IN_TRANSACTION_MS: u32 = 60_000;
/// The engine's hold the rows of runs, which another server is to take over soon after.
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
}

impl Scope {
    fn role(&self) -> &'static str {
        match self {
            Self::User(_) => "llm_council_app",
            Self::Engine => "llm_council_engine",
            Self::Admin => "llm_council_admin",
        }
    }

    /// One text, one round trip. The only value in it is written as hexadecimal digits, so nothing
    /// in a user's name can end the literal.
    fn begin_sql(&self) -> String {
        let user = match self {
            Self::User(user) => user.as_str(),
            Self::Engine | Self::Admin => "",
        };
        let idle = match self {
            Self::Engine => ENGINE_IDLE_IN_TRANSACTION_MS,
            Self::User(_) | Self::Admin => IDLE_IN_TRANSACTION_MS,
        };
        let mut hex = String::with_capacity(user.len() * 2);
        for byte in user.bytes() {
            write!(hex, "{byte:02x}").expect("a String takes everything");
        }
        format!(
            "BEGIN; SELECT set_config('role', '{role}', true), \
             set_config('app.user_id', convert_from(decode('{hex}', 'hex'), 'UTF8'), true), \
             set_config('statement_timeout', '{STATEMENT_TIMEOUT_MS}', true), \
             set_config('idle_in_transaction_session_timeout', '{idle}', true)",
            role = self.role(),
        )
    }
}

/// The database: a pool of connections that can only be used through a [`Scope`].
#[derive(Debug, Clone)]
pub struct Db {
    pool: PgPool,
    /// When a connection last failed.
    trouble: Arc<Mutex<Option<Instant>>>,
}

impl Db {
    /// Connects to the database that `url` names.
    ///
    /// # Errors
    /// [`SetupError`] in words for the person who runs the server; it never shows the password.
    pub async fn connect(url: &str, max_connections: u32) -> Result<Self, SetupError> {
        Self::connect_with(Self::options(url)?, max_connections).await
    }

    /// Reads a `postgres://` URL.
    ///
    /// # Errors
    /// [`SetupError::BadUrl`].
    pub fn options(url: &str) -> Result<PgConnectOptions, SetupError> {
        PgConnectOptions::from_str(url).map_err(SetupError::BadUrl)
    }

    /// The same with options already made, as [`local::LocalPostgres`] gives them.
    ///
    /// # Errors
    /// As [`Db::connect`].
    pub async fn connect_with(options: PgConnectOptions, max_connections: u32) -> Result<Self, SetupError> {
        let options =
            options.application_name("llm-council").log_statements(tracing::log::LevelFilter::Trace);
        // One connection first, outside the pool: the pool would try again until its timeout and
        // then say only that time is up.
        let place = place(&options);
        let mut probe = tokio::time::timeout(ACQUIRE_TIMEOUT, options.connect())
            .await
            .unwrap_or(Err(sqlx::Error::PoolTimedOut))
            .map_err(|source| match error::sql_state(&source).as_deref() {
                Some("28P01" | "28000") => SetupError::Refused {
                    place: place.clone(),
                    reason: "check user and password, and the server's pg_hba.conf",
                    source,
                },
                Some("3D000") => SetupError::Refused {
                    place: place.clone(),
                    reason: "there is no such database; create it first",
                    source,
                },
                Some(_) | None => SetupError::Unreachable { place: place.clone(), source },
            })?;
        let row = sqlx::raw_sql("SELECT current_setting('server_version') AS name, current_setting('server_version_num')::int4 AS number")
            .fetch_one(&mut probe)
            .await?;
        if row.try_get::<i32, _>("number")? < 150_000 {
            return Err(SetupError::TooOld { found: row.try_get("name")? });
        }
        sqlx::Connection::close(probe).await?;

        let trouble: Arc<Mutex<Option<Instant>>> = Arc::default();
        let known_trouble = trouble.clone();
        let pool = PgPoolOptions::new()
            // One more, which only listens.
            .max_connections(max_connections.saturating_add(1))
            .acquire_timeout(ACQUIRE_TIMEOUT)
            // One that has just been used needs no asking whether it lives, unless another died.
            .test_before_acquire(false)
            .before_acquire(move |connection, about| {
                let asks = about.idle_for > TRUSTED || was_lately(&known_trouble);
                Box::pin(async move {
                    if asks {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .after_release(|connection, _| Box::pin(is_clean(connection)))
            .connect_lazy_with(options);
        Ok(Self { pool, trouble })
    }

    /// Opens a transaction that sees what `scope` may see. One round trip.
    ///
    /// Dropping the [`Tx`] rolls back; dropping this future leaves nothing behind either.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when no connection is free in time or the database is away;
    /// [`StoreError::NulCharacter`] for a user id that Postgres cannot hold.
    pub async fn begin(&self, scope: &Scope) -> Result<Tx, StoreError> {
        if let Scope::User(user) = scope {
            refuse_nul("the user id", user.as_str())?;
        }
        let begun = self.pool.begin_with(AssertSqlSafe(scope.begin_sql()));
        let inner = self.in_time(begun).await?;
        Ok(Tx { inner, scope: scope.clone() })
    }

    /// Whether the database answers now: for readiness.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.in_time(sqlx::raw_sql("SELECT 1").execute(&self.pool)).await?;
        Ok(())
    }

    /// Waits for an answer as long as for a free connection: a frozen database gives none. A failure is
    /// remembered: where one connection died, others may have.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
        let result =
            tokio::time::timeout(ACQUIRE_TIMEOUT, work).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        if result.is_err() {
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        result
    }

    /// Waits for the transactions under way and closes every connection.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

fn was_lately(trouble: &Mutex<Option<Instant>>) -> bool {
    let trouble = *trouble.lock().unwrap_or_else(PoisonError::into_inner);
    trouble.is_some_and(|at| at.elapsed() < ASKED_AFTER_TROUBLE)
}

/// Whether a connection that comes back to the pool is as it was: in no transaction and in no role.
///
/// sqlx 0.9.0 gives a connection back with its transaction open when the future that sent `BEGIN`
/// is dropped before the answer (and after a `BEGIN` whose second statement failed). Inside a
/// transaction its start time lies before the statement's; in simple protocol and outside one the
/// two are the same instant. A connection that fails this is closed.
async fn is_clean(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let row = sqlx::raw_sql(
        "SELECT transaction_timestamp() = statement_timestamp() AND current_setting('role') = 'none' AS clean",
    )
    .fetch_one(connection)
    .await?;
    row.try_get("clean")
}

/// Where a connection goes, without the password.
fn place(options: &PgConnectOptions) -> String {
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    format!(
        "{host} (database {}, user {})",
        options.get_database().unwrap_or(options.get_username()),
        options.get_username()
    )
}

/// A transaction made from a [`Scope`]. Runs queries as `&mut *tx`; rolls back when dropped.
#[derive(Debug)]
pub struct Tx {
    inner: Transaction<'static, Postgres>,
    scope: Scope,
}

impl Tx {
    /// The scope it was made from.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The user whose transaction it is: the first wall, every query of a user's data filters by it.
    ///
    /// # Errors
    /// [`StoreError::WrongScope`] in the engine's and the admins' scope.
    pub fn user(&self) -> Result<UserId, StoreError> {
        match &self.scope {
            Scope::User(user) => Ok(user.clone()),
            Scope::Engine | Scope::Admin => Err(StoreError::WrongScope { needed: "user" }),
        }
    }

    /// Refuses to go on in any other scope than `scope`'s kind.
    fn require(&self, scope: &Scope, needed: &'static str) -> Result<(), StoreError> {
        if self.scope == *scope { Ok(()) } else { Err(StoreError::WrongScope { needed }) }
    }

    /// Refuses to go on outside [`Scope::Engine`].
    ///
    /// # Errors
    /// [`StoreError::WrongScope`].
    pub fn require_engine(&self) -> Result<(), StoreError> {
        self.require(&Scope::Engine, "engine")
    }

    /// Refuses to go on outside [`Scope::Admin`].
    ///
    /// # Errors
    /// [`StoreError::WrongScope`].
    pub fn require_admin(&self) -> Result<(), StoreError> {
        self.require(&Scope::Admin, "admin")
    }

    /// Lets the statements until [`Tx::narrow`] see the rows of everybody, for sums over them. An error
    /// in between ends the transaction, and with it the wider sight.
    async fn widen(&mut self) -> Result<(), StoreError> {
        self.take_role(Scope::Engine.role()).await
    }

    /// Takes back what [`Tx::widen`] gave.
    async fn narrow(&mut self) -> Result<(), StoreError> {
        self.take_role(self.scope.role()).await
    }

    async fn take_role(&mut self, role: &str) -> Result<(), StoreError> {
        sqlx::query("SELECT set_config('role', $1, true)").bind(role).execute(&mut *self.inner).await?;
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
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut PgConnection {
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
        let sql = Scope::User(UserId::from_canonical("o'); DROP TABLE users; --é")).begin_sql();
        assert!(sql.contains("decode('6f27293b2044524f50205441424c452075736572733b202d2dc3a9', 'hex')"));
        assert!(!sql.contains("DROP"));
    }

    #[test]
    fn the_place_of_a_database_does_not_show_its_password() {
        let options =
            PgConnectOptions::from_str("postgres://me:hunter2@db.example:5433/council").expect("a URL");
        assert_eq!(place(&options), "db.example:5433 (database council, user me)");
    }
}
