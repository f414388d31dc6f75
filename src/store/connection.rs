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

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{
    AssertSqlSafe, Connection as _, Either, Error, Execute, Executor, PgConnection, Postgres, SqlStr,
};

use super::error;
use super::health::{ACQUIRE_TIMEOUT, Cutoff, answer_within};
use super::kept::{Kept, Lent};

/// How much later than Postgres this end gives a statement up.
const ANSWER_MARGIN: Duration = Duration::from_secs(2);
/// Postgres does not end a commit: it may wait for a standby. One that is given up may have been done.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(15);

/// See the module.
#[derive(Debug)]
pub struct TxConnection {
    /// Only its end takes it away.
    lent: Option<Lent>,
    /// Where it goes after its end, instead of back to its pool.
    kept: Option<Kept>,
    /// How the transaction was begun; `None` outside one.
    begin: Option<String>,
    /// After how long Postgres itself ends a statement.
    statement_limit: Duration,
    /// Its next statement may be sent again in a new transaction.
    is_fresh: bool,
    cutoff: Cutoff,
}

impl TxConnection {
    /// Begins a transaction on a connection with this statement.
    pub(super) async fn begin(
        lent: Lent,
        begin: String,
        kept: Option<Kept>,
        statement_limit: Duration,
        cutoff: Cutoff,
    ) -> Result<Self, Error> {
        let sql = AssertSqlSafe(begin.clone());
        let begin = Some(begin);
        // Whatever becomes of the statement: what it began is rolled back.
        let mut begun = Self { lent: Some(lent), kept, begin, statement_limit, is_fresh: true, cutoff };
        sqlx::raw_sql(sql).execute(begun.connection()?).await?;
        Ok(begun)
    }

    /// A connection for one statement, which is a transaction of its own. If it has to be prepared anew, it fails like a
    /// later statement of a transaction: a copy of each batch, in case it has to be sent again, would cost more.
    pub(super) fn for_one_statement(
        lent: Lent,
        kept: Kept,
        statement_limit: Duration,
        cutoff: Cutoff,
    ) -> Self {
        let (lent, kept) = (Some(lent), Some(kept));
        Self { lent, kept, begin: None, statement_limit, is_fresh: false, cutoff }
    }

    fn connection(&mut self) -> Result<&mut PgConnection, Error> {
        // It is there until the transaction ends.
        self.lent.as_mut().map(|lent| &mut *lent.connection).ok_or(Error::PoolClosed)
    }

    /// Commits; outside a transaction that has been done with the statement. Now the connection is in no transaction, and in
    /// the role it had before, so the next transaction may have it.
    pub(super) async fn commit(mut self) -> Result<(), Error> {
        if self.begin.is_some() {
            let cutoff = self.cutoff.clone();
            let commit = sqlx::raw_sql("COMMIT").execute(self.connection()?);
            cutoff.answer_within(COMMIT_TIMEOUT, commit).await?;
        }
        // Nothing is left to roll back.
        let lent = self.lent.take();
        if let (Some(kept), Some(lent)) = (&self.kept, lent) {
            kept.keep(lent);
        }
        Ok(())
    }

    /// Gives memory back after long statements: otherwise the connection's buffers stay as long as the longest.
    pub(super) fn shrink_buffers(&mut self) {
        if let Some(lent) = &mut self.lent {
            lent.connection.shrink_buffers();
        }
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
        let result = send(self.connection()?, sql, arguments).await;
        let Err(error) = result else { return result };
        if error::is_read_only(&error) {
            // Sessions that were opened while the database took no writes refuse them for as long as they last.
            self.cutoff.move_to_now();
        }
        if !error::is_stale(&error) {
            return Err(error);
        }
        self.cutoff.move_to_now();
        let Some((sql, arguments)) = again else { return Err(error) };
        tracing::info!("the schema has changed: statements are prepared again");
        let anew = self.begin.as_ref().map(|begin| AssertSqlSafe(format!("ROLLBACK; {begin}")));
        let connection = self.connection()?;
        if let Some(anew) = anew {
            sqlx::raw_sql(anew).execute(&mut *connection).await?;
        }
        connection.clear_cached_statements().await?;
        send(connection, sql, arguments).await
    }
}

impl Drop for TxConnection {
    /// Rolls back what was not committed, in the background: what only read is simply dropped. Outside a transaction there is
    /// nothing to roll back, and the pool finds out in which state the connection is.
    fn drop(&mut self) {
        let Some(mut lent) = self.lent.take() else { return };
        if self.begin.is_none() {
            return;
        }
        let kept = self.kept.take();
        // On the event loop that the connection belongs to.
        #[expect(clippy::disallowed_methods, reason = "as the pool does it; closing the pool waits for it")]
        tokio::spawn(async move {
            let rollback = sqlx::raw_sql("ROLLBACK").execute(&mut *lent.connection);
            match (answer_within(ACQUIRE_TIMEOUT, rollback).await, kept) {
                (Ok(_), Some(kept)) => kept.keep(lent),
                (Ok(_), None) => {}
                (Err(error), _) => {
                    tracing::debug!(%error, "a transaction cannot be rolled back: its connection is closed");
                    drop(lent.connection.detach());
                }
            }
        });
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
        async move { self.connection()?.prepare_with(sql, parameters).await }.boxed()
    }
}
