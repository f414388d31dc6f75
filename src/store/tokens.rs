//! Personal access tokens. The secret is never here, only its hash.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::id::{TokenId, UserId};

use super::{StoreError, Tx, refuse_nul, time, time_or_null};

/// A token as its owner sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Its public id.
    pub id: TokenId,
    /// What the owner called it.
    pub name: String,
    /// What it may do.
    pub permissions: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was last presented, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// The columns of a [`Token`].
macro_rules! columns {
    () => {
        "id, name, permissions, created_at, expires_at, last_used_at, revoked_at"
    };
}

fn token(row: &PgRow) -> Result<Token, sqlx::Error> {
    Ok(Token {
        id: TokenId(row.try_get("id")?),
        name: row.try_get("name")?,
        permissions: row.try_get("permissions")?,
        created_at: time(row, "created_at")?,
        expires_at: time_or_null(row, "expires_at")?,
        last_used_at: time_or_null(row, "last_used_at")?,
        revoked_at: time_or_null(row, "revoked_at")?,
    })
}

/// What a new token is to be.
#[derive(Debug, Clone)]
pub struct NewToken<'a> {
    /// What the owner calls it.
    pub name: &'a str,
    /// The hash of the secret.
    pub hash: &'a [u8],
    /// What it may do.
    pub permissions: &'a [String],
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// Stores a new token of the transaction's user.
pub async fn create(tx: &mut Tx, new: &NewToken<'_>) -> Result<Token, StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", new.name)?;
    let row = sqlx::query(concat!(
        "INSERT INTO tokens (id, user_id, name, hash, permissions, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
         RETURNING ",
        columns!()
    ))
    .bind(TokenId::generate().0)
    .bind(user.as_str())
    .bind(new.name)
    .bind(new.hash)
    .bind(new.permissions)
    .bind(new.expires_at.map(jiff_sqlx::Timestamp::from))
    .fetch_one(&mut **tx)
    .await?;
    Ok(token(&row)?)
}

/// A page of the user's tokens, newest first, revoked ones among them; and how many there are in all.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Token>, i64), StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM tokens WHERE user_id = $1 ORDER BY created_at DESC, id LIMIT $2 OFFSET $3"
    ))
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM tokens WHERE user_id = $1")
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok((rows.iter().map(token).collect::<Result<_, _>>()?, count))
}

/// Revokes one of the user's tokens, for good. Revoking it again is not an error and keeps the first time.
pub async fn revoke(tx: &mut Tx, id: TokenId) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE tokens SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 AND user_id = $2",
    )
    .bind(id.0)
    .bind(user.as_str())
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}

/// The owner of the token with this hash, and what it may do; `None` when it is unknown, revoked or
/// past its end. Notes the use, at most once a minute. Needs the engine's scope (there is no user yet).
///
/// # Errors
/// [`StoreError::Blocked`] when its owner is.
pub async fn owner_of(
    tx: &mut Tx,
    hash: &[u8],
) -> Result<Option<(UserId, TokenId, Vec<String>)>, StoreError> {
    tx.require_engine()?;
    let row = sqlx::query(
        "WITH found AS (
             SELECT id, user_id, permissions, last_used_at FROM tokens
             WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
         ), noted AS (
             UPDATE tokens SET last_used_at = now() FROM found
             WHERE tokens.id = found.id
               AND (found.last_used_at IS NULL OR found.last_used_at < now() - interval '1 minute')
         )
         SELECT id, user_id, permissions,
                EXISTS (SELECT FROM blocked_users b WHERE b.user_id = found.user_id) AS blocked
         FROM found",
    )
    .bind(hash)
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.try_get("blocked")? {
        return Err(StoreError::Blocked);
    }
    let user = UserId::from_canonical(row.try_get::<String, _>("user_id")?);
    Ok(Some((user, TokenId(row.try_get("id")?), row.try_get("permissions")?)))
}
