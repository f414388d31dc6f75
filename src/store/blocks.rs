//! Blocked users: nothing is read or done in their name (`enter_as` in migration 40) until an administrator lets them in
//! again. Their data stays.

use jiff::Timestamp;
use sqlx::Row as _;

use crate::id::UserId;

use super::{Db, Scope, StoreError, Tx, audit, erasure, refuse_nul, runs, time, users};

/// A block as administrators see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Who is blocked.
    pub user: UserId,
    /// Why, for administrators.
    pub reason: String,
    /// By which administrator.
    pub blocked_by: UserId,
    /// Since when.
    pub blocked_at: Timestamp,
}

/// The outcome of blocking a user.
#[derive(Debug, Clone, PartialEq)]
pub enum Blocked {
    /// They are blocked now, and this many runs of theirs are being stopped.
    Now(Block, usize),
    /// They were blocked already, which stays as it is; runs that began before the block are stopped again.
    Before,
    /// All their data is being erased, or was.
    Erasing,
}

/// A page of those who are blocked, the latest first; and how many there are in all. Needs the admins' scope.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Block>, u64), StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT user_id, reason, blocked_by, blocked_at FROM blocked_users
         ORDER BY blocked_at DESC, user_id LIMIT $1 OFFSET $2",
    )
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM blocked_users").fetch_one(&mut **tx).await?;
    Ok((rows.iter().map(block).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

fn block(row: &sqlx::postgres::PgRow) -> Result<Block, sqlx::Error> {
    Ok(Block {
        user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        reason: row.try_get("reason")?,
        blocked_by: UserId::from_canonical(row.try_get::<String, _>("blocked_by")?),
        blocked_at: time(row, "blocked_at")?,
    })
}

/// Blocks a user in the name of the administrator `by`: their transactions under way end first, later ones are refused,
/// and their runs are stopped.
pub async fn place(db: &Db, user: &UserId, reason: &str, by: &UserId) -> Result<Blocked, StoreError> {
    refuse_nul("the reason", reason)?;
    let mut tx = db.begin(&Scope::Admin).await?;
    if erasure::is_under_way(&mut tx, user).await? || !users::is_known(&mut tx, user).await? {
        return Ok(Blocked::Erasing);
    }
    let new = sqlx::query(
        "INSERT INTO blocked_users (user_id, reason, blocked_by) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
         RETURNING user_id, reason, blocked_by, blocked_at",
    )
    .bind(user.as_str())
    .bind(reason)
    .bind(by.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    let stopped = runs::request_cancel_of_all(&mut tx, user).await?;
    let blocked = match &new {
        Some(row) => {
            let details = serde_json::json!({ "stopped_runs": stopped });
            audit::append(&mut tx, by, "user.block", Some(user.as_str()), &details).await?;
            Blocked::Now(block(row)?, stopped)
        }
        None => Blocked::Before,
    };
    tx.commit().await?;
    Ok(blocked)
}

/// Ends the block of a user, in the name of the administrator `by`.
///
/// # Errors
/// [`StoreError::NotFound`] when they are not blocked.
pub async fn lift(db: &Db, user: &UserId, by: &UserId) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Admin).await?;
    let done = sqlx::query("DELETE FROM blocked_users WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::NotFound);
    }
    audit::append(&mut tx, by, "user.unblock", Some(user.as_str()), &serde_json::json!({})).await?;
    tx.commit().await
}
