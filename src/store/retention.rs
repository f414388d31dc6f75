//! How long conversations are kept in which nothing happens.

use jiff::Timestamp;
use sqlx::Row as _;

use crate::id::{ProjectId, UserId};

use super::{StoreError, Tx, time, time_or_null};

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

/// Makes the configured days the rule, unless an administrator has chosen one; returns the days that were in force before,
/// where this changes them. Needs the engine's scope.
pub async fn follow_configuration(tx: &mut Tx, configured_days: u32) -> Result<Option<i32>, StoreError> {
    tx.require_engine()?;
    let before: Option<Option<i32>> = sqlx::query_scalar(
        "WITH before AS (SELECT days FROM retention)
         INSERT INTO retention AS r (days) VALUES ($1)
         ON CONFLICT (singleton) DO UPDATE SET days = excluded.days, since = now()
         WHERE r.chosen_days IS NULL AND r.days <> excluded.days
         RETURNING (SELECT days FROM before)",
    )
    .bind(number(configured_days))
    .fetch_optional(&mut **tx)
    .await?;
    Ok(before.flatten())
}

/// Chooses a rule in the name of the administrator `by`; `None` goes back to what is configured. Needs the admins'
/// scope.
pub async fn choose(
    tx: &mut Tx,
    days: Option<u32>,
    configured_days: u32,
    by: &UserId,
) -> Result<(), StoreError> {
    tx.require_admin()?;
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

/// What counts in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct InProject {
    pub project: ProjectId,
    /// The people who own it by name, in alphabetical order.
    pub owners: Vec<String>,
    pub created_at: Timestamp,
    /// What an administrator has chosen for it; nothing: the rule for all counts. 0: for as long as their owners want.
    pub days: Option<i32>,
    /// When that was chosen last, also where it was taken back.
    pub since: Option<Timestamp>,
    /// Who that was.
    pub chosen_by: Option<UserId>,
}

/// Every project, those with a rule of their own first and then the newest, `limit` from `offset` on, and how many there are. Needs the
/// admins' scope.
pub async fn list_projects(
    tx: &mut Tx,
    limit: u32,
    offset: u32,
) -> Result<(Vec<InProject>, i64), StoreError> {
    tx.require_admin()?;
    let total = sqlx::query_scalar("SELECT count(id) FROM projects").fetch_one(&mut **tx).await?;
    let rows = sqlx::query(
        "SELECT p.id, p.created_at, p.retention_days, p.retention_since, p.retention_by,
                ARRAY(SELECT m.name FROM project_members m
                      WHERE m.project_id = p.id AND m.kind = 'user' AND m.role = 'owner' ORDER BY m.name) AS owners
         FROM projects p ORDER BY p.retention_days IS NULL, p.created_at DESC, p.id LIMIT $1 OFFSET $2",
    )
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let mut projects = Vec::with_capacity(rows.len());
    for row in &rows {
        projects.push(InProject {
            project: ProjectId(row.try_get("id")?),
            owners: row.try_get("owners")?,
            created_at: time(row, "created_at")?,
            days: row.try_get("retention_days")?,
            since: time_or_null(row, "retention_since")?,
            chosen_by: row.try_get::<Option<String>, _>("retention_by")?.map(UserId::from_canonical),
        });
    }
    Ok((projects, total))
}

/// Chooses a rule for one project in the name of the administrator `by`; `None` goes back to the rule for all. Needs
/// the admins' scope.
///
/// # Errors
/// [`StoreError::NotFound`] when there is no such project.
pub async fn choose_in_project(
    tx: &mut Tx,
    project: ProjectId,
    days: Option<u32>,
    by: &UserId,
) -> Result<(), StoreError> {
    tx.require_admin()?;
    let done = sqlx::query(
        "UPDATE projects
         SET retention_days = $2, retention_by = $3,
             retention_since = CASE WHEN retention_days IS DISTINCT FROM $2 THEN now() ELSE retention_since END
         WHERE id = $1",
    )
    .bind(project.0)
    .bind(days.map(number))
    .bind(days.map(|_| by.as_str()))
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}

fn number(days: u32) -> i32 {
    i32::try_from(days).unwrap_or(i32::MAX)
}
