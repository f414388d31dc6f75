//! A webhook's deliveries, as its owner sees them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::id::{DeliveryId, RunId, WebhookId};
use crate::store::{StoreError, Tx, time, time_or_null};

/// The status of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// It is tried, at once or later.
    Pending,
    /// The receiver accepted it.
    Delivered,
    /// It was tried as often as deliveries are.
    Failed,
}

impl DeliveryStatus {
    /// The name in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    fn read(text: &str) -> Result<Self, StoreError> {
        [Self::Pending, Self::Delivered, Self::Failed].into_iter().find(|it| it.as_str() == text).ok_or_else(
            || StoreError::Corrupt {
                what: "webhook_deliveries.status",
                source: format!("unknown status {text:?}").into(),
            },
        )
    }
}

/// One delivery to a webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    pub id: DeliveryId,
    /// The run it is about; none for a test message.
    pub run: Option<RunId>,
    pub event: String,
    pub status: DeliveryStatus,
    pub attempts: u32,
    pub created_at: Timestamp,
    pub next_attempt_at: Option<Timestamp>,
    pub last_attempt_at: Option<Timestamp>,
    /// The receiver's status, where it answered.
    pub last_status: Option<u16>,
    /// Why the last attempt failed, for people.
    pub last_error: Option<String>,
}

macro_rules! columns {
    () => {
        "id, run_id, event, status, attempts, created_at, next_attempt_at, last_attempt_at, last_status, last_error"
    };
}

fn delivery(row: &PgRow) -> Result<Delivery, StoreError> {
    let status: String = row.try_get("status")?;
    let last_status: Option<i32> = row.try_get("last_status")?;
    Ok(Delivery {
        id: DeliveryId(row.try_get("id")?),
        run: row.try_get::<Option<_>, _>("run_id")?.map(RunId),
        event: row.try_get("event")?,
        status: DeliveryStatus::read(&status)?,
        attempts: row.try_get::<i32, _>("attempts")?.unsigned_abs(),
        created_at: time(row, "created_at")?,
        next_attempt_at: time_or_null(row, "next_attempt_at")?,
        last_attempt_at: time_or_null(row, "last_attempt_at")?,
        last_status: last_status.and_then(|status| status.try_into().ok()),
        last_error: row.try_get("last_error")?,
    })
}

/// A page of a webhook's deliveries, made and pending, newest first, and how many there are.
///
/// # Errors
/// When the database is unavailable. Another user's webhook has an empty page.
pub async fn list_deliveries(
    tx: &mut Tx,
    webhook: WebhookId,
    limit: u32,
    offset: u32,
) -> Result<(Vec<Delivery>, u64), StoreError> {
    let owner = tx.owner()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM webhook_deliveries WHERE webhook_id = $1 AND user_id IS NOT DISTINCT FROM $2
          ORDER BY created_at DESC, id LIMIT $3 OFFSET $4"
    ))
    .bind(webhook.0)
    .bind(&owner)
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1 AND user_id IS NOT DISTINCT FROM $2",
    )
    .bind(webhook.0)
    .bind(owner)
    .fetch_one(&mut **tx)
    .await?;
    let deliveries = rows.iter().map(delivery).collect::<Result<_, _>>()?;
    Ok((deliveries, count.unsigned_abs()))
}

/// Adds something that is about no run, to see whether it arrives. One that still waits to arrive is sent at once instead, with the
/// full number of attempts.
///
/// # Errors
/// [`StoreError::NotFound`] when the webhook is not the owner's.
pub async fn add_test(tx: &mut Tx, webhook: WebhookId, event: &str) -> Result<Delivery, StoreError> {
    let owner = tx.owner()?;
    let row = sqlx::query(concat!(
        "WITH waiting AS (
             UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = now()
             WHERE webhook_id = $2 AND user_id IS NOT DISTINCT FROM $3 AND event = $4 AND status = 'pending'
             RETURNING ",
        columns!(),
        "), added AS (
             INSERT INTO webhook_deliveries (id, webhook_id, user_id, event)
             SELECT $1, id, user_id, $4 FROM webhooks
             WHERE id = $2 AND user_id IS NOT DISTINCT FROM $3 AND NOT EXISTS (SELECT FROM waiting)
             RETURNING ",
        columns!(),
        ")
         SELECT ",
        columns!(),
        " FROM waiting UNION ALL SELECT ",
        columns!(),
        " FROM added LIMIT 1"
    ))
    .bind(DeliveryId::generate().0)
    .bind(webhook.0)
    .bind(owner)
    .bind(event)
    .fetch_one(&mut **tx)
    .await?;
    delivery(&row)
}

/// Schedules a delivery again at once, whatever its outcome was, with the full number of attempts.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not this webhook's, or that not the owner's.
pub async fn send_again(tx: &mut Tx, webhook: WebhookId, id: DeliveryId) -> Result<Delivery, StoreError> {
    let owner = tx.owner()?;
    let row = sqlx::query(concat!(
        "UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = now()
         WHERE id = $1 AND webhook_id = $2 AND user_id IS NOT DISTINCT FROM $3 RETURNING ",
        columns!()
    ))
    .bind(id.0)
    .bind(webhook.0)
    .bind(owner)
    .fetch_one(&mut **tx)
    .await?;
    delivery(&row)
}
