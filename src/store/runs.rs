//! Runs, their journal (calls and decisions), and their event log.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{Db, Scope, StoreError};
use crate::id::{ConversationId, MessageId, RunId, UserId};

/// A run to be started.
#[derive(Debug)]
pub struct NewRun {
    pub id: RunId,
    pub conversation: ConversationId,
    pub question: String,
    /// The plan as JSON.
    pub plan: Value,
    pub format: String,
    /// The client's key: the same key from the same user is the same run.
    pub idempotency_key: Option<String>,
    /// The process that will execute it.
    pub owner: String,
}

/// How a start ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Started {
    /// The run exists now and is ours to execute.
    New { message: MessageId },
    /// The key was used before: this is its run.
    Known(RunId),
    /// The conversation has a live run already.
    Busy(RunId),
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Queued,
    Running,
    Complete,
    Failed,
    Cancelled,
}

impl RunStatus {
    /// The name in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the name that SQL holds.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Complete, Self::Failed, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == name)
    }

    /// Whether the run is over.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Queued | Self::Running => false,
            Self::Complete | Self::Failed | Self::Cancelled => true,
        }
    }
}

/// A run as its owner sees it.
#[derive(Debug, Clone)]
pub struct RunRow {
    pub id: RunId,
    pub conversation: ConversationId,
    pub message: MessageId,
    pub status: RunStatus,
    pub format: String,
    /// Why it failed, for people.
    pub error: Option<Value>,
    /// The stored deliberation, once the run is over.
    pub body: Option<Value>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// A run taken over from a process that is gone.
#[derive(Debug)]
pub struct Claimed {
    pub id: RunId,
    pub user: UserId,
    pub conversation: ConversationId,
    pub message: MessageId,
    pub plan: Value,
    pub attempt: i32,
    pub cancel_requested: bool,
}

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
pub struct Batch {
    /// Each run with the attempt that must still own it.
    pub runs: Vec<(RunId, i32)>,
    pub calls: Vec<CallRow>,
    pub decisions: Vec<DecisionRow>,
    pub events: Vec<EventsRow>,
    pub finished: Vec<FinishedRow>,
}

/// One row of the ledger.
#[derive(Debug, Clone)]
pub struct CallRow {
    pub run: RunId,
    pub user: UserId,
    pub key: String,
    pub stage: &'static str,
    pub model: String,
    pub purpose: String,
    pub fingerprint: String,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// The finished call as JSON text.
    pub result: String,
    pub prompt_tokens: Option<i64>,
    pub completion_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    pub cached_tokens: Option<i64>,
    pub total_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
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
    /// The deliberation as JSON.
    pub body: Value,
    /// The final answer's text, for search and history.
    pub text: Option<String>,
    /// The title to give the conversation, if it has none yet.
    pub title: Option<String>,
}

/// Starts a run: the question, the answer's place and the run, or nothing.
///
/// # Errors
/// [`StoreError::NotFound`] when the conversation is not this user's, or deleted.
pub async fn start(db: &Db, scope: &Scope, new: &NewRun) -> Result<Started, StoreError> {
    match try_start(db, scope, new).await {
        // The same key on two conversations at once: the other transaction won.
        Err(StoreError::IdempotencyKeyUsed) => try_start(db, scope, new).await,
        result => result,
    }
}

async fn try_start(db: &Db, scope: &Scope, new: &NewRun) -> Result<Started, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let user = user.as_str();
    // The row lock serialises starts within one conversation.
    sqlx::query("SELECT FROM conversations WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL FOR UPDATE")
        .bind(new.conversation.0)
        .bind(user)
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(StoreError::NotFound)?;
    if let Some(key) = &new.idempotency_key {
        let known: Option<Uuid> =
            sqlx::query_scalar("SELECT id FROM runs WHERE user_id = $1 AND idempotency_key = $2")
                .bind(user)
                .bind(key)
                .fetch_optional(&mut *tx)
                .await?;
        if let Some(id) = known {
            return Ok(Started::Known(RunId(id)));
        }
    }
    let busy: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM runs WHERE conversation_id = $1 AND user_id = $2 AND status IN ('queued', 'running')",
    )
    .bind(new.conversation.0)
    .bind(user)
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(id) = busy {
        return Ok(Started::Busy(RunId(id)));
    }
    let question = MessageId::generate();
    let answer = MessageId::generate();
    sqlx::query(
        "INSERT INTO messages (id, conversation_id, user_id, position, role, content, run_id)
         SELECT m.id, $1, $2, coalesce((SELECT max(position) + 1 FROM messages WHERE conversation_id = $1), 0) + m.nth,
                m.role, m.content, m.run_id
         FROM (VALUES ($3::uuid, 0, 'user', $4::text, NULL::uuid), ($5::uuid, 1, 'assistant', NULL, $6::uuid))
              AS m (id, nth, role, content, run_id)",
    )
    .bind(new.conversation.0)
    .bind(user)
    .bind(question.0)
    .bind(&new.question)
    .bind(answer.0)
    .bind(new.id.0)
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, idempotency_key,
                           attempt, owner, lease_until, started_at)
         VALUES ($1, $2, $3, $4, $5, 'running', $6, $7, 1, $8, now() + interval '30 seconds', now())",
    )
    .bind(new.id.0)
    .bind(user)
    .bind(new.conversation.0)
    .bind(answer.0)
    .bind(&new.format)
    .bind(&new.plan)
    .bind(&new.idempotency_key)
    .bind(&new.owner)
    .execute(&mut *tx)
    .await?;
    sqlx::query("UPDATE conversations SET updated_at = now() WHERE id = $1 AND user_id = $2")
        .bind(new.conversation.0)
        .bind(user)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(Started::New { message: answer })
}

/// A run of this user.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn find(db: &Db, scope: &Scope, id: RunId) -> Result<RunRow, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let row = sqlx::query(
        "SELECT r.id, r.conversation_id, r.message_id, r.status, r.format, r.error, m.body, r.created_at,
                r.finished_at
         FROM runs r
         JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
         LEFT JOIN messages m ON m.id = r.message_id AND m.user_id = r.user_id
         WHERE r.id = $1 AND r.user_id = $2",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    row.as_ref().map(run_row).transpose()?.ok_or(StoreError::NotFound)
}

/// The live run of a conversation, if it has one.
///
/// # Errors
/// [`StoreError::NotFound`] when the conversation is not this user's.
pub async fn live_of(
    db: &Db,
    scope: &Scope,
    conversation: ConversationId,
) -> Result<Option<RunId>, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let row = sqlx::query(
        "SELECT r.id FROM conversations c
         LEFT JOIN runs r ON r.conversation_id = c.id AND r.user_id = c.user_id AND r.status IN ('queued', 'running')
         WHERE c.id = $1 AND c.user_id = $2 AND c.deleted_at IS NULL",
    )
    .bind(conversation.0)
    .bind(user.as_str())
    .fetch_optional(&mut *tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    Ok(row.try_get::<Option<Uuid>, _>("id")?.map(RunId))
}

fn run_row(row: &PgRow) -> Result<RunRow, StoreError> {
    let status: String = row.try_get("status")?;
    Ok(RunRow {
        id: RunId(row.try_get("id")?),
        conversation: ConversationId(row.try_get("conversation_id")?),
        message: MessageId(row.try_get("message_id")?),
        status: status_of(&status)?,
        format: row.try_get("format")?,
        error: row.try_get("error")?,
        body: row.try_get("body")?,
        created_at: row.try_get::<jiff_sqlx::Timestamp, _>("created_at")?.to_jiff(),
        finished_at: row.try_get::<Option<jiff_sqlx::Timestamp>, _>("finished_at")?.map(|at| at.to_jiff()),
    })
}

fn status_of(name: &str) -> Result<RunStatus, StoreError> {
    RunStatus::parse(name).ok_or_else(|| StoreError::Corrupt {
        what: "runs.status",
        source: format!("unknown status {name:?}").into(),
    })
}

/// The log after an event, in order: whole rows, so the first may begin at or before `after`.
///
/// # Errors
/// When the database cannot be asked.
pub async fn events_after(db: &Db, scope: &Scope, id: RunId, after: u64) -> Result<Vec<String>, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    // A slow reader takes the log in portions, so that its backlog never sits in memory.
    Ok(sqlx::query_scalar(
        "SELECT frames FROM run_events WHERE run_id = $1 AND user_id = $2 AND last_seq > $3 ORDER BY first_seq LIMIT 50",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .fetch_all(&mut *tx)
    .await?)
}

/// Asks a run to stop; its owner sees it at its next heartbeat.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not this user's.
pub async fn request_cancel(db: &Db, scope: &Scope, id: RunId) -> Result<RunStatus, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let status: Option<String> = sqlx::query_scalar(
        "UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now())
         WHERE id = $1 AND user_id = $2 RETURNING status",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    tx.commit().await?;
    let status = status.ok_or(StoreError::NotFound)?;
    status_of(&status)
}

/// Prolongs the leases of this process's runs; answers which are still its own, and which of
/// those somebody wants to stop.
///
/// # Errors
/// When the database cannot be asked.
pub async fn heartbeat(db: &Db, runs: &[(RunId, i32)]) -> Result<Vec<(RunId, bool)>, StoreError> {
    let (ids, attempts) = split(runs);
    let mut tx = db.begin(&Scope::Engine).await?;
    let rows = sqlx::query(
        "UPDATE runs SET lease_until = now() + interval '30 seconds'
         FROM unnest($1::uuid[], $2::int[]) AS mine (id, attempt)
         WHERE runs.id = mine.id AND runs.attempt = mine.attempt AND runs.status = 'running'
         RETURNING runs.id, runs.cancel_requested_at IS NOT NULL AS cancel",
    )
    .bind(ids)
    .bind(attempts)
    .fetch_all(&mut *tx)
    .await?;
    tx.commit().await?;
    rows.iter().map(|row| Ok((RunId(row.try_get("id")?), row.try_get("cancel")?))).collect()
}

/// Gives up this process's leases, so that another one takes its runs at once.
///
/// # Errors
/// When the database cannot be asked.
pub async fn release(db: &Db, owner: &str) -> Result<u64, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let done = sqlx::query("UPDATE runs SET lease_until = now() WHERE owner = $1 AND status = 'running'")
        .bind(owner)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(done.rows_affected())
}

/// Takes over runs whose owner is gone. The higher attempt fences the old owner's writes.
///
/// # Errors
/// When the database cannot be asked.
pub async fn claim_abandoned(db: &Db, owner: &str, limit: i64) -> Result<Vec<Claimed>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let rows = sqlx::query(
        "UPDATE runs SET attempt = attempt + 1, owner = $1, lease_until = now() + interval '30 seconds'
         WHERE id IN (SELECT id FROM runs WHERE status = 'running' AND lease_until <= now()
                      ORDER BY lease_until LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING id, user_id, conversation_id, message_id, plan, attempt, cancel_requested_at IS NOT NULL AS cancel",
    )
    .bind(owner)
    .bind(limit)
    .fetch_all(&mut *tx)
    .await?;
    tx.commit().await?;
    rows.iter()
        .map(|row| {
            Ok(Claimed {
                id: RunId(row.try_get("id")?),
                user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
                conversation: ConversationId(row.try_get("conversation_id")?),
                message: MessageId(row.try_get("message_id")?),
                plan: row.try_get("plan")?,
                attempt: row.try_get("attempt")?,
                cancel_requested: row.try_get("cancel")?,
            })
        })
        .collect()
}

/// What earlier executions left.
///
/// # Errors
/// When the database cannot be asked.
pub async fn remembered(db: &Db, id: RunId) -> Result<Remembered, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let calls = sqlx::query_scalar("SELECT result FROM calls WHERE run_id = $1 AND result IS NOT NULL")
        .bind(id.0)
        .fetch_all(&mut *tx)
        .await?;
    let decisions = sqlx::query("SELECT key, value FROM decisions WHERE run_id = $1")
        .bind(id.0)
        .fetch_all(&mut *tx)
        .await?
        .iter()
        .map(|row| Ok((row.try_get("key")?, row.try_get("value")?)))
        .collect::<Result<_, sqlx::Error>>()?;
    let frames = sqlx::query_scalar("SELECT frames FROM run_events WHERE run_id = $1 ORDER BY first_seq")
        .bind(id.0)
        .fetch_all(&mut *tx)
        .await?;
    Ok(Remembered { calls, decisions, frames })
}

/// Makes a batch durable in one transaction, for the runs that their attempt still owns; answers
/// which those are. Rows of other runs are left out: their owner has changed.
///
/// # Errors
/// When the transaction failed; nothing of it is stored then.
pub async fn commit(db: &Db, batch: &Batch) -> Result<Vec<RunId>, StoreError> {
    let (ids, attempts) = split(&batch.runs);
    let mut tx = db.begin(&Scope::Engine).await?;
    // The lock holds off a takeover until this commit is through. Ordered, so that two batches
    // of two processes cannot wait for each other.
    let owned: Vec<Uuid> = sqlx::query_scalar(
        "SELECT runs.id FROM runs JOIN unnest($1::uuid[], $2::int[]) AS mine (id, attempt)
           ON runs.id = mine.id AND runs.attempt = mine.attempt
         WHERE runs.status = 'running' ORDER BY runs.id FOR UPDATE OF runs",
    )
    .bind(ids)
    .bind(attempts)
    .fetch_all(&mut *tx)
    .await?;
    let ours = |run: RunId| owned.contains(&run.0);

    insert_calls(&mut tx, batch.calls.iter().filter(|row| ours(row.run))).await?;
    insert_decisions(&mut tx, batch.decisions.iter().filter(|row| ours(row.run))).await?;
    insert_events(&mut tx, batch.events.iter().filter(|row| ours(row.run))).await?;
    for row in batch.finished.iter().filter(|row| ours(row.run)) {
        finish(&mut tx, row).await?;
    }
    tx.commit().await?;
    Ok(owned.into_iter().map(RunId).collect())
}

async fn insert_calls<'a>(
    tx: &mut sqlx::PgConnection,
    rows: impl Iterator<Item = &'a CallRow>,
) -> Result<(), StoreError> {
    let rows: Vec<&CallRow> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result,
                            prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                            cost_usd, latency_ms, ttft_ms, tries)
         SELECT run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result::jsonb,
                prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                cost_usd, latency_ms, ttft_ms, tries
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                     $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                     $14::bigint[], $15::float8[], $16::bigint[], $17::bigint[], $18::int[])
              AS row (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result,
                      prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                      cost_usd, latency_ms, ttft_ms, tries)
         ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.stage).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.model.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.purpose.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.fingerprint.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.outcome.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.result.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.prompt_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.completion_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.reasoning_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.cached_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.total_tokens).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.cost_usd).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.latency_ms).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.ttft_ms).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.tries).collect::<Vec<_>>())
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert_decisions<'a>(
    tx: &mut sqlx::PgConnection,
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

async fn insert_events<'a>(
    tx: &mut sqlx::PgConnection,
    rows: impl Iterator<Item = &'a EventsRow>,
) -> Result<(), StoreError> {
    let rows: Vec<&EventsRow> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
         SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.first_seq).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.last_seq).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.frames.as_str()).collect::<Vec<_>>())
    .execute(tx)
    .await?;
    Ok(())
}

async fn finish(tx: &mut sqlx::PgConnection, row: &FinishedRow) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE runs SET status = $2, error = $3, finished_at = now(), owner = NULL, lease_until = NULL
         WHERE id = $1",
    )
    .bind(row.run.0)
    .bind(row.status.as_str())
    .bind(&row.error)
    .execute(&mut *tx)
    .await?;
    sqlx::query("UPDATE messages SET body = $2, content = $3 WHERE id = $1")
        .bind(row.message.0)
        .bind(&row.body)
        .bind(&row.text)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "UPDATE conversations SET updated_at = now(),
                title = CASE WHEN title_is_default AND $2 IS NOT NULL THEN $2 ELSE title END,
                title_is_default = title_is_default AND $2 IS NULL
         WHERE id = $1",
    )
    .bind(row.conversation.0)
    .bind(&row.title)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

fn split(runs: &[(RunId, i32)]) -> (Vec<Uuid>, Vec<i32>) {
    runs.iter().map(|(id, attempt)| (id.0, *attempt)).unzip()
}
