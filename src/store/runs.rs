//! Runs and their leases, and reading a run's event log.

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
        finished_at: row
            .try_get::<Option<jiff_sqlx::Timestamp>, _>("finished_at")?
            .map(jiff_sqlx::Timestamp::to_jiff),
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

pub(super) fn split(runs: &[(RunId, i32)]) -> (Vec<Uuid>, Vec<i32>) {
    runs.iter().map(|(id, attempt)| (id.0, *attempt)).unzip()
}
