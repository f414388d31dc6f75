//! Webhooks and their deliveries: a user's own, and in the admins' scope the instance's.
//!
//! What is still to be delivered, and who takes it from there, is in [`super::outbox`].

mod deliveries;

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

pub use deliveries::{Delivery, DeliveryStatus, add_test, list_deliveries, send_again};

use super::{StoreError, Tx, refuse_nul, settings, time};
use crate::id::WebhookId;

/// A webhook as its owner sees it: without its secret.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    pub id: WebhookId,
    /// It is notified of everybody's runs.
    pub is_instance: bool,
    pub url: String,
    pub events: Vec<String>,
    pub includes_content: bool,
    pub is_enabled: bool,
    /// Why nothing is sent any more, where that was not its owner's wish.
    pub disabled_reason: Option<String>,
    pub created_at: Timestamp,
}

/// What its owner decides about a webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookSettings {
    pub url: String,
    pub events: Vec<String>,
    pub includes_content: bool,
    pub is_enabled: bool,
}

macro_rules! columns {
    () => {
        "id, user_id IS NULL AS is_instance, url, events, includes_content, is_enabled, disabled_reason, created_at"
    };
}

fn webhook(row: &PgRow) -> Result<Webhook, sqlx::Error> {
    Ok(Webhook {
        id: WebhookId(row.try_get("id")?),
        is_instance: row.try_get("is_instance")?,
        url: row.try_get("url")?,
        events: row.try_get("events")?,
        includes_content: row.try_get("includes_content")?,
        is_enabled: row.try_get("is_enabled")?,
        disabled_reason: row.try_get("disabled_reason")?,
        created_at: time(row, "created_at")?,
    })
}

/// The owner's webhooks, oldest first.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx) -> Result<Vec<Webhook>, StoreError> {
    let owner = tx.owner()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM webhooks WHERE user_id IS NOT DISTINCT FROM $1 ORDER BY created_at, id"
    ))
    .bind(owner)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(webhook).collect::<Result<_, _>>()?)
}

/// One of the owner's webhooks.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the owner's.
pub async fn find(tx: &mut Tx, id: WebhookId) -> Result<Webhook, StoreError> {
    let owner = tx.owner()?;
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM webhooks WHERE id = $1 AND user_id IS NOT DISTINCT FROM $2"
    ))
    .bind(id.0)
    .bind(owner)
    .fetch_one(&mut **tx)
    .await?;
    Ok(webhook(&row)?)
}

/// Like [`find`], and locks it: nobody else changes it until the transaction ends.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the owner's.
pub async fn find_to_change(tx: &mut Tx, id: WebhookId) -> Result<Webhook, StoreError> {
    let owner = tx.owner()?;
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM webhooks WHERE id = $1 AND user_id IS NOT DISTINCT FROM $2 FOR NO KEY UPDATE"
    ))
    .bind(id.0)
    .bind(owner)
    .fetch_one(&mut **tx)
    .await?;
    Ok(webhook(&row)?)
}

/// Makes a webhook; `None` when its owner has `most` already.
///
/// # Errors
/// When the database is unavailable.
pub async fn create(
    tx: &mut Tx,
    settings: &WebhookSettings,
    secret: &[u8],
    most: i64,
) -> Result<Option<Webhook>, StoreError> {
    refuse_nul("the address", &settings.url)?;
    let owner = tx.owner()?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("webhooks/{}", owner.as_deref().unwrap_or_default())).await?;
    let row = sqlx::query(concat!(
        "INSERT INTO webhooks (id, user_id, url, events, includes_content, is_enabled, secret)
         SELECT $1, $2, $3, $4, $5, $6, $7
         WHERE (SELECT count(*) FROM webhooks WHERE user_id IS NOT DISTINCT FROM $2) < $8
         RETURNING ",
        columns!()
    ))
    .bind(WebhookId::generate().0)
    .bind(owner)
    .bind(&settings.url)
    .bind(&settings.events)
    .bind(settings.includes_content)
    .bind(settings.is_enabled)
    .bind(secret)
    .bind(most)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.as_ref().map(webhook).transpose()?)
}

/// Changes all that its owner decides. Enabling it again clears the reason why it was disabled.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the owner's.
pub async fn change(tx: &mut Tx, id: WebhookId, settings: &WebhookSettings) -> Result<Webhook, StoreError> {
    refuse_nul("the address", &settings.url)?;
    let owner = tx.owner()?;
    let row = sqlx::query(concat!(
        "UPDATE webhooks SET url = $3, events = $4, includes_content = $5, is_enabled = $6,
                disabled_reason = CASE WHEN $6 THEN NULL ELSE disabled_reason END
         WHERE id = $1 AND user_id IS NOT DISTINCT FROM $2 RETURNING ",
        columns!()
    ))
    .bind(id.0)
    .bind(owner)
    .bind(&settings.url)
    .bind(&settings.events)
    .bind(settings.includes_content)
    .bind(settings.is_enabled)
    .fetch_one(&mut **tx)
    .await?;
    Ok(webhook(&row)?)
}

/// Gives it another secret; what is sent from now on is signed with that.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the owner's.
pub async fn replace_secret(tx: &mut Tx, id: WebhookId, secret: &[u8]) -> Result<(), StoreError> {
    let owner = tx.owner()?;
    let done =
        sqlx::query("UPDATE webhooks SET secret = $3 WHERE id = $1 AND user_id IS NOT DISTINCT FROM $2")
            .bind(id.0)
            .bind(owner)
            .bind(secret)
            .execute(&mut **tx)
            .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}

/// Removes it, with its deliveries, made and pending.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the owner's.
pub async fn remove(tx: &mut Tx, id: WebhookId) -> Result<(), StoreError> {
    let owner = tx.owner()?;
    let done = sqlx::query("DELETE FROM webhooks WHERE id = $1 AND user_id IS NOT DISTINCT FROM $2")
        .bind(id.0)
        .bind(owner)
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
