//! The people who have been here. What is kept of them is shown, never used to find or authorise.

use std::time::Duration;

use super::{StoreError, Tx, refuse_nul};
use crate::id::UserId;

/// A page of a busy user makes dozens of requests; one write a minute is enough.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// Remembers that the transaction's user was here, with the email, name and groups of today; writes at most once a minute
/// unless one of them changed. `groups` is `None` where nobody said who they are, as with a token: then all three stay.
pub async fn touch(
    tx: &mut Tx,
    email: Option<&str>,
    name: Option<&str>,
    groups: Option<&[String]>,
) -> Result<(), StoreError> {
    let user = tx.user()?;
    refuse_nul("the email", email.unwrap_or_default())?;
    refuse_nul("the name", name.unwrap_or_default())?;
    sqlx::query(
        "INSERT INTO users (id, email, name, groups) VALUES ($1, $2, $3, coalesce($5, '{}'))
         ON CONFLICT (id) DO UPDATE SET email = CASE WHEN $5 IS NULL THEN users.email ELSE excluded.email END,
                                        name = CASE WHEN $5 IS NULL THEN users.name ELSE excluded.name END,
                                        groups = coalesce($5, users.groups), last_seen_at = now()
         WHERE $5 IS NOT NULL
               AND (users.email, users.name, users.groups) IS DISTINCT FROM (excluded.email, excluded.name, excluded.groups)
            OR users.last_seen_at < now() - make_interval(secs => $4)",
    )
    .bind(user.as_str())
    .bind(email)
    .bind(name)
    .bind(TOUCH_EVERY.as_secs_f64())
    .bind(groups)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The groups the transaction's user was in when last seen in person.
pub async fn groups_last_seen(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    let user = tx.user()?;
    let groups = sqlx::query_scalar("SELECT groups FROM users WHERE id = $1")
        .bind(user.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    Ok(groups.unwrap_or_default())
}

/// Whether the transaction's user has been here in person, and has not been erased since.
pub async fn is_remembered(tx: &mut Tx) -> Result<bool, StoreError> {
    let user = tx.user()?;
    let found = sqlx::query_scalar("SELECT EXISTS (SELECT FROM users WHERE id = $1)").bind(user.as_str());
    Ok(found.fetch_one(&mut **tx).await?)
}

/// Whether anything shows that a user of this name has been here. Needs the admins' scope.
pub async fn is_known(tx: &mut Tx, user: &UserId) -> Result<bool, StoreError> {
    tx.require_admin()?;
    let is_known = sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM users WHERE id = $1) OR EXISTS (SELECT FROM runs WHERE user_id = $1)",
    )
    .bind(user.as_str())
    .fetch_one(&mut **tx)
    .await?;
    Ok(is_known)
}
