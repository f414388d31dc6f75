//! The audit log: who did what to what. Rows are added, never changed; the database grants no more.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::types::Json;

use crate::id::UserId;

use super::usage::Span;
use super::{Scope, StoreError, Tx, refuse_nul, refuse_nul_in_json, time};

/// One line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its number: higher is later.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub user: UserId,
    /// What, as `noun.verb`: `conversation.delete`.
    pub action: String,
    /// To what: an id or a key, never content.
    pub target: Option<String>,
    /// More, without content and secrets.
    pub details: Value,
}

/// Adds a line about `by`, in their own scope or in the admins'. Belongs in the transaction of the
/// act itself, so that neither exists without the other.
///
/// # Errors
/// [`StoreError::WrongScope`] for somebody else's name in a user's scope.
pub async fn append(
    tx: &mut Tx,
    by: &UserId,
    action: &str,
    target: Option<&str>,
    details: &Value,
) -> Result<(), StoreError> {
    match tx.scope() {
        Scope::User(user) | Scope::Access { admin: user, .. } if user == by => {}
        Scope::Admin => {}
        Scope::User(_) | Scope::Access { .. } | Scope::Engine => {
            return Err(StoreError::WrongScope { needed: "user" });
        }
    }
    refuse(target, details)?;
    sqlx::query("INSERT INTO audit_log (user_id, action, target, details) VALUES ($1, $2, $3, $4)")
        .bind(by.as_str())
        .bind(action)
        .bind(target)
        .bind(Json(details))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// How many of a user's latest lines are compared: more than anybody causes within a minute.
const COMPARED: i64 = 200;

/// Adds a line about a look at what is private, unless the same was noted within the last minute: a page asks for what it
/// shows in several requests, all at once. Commit before the rest is read, since those requests wait for each other here.
///
/// # Errors
/// Those of [`append`].
pub async fn append_once(
    tx: &mut Tx,
    by: &UserId,
    action: &str,
    target: Option<&str>,
    details: &Value,
) -> Result<(), StoreError> {
    refuse(target, details)?;
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('llm_council.audit:' || $1, 0))")
        .bind(by.as_str())
        .execute(&mut **tx)
        .await?;
    let is_noted: bool = sqlx::query_scalar(
        "SELECT EXISTS (
             SELECT FROM (SELECT at, action, target, details FROM audit_log
                          WHERE user_id = $1 ORDER BY id DESC LIMIT $5) AS latest
             WHERE action = $2 AND target IS NOT DISTINCT FROM $3 AND details = $4
               AND at > now() - interval '1 minute')",
    )
    .bind(by.as_str())
    .bind(action)
    .bind(target)
    .bind(Json(details))
    .bind(COMPARED)
    .fetch_one(&mut **tx)
    .await?;
    if is_noted {
        return Ok(());
    }
    append(tx, by, action, target, details).await
}

/// Refuses what cannot be stored.
fn refuse(target: Option<&str>, details: &Value) -> Result<(), StoreError> {
    refuse_nul("the target", target.unwrap_or_default())?;
    refuse_nul_in_json("the details", details)
}

/// Which entries of the log; fields that are left out match all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Of this person.
    pub user: Option<&'a UserId>,
    /// Of this action, or of all of one noun: `conversation.delete`, `conversation`.
    pub action: Option<&'a str>,
    /// Of what was done to this.
    pub target: Option<&'a str>,
    /// Of this time.
    pub span: Span,
    /// From before this entry.
    pub before: Option<i64>,
}

/// The log, newest first. Needs the admins' scope.
pub async fn list(tx: &mut Tx, filter: Filter<'_>, limit: u32) -> Result<Vec<Entry>, StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT id, at, user_id, action, target, details FROM audit_log
         WHERE ($1::text IS NULL OR user_id = $1) AND ($2::bigint IS NULL OR id < $2)
           AND ($4::text IS NULL OR action = $4 OR starts_with(action, $4 || '.'))
           AND ($5::text IS NULL OR target = $5)
           AND ($6::timestamptz IS NULL OR at >= $6)
           AND ($7::timestamptz IS NULL OR at < $7)
         ORDER BY id DESC LIMIT $3",
    )
    .bind(filter.user.map(UserId::as_str))
    .bind(filter.before)
    .bind(i64::from(limit))
    .bind(filter.action)
    .bind(filter.target)
    .bind(filter.span.from.map(jiff_sqlx::Timestamp::from))
    .bind(filter.span.until.map(jiff_sqlx::Timestamp::from))
    .fetch_all(&mut **tx)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Entry {
                id: row.try_get("id")?,
                at: time(row, "at")?,
                user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
                action: row.try_get("action")?,
                target: row.try_get("target")?,
                details: row.try_get("details")?,
            })
        })
        .collect::<Result<_, sqlx::Error>>()
        .map_err(Into::into)
}
