//! How long conversations are kept in which nothing happens.

use jiff::Timestamp;
use sqlx::Row as _;

use crate::id::UserId;

use super::{StoreError, Tx, time};

/// How long before it is deleted a conversation says so, in days; and how long after a new rule nothing is deleted by it.
pub const NOTICE_DAYS: i32 = 7;

/// The rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Retention {
    /// The days in force; 0: for as long as their owners want.
    pub days: i32,
    /// Since when.
    pub since: Timestamp,
    /// What an administrator has chosen; nothing: what is configured is in force.
    pub chosen_days: Option<i32>,
    /// Who that was.
    pub chosen_by: Option<UserId>,
}

/// The rule in force; none before a server has ever looked. In any scope.
pub async fn read(tx: &mut Tx) -> Result<Option<Retention>, StoreError> {
    let row = sqlx::query("SELECT days, since, chosen_days, chosen_by FROM retention")
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Retention {
        days: row.try_get("days")?,
        since: time(&row, "since")?,
        chosen_days: row.try_get("chosen_days")?,
        chosen_by: row.try_get::<Option<String>, _>("chosen_by")?.map(UserId::from_canonical),
    }))
}

/// Takes what is configured for the rule, unless an administrator has chosen one. Needs the engine's scope.
pub async fn follow_configuration(tx: &mut Tx, configured_days: u32) -> Result<(), StoreError> {
    tx.require_engine()?;
    sqlx::query(
        "INSERT INTO retention AS r (days) VALUES ($1)
         ON CONFLICT (singleton) DO UPDATE SET days = excluded.days, since = now()
         WHERE r.chosen_days IS NULL AND r.days <> excluded.days",
    )
    .bind(i32::try_from(configured_days).unwrap_or(i32::MAX))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Chooses a rule in the name of the administrator `by`; nothing goes back to what is configured. Needs the admins' scope.
pub async fn choose(
    tx: &mut Tx,
    days: Option<u32>,
    configured_days: u32,
    by: &UserId,
) -> Result<(), StoreError> {
    tx.require_admin()?;
    let number = |days: u32| i32::try_from(days).unwrap_or(i32::MAX);
    sqlx::query(
        "INSERT INTO retention AS r (chosen_days, chosen_by, days) VALUES ($1, $2, $3)
         ON CONFLICT (singleton) DO UPDATE
         SET chosen_days = excluded.chosen_days, chosen_by = excluded.chosen_by, days = excluded.days,
             since = CASE WHEN r.days = excluded.days THEN r.since ELSE now() END",
    )
    .bind(days.map(number))
    .bind(days.map(|_| by.as_str()))
    .bind(number(days.unwrap_or(configured_days)))
    .execute(&mut **tx)
    .await?;
    Ok(())
}
