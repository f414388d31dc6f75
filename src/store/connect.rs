//! Connecting to the database, even to one that does not exist yet, or that cannot be written to for a while.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, Row as _};

use super::health::{Cutoff, LastFailure, answer_within};
use super::kept::Kept;
use super::pool::{self, Beginning};
use super::sessions::{SessionRole, SessionState, Sessions};
use super::{ACQUIRE_TIMEOUT, Db, Limits, Scope, SetupError, error, migrate, user_names};

/// A connection that has been idle for no longer than this is used without a ping.
const NO_PING_WITHIN: Duration = Duration::from_secs(1);
/// A connection that takes longer than this to answer a ping is replaced.
const PING_TIMEOUT: Duration = Duration::from_secs(3);
/// The first pause between two tries to prepare the database.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often the reason for waiting is logged again.
const LOG_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// How often two connections are compared before they count as sessions of their own. A pooler gives a busy
/// client the same session ten times in a row only by a rare chance.
const COMPARISONS: usize = 10;

/// What is known of a pooler between the server and the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Nothing: it is detected.
    Auto,
    /// There is none, or one that leaves a connection its session.
    Session,
    /// One that gives a connection a session for each transaction.
    Transaction,
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
    pub fn options(url: &str) -> Result<PgConnectOptions, SetupError> {
        PgConnectOptions::from_str(url).map_err(SetupError::BadUrl)
    }

    /// Like [`Db::connect`], with options already made, as [`super::local::LocalPostgres`] gives them.
    pub async fn connect_with(options: PgConnectOptions, max_connections: u32) -> Result<Self, SetupError> {
        check(&options).await?;
        Ok(Self::lazy(options, max_connections))
    }

    /// The database without a check: connections are made when they are needed.
    #[must_use]
    pub fn lazy(options: PgConnectOptions, max_connections: u32) -> Self {
        Self::of_sessions(SessionState::new(None), options, max_connections)
    }

    /// Like [`Db::lazy`], with sessions that work for the engine all the time, unless they turn out to be shared. Statements
    /// outside a transaction have these limits.
    pub(super) fn of_engine(options: PgConnectOptions, max_connections: u32, limits: Limits) -> Self {
        let role = SessionRole {
            name: Scope::Engine.role(),
            settings: Scope::Engine.settings_sql(limits, false),
            statement_limit: limits.statement_limit(),
        };
        Self::of_sessions(SessionState::new(Some(role)), options, max_connections)
    }

    fn of_sessions(state: SessionState, options: PgConnectOptions, max_connections: u32) -> Self {
        let last_failure = LastFailure::default();
        let cutoff = Cutoff::default();
        let options = with_our_options(options);
        let pool = |most, state: &SessionState| {
            pool_of(most, state, &last_failure, &cutoff).connect_lazy_with(options.clone())
        };
        let (pool, for_leases) = (pool(max_connections, &state), pool(1, &SessionState::new(None)));
        pool::begin_metrics();
        Self {
            pool,
            for_leases,
            kept: Kept::new(cutoff.clone(), last_failure.clone()),
            last_failure,
            cutoff,
            held: Arc::default(),
            session_state: state,
            listening: None,
            beginning: Beginning::default(),
        }
    }

    /// The same database, receiving notices through a connection to `options`: for sessions that are shared.
    #[must_use]
    pub fn listening_at(mut self, options: PgConnectOptions) -> Self {
        self.listening = Some(options);
        self
    }

    /// How this database is connected to.
    #[must_use]
    pub fn connect_options(&self) -> PgConnectOptions {
        (*self.pool.connect_options()).clone()
    }

    /// A pool for the one connection that receives notices. `None` where sessions are shared, since the next
    /// transaction may be in another one.
    ///
    /// Each listener has its own: sqlx returns a listener's connection to its pool only when the database has answered,
    /// which a vanished one never does.
    pub(super) fn listening(&self) -> Option<PgPool> {
        let options = match (&self.listening, self.sessions()) {
            (Some(options), _) => options.clone(),
            (None, Sessions::Own) => self.connect_options(),
            (None, Sessions::Shared) => return None,
        };
        let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(ACQUIRE_TIMEOUT);
        Some(pool.connect_lazy_with(with_our_options(options)))
    }

    /// Whether notices of other servers can be received.
    #[must_use]
    pub fn can_listen(&self) -> bool {
        self.listening.is_some() || self.sessions() == Sessions::Own
    }

    pub(super) fn sessions(&self) -> Sessions {
        self.session_state.sessions()
    }

    /// Begins no transaction until [`Db::open`], and gives this reason.
    pub fn hold(&self, reason: &'static str) {
        self.held.send_replace(Some(reason));
    }

    /// Ends what [`Db::hold`] began, with what [`prepare`] has found.
    pub fn open(&self, sessions: Sessions) {
        if sessions == Sessions::Shared {
            // A statement that is prepared in one transaction does not exist in the next.
            let options = (*self.pool.connect_options()).clone();
            let options = options.statement_cache_capacity(0);
            self.pool.set_connect_options(options.clone());
            self.for_leases.set_connect_options(options);
            self.session_state.are_shared();
        }
        self.held.send_replace(None);
    }

    /// Ends when transactions may be begun.
    pub async fn opened(&self) {
        // It cannot fail: the sender is in `self`.
        drop(self.held.subscribe().wait_for(Option::is_none).await);
    }

    pub(super) fn held(&self) -> Option<&'static str> {
        *self.held.borrow()
    }
}

/// Connections that are replaced when they may be dead, or hold outdated prepared statements.
fn pool_of(most: u32, state: &SessionState, last_failure: &LastFailure, cutoff: &Cutoff) -> PgPoolOptions {
    let (last_failure, cutoff, at_release) = (last_failure.clone(), cutoff.clone(), cutoff.clone());
    let (at_connect, at_return) = (state.clone(), state.clone());
    PgPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(move |connection, _| {
            let state = at_connect.clone();
            Box::pin(async move { answer_within(ACQUIRE_TIMEOUT, state.set_up(connection)).await })
        })
        // A connection that has just been used needs no ping, unless another one has failed.
        .test_before_acquire(false)
        .before_acquire(move |connection, about| {
            let is_outdated = is_outdated(&about, &cutoff);
            let pings = about.idle_for > NO_PING_WITHIN || last_failure.is_recent();
            let cutoff = cutoff.clone();
            Box::pin(async move {
                if is_outdated {
                    return Ok(false);
                }
                if pings {
                    cutoff.answer_within(PING_TIMEOUT, connection.ping()).await?;
                }
                Ok(true)
            })
        })
        // With a time limit: a dead connection would keep its place in the pool. One that is known to be useless is not
        // even pinged.
        .after_release(move |connection, about| {
            let (is_outdated, state) = (is_outdated(&about, &at_release), at_return.clone());
            Box::pin(async move {
                Ok(!is_outdated && answer_within(ACQUIRE_TIMEOUT, state.is_clean(connection)).await?)
            })
        })
}

/// Whether a connection was opened before the cutoff.
fn is_outdated(about: &PoolConnectionMetadata, cutoff: &Cutoff) -> bool {
    Instant::now().checked_sub(about.age).is_some_and(|opened| cutoff.is_after(opened))
}

/// Brings the database to this version's schema, finds out who has its sessions, and waits for it as long as waiting
/// can help: until it is reachable, exists under this name, and accepts connections and writes. `is_taken` says whether
/// a user's name is one that somebody can sign in with. `waiting` is called with each reason.
///
/// # Errors
/// [`SetupError`] of the kind that does not pass ([`SetupError::passes`]).
pub async fn prepare(
    options: &PgConnectOptions,
    pooling: Pooling,
    is_taken: fn(&str) -> bool,
    mut waiting: impl FnMut(&'static str),
) -> Result<Sessions, SetupError> {
    let (mut pause, mut logged): (_, Option<(&str, Instant)>) = (FIRST_PAUSE, None);
    loop {
        let error = match try_to_prepare(options, pooling, is_taken).await {
            Ok(sessions) => return Ok(sessions),
            Err(error) => error,
        };
        let Some(reason) = error.passes() else { return Err(error) };
        waiting(reason);
        if logged.is_none_or(|(before, at)| before != reason || at.elapsed() > LOG_AGAIN_AFTER) {
            tracing::warn!(error = &error as &dyn std::error::Error, "waiting for the database: {reason}");
            logged = Some((reason, Instant::now()));
        }
        tokio::time::sleep(pause).await;
        pause = longer(pause);
    }
}

/// The pause after this one: twice as long, within a limit.
fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

/// A connection belongs to the event loop that opened it, so this makes its own and closes it.
async fn try_to_prepare(
    options: &PgConnectOptions,
    pooling: Pooling,
    is_taken: fn(&str) -> bool,
) -> Result<Sessions, SetupError> {
    check(options).await?;
    let db = Db::lazy(options.clone(), 1);
    // Who has the sessions is not known yet: this works with either.
    db.open(Sessions::Shared);
    let migrated = async {
        // Before the first migration: the version before must be able to go on until then.
        let undecided = user_names::undecided(&db, is_taken).await?;
        if undecided.is_empty() { migrate(&db).await } else { Err(SetupError::UserNames(undecided)) }
    };
    let migrated = migrated.await;
    db.close().await;
    migrated?;
    match pooling {
        Pooling::Session => Ok(Sessions::Own),
        Pooling::Transaction => Ok(Sessions::Shared),
        Pooling::Auto => Ok(detect_sessions(&with_our_options(options.clone())).await?),
    }
}

/// Detects a pooler by asking on two connections, several times, which process of the database serves them. A
/// connection with a session of its own is always served by one process, which serves nobody else; any other answer
/// means a pooler.
async fn detect_sessions(options: &PgConnectOptions) -> Result<Sessions, sqlx::Error> {
    let (mut one, mut two) = (options.connect().await?, options.connect().await?);
    let first = process(&mut one).await?;
    let mut sessions = Sessions::Own;
    for _ in 0..COMPARISONS {
        let other = process(&mut two).await?;
        let again = process(&mut one).await?;
        // Twice in a row, or a round-robin pooler would always assign the same ones.
        let once_more = process(&mut one).await?;
        if other == first || again != first || once_more != first {
            sessions = Sessions::Shared;
            break;
        }
    }
    one.close().await?;
    two.close().await?;
    Ok(sessions)
}

async fn process(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("SELECT pg_backend_pid() AS process").fetch_one(connection).await?.try_get("process")
}

pub(super) fn with_our_options(options: PgConnectOptions) -> PgConnectOptions {
    options
        .application_name("llm-council")
        .log_statements(tracing::log::LevelFilter::Trace)
        // PgBouncer refuses it, and since Postgres 12 there is no need for it.
        .extra_float_digits(None)
}

/// Checks whether this database can be used. One connection outside a pool: the pool would try
/// again until its timeout and then say only that time is up.
pub(super) async fn check(options: &PgConnectOptions) -> Result<(), SetupError> {
    let options = with_our_options(options.clone());
    let place = place(&options);
    let mut probe = tokio::time::timeout(ACQUIRE_TIMEOUT, options.connect())
        .await
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map_err(|source| match error::sql_state(&source).as_deref() {
            Some("28P01" | "28000") => SetupError::Refused { place: place.clone(), source },
            Some("3D000") => SetupError::NoDatabase { place: place.clone(), source },
            Some(_) | None => SetupError::Unreachable { place: place.clone(), source },
        })?;
    let asked = sqlx::raw_sql(
        "SELECT current_setting('server_version') AS name, current_setting('server_version_num')::int4 AS number,
                current_setting('transaction_read_only') = 'on' AS read_only",
    )
    .fetch_one(&mut probe);
    let row = tokio::time::timeout(ACQUIRE_TIMEOUT, asked).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
    sqlx::Connection::close(probe).await?;
    if row.try_get::<i32, _>("number")? < 150_000 {
        return Err(SetupError::TooOld { found: row.try_get("name")? });
    }
    if row.try_get("read_only")? { Err(SetupError::ReadOnly { place }) } else { Ok(()) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_between_tries_grow_to_five_seconds() {
        let pauses = std::iter::successors(Some(FIRST_PAUSE), |pause| Some(longer(*pause)));
        let millis: Vec<u128> = pauses.take(7).map(|pause| pause.as_millis()).collect();
        assert_eq!(millis, [250, 500, 1000, 2000, 4000, 5000, 5000]);
    }

    #[test]
    fn the_place_of_a_database_does_not_show_its_password() {
        let options =
            PgConnectOptions::from_str("postgres://me:hunter2@db.example:5433/council").expect("a URL");
        assert_eq!(place(&options), "db.example:5433 (database council, user me)");
    }
}
