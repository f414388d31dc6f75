//! Legal holds: a user's data is kept for as long as an administrator says so, whoever wants it deleted.

use jiff::Timestamp;
use sqlx::Row as _;

use crate::id::UserId;

use super::{Db, Scope, StoreError, Tx, audit, erasure, refuse_nul, time, users};

/// A hold as administrators see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Hold {
    /// Whose data.
    pub user: UserId,
    /// Why.
    pub reason: String,
    /// By which administrator.
    pub placed_by: UserId,
    /// Since when.
    pub placed_at: Timestamp,
}

/// The outcome of placing a hold.
#[derive(Debug, Clone, PartialEq)]
pub enum HoldOutcome {
    /// It is in force.
    Yes(Hold),
    /// There was one, which stays as it is.
    Before(Hold),
    /// Too late: this person's data is being erased.
    Erasing,
}

/// Since when there is a hold on the transaction's user's data.
pub async fn own(tx: &mut Tx) -> Result<Option<Timestamp>, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query("SELECT placed_at FROM legal_holds WHERE user_id = $1")
        .bind(user.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    Ok(row.map(|row| time(&row, "placed_at")).transpose()?)
}

/// A page of all holds, the newest first; and how many there are in all. Needs the admins' scope.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Hold>, u64), StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT user_id, reason, placed_by, placed_at FROM legal_holds
         ORDER BY placed_at DESC, user_id LIMIT $1 OFFSET $2",
    )
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM legal_holds").fetch_one(&mut **tx).await?;
    Ok((rows.iter().map(hold).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

fn hold(row: &sqlx::postgres::PgRow) -> Result<Hold, sqlx::Error> {
    Ok(Hold {
        user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        reason: row.try_get("reason")?,
        placed_by: UserId::from_canonical(row.try_get::<String, _>("placed_by")?),
        placed_at: time(row, "placed_at")?,
    })
}

/// Places a hold in the name of the administrator `by`, once no erasure can begin at the same time, and records it in
/// the audit log.
pub async fn place(db: &Db, user: &UserId, reason: &str, by: &UserId) -> Result<HoldOutcome, StoreError> {
    refuse_nul("the reason", reason)?;
    let mut tx = db.begin(&Scope::Admin).await?;
    if erasure::is_under_way(&mut tx, user).await? || !users::is_known(&mut tx, user).await? {
        return Ok(HoldOutcome::Erasing);
    }
    let new = sqlx::query(
        "INSERT INTO legal_holds (user_id, reason, placed_by) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
         RETURNING user_id, reason, placed_by, placed_at",
    )
    .bind(user.as_str())
    .bind(reason)
    .bind(by.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    let Some(new) = new else {
        let before =
            sqlx::query("SELECT user_id, reason, placed_by, placed_at FROM legal_holds WHERE user_id = $1")
                .bind(user.as_str())
                .fetch_one(&mut *tx)
                .await?;
        return Ok(HoldOutcome::Before(hold(&before)?));
    };
    let details = serde_json::json!({});
    audit::append(&mut tx, by, "hold.place", Some(user.as_str()), &details).await?;
    tx.commit().await?;
    Ok(HoldOutcome::Yes(hold(&new)?))
}

/// Ends a hold. Needs the admins' scope.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none.
pub async fn lift(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    tx.require_admin()?;
    let done = sqlx::query("DELETE FROM legal_holds WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
