//! What a run leaves behind while it is executed: its calls, decisions, events and result, written
//! in batches and read back when another process goes on with it. Every write is fenced by the
//! attempt it belongs to.

mod finish;
mod rows;

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgConnectOptions;
use uuid::Uuid;

use super::budgets::Budget;
use super::budgets::reserve::{self, ExpectedCost, Outcome};
use super::notify::{self, Notice};
use super::outbox::push;
use super::{Db, Limits, Scope, StoreError, TxConnection};
use crate::id::{RunId, UserId};

use rows::Sql;
pub use rows::{CallRow, DecisionRow, EventsRow, FinishedRow, LogRow};

/// What earlier executions of a run left.
#[derive(Debug, Default)]
pub struct Remembered {
    /// Finished calls, as JSON.
    pub calls: Vec<Value>,
    /// Decisions by key.
    pub decisions: Vec<(String, Value)>,
    /// The event log, in order.
    pub frames: Vec<String>,
}

/// Everything that one commit makes durable, over all runs of the process.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    /// It holds only tokens. Nobody waits for these to be durable, so the disk may take them with the next commit.
    pub has_only_tokens: bool,
    /// Each run with the attempt that must still own it.
    pub runs: Vec<(RunId, i32)>,
    pub calls: Vec<&'a CallRow>,
    pub decisions: Vec<&'a DecisionRow>,
    pub events: Vec<EventsRow>,
    pub finished: Vec<&'a FinishedRow>,
    /// Runs that wait for their person from now on.
    pub waits: Vec<RunId>,
}

/// From this size on, in bytes, a batch is so long that the memory for sending it is given back.
const LONG: usize = 1 << 20;

impl Batch<'_> {
    fn is_long(&self) -> bool {
        let results = self.calls.iter().filter_map(|call| call.result.as_ref()).map(String::len);
        let frames = self.events.iter().map(|events| events.row.frames.len());
        let bodies = self.finished.iter().map(|finished| finished.body.len());
        results.chain(frames).chain(bodies).sum::<usize>() >= LONG
    }
}

/// What earlier executions of these runs left.
pub async fn remembered(db: &Db, runs: &[RunId]) -> Result<HashMap<RunId, Remembered>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let ids: Vec<Uuid> = runs.iter().map(|run| run.0).collect();
    let mut all: HashMap<RunId, Remembered> = HashMap::new();
    let calls = "SELECT run_id, result FROM calls WHERE run_id = ANY ($1) AND result IS NOT NULL";
    for row in sqlx::query(calls).bind(&ids).fetch_all(&mut *tx).await? {
        all.entry(RunId(row.try_get("run_id")?)).or_default().calls.push(row.try_get("result")?);
    }
    let decisions = "SELECT run_id, key, value FROM decisions WHERE run_id = ANY ($1)";
    for row in sqlx::query(decisions).bind(&ids).fetch_all(&mut *tx).await? {
        let decision = (row.try_get("key")?, row.try_get("value")?);
        all.entry(RunId(row.try_get("run_id")?)).or_default().decisions.push(decision);
    }
    let frames = "SELECT run_id, frames FROM run_events WHERE run_id = ANY ($1) ORDER BY run_id, first_seq";
    for row in sqlx::query(frames).bind(&ids).fetch_all(&mut *tx).await? {
        all.entry(RunId(row.try_get("run_id")?)).or_default().frames.push(row.try_get("frames")?);
    }
    Ok(all)
}

/// All runs wait for a batch, and each run's heartbeat waits for its row: so a batch must not take long.
const BATCH_LIMITS: Limits = Limits { statement_ms: 5_000, lock_ms: 4_000, is_frequent: true };
/// Only the run itself waits for a batch of its own.
const SINGLE_RUN_LIMITS: Limits = Limits { statement_ms: 10_000, lock_ms: 8_000, is_frequent: true };

/// A database for [`commit`] and [`commit_alone`]: a batch is one message to it.
#[must_use]
pub fn database(options: PgConnectOptions, max_connections: u32) -> Db {
    Db::of_engine(options, max_connections, BATCH_LIMITS)
}

/// Makes a batch durable in one transaction, for the runs that their attempt still owns; returns which those are. Rows
/// of other runs are left out: their owner has changed.
///
/// # Errors
/// When the transaction failed; nothing of it is stored then. [`StoreError::is_too_slow`] where one of
/// the runs is in the way of the others.
pub async fn commit(db: &Db, batch: &Batch<'_>) -> Result<Vec<RunId>, StoreError> {
    if let Some(mut connection) = db.for_one_statement().await? {
        let owned = write(&mut connection, batch).await?;
        connection.commit().await?;
        return Ok(owned);
    }
    let mut tx = db.begin_within(&Scope::Engine, BATCH_LIMITS).await?;
    let owned = write(&mut tx, batch).await?;
    tx.commit().await?;
    Ok(owned)
}

/// Commits the records of one run that may take long. Its row is locked only when they are written, so that its
/// heartbeats go on until then.
pub async fn commit_alone(db: &Db, batch: &Batch<'_>) -> Result<Vec<RunId>, StoreError> {
    let mut tx = db.begin_within(&Scope::Engine, SINGLE_RUN_LIMITS).await?;
    rows::insert_calls(&mut tx, &batch.calls).await?;
    rows::insert_decisions(&mut tx, &batch.decisions).await?;
    rows::insert_events(&mut tx, &batch.events).await?;
    let (runs, finished, waits) = (batch.runs.clone(), batch.finished.clone(), batch.waits.clone());
    let owned = write(&mut tx, &Batch { runs, finished, waits, ..Batch::default() }).await?;
    if owned.is_empty() {
        return Ok(Vec::new());
    }
    tx.commit().await?;
    Ok(owned)
}

/// What a part of a batch's statement ends with: only the runs that are ours.
const OURS: &str = " WHERE run_id IN (SELECT id FROM owned)";

/// Keeps the batch's runs from being taken over until the commit is done, writes the rows of those that their attempt
/// still owns, ends those that are over, notifies the other servers, and returns which are owned: in one statement, as a
/// run on its own commits a dozen times and each round trip costs both sides as much as a row.
async fn write(tx: &mut TxConnection, batch: &Batch<'_>) -> Result<Vec<RunId>, StoreError> {
    let (ids, attempts) = ids_and_attempts(&batch.runs);
    let mut sql = Sql::new(
        // Ordered, so that batches of two processes cannot deadlock.
        "WITH owned AS MATERIALIZED (
             SELECT runs.id FROM runs JOIN unnest(",
    );
    sql.push_bind(ids).push(", ").push_bind(attempts).push(
        ") AS mine (id, attempt) ON runs.id = mine.id AND runs.attempt = mine.attempt
             WHERE runs.status = 'running' ORDER BY runs.id FOR NO KEY UPDATE OF runs
         )",
    );
    if !batch.calls.is_empty() {
        rows::push_calls(sql.push(", called AS ("), &batch.calls, OURS);
        sql.push(")");
    }
    if !batch.decisions.is_empty() {
        rows::push_decisions(sql.push(", decided AS ("), &batch.decisions, OURS);
        sql.push(")");
    }
    if !batch.events.is_empty() {
        rows::push_events(sql.push(", logged AS ("), &batch.events, OURS);
        sql.push(")");
    }
    if !batch.finished.is_empty() {
        finish::push_finished(&mut sql, &batch.finished, OURS);
    }
    if !batch.waits.is_empty() {
        push::push_waiting(sql.push(", waiting AS ("), &batch.waits, OURS);
        sql.push(")");
    }
    let logs = Notice::Log(batch.runs.iter().map(|(run, _)| *run).collect());
    notify::push(sql.push(", told AS MATERIALIZED ("), &logs);
    // Local to the statement's transaction: its commit does not wait for the disk.
    let disk = if batch.has_only_tokens { ", set_config('synchronous_commit', 'off', true)" } else { "" };
    sql.push(format_args!(") SELECT id{disk} FROM owned, (SELECT count(*) FROM told) AS notices"));
    let owned: Vec<Uuid> = sql.build_query_scalar().fetch_all(&mut *tx).await?;
    if batch.is_long() {
        tx.shrink_buffers();
    }
    Ok(owned.into_iter().map(RunId).collect())
}

/// A call that no deliberation makes.
#[derive(Debug)]
pub struct NewSingle<'a> {
    /// The run whose only call it is.
    pub run: RunId,
    pub user: &'a UserId,
    /// What it is for.
    pub format: &'a str,
    /// The groups whose budgets it counts against.
    pub groups: &'a [String],
    /// What it is expected to cost.
    pub need: ExpectedCost,
    /// The budgets that bind its user.
    pub budgets: &'a [Budget],
}

/// Begins a call that no deliberation makes, if it fits into the budgets: the only call of a run that counts as ended and
/// that nobody can open, so that every sum over the ledger has it. It holds its estimate until it is recorded. The run is there
/// before the call is sent, so that an erasure in the meantime takes the name off it.
///
/// # Errors
/// [`StoreError::Erasing`] or [`StoreError::Blocked`] where nothing may be done in the user's name: then it must not be sent.
pub async fn open_single(db: &Db, new: &NewSingle<'_>) -> Result<Outcome, StoreError> {
    let mut tx = db.begin(&Scope::User(new.user.clone())).await?;
    let outcome = if new.budgets.is_empty() {
        Outcome::Granted { nearly_used_up: Vec::new() }
    } else {
        reserve::admit(&mut tx, new.budgets, new.run, new.need).await?
    };
    if let Outcome::Refused(_) = outcome {
        return Ok(outcome);
    }
    // It is there already where a process died with the call, and so is what it holds.
    sqlx::query(
        "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, groups, attempt,
                           compacted, started_at, finished_at)
         VALUES ($1, $2, gen_random_uuid(), gen_random_uuid(), $3, 'complete', '{}', $4, 1, true, now(), now())
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(new.run.0)
    .bind(new.user.as_str())
    .bind(new.format)
    .bind(new.groups)
    .execute(&mut *tx)
    .await?;
    if !new.budgets.is_empty() {
        sqlx::query(
            "INSERT INTO reservations (run_id, user_id, groups, granted_usd) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING",
        )
        .bind(new.run.0)
        .bind(new.user.as_str())
        .bind(new.groups)
        .bind(new.need.usd)
        .execute(&mut *tx)
        .await?;
    }
    tx.commit().await?;
    Ok(outcome)
}

/// Writes a call that [`open_single`] has begun. Where its user's data was erased since, the ledger has it under the run's
/// new name and without content.
pub async fn record_single(db: &Db, mut call: CallRow) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    // An erasure changes this row before it comes to the calls, so it waits for this one, or was here first.
    let owner: String =
        sqlx::query_scalar("UPDATE runs SET finished_at = now() WHERE id = $1 RETURNING user_id")
            .bind(call.run.0)
            .fetch_one(&mut *tx)
            .await?;
    if owner != call.user.as_str() {
        call.user = UserId::from_canonical(owner);
        call.result = None;
        call.fingerprint.clear();
    }
    rows::insert_calls(&mut tx, &[&call]).await?;
    sqlx::query("DELETE FROM reservations WHERE run_id = $1").bind(call.run.0).execute(&mut *tx).await?;
    tx.commit().await
}

/// Up to `limit` runs that ended a while ago and whose log still holds tokens.
pub async fn to_compact(db: &Db, after: Duration, limit: usize) -> Result<Vec<RunId>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM runs
         WHERE finished_at < now() - make_interval(secs => $1) AND finished_at IS NOT NULL AND NOT compacted
         ORDER BY finished_at LIMIT $2",
    )
    .bind(after.as_secs_f64())
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(&mut *tx)
    .await?;
    Ok(ids.into_iter().map(RunId).collect())
}

/// Replaces the log of a run that is over by what `shorten` makes of its rows. Readers see the old
/// log or the new one, whole. Nothing happens when another process did it before.
pub async fn compact(
    db: &Db,
    id: RunId,
    shorten: impl FnOnce(&[String]) -> Vec<LogRow> + Send,
) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let user: Option<String> = sqlx::query_scalar(
        "UPDATE runs SET compacted = true WHERE id = $1 AND finished_at IS NOT NULL AND NOT compacted
         RETURNING user_id",
    )
    .bind(id.0)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(user) = user.map(UserId::from_canonical) else { return Ok(()) };
    let old: Vec<String> =
        sqlx::query_scalar("SELECT frames FROM run_events WHERE run_id = $1 ORDER BY first_seq")
            .bind(id.0)
            .fetch_all(&mut *tx)
            .await?;
    sqlx::query("DELETE FROM run_events WHERE run_id = $1").bind(id.0).execute(&mut *tx).await?;
    let rows: Vec<EventsRow> =
        shorten(&old).into_iter().map(|row| EventsRow { run: id, user: user.clone(), row }).collect();
    rows::insert_events(&mut tx, &rows).await?;
    tx.commit().await
}

/// Two columns for `unnest`.
pub(super) fn ids_and_attempts(runs: &[(RunId, i32)]) -> (Vec<Uuid>, Vec<i32>) {
    runs.iter().map(|(id, attempt)| (id.0, *attempt)).unzip()
}
