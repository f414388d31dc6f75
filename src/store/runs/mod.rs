//! Starting, finding and stopping runs, and reading a run's event log.

mod starting;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use uuid::Uuid;

use super::notify::{self, Notice};
use super::plans::whole_plan;
use super::{Db, RunStatus, Scope, StoreError, Tx};
use crate::id::{ConversationId, MessageId, RunId, UserId};

pub use starting::{Admission, IdempotencyKey, NewRun, Program, Reservation, Started, start};

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

/// A run of this user.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn find(db: &Db, scope: &Scope, id: RunId) -> Result<RunRow, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let row = sqlx::query(
        "SELECT r.id, r.conversation_id, r.message_id, r.status, r.format, r.error, r.created_at, r.finished_at,
                CASE WHEN m.run_id = r.id THEN m.body ELSE v.body END AS body
         FROM runs r
         JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
         LEFT JOIN messages m ON m.id = r.message_id AND m.user_id = r.user_id
         LEFT JOIN message_versions v ON v.run_id = r.id AND v.user_id = r.user_id
         WHERE r.id = $1 AND r.user_id = $2",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    row.as_ref().map(run_row).transpose()?.ok_or(StoreError::NotFound)
}

/// How far a run of this user is, also where its conversation has been deleted: a reader that is connected still gets
/// its last event.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn status(db: &Db, scope: &Scope, id: RunId) -> Result<RunStatus, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let status: Option<String> = sqlx::query_scalar("SELECT status FROM runs WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .fetch_optional(&mut *tx)
        .await?;
    RunStatus::read(&status.ok_or(StoreError::NotFound)?)
}

/// A program's request, as far as its answers repeat it, and the resulting plan.
#[derive(Debug, Clone)]
pub struct AskedByProgram {
    pub id: RunId,
    pub conversation: ConversationId,
    /// The answer's place in it.
    pub message: MessageId,
    pub status: RunStatus,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// See [`Program::request`].
    pub request: Value,
    pub plan: Value,
}

/// A run of this user that a program asked for.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, it is not theirs, or no program asked for it.
pub async fn asked_by_program(db: &Db, scope: &Scope, id: RunId) -> Result<AskedByProgram, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "SELECT r.conversation_id, r.message_id, r.status, r.created_at, r.finished_at, r.program, ",
        whole_plan!("r"),
        " FROM runs r
         JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
         WHERE r.id = $1 AND r.user_id = $2 AND r.program IS NOT NULL"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut *tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    let status: String = row.try_get("status")?;
    Ok(AskedByProgram {
        id,
        conversation: ConversationId(row.try_get("conversation_id")?),
        message: MessageId(row.try_get("message_id")?),
        status: RunStatus::read(&status)?,
        created_at: super::time(&row, "created_at")?,
        finished_at: super::time_or_null(&row, "finished_at")?,
        request: row.try_get("program")?,
        plan: row.try_get("plan")?,
    })
}

/// The final answers of these runs of this user, as far as a program asked for them and they have one.
pub async fn answers_to_programs(
    db: &Db,
    scope: &Scope,
    ids: &[RunId],
) -> Result<BTreeMap<RunId, String>, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query(
        "SELECT r.id, CASE WHEN m.run_id = r.id THEN m.content ELSE v.content END AS content
         FROM runs r
         JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
         LEFT JOIN messages m ON m.id = r.message_id AND m.user_id = r.user_id
         LEFT JOIN message_versions v ON v.run_id = r.id AND v.user_id = r.user_id
         WHERE r.id = ANY ($1) AND r.user_id = $2 AND r.program IS NOT NULL",
    )
    .bind(ids)
    .bind(user.as_str())
    .fetch_all(&mut *tx)
    .await?;
    let mut answers = BTreeMap::new();
    for row in &rows {
        if let Some(content) = row.try_get::<Option<String>, _>("content")? {
            answers.insert(RunId(row.try_get("id")?), content);
        }
    }
    Ok(answers)
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
        status: RunStatus::read(&status)?,
        format: row.try_get("format")?,
        error: row.try_get("error")?,
        body: row.try_get("body")?,
        created_at: row.try_get::<jiff_sqlx::Timestamp, _>("created_at")?.to_jiff(),
        finished_at: row
            .try_get::<Option<jiff_sqlx::Timestamp>, _>("finished_at")?
            .map(jiff_sqlx::Timestamp::to_jiff),
    })
}

/// The log after an event, in order: whole rows, so the first may begin at or before `after`.
pub async fn events_after(db: &Db, scope: &Scope, id: RunId, after: u64) -> Result<Vec<String>, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    // A slow reader takes the log in portions, so that its backlog is never held in memory.
    Ok(sqlx::query_scalar(
        "SELECT frames FROM (
             SELECT first_seq, frames,
                    sum(octet_length(frames)) OVER (ORDER BY first_seq) - octet_length(frames) AS before
             FROM run_events WHERE run_id = $1 AND user_id = $2 AND last_seq > $3
         ) AS log WHERE before < 262144 ORDER BY first_seq",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .fetch_all(&mut *tx)
    .await?)
}

/// Asks a run to stop, and notifies its owner.
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
    let status = RunStatus::read(&status.ok_or(StoreError::NotFound)?)?;
    if !status.is_over() {
        notify::send(&mut tx, &Notice::Stop(id)).await?;
    }
    tx.commit().await?;
    Ok(status)
}

/// Whether an administrator was the first to ask the run to stop.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there any more.
pub async fn is_stopped_by_admin(db: &Db, id: RunId) -> Result<bool, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query_scalar("SELECT stopped_by_admin FROM runs WHERE id = $1")
        .bind(id.0)
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(StoreError::NotFound)
}

/// Records an administrator's request to stop any user's run. Returns whether the run is under way. Needs the admins'
/// scope.
///
/// # Errors
/// [`StoreError::NotFound`] when there is no such run.
pub async fn request_cancel_of_any(tx: &mut Tx, id: RunId) -> Result<bool, StoreError> {
    tx.require_admin()?;
    let known: Option<bool> = sqlx::query_scalar(
        "WITH live AS (
             UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now()),
                 stopped_by_admin = stopped_by_admin OR cancel_requested_at IS NULL
             WHERE id = $1 AND status IN ('queued', 'running') RETURNING id
         )
         SELECT EXISTS (SELECT FROM live) FROM runs WHERE id = $1",
    )
    .bind(id.0)
    .fetch_optional(&mut **tx)
    .await?;
    let is_live = known.ok_or(StoreError::NotFound)?;
    if is_live {
        notify::send(tx, &Notice::Stop(id)).await?;
    }
    Ok(is_live)
}

/// Tells all runs of a user that are under way to stop; returns how many there are. Needs the admins' scope.
pub(in crate::store) async fn request_cancel_of_all(tx: &mut Tx, user: &UserId) -> Result<usize, StoreError> {
    tx.require_admin()?;
    let live: Vec<Uuid> = sqlx::query_scalar(
        "UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now()),
             stopped_by_admin = stopped_by_admin OR cancel_requested_at IS NULL
         WHERE user_id = $1 AND status IN ('queued', 'running') RETURNING id",
    )
    .bind(user.as_str())
    .fetch_all(&mut **tx)
    .await?;
    for run in &live {
        notify::send(tx, &Notice::Stop(RunId(*run))).await?;
    }
    Ok(live.len())
}

/// What a run is asked to go on without: a JSON list.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not this user's.
pub async fn skips(db: &Db, scope: &Scope, id: RunId) -> Result<Value, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    sqlx::query_scalar("SELECT skips FROM runs WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(StoreError::NotFound)
}

/// The state of a run whose question is to be corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correctable {
    pub status: RunStatus,
    /// Whether it is one that takes corrections in at all.
    pub takes: bool,
    /// The correction was stored, now or before: there was room for it.
    pub noted: bool,
}

/// Notes what is to be added to the question of a run that waits or is under way (`correction`, a JSON object), where it has
/// fewer than `most` and a plan of at least `version` for the council; and notifies its owner.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not this user's.
pub async fn request_correction(
    db: &Db,
    scope: &Scope,
    id: RunId,
    correction: &Value,
    (most, version): (usize, i32),
) -> Result<Correctable, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let row = sqlx::query(
        "WITH run AS MATERIALIZED (
             SELECT r.id, r.status, r.corrections @> $3 AS known, jsonb_array_length(r.corrections) < $4 AS has_room,
                    r.format = 'council' AND r.plan_version >= $5
                        AND r.plan #>> '{roster,kind}' IS DISTINCT FROM 'alone' AS takes
             FROM runs r JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
             WHERE r.id = $1 AND r.user_id = $2 FOR NO KEY UPDATE OF r
         ), noted AS (
             UPDATE runs SET corrections = corrections || $3 FROM run
             WHERE runs.id = run.id AND run.status IN ('queued', 'running') AND run.takes AND run.has_room
               AND NOT run.known
         )
         SELECT status, takes, known OR has_room AS noted FROM run",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(Json([correction]))
    .bind(i32::try_from(most).unwrap_or(i32::MAX))
    .bind(version)
    .fetch_optional(&mut *tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    let status: String = row.try_get("status")?;
    let correctable = Correctable {
        status: RunStatus::read(&status)?,
        takes: row.try_get("takes")?,
        noted: row.try_get("noted")?,
    };
    if correctable.status == RunStatus::Running && correctable.takes && correctable.noted {
        notify::send(&mut tx, &Notice::Skip(id)).await?;
    }
    tx.commit().await?;
    Ok(correctable)
}

/// Asks a run that is under way, with a plan of at least `version`, to ask a member again (`retry`, a JSON object), and
/// notifies its owner. Returns whether there is such a run.
pub async fn request_retry(
    db: &Db,
    scope: &Scope,
    id: RunId,
    retry: &Value,
    version: i32,
) -> Result<bool, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE runs SET retries = CASE WHEN retries @> $3 THEN retries ELSE retries || $3 END
         WHERE id = $1 AND user_id = $2 AND status = 'running' AND plan_version >= $4",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(Json([retry]))
    .bind(version)
    .execute(&mut *tx)
    .await?;
    let is_noted = done.rows_affected() > 0;
    if is_noted {
        notify::send(&mut tx, &Notice::Skip(id)).await?;
    }
    tx.commit().await?;
    Ok(is_noted)
}

/// Asks a run that is under way to go on without a member (`skip`, a JSON object), and notifies its owner. Returns
/// whether it is under way.
pub async fn request_skip(db: &Db, scope: &Scope, id: RunId, skip: &Value) -> Result<bool, StoreError> {
    let mut tx = db.begin(scope).await?;
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE runs SET skips = CASE WHEN skips @> $3 THEN skips ELSE skips || $3 END
         WHERE id = $1 AND user_id = $2 AND status = 'running'",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(Json([skip]))
    .execute(&mut *tx)
    .await?;
    let is_under_way = done.rows_affected() > 0;
    if is_under_way {
        notify::send(&mut tx, &Notice::Skip(id)).await?;
    }
    tx.commit().await?;
    Ok(is_under_way)
}
