//! What programs are to be told.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::AT_ONCE;
use crate::id::{ConversationId, DeliveryId, MessageId, RunId, UserId, WebhookId};
use crate::store::{Db, RunStatus, Scope, StoreError, time, time_or_null};

/// A webhook with something to be told, claimed for one server.
#[derive(Debug)]
pub struct Target {
    pub webhook: WebhookId,
    pub is_instance: bool,
    pub url: String,
    pub secret: Vec<u8>,
    pub includes_content: bool,
    /// Oldest first.
    pub due: Vec<Due>,
}

/// One thing it is to be told.
#[derive(Debug)]
pub struct Due {
    pub id: DeliveryId,
    pub event: String,
    pub created_at: Timestamp,
    /// Attempts before this one.
    pub attempts: u32,
    /// The run it is about; none for a test message.
    pub run: Option<EndedRun>,
}

/// A run that is over, as webhooks tell of it.
#[derive(Debug)]
pub struct EndedRun {
    pub id: RunId,
    pub user: UserId,
    pub conversation: ConversationId,
    pub message: MessageId,
    pub format: String,
    pub status: RunStatus,
    /// What kind of error ended it.
    pub error_kind: Option<String>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// In USD, of the calls whose cost is known; absent where none is.
    pub cost_usd: Option<f64>,
    /// Calls whose cost is unknown.
    pub unknown_cost_calls: u64,
    pub content: Option<Content>,
}

/// What was asked and answered, where the webhook includes that and it is still there.
#[derive(Debug)]
pub struct Content {
    pub title: String,
    pub question: Option<String>,
    pub answer: Option<String>,
}

/// Claims the webhook whose delivery has been due longest, for `lease`: first of the owners of whose webhooks the
/// fewest are busy, since slow receivers with a long queue would keep all others waiting. Any number of servers may
/// claim at the same time; each webhook gets one message after the other.
///
/// # Errors
/// When the database is unavailable.
pub async fn claim(db: &Db, lease: Duration) -> Result<Option<Target>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let row = sqlx::query(
        "WITH due AS (
             SELECT webhook_id, min(next_attempt_at) AS since FROM webhook_deliveries
             WHERE next_attempt_at <= now() GROUP BY webhook_id
         ), busy AS (
             SELECT user_id, count(*) AS n FROM webhooks WHERE busy_until >= now() GROUP BY user_id
         ), next AS (
             SELECT webhooks.id FROM due JOIN webhooks ON webhooks.id = due.webhook_id
             LEFT JOIN busy ON busy.user_id IS NOT DISTINCT FROM webhooks.user_id
             WHERE is_enabled AND coalesce(busy_until < now(), true)
             ORDER BY coalesce(busy.n, 0), due.since LIMIT 1 FOR UPDATE OF webhooks SKIP LOCKED
         )
         UPDATE webhooks SET busy_until = now() + make_interval(secs => $1) FROM next WHERE webhooks.id = next.id
         RETURNING webhooks.id, user_id IS NULL AS is_instance, url, secret, includes_content",
    )
    .bind(lease.as_secs_f64())
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let webhook = WebhookId(row.try_get("id")?);
    let includes_content: bool = row.try_get("includes_content")?;
    let due = sqlx::query(
        "SELECT d.id, d.event, d.created_at, d.attempts, r.id AS run_id, r.user_id, r.conversation_id, r.message_id,
                r.format, r.status, r.error_kind, r.created_at AS asked_at, r.finished_at,
                spent.cost_usd, spent.unknown, c.title, q.content AS question, m.content AS answer
         FROM webhook_deliveries d
         LEFT JOIN runs r ON r.id = d.run_id
         -- A call that reached no model cost nothing.
         LEFT JOIN LATERAL (SELECT sum(cost_usd) AS cost_usd,
                                   count(*) FILTER (WHERE cost_usd IS NULL AND latency_ms IS NOT NULL) AS unknown
                            FROM calls WHERE calls.run_id = r.id) AS spent ON true
         -- Only of the run that the answer is of: an answer that was asked for again is another run's.
         LEFT JOIN messages m ON $2 AND m.id = r.message_id AND m.run_id = r.id AND m.user_id = d.user_id
         LEFT JOIN conversations c ON c.id = m.conversation_id AND c.deleted_at IS NULL
         LEFT JOIN messages q ON q.conversation_id = c.id
                                AND q.position = coalesce(m.parent_position, m.position - 1)
         WHERE d.webhook_id = $1 AND d.next_attempt_at <= now() ORDER BY d.next_attempt_at, d.created_at LIMIT $3",
    )
    .bind(webhook.0)
    .bind(includes_content)
    .bind(AT_ONCE)
    .fetch_all(&mut *tx)
    .await?;
    let target = Target {
        webhook,
        is_instance: row.try_get("is_instance")?,
        url: row.try_get("url")?,
        secret: row.try_get("secret")?,
        includes_content,
        due: due.iter().map(read_due).collect::<Result<_, _>>()?,
    };
    tx.commit().await?;
    Ok(Some(target))
}

fn read_due(row: &PgRow) -> Result<Due, StoreError> {
    let run = match row.try_get::<Option<_>, _>("run_id")? {
        Some(id) => Some(read_run(RunId(id), row)?),
        None => None,
    };
    Ok(Due {
        id: DeliveryId(row.try_get("id")?),
        event: row.try_get("event")?,
        created_at: time(row, "created_at")?,
        attempts: row.try_get::<i32, _>("attempts")?.unsigned_abs(),
        run,
    })
}

fn read_run(id: RunId, row: &PgRow) -> Result<EndedRun, StoreError> {
    let title: Option<String> = row.try_get("title")?;
    let content = match title {
        Some(title) => {
            Some(Content { title, question: row.try_get("question")?, answer: row.try_get("answer")? })
        }
        None => None,
    };
    Ok(EndedRun {
        id,
        user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        conversation: ConversationId(row.try_get("conversation_id")?),
        message: MessageId(row.try_get("message_id")?),
        format: row.try_get("format")?,
        status: RunStatus::read(row.try_get("status")?)?,
        error_kind: row.try_get("error_kind")?,
        created_at: time(row, "asked_at")?,
        finished_at: time_or_null(row, "finished_at")?,
        cost_usd: row.try_get("cost_usd")?,
        unknown_cost_calls: row.try_get::<i64, _>("unknown")?.unsigned_abs(),
        content,
    })
}

/// Gives a claimed webhook back, to be told more after a pause.
///
/// # Errors
/// When the database is unavailable: the lease runs out by itself.
pub async fn release(db: &Db, webhook: WebhookId, pause: Duration) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query("UPDATE webhooks SET busy_until = now() + make_interval(secs => $2) WHERE id = $1")
        .bind(webhook.0)
        .bind(pause.as_secs_f64())
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

/// Sends a webhook nothing more, until its owner enables it again.
///
/// # Errors
/// When the database is unavailable.
pub async fn disable(db: &Db, webhook: WebhookId, reason: &str) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query("UPDATE webhooks SET is_enabled = false, disabled_reason = $2 WHERE id = $1")
        .bind(webhook.0)
        .bind(reason)
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}
