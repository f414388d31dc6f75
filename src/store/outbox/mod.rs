//! Notifications about runs that are still to be sent, from the sender's side: to programs ([`webhooks`]) and to
//! people's devices ([`push`]). It is written with what happened to the run ([`super::journal`]), so that neither
//! exists without the other. All of it is in the engine's scope.

pub mod push;
pub mod webhooks;

use std::time::Duration;

use super::webhooks::DeliveryStatus;
use super::{Db, RunStatus, Scope, StoreError};
use crate::id::DeliveryId;

/// The most deliveries to one receiver that are claimed at once: sent one after the other, they take no longer than a
/// lease.
const AT_ONCE: i64 = 5;

/// The events that webhooks may be told.
pub const EVENTS: [&str; 3] = [COMPLETED, FAILED, CANCELLED];
/// A run has an answer.
pub const COMPLETED: &str = "run.completed";
/// A run has none.
pub const FAILED: &str = "run.failed";
const CANCELLED: &str = "run.cancelled";

/// The event of a run's end; none while it is not over.
#[must_use]
pub fn event_of(status: RunStatus) -> Option<&'static str> {
    match status {
        RunStatus::Complete => Some(COMPLETED),
        RunStatus::Failed => Some(FAILED),
        RunStatus::Cancelled => Some(CANCELLED),
        RunStatus::Queued | RunStatus::Running => None,
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub status: DeliveryStatus,
    /// When it is tried again, where it is pending.
    pub again_in: Option<Duration>,
    /// The receiver's status, where it answered.
    pub answered: Option<u16>,
    /// For people.
    pub error: Option<String>,
}

/// Records how an attempt ended. A delivery whose owner has requested it again stays pending.
///
/// # Errors
/// When the database is unavailable: the delivery is tried again after the lease.
pub async fn record(db: &Db, id: DeliveryId, before: u32, attempt: &Attempt) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(
        "UPDATE webhook_deliveries
         SET status = $3, attempts = attempts + 1, last_attempt_at = now(), last_status = $4, last_error = $5,
             next_attempt_at = CASE WHEN $3 = 'pending' THEN now() + make_interval(secs => $6) END
         WHERE id = $1 AND attempts = $2 AND status = 'pending'",
    )
    .bind(id.0)
    .bind(i32::try_from(before).unwrap_or(i32::MAX))
    .bind(attempt.status.as_str())
    .bind(attempt.answered.map(i32::from))
    .bind(attempt.error.as_deref())
    .bind(attempt.again_in.unwrap_or_default().as_secs_f64())
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}

/// Removes up to `limit` deliveries that are over and were made more than `after` ago; returns how many.
///
/// # Errors
/// When the database is unavailable.
pub async fn remove_old(db: &Db, after: Duration, limit: u32) -> Result<u64, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let done = sqlx::query(
        "DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries
             WHERE next_attempt_at IS NULL AND created_at < now() - make_interval(secs => $1) LIMIT $2)",
    )
    .bind(after.as_secs_f64())
    .bind(i64::from(limit))
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(done.rows_affected())
}
