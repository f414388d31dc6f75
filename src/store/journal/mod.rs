//! What a run leaves behind while it is executed: its calls, decisions, events and result, written
//! in batches and read back when another process goes on with it. Every write is fenced by the
//! attempt it belongs to.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use sqlx::Row;
use uuid::Uuid;

use super::figures::{self, FiguresRow};
use super::notify::{self, Notice};
use super::{Db, Limits, RunStatus, Scope, StoreError, TxConnection, webhooks};
use crate::id::{ConversationId, MessageId, RunId, UserId};

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
    /// Holds more than tokens: somebody acts on it once it is committed.
    pub is_waited_for: bool,
    /// Each run with the attempt that must still own it.
    pub runs: Vec<(RunId, i32)>,
    pub calls: Vec<&'a CallRow>,
    pub decisions: Vec<&'a DecisionRow>,
    pub events: Vec<EventsRow>,
    pub finished: Vec<&'a FinishedRow>,
}

/// One row of the ledger.
#[derive(Debug, Clone)]
pub struct CallRow {
    pub run: RunId,
    pub user: UserId,
    pub key: String,
    pub stage: String,
    pub model: String,
    pub purpose: String,
    pub fingerprint: String,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// The finished call as JSON text, for whoever goes on with the run.
    pub result: Option<String>,
    pub prompt_tokens: Option<i64>,
    pub completion_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    pub cached_tokens: Option<i64>,
    /// What the provider's cache saved, in USD.
    pub cache_saved_usd: Option<f64>,
    pub total_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    /// Where the cost comes from, in one word.
    pub cost_source: Option<&'static str>,
    /// What budgets take a call of unknown cost to have cost, in USD.
    pub assumed_usd: Option<f64>,
    /// None for a call that reached no model: such a one cost nothing, any other one without a cost is of
    /// unknown cost.
    pub latency_ms: Option<i64>,
    pub ttft_ms: Option<i64>,
    pub tries: i32,
}

/// One decision.
#[derive(Debug, Clone)]
pub struct DecisionRow {
    pub run: RunId,
    pub user: UserId,
    pub key: String,
    /// JSON text.
    pub value: String,
}

/// The events of one run in one commit.
#[derive(Debug, Clone)]
pub struct EventsRow {
    pub run: RunId,
    pub user: UserId,
    pub row: LogRow,
}

/// A stretch of one run's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRow {
    pub first_seq: i64,
    pub last_seq: i64,
    /// Frames in the log's line format.
    pub frames: String,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct FinishedRow {
    pub run: RunId,
    pub status: RunStatus,
    pub error: Option<Value>,
    pub message: MessageId,
    pub conversation: ConversationId,
    /// The deliberation as JSON text.
    pub body: String,
    /// The final answer's text, for search and history.
    pub text: Option<String>,
    /// The title to give the conversation, if it has none yet.
    pub title: Option<String>,
    /// What analytics keep of it; none when nobody answered.
    pub figures: Option<FiguresRow>,
    /// It holds something of a budget, which is free from now on.
    pub has_reservation: bool,
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

/// All runs wait for a batch, and each run's heartbeat waits for its row: so it must not take long.
const BATCH_LIMITS: Limits = Limits { statement_ms: 5_000, lock_ms: 4_000 };
/// Only the run itself waits for a batch of its own.
const SINGLE_RUN_LIMITS: Limits = Limits { statement_ms: 10_000, lock_ms: 8_000 };

/// Makes a batch durable in one transaction, for the runs that their attempt still owns; answers
/// which those are. Rows of other runs are left out: their owner has changed.
///
/// # Errors
/// When the transaction failed; nothing of it is stored then. [`StoreError::is_too_slow`] where one of
/// the runs is in the way of the others.
pub async fn commit(db: &Db, batch: &Batch<'_>) -> Result<Vec<RunId>, StoreError> {
    let (ids, attempts) = ids_and_attempts(&batch.runs);
    let mut tx = db.begin_within(&Scope::Engine, BATCH_LIMITS).await?;
    if !batch.is_waited_for {
        // Nobody waits for these events to be durable: the disk may take them with the next commit.
        sqlx::raw_sql("SET LOCAL synchronous_commit = off").execute(&mut *tx).await?;
    }
    let owned = lock(&mut tx, ids, attempts).await?;
    let ours = |run: RunId| owned.contains(&run.0);

    insert_calls(&mut tx, batch.calls.iter().copied().filter(|row| ours(row.run))).await?;
    insert_decisions(&mut tx, batch.decisions.iter().copied().filter(|row| ours(row.run))).await?;
    insert_events(&mut tx, batch.events.iter().filter(|row| ours(row.run))).await?;
    finish(&mut tx, batch.finished.iter().copied().filter(|row| ours(row.run))).await?;
    notify::send(&mut tx, &Notice::Log(owned.iter().copied().map(RunId).collect())).await?;
    tx.commit().await?;
    Ok(owned.into_iter().map(RunId).collect())
}

/// The same for one run whose records may take long. Its row is locked only when they are written, so that
/// its heartbeats go on meanwhile.
pub async fn commit_alone(db: &Db, batch: &Batch<'_>) -> Result<Vec<RunId>, StoreError> {
    let (ids, attempts) = ids_and_attempts(&batch.runs);
    let mut tx = db.begin_within(&Scope::Engine, SINGLE_RUN_LIMITS).await?;
    insert_calls(&mut tx, batch.calls.iter().copied()).await?;
    insert_decisions(&mut tx, batch.decisions.iter().copied()).await?;
    insert_events(&mut tx, batch.events.iter()).await?;
    let owned = lock(&mut tx, ids, attempts).await?;
    if owned.is_empty() {
        return Ok(Vec::new());
    }
    finish(&mut tx, batch.finished.iter().copied()).await?;
    let owned: Vec<RunId> = owned.into_iter().map(RunId).collect();
    notify::send(&mut tx, &Notice::Log(owned.clone())).await?;
    tx.commit().await?;
    Ok(owned)
}

/// Holds off a takeover of these runs until the commit is through; returns which of them their attempt
/// still owns. Ordered, so that two batches of two processes cannot wait for each other.
async fn lock(tx: &mut TxConnection, ids: Vec<Uuid>, attempts: Vec<i32>) -> Result<Vec<Uuid>, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT runs.id FROM runs JOIN unnest($1::uuid[], $2::int[]) AS mine (id, attempt)
           ON runs.id = mine.id AND runs.attempt = mine.attempt
         WHERE runs.status = 'running' ORDER BY runs.id FOR NO KEY UPDATE OF runs",
    )
    .bind(ids)
    .bind(attempts)
    .fetch_all(tx)
    .await?)
}

/// Writes a call that no deliberation made: the only call of a run that has ended and that nobody can
/// open, so that every sum over the ledger has it. `format` says what it was for.
pub async fn record_single(
    db: &Db,
    call: &CallRow,
    format: &str,
    groups: &[String],
) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(
        "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, groups, attempt,
                           compacted, created_at, started_at, finished_at)
         SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), $3, 'complete', '{}', $4, 1, true, began, began, now()
         FROM (VALUES (now() - make_interval(secs => $5))) AS call (began)",
    )
    .bind(call.run.0)
    .bind(call.user.as_str())
    .bind(format)
    .bind(groups)
    .bind(Duration::from_millis(call.latency_ms.unwrap_or_default().unsigned_abs()).as_secs_f64())
    .execute(&mut *tx)
    .await?;
    insert_calls(&mut tx, std::iter::once(call)).await?;
    tx.commit().await?;
    Ok(())
}

async fn insert_calls<'a>(
    tx: &mut TxConnection,
    rows: impl Iterator<Item = &'a CallRow>,
) -> Result<(), StoreError> {
    let rows: Vec<&CallRow> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result,
                            prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                            cost_usd, cost_source, latency_ms, ttft_ms, tries, assumed_usd, cache_saved_usd)
         SELECT run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result::jsonb,
                prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                cost_usd, cost_source, latency_ms, ttft_ms, tries, assumed_usd, cache_saved_usd
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                     $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                     $14::bigint[], $15::float8[], $16::text[], $17::bigint[], $18::bigint[], $19::int[],
                     $20::float8[], $21::float8[])
              AS row (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result,
                      prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                      cost_usd, cost_source, latency_ms, ttft_ms, tries, assumed_usd, cache_saved_usd)
         ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.stage.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.model.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.purpose.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.fingerprint.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.outcome.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.result.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.prompt_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.completion_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.reasoning_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.cached_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.total_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.cost_usd).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.cost_source).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.latency_ms).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.ttft_ms).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.tries).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.assumed_usd).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.cache_saved_usd).collect::<Vec<_>>())
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert_decisions<'a>(
    tx: &mut TxConnection,
    rows: impl Iterator<Item = &'a DecisionRow>,
) -> Result<(), StoreError> {
    let rows: Vec<&DecisionRow> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO decisions (run_id, key, user_id, value)
         SELECT run_id, key, user_id, value::jsonb
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS row (run_id, key, user_id, value)
         ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.value.as_str()).collect::<Vec<_>>())
    .execute(tx)
    .await?;
    Ok(())
}

/// A batch whose commit was not answered is written again, whether it went through or not: what is
/// there already is this very row, for no other execution gives these numbers.
async fn insert_events<'a>(
    tx: &mut TxConnection,
    rows: impl Iterator<Item = &'a EventsRow>,
) -> Result<(), StoreError> {
    let rows: Vec<&EventsRow> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
         SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
         ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.row.first_seq).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.row.last_seq).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.row.frames.as_str()).collect::<Vec<_>>())
    .execute(tx)
    .await?;
    Ok(())
}

async fn finish<'a>(
    tx: &mut TxConnection,
    rows: impl Iterator<Item = &'a FinishedRow>,
) -> Result<(), StoreError> {
    let rows: Vec<&FinishedRow> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "WITH ended AS (
             UPDATE runs SET status = row.status, error = row.error, finished_at = now(), owner = NULL,
                    lease_until = NULL
             FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $4::text[]) AS row (id, status, error, event)
             WHERE runs.id = row.id
             RETURNING runs.id, runs.user_id, row.event
         )
         INSERT INTO webhook_deliveries (id, webhook_id, user_id, run_id, event)
         SELECT gen_random_uuid(), webhooks.id, webhooks.user_id, ended.id, ended.event
         FROM ended JOIN webhooks ON (webhooks.user_id = ended.user_id OR webhooks.user_id IS NULL)
                                 AND webhooks.is_enabled AND ended.event = ANY (webhooks.events)",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.status.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.error.clone()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| webhooks::event_of(row.status)).collect::<Vec<_>>())
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "UPDATE messages SET body = row.body::jsonb, content = row.content
         FROM unnest($1::uuid[], $2::text[], $3::text[]) AS row (id, body, content) WHERE messages.id = row.id",
    )
    .bind(rows.iter().map(|row| row.message.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.body.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.text.as_deref()).collect::<Vec<_>>())
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "UPDATE conversations SET updated_at = now(),
                title = CASE WHEN title_is_default THEN coalesce(row.title, conversations.title)
                             ELSE conversations.title END,
                title_is_default = title_is_default AND row.title IS NULL
         FROM unnest($1::uuid[], $2::text[]) AS row (id, title) WHERE conversations.id = row.id",
    )
    .bind(rows.iter().map(|row| row.conversation.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.title.as_deref()).collect::<Vec<_>>())
    .execute(&mut *tx)
    .await?;
    let reserved: Vec<Uuid> = rows.iter().filter(|row| row.has_reservation).map(|row| row.run.0).collect();
    if !reserved.is_empty() {
        sqlx::query("DELETE FROM reservations WHERE run_id = ANY ($1)")
            .bind(reserved)
            .execute(&mut *tx)
            .await?;
    }
    figures::insert(tx, rows.iter().filter_map(|row| row.figures.as_ref())).await
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
    insert_events(&mut tx, rows.iter()).await?;
    tx.commit().await
}

/// Two columns for `unnest`.
pub(super) fn ids_and_attempts(runs: &[(RunId, i32)]) -> (Vec<Uuid>, Vec<i32>) {
    runs.iter().map(|(id, attempt)| (id.0, *attempt)).unzip()
}
