//! Scheduled questions: what a user wants asked again and again, and the results. The question and the expression are
//! the server's business; here the one is JSON, and a schedule is due at a time.
//!
//! A time that comes due is used up in the transaction that starts its run ([`firing`]), so that neither exists without
//! the other, whatever happens to a server.

mod firing;
mod results;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use super::{StoreError, Tx, refuse_nul, refuse_nul_in_json, settings, time, time_or_null};
use crate::id::ScheduleId;

pub(super) use firing::fire;
pub use firing::{
    Due, Fired, Firing, MAX_REFUSALS, OverScheduled, Refusal, Refused, Times, due, earliest, now, pause,
    refuse, take_due,
};
pub use results::{Asked, ScheduleResult, remove_old, results, spent};

/// A question that is asked again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    pub id: ScheduleId,
    pub settings: ScheduleSettings,
    /// Absent while it is paused.
    pub next_at: Option<Timestamp>,
    /// Why it is paused, where that was not its owner's wish.
    pub paused_reason: Option<String>,
    /// How often in a row nothing could be asked.
    pub refusals: i32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What its owner decides about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleSettings {
    pub name: String,
    /// The question with its options.
    pub request: Value,
    /// When, as it was written.
    pub cron: String,
    pub time_zone: String,
    /// US dollars in a calendar month (UTC).
    pub budget_usd: Option<f64>,
}

macro_rules! columns {
    () => {
        "id, name, request, cron, time_zone, budget_usd, next_at, paused_reason, refusals, created_at, updated_at"
    };
}
use columns;

fn schedule(row: &PgRow) -> Result<Schedule, sqlx::Error> {
    Ok(Schedule {
        id: ScheduleId(row.try_get("id")?),
        settings: ScheduleSettings {
            name: row.try_get("name")?,
            request: row.try_get("request")?,
            cron: row.try_get("cron")?,
            time_zone: row.try_get("time_zone")?,
            budget_usd: row.try_get("budget_usd")?,
        },
        next_at: time_or_null(row, "next_at")?,
        paused_reason: row.try_get("paused_reason")?,
        refusals: row.try_get("refusals")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
    })
}

fn check(settings: &ScheduleSettings) -> Result<(), StoreError> {
    refuse_nul("the name", &settings.name)?;
    refuse_nul("the cron expression", &settings.cron)?;
    refuse_nul("the time zone", &settings.time_zone)?;
    refuse_nul_in_json("the question", &settings.request)
}

/// A page of the user's schedules, the oldest first; and how many there are in all.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Schedule>, u64), StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM schedules WHERE user_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3"
    ))
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM schedules WHERE user_id = $1")
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok((rows.iter().map(schedule).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// One of the user's schedules.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not theirs.
pub async fn find(tx: &mut Tx, id: ScheduleId) -> Result<Schedule, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!("SELECT ", columns!(), " FROM schedules WHERE id = $1 AND user_id = $2"))
        .bind(id.0)
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok(schedule(&row)?)
}

/// Like [`find`], and locks it: nobody else changes it, and it does not come due, until the transaction is over.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not theirs.
pub async fn find_to_change(tx: &mut Tx, id: ScheduleId) -> Result<Schedule, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM schedules WHERE id = $1 AND user_id = $2 FOR UPDATE"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .fetch_one(&mut **tx)
    .await?;
    Ok(schedule(&row)?)
}

/// Makes a schedule that is due next at this time, or is paused; `None` when the user has `most` already.
///
/// # Errors
/// When the database is unavailable.
pub async fn create(
    tx: &mut Tx,
    settings: &ScheduleSettings,
    next_at: Option<Timestamp>,
    most: i64,
) -> Result<Option<Schedule>, StoreError> {
    check(settings)?;
    let user = tx.user()?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("schedules/{user}")).await?;
    let row = sqlx::query(concat!(
        "INSERT INTO schedules (id, user_id, name, request, cron, time_zone, budget_usd, next_at)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8
         WHERE (SELECT count(*) FROM schedules WHERE user_id = $2) < $9
         RETURNING ",
        columns!()
    ))
    .bind(ScheduleId::generate().0)
    .bind(user.as_str())
    .bind(&settings.name)
    .bind(Json(&settings.request))
    .bind(&settings.cron)
    .bind(&settings.time_zone)
    .bind(settings.budget_usd)
    .bind(next_at.map(jiff_sqlx::Timestamp::from))
    .bind(most)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.as_ref().map(schedule).transpose()?)
}

/// Changes all that its owner decides. Earlier refusals no longer count.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not theirs.
pub async fn change(
    tx: &mut Tx,
    id: ScheduleId,
    settings: &ScheduleSettings,
    next_at: Option<Timestamp>,
) -> Result<Schedule, StoreError> {
    check(settings)?;
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "UPDATE schedules SET name = $3, request = $4, cron = $5, time_zone = $6, budget_usd = $7, next_at = $8,
                paused_reason = CASE WHEN $8 IS NULL THEN paused_reason END, refusals = 0, updated_at = now()
         WHERE id = $1 AND user_id = $2 RETURNING ",
        columns!()
    ))
    .bind(id.0)
    .bind(user.as_str())
    .bind(&settings.name)
    .bind(Json(&settings.request))
    .bind(&settings.cron)
    .bind(&settings.time_zone)
    .bind(settings.budget_usd)
    .bind(next_at.map(jiff_sqlx::Timestamp::from))
    .fetch_one(&mut **tx)
    .await?;
    Ok(schedule(&row)?)
}

/// Removes it, and with it what is known of its results. The conversations stay.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not theirs.
pub async fn remove(tx: &mut Tx, id: ScheduleId) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query("DELETE FROM schedules WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
