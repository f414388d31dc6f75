//! Access to another user's conversations: one administrator requests it, a second one approves, then both may read for
//! some hours.
//!
//! Reading is done in [`Scope::Access`](super::Scope::Access), where row level security lets through what the request
//! is about and no more, and access ends by itself.

use jiff::Timestamp;
use serde_json::json;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::id::{AccessId, ConversationId, UserId};

use super::{Scope, StoreError, Tx, audit, erasure, refuse_nul, time, time_or_null, users};

/// A request, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its id.
    pub id: AccessId,
    /// Whose conversations.
    pub user: UserId,
    /// Why.
    pub reason: String,
    /// For how long from the approval on.
    pub hours: i32,
    /// Who asked.
    pub requested_by: UserId,
    /// When.
    pub requested_at: Timestamp,
    /// Who agreed.
    pub approved_by: Option<UserId>,
    /// When.
    pub approved_at: Option<Timestamp>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// Who ended it before.
    pub revoked_by: Option<UserId>,
    /// When.
    pub revoked_at: Option<Timestamp>,
    /// What was read with it, the newest first, as far as they are listed.
    pub reads: Vec<Read>,
}

impl Request {
    /// Whether conversations can be read with it now.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_some_and(|ends| ends > now)
    }
}

/// One look.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Who looked.
    pub by: UserId,
    /// At which conversation; nothing: at the list of them.
    pub conversation: Option<ConversationId>,
    /// When.
    pub at: Timestamp,
}

/// What a request is to be.
#[derive(Debug, Clone)]
pub struct NewRequest<'r> {
    /// Whose conversations.
    pub user: &'r UserId,
    /// Why.
    pub reason: &'r str,
    /// For how long.
    pub hours: i32,
    /// The administrator who requests access.
    pub by: &'r UserId,
}

/// The outcome of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approved {
    /// It is open from now on.
    Yes,
    /// The requester, or the user whom it is about, cannot approve it.
    NotByThem,
    /// It was approved or taken back before.
    Over,
}

/// The columns of a [`Request`].
macro_rules! columns {
    () => {
        "id, user_id, reason, hours, requested_by, requested_at, approved_by, approved_at, expires_at, revoked_by,
         revoked_at"
    };
}

/// How many requests about them a user is shown, and how many reads of each: nobody needs more, and the lists must be
/// bounded.
const MOST: i64 = 200;
const MOST_READS: i64 = 500;

fn request(row: &PgRow) -> Result<Request, sqlx::Error> {
    let user = |column: &str| -> Result<Option<UserId>, sqlx::Error> {
        Ok(row.try_get::<Option<String>, _>(column)?.map(UserId::from_canonical))
    };
    Ok(Request {
        id: AccessId(row.try_get("id")?),
        user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        reason: row.try_get("reason")?,
        hours: row.try_get("hours")?,
        requested_by: UserId::from_canonical(row.try_get::<String, _>("requested_by")?),
        requested_at: time(row, "requested_at")?,
        approved_by: user("approved_by")?,
        approved_at: time_or_null(row, "approved_at")?,
        expires_at: time_or_null(row, "expires_at")?,
        revoked_by: user("revoked_by")?,
        revoked_at: time_or_null(row, "revoked_at")?,
        reads: Vec::new(),
    })
}

/// Asks, unless the data of whom it is about is being erased, or was: the erasure would not find the request. Needs the admins'
/// scope.
pub async fn ask(tx: &mut Tx, new: &NewRequest<'_>) -> Result<Option<Request>, StoreError> {
    tx.require_admin()?;
    refuse_nul("the reason", new.reason)?;
    if erasure::is_under_way(tx, new.user).await? || !users::is_known(tx, new.user).await? {
        return Ok(None);
    }
    let row = sqlx::query(concat!(
        "INSERT INTO access_requests (id, user_id, reason, hours, requested_by) VALUES ($1, $2, $3, $4, $5)
         RETURNING ",
        columns!()
    ))
    .bind(AccessId::generate().0)
    .bind(new.user.as_str())
    .bind(new.reason)
    .bind(new.hours)
    .bind(new.by.as_str())
    .fetch_one(&mut **tx)
    .await?;
    let request = request(&row)?;
    note(tx, new.by, "access.request", &request).await?;
    Ok(Some(request))
}

/// Notes in the audit log what an administrator did about a request.
async fn note(tx: &mut Tx, by: &UserId, action: &str, request: &Request) -> Result<(), StoreError> {
    let details = json!({ "request": request.id });
    audit::append(tx, by, action, Some(request.user.as_str()), &details).await
}

/// A page of all requests, the newest first; and how many there are in all. Needs the admins' scope.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Request>, u64), StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM access_requests ORDER BY requested_at DESC, id LIMIT $1 OFFSET $2"
    ))
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM access_requests").fetch_one(&mut **tx).await?;
    let mut requests: Vec<Request> = rows.iter().map(request).collect::<Result<_, _>>()?;
    read_by(tx, &mut requests).await?;
    Ok((requests, count.unsigned_abs()))
}

/// The approved requests to read the transaction's user, newest first, each with what was read.
pub async fn about(tx: &mut Tx) -> Result<Vec<Request>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM access_requests WHERE user_id = $1 AND approved_at IS NOT NULL
          ORDER BY requested_at DESC, id LIMIT $2"
    ))
    .bind(user.as_str())
    .bind(MOST)
    .fetch_all(&mut **tx)
    .await?;
    let mut requests: Vec<Request> = rows.iter().map(request).collect::<Result<_, _>>()?;
    read_by(tx, &mut requests).await?;
    Ok(requests)
}

/// Adds what was read with each.
async fn read_by(tx: &mut Tx, requests: &mut [Request]) -> Result<(), StoreError> {
    let ids: Vec<uuid::Uuid> = requests.iter().map(|request| request.id.0).collect();
    let rows = sqlx::query(
        "SELECT r.request_id, r.read_by, r.conversation_id, r.read_at FROM unnest($1::uuid[]) AS wanted (id)
         CROSS JOIN LATERAL (SELECT * FROM access_reads WHERE request_id = wanted.id ORDER BY id DESC LIMIT $2) r
         ORDER BY r.id DESC",
    )
    .bind(&ids)
    .bind(MOST_READS)
    .fetch_all(&mut **tx)
    .await?;
    for row in &rows {
        let id = AccessId(row.try_get("request_id")?);
        let read = Read {
            by: UserId::from_canonical(row.try_get::<String, _>("read_by")?),
            conversation: row.try_get::<Option<uuid::Uuid>, _>("conversation_id")?.map(ConversationId),
            at: time(row, "read_at")?,
        };
        if let Some(request) = requests.iter_mut().find(|request| request.id == id) {
            request.reads.push(read);
        }
    }
    Ok(())
}

/// One request. Needs the admins' scope.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none.
pub async fn find(tx: &mut Tx, id: AccessId) -> Result<Request, StoreError> {
    tx.require_admin()?;
    let row = sqlx::query(concat!("SELECT ", columns!(), " FROM access_requests WHERE id = $1"))
        .bind(id.0)
        .fetch_one(&mut **tx)
        .await?;
    Ok(request(&row)?)
}

/// Agrees, in the name of the administrator `by`. Needs the admins' scope.
pub async fn approve(tx: &mut Tx, id: AccessId, by: &UserId) -> Result<Approved, StoreError> {
    let before = find(tx, id).await?;
    if before.requested_by == *by || before.user == *by {
        return Ok(Approved::NotByThem);
    }
    let done = sqlx::query(
        "UPDATE access_requests
         SET approved_by = $2, approved_at = now(), expires_at = now() + make_interval(hours => hours)
         WHERE id = $1 AND approved_at IS NULL AND revoked_at IS NULL",
    )
    .bind(id.0)
    .bind(by.as_str())
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(Approved::Over);
    }
    note(tx, by, "access.approve", &before).await?;
    Ok(Approved::Yes)
}

/// Ends it at once, whichever administrator wants that; ending it again is not an error and keeps the first time. Needs
/// the admins' scope.
pub async fn revoke(tx: &mut Tx, id: AccessId, by: &UserId) -> Result<(), StoreError> {
    let before = find(tx, id).await?;
    let done = sqlx::query(
        "UPDATE access_requests SET revoked_by = $2, revoked_at = now() WHERE id = $1 AND revoked_at IS NULL",
    )
    .bind(id.0)
    .bind(by.as_str())
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 {
        note(tx, by, "access.revoke", &before).await?;
    }
    Ok(())
}

/// Notes that the transaction's administrator looks at a conversation, or at the list of them, where the request allows
/// it. Must come before the look, in the same transaction. The line in the audit log is the administrator's own.
///
/// # Errors
/// [`StoreError::NotFound`] when the request is not open, or not theirs.
pub async fn note_read(tx: &mut Tx, conversation: Option<ConversationId>) -> Result<(), StoreError> {
    let Scope::Access { admin, request, subject } = tx.scope().clone() else {
        return Err(StoreError::WrongScope { needed: "access" });
    };
    let may: Option<String> = sqlx::query_scalar("SELECT user_with_access()").fetch_one(&mut **tx).await?;
    if may.as_deref() != Some(subject.as_str()) {
        return Err(StoreError::NotFound);
    }
    sqlx::query(
        "INSERT INTO access_reads (request_id, user_id, read_by, conversation_id) VALUES ($1, $2, $3, $4)",
    )
    .bind(request.0)
    .bind(subject.as_str())
    .bind(admin.as_str())
    .bind(conversation.map(|id| id.0))
    .execute(&mut **tx)
    .await?;
    let details = json!({ "request": request, "conversation": conversation });
    audit::append(tx, &admin, "access.read", Some(subject.as_str()), &details).await
}
