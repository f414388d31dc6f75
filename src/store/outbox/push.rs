//! What people's devices are to be told.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row as _};

use super::{AT_ONCE, Attempt};
use crate::id::{ConversationId, DeliveryId, DeviceId, RunId};
use crate::store::webhooks::DeliveryStatus;
use crate::store::{Db, Scope, StoreError, time};

/// A run waits for its person.
pub const WAITS: &str = "run.waits";
/// A test: it is about no run.
pub const TEST: &str = "push.test";
/// The ends of runs that devices are notified of: people who stop a run know that it ended.
const ENDS: [&str; 2] = [super::COMPLETED, super::FAILED];
/// How long a visible page has to report that it has shown the end; devices are notified only afterwards.
const SEEN_WITHIN: Duration = Duration::from_secs(3);
/// A message that has not been delivered after this long is no longer useful.
pub const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a run waits for its person at most: a message that is later than that is no longer true.
const WAITS_FOR: Duration = Duration::from_secs(60);

/// A device with something to be told, claimed for one server.
#[derive(Debug)]
pub struct Target {
    pub device: DeviceId,
    pub endpoint: String,
    /// Its public key, an uncompressed point.
    pub p256dh: Vec<u8>,
    /// Its secret, which it shares with this server.
    pub auth: Vec<u8>,
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
    pub about: About,
}

/// What it is about.
#[derive(Debug)]
pub enum About {
    /// Nothing: a test.
    Test,
    Run {
        run: RunId,
        conversation: ConversationId,
        /// The conversation's, where the device's owner wants it to be sent.
        title: Option<String>,
    },
    /// A run whose conversation has been deleted, or that no longer waits: there is nothing to send.
    Nothing,
}

/// Claims the device whose delivery has been due longest, for `lease`. Any number of servers may claim at the same
/// time; each device gets one message after the other.
///
/// # Errors
/// When the database is unavailable.
pub async fn claim(db: &Db, lease: Duration) -> Result<Option<Target>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let row = sqlx::query(
        "WITH due AS (
             SELECT push_subscription_id AS id, min(next_attempt_at) AS since FROM webhook_deliveries
             WHERE push_subscription_id IS NOT NULL AND next_attempt_at <= now() GROUP BY push_subscription_id
         ), next AS (
             SELECT s.id FROM due JOIN push_subscriptions s ON s.id = due.id
             WHERE coalesce(s.busy_until < now(), true) ORDER BY due.since LIMIT 1 FOR UPDATE OF s SKIP LOCKED
         )
         UPDATE push_subscriptions s SET busy_until = now() + make_interval(secs => $1) FROM next WHERE s.id = next.id
         RETURNING s.id, s.endpoint, s.p256dh, s.auth, s.includes_title",
    )
    .bind(lease.as_secs_f64())
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let device = DeviceId(row.try_get("id")?);
    let due = sqlx::query(
        "SELECT d.id, d.event, d.created_at, d.attempts, d.run_id, c.id AS conversation_id, c.title,
                d.event = $3 AND (r.status <> 'running' OR d.created_at < now() - make_interval(secs => $4)) AS is_late
         FROM webhook_deliveries d
         LEFT JOIN runs r ON r.id = d.run_id AND r.user_id = d.user_id
         LEFT JOIN conversations c ON c.id = r.conversation_id AND c.user_id = d.user_id AND c.deleted_at IS NULL
         WHERE d.push_subscription_id = $1 AND d.next_attempt_at <= now()
         ORDER BY d.next_attempt_at, d.created_at LIMIT $2",
    )
    .bind(device.0)
    .bind(AT_ONCE)
    .bind(WAITS)
    .bind(WAITS_FOR.as_secs_f64())
    .fetch_all(&mut *tx)
    .await?;
    let includes_title = row.try_get("includes_title")?;
    let target = Target {
        device,
        endpoint: row.try_get("endpoint")?,
        p256dh: row.try_get("p256dh")?,
        auth: row.try_get("auth")?,
        due: due.iter().map(|row| read_due(row, includes_title)).collect::<Result<_, _>>()?,
    };
    tx.commit().await?;
    Ok(Some(target))
}

fn read_due(row: &PgRow, includes_title: bool) -> Result<Due, StoreError> {
    let run: Option<_> = row.try_get("run_id")?;
    let conversation: Option<_> = row.try_get("conversation_id")?;
    let is_late = row.try_get::<Option<bool>, _>("is_late")?.unwrap_or_default();
    let about = match (run, conversation) {
        (None, _) => About::Test,
        (Some(run), Some(conversation)) if !is_late => About::Run {
            run: RunId(run),
            conversation: ConversationId(conversation),
            title: if includes_title { row.try_get("title")? } else { None },
        },
        (Some(_), _) => About::Nothing,
    };
    Ok(Due {
        id: DeliveryId(row.try_get("id")?),
        event: row.try_get("event")?,
        created_at: time(row, "created_at")?,
        attempts: row.try_get::<i32, _>("attempts")?.unsigned_abs(),
        about,
    })
}

/// Records how an attempt ended, at the device as well. Finished deliveries are deleted: nobody looks at them again.
///
/// # Errors
/// When the database is unavailable: the delivery is tried again after the lease.
pub async fn record(db: &Db, device: DeviceId, id: DeliveryId, attempt: &Attempt) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(
        "WITH over AS (
             DELETE FROM webhook_deliveries WHERE id = $2 AND NOT $3
         ), later AS (
             UPDATE webhook_deliveries
             SET attempts = attempts + 1, last_attempt_at = now(), last_status = $5, last_error = $6,
                 next_attempt_at = now() + make_interval(secs => $7)
             WHERE id = $2 AND $3
         )
         UPDATE push_subscriptions SET told_at = CASE WHEN $4 THEN now() ELSE told_at END, problem = $6 WHERE id = $1",
    )
    .bind(device.0)
    .bind(id.0)
    .bind(attempt.status == DeliveryStatus::Pending)
    .bind(attempt.status == DeliveryStatus::Delivered)
    .bind(attempt.answered.map(i32::from))
    .bind(attempt.error.as_deref())
    .bind(attempt.again_in.unwrap_or_default().as_secs_f64())
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}

/// Removes something that there is no need to tell.
///
/// # Errors
/// When the database is unavailable: it is looked at again after the lease.
pub async fn drop_delivery(db: &Db, id: DeliveryId) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query("DELETE FROM webhook_deliveries WHERE id = $1").bind(id.0).execute(&mut *tx).await?;
    tx.commit().await
}

/// Gives a claimed device back, to be told more after a pause.
///
/// # Errors
/// When the database is unavailable: the lease runs out by itself.
pub async fn release(db: &Db, device: DeviceId, pause: Duration) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query("UPDATE push_subscriptions SET busy_until = now() + make_interval(secs => $2) WHERE id = $1")
        .bind(device.0)
        .bind(pause.as_secs_f64())
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

/// Deletes a device that its push service no longer knows, with everything that was to be sent to it.
///
/// # Errors
/// When the database is unavailable.
pub async fn forget(db: &Db, device: DeviceId) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query("DELETE FROM push_subscriptions WHERE id = $1").bind(device.0).execute(&mut *tx).await?;
    tx.commit().await
}

/// Removes up to `limit` deliveries that nobody has taken in [`KEPT_FOR`]; returns how many.
///
/// # Errors
/// When the database is unavailable.
pub async fn remove_old(db: &Db, limit: u32) -> Result<u64, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let done = sqlx::query(
        "DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries
             WHERE push_subscription_id IS NOT NULL AND created_at < now() - make_interval(secs => $1) LIMIT $2)",
    )
    .bind(KEPT_FOR.as_secs_f64())
    .bind(i64::from(limit))
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(done.rows_affected())
}

/// Adds the statement that notifies people's devices of the runs in `ended`, an earlier part.
pub(in crate::store) fn push_ended(sql: &mut QueryBuilder<Postgres>) {
    sql.push(
        "INSERT INTO webhook_deliveries (id, push_subscription_id, user_id, run_id, event, next_attempt_at)
             SELECT gen_random_uuid(), s.id, s.user_id, ended.id, ended.event, now() + make_interval(secs => ",
    );
    sql.push_bind(SEEN_WITHIN.as_secs_f64()).push(
        ")
             FROM ended JOIN push_subscriptions s ON s.user_id = ended.user_id
             WHERE ended.tells_devices AND ended.event = ANY (",
    );
    sql.push_bind(ENDS).push(")");
}

/// Adds the statement that notifies people's devices of runs that wait for them: those to which the condition `which` applies.
pub(in crate::store) fn push_waiting(sql: &mut QueryBuilder<Postgres>, runs: &[RunId], which: &str) {
    sql.push(
        "INSERT INTO webhook_deliveries (id, push_subscription_id, user_id, run_id, event, next_attempt_at)
         SELECT gen_random_uuid(), s.id, r.user_id, r.id, ",
    );
    sql.push_bind(WAITS).push(", now() + make_interval(secs => ").push_bind(SEEN_WITHIN.as_secs_f64());
    sql.push(") FROM unnest(").push_bind(runs.iter().map(|run| run.0).collect::<Vec<_>>());
    sql.push(
        ") AS waiting (run_id) JOIN runs r ON r.id = waiting.run_id
             JOIN push_subscriptions s ON s.user_id = r.user_id",
    );
    sql.push(which).push(
        " AND r.tells_devices
           -- A batch whose commit was not answered is written once more.
           AND NOT EXISTS (SELECT FROM webhook_deliveries d
                           WHERE d.run_id = r.id AND d.push_subscription_id = s.id AND d.event = ",
    );
    sql.push_bind(WAITS).push(")");
}
