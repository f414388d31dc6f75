//! The connection of a transaction. It survives a change of the schema by another version of this program.
//!
//! Postgres refuses a prepared statement whose columns have changed their types since (`0A000`, "cached plan must
//! not change result type"), and sqlx keeps it all the same: it would fail on that connection for ever. Here the pool
//! replaces every connection from before, and a transaction that has done nothing yet begins anew and goes on. In a
//! later statement the transaction fails as if the database were unavailable: a retry succeeds.
//!
//! Nor does it wait for ever for a database, or a proxy in front of it, that vanished silently: Postgres itself ends
//! statements that take too long, so an answer that is later than that will not come. The pool then replaces the other
//! connections, too.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgArguments, PgDatabaseError, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{
    AssertSqlSafe, Connection as _, Either, Error, Execute, Executor, PgConnection, Postgres, SqlStr,
    Transaction,
};

/// How much later than Postgres this end gives a statement up.
const ANSWER_MARGIN: Duration = Duration::from_secs(2);
/// Postgres does not end a commit: it may wait for a standby. One that is given up may have been done.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(15);

/// Waits for an answer of the database, which may have vanished, for `limit` at most.
pub(super) async fn answer_within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(Error::Io(io::ErrorKind::TimedOut.into())))
}

/// Connections that were opened before it are replaced by new ones; shared by a pool and its connections.
#[derive(Debug, Clone, Default)]
pub(super) struct Cutoff(Arc<Mutex<Option<Instant>>>);

impl Cutoff {
    /// Connections from before now are useless, or may be.
    fn move_to_now(&self) {
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

/// See the module.
#[derive(Debug)]
pub struct TxConnection {
    transaction: Transaction<'static, Postgres>,
    /// How it was begun.
    begin: String,
    /// After how long Postgres itself ends a statement.
    statement_limit: Duration,
    /// Nothing has been done in it.
    is_fresh: bool,
    cutoff: Cutoff,
}

impl TxConnection {
    pub(super) fn new(
        transaction: Transaction<'static, Postgres>,
        begin: String,
        statement_limit: Duration,
        cutoff: Cutoff,
    ) -> Self {
        Self { transaction, begin, statement_limit, is_fresh: true, cutoff }
    }

    pub(super) async fn commit(self) -> Result<(), Error> {
        self.cutoff.answer_within(COMMIT_TIMEOUT, self.transaction.commit()).await
    }

    async fn run(&mut self, sql: SqlStr, arguments: Option<PgArguments>) -> Result<Vec<Outcome>, Error> {
        let cutoff = self.cutoff.clone();
        let limit = self.statement_limit + ANSWER_MARGIN;
        cutoff.answer_within(limit, self.run_or_prepare_anew(sql, arguments)).await
    }

    async fn run_or_prepare_anew(
        &mut self,
        sql: SqlStr,
        arguments: Option<PgArguments>,
    ) -> Result<Vec<Outcome>, Error> {
        let again = std::mem::take(&mut self.is_fresh).then(|| (sql.clone(), arguments.clone()));
        let result = send(&mut self.transaction, sql, arguments).await;
        let Err(error) = result else { return result };
        if !is_stale(&error) {
            return Err(error);
        }
        self.cutoff.move_to_now();
        let Some((sql, arguments)) = again else { return Err(error) };
        tracing::info!("the schema has changed: statements are prepared again");
        let begin = AssertSqlSafe(format!("ROLLBACK; {}", self.begin));
        sqlx::raw_sql(begin).execute(&mut *self.transaction).await?;
        self.transaction.clear_cached_statements().await?;
        send(&mut self.transaction, sql, arguments).await
    }
}

type Outcome = Either<PgQueryResult, PgRow>;

/// No answer of the store is larger than memory, so they are taken whole.
async fn send(
    connection: &mut PgConnection,
    sql: SqlStr,
    arguments: Option<PgArguments>,
) -> Result<Vec<Outcome>, Error> {
    connection.fetch_many((sql, arguments)).try_collect().await
}

/// Whether a prepared statement was refused because the columns of its answer have changed.
pub(super) fn is_stale(error: &Error) -> bool {
    let database = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    database.is_some_and(|error| error.code() == "0A000" && error.routine() == Some("RevalidateCachedQuery"))
}

impl<'c> Executor<'c> for &'c mut TxConnection {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, mut query: E) -> BoxStream<'e, Result<Outcome, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let arguments = query.take_arguments().map_err(Error::Encode);
        let sql = query.sql();
        let all = async move { self.run(sql, arguments?).await };
        stream::once(all).map_ok(|all| stream::iter(all.into_iter().map(Ok))).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, mut query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let arguments = query.take_arguments().map_err(Error::Encode);
        let sql = query.sql();
        async move { Ok(self.run(sql, arguments?).await?.into_iter().find_map(Either::right)) }.boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        (&mut *self.transaction).prepare_with(sql, parameters)
    }
}
