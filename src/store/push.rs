//! The devices of a user that are notified when their runs end or wait. Their pending messages are in
//! [`super::outbox::push`].

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::outbox::push::TEST;
use super::{Db, Scope, StoreError, Tx, refuse_nul, settings, time, time_or_null};
use crate::id::{DeliveryId, DeviceId, RunId, UserId};

/// A device as its owner sees it: without what is needed to send to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    pub id: DeviceId,
    /// What its browser says it is.
    pub name: String,
    pub includes_title: bool,
    pub created_at: Timestamp,
    /// When its push service last took something for it.
    pub told_at: Option<Timestamp>,
    /// Why it did not the last time, for people.
    pub problem: Option<String>,
}

/// What a browser hands over, so that it can be told.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// Where its push service takes messages for it.
    pub endpoint: String,
    /// Its public key: an uncompressed point of P-256, 65 bytes.
    pub p256dh: Vec<u8>,
    /// Its secret, which it shares with this server: 16 bytes.
    pub auth: Vec<u8>,
    /// What the browser says it is.
    pub name: String,
}

macro_rules! columns {
    () => {
        "id, device, includes_title, created_at, told_at, problem"
    };
}

fn device(row: &PgRow) -> Result<Device, sqlx::Error> {
    Ok(Device {
        id: DeviceId(row.try_get("id")?),
        name: row.try_get("device")?,
        includes_title: row.try_get("includes_title")?,
        created_at: time(row, "created_at")?,
        told_at: time_or_null(row, "told_at")?,
        problem: row.try_get("problem")?,
    })
}

/// The user's devices, oldest first.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx) -> Result<Vec<Device>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM push_subscriptions WHERE user_id = $1 ORDER BY created_at, id"
    ))
    .bind(user.as_str())
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(device).collect::<Result<_, _>>()?)
}

/// Adds a device, or takes what it says now where it is there already; `None` when its owner has `most` others.
///
/// # Errors
/// When the database is unavailable.
pub async fn add(tx: &mut Tx, new: &Subscription, most: i64) -> Result<Option<Device>, StoreError> {
    refuse_nul("the endpoint", &new.endpoint)?;
    refuse_nul("the name", &new.name)?;
    let user = tx.user()?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("push/{user}")).await?;
    let row = sqlx::query(concat!(
        "INSERT INTO push_subscriptions (id, user_id, endpoint, p256dh, auth, device)
         SELECT $1, $2, $3, $4, $5, $6
         WHERE (SELECT count(*) FROM push_subscriptions WHERE user_id = $2 AND endpoint <> $3) < $7
         ON CONFLICT ON CONSTRAINT push_subscriptions_endpoint
         DO UPDATE SET p256dh = $4, auth = $5, device = $6, problem = NULL
         RETURNING ",
        columns!()
    ))
    .bind(DeviceId::generate().0)
    .bind(user.as_str())
    .bind(&new.endpoint)
    .bind(&new.p256dh)
    .bind(&new.auth)
    .bind(&new.name)
    .bind(most)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.as_ref().map(device).transpose()?)
}

/// Takes a browser over from the user who had it before: from now on it is `user`'s. That requires its keys, which only
/// the browser has; reading the endpoint somewhere is not enough.
///
/// # Errors
/// When the database is unavailable.
pub async fn take_over(db: &Db, user: &UserId, new: &Subscription) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(
        "DELETE FROM push_subscriptions WHERE endpoint = $1 AND p256dh = $2 AND auth = $3 AND user_id <> $4",
    )
    .bind(&new.endpoint)
    .bind(&new.p256dh)
    .bind(&new.auth)
    .bind(user.as_str())
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}

/// Sets whether a device is sent the conversation's title, too.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the user's.
pub async fn change(tx: &mut Tx, id: DeviceId, includes_title: bool) -> Result<Device, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "UPDATE push_subscriptions SET includes_title = $3 WHERE id = $1 AND user_id = $2 RETURNING ",
        columns!()
    ))
    .bind(id.0)
    .bind(user.as_str())
    .bind(includes_title)
    .fetch_one(&mut **tx)
    .await?;
    Ok(device(&row)?)
}

/// Removes a device, and what it has not been told yet.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the user's.
pub async fn remove(tx: &mut Tx, id: DeviceId) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query("DELETE FROM push_subscriptions WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}

/// Adds a test for a device, unless one is on its way.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the user's.
pub async fn add_test(tx: &mut Tx, id: DeviceId) -> Result<Device, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "WITH test AS (
             INSERT INTO webhook_deliveries (id, push_subscription_id, user_id, event)
             SELECT $3, s.id, s.user_id, $4 FROM push_subscriptions s
             WHERE s.id = $1 AND s.user_id = $2
               AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.push_subscription_id = s.id AND d.event = $4)
         )
         SELECT ",
        columns!(),
        " FROM push_subscriptions WHERE id = $1 AND user_id = $2"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .bind(DeliveryId::generate().0)
    .bind(TEST)
    .fetch_one(&mut **tx)
    .await?;
    Ok(device(&row)?)
}

/// Has no device told any more of how a run stands: its person has seen it.
///
/// # Errors
/// [`StoreError::NotFound`] when the run is not the user's.
pub async fn mark_seen(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    let user = tx.user()?;
    let is_theirs: bool = sqlx::query_scalar(
        "WITH told AS (
             DELETE FROM webhook_deliveries
             WHERE run_id = $1 AND user_id = $2 AND push_subscription_id IS NOT NULL
         )
         SELECT EXISTS (SELECT FROM runs WHERE id = $1 AND user_id = $2)",
    )
    .bind(run.0)
    .bind(user.as_str())
    .fetch_one(&mut **tx)
    .await?;
    if is_theirs { Ok(()) } else { Err(StoreError::NotFound) }
}
