//! Asking again: what a new run of an old question needs to know, and the answers that it replaces.

use serde_json::Value;
use sqlx::Row as _;

use super::plans::whole_plan;
use super::{Db, RunStatus, Scope, StoreError, Tx};
use crate::id::{ConversationId, MessageId, RunId};

/// A query for what goes on from the message under the name `m`.
macro_rules! goes_on {
    () => {
        "SELECT FROM messages later
         WHERE later.conversation_id = m.conversation_id AND later.position > m.position
           AND coalesce(later.parent_position, later.position - 1) = m.position"
    };
}

/// A run that may be asked for again.
#[derive(Debug)]
pub struct Earlier {
    pub conversation: ConversationId,
    pub message: MessageId,
    pub status: RunStatus,
    /// The plan as JSON.
    pub plan: Value,
    pub plan_version: i32,
    pub format: String,
    /// The stored deliberation, once the run is over.
    pub body: Option<Value>,
    /// Its answer is the last message of a branch, and the newest of its versions.
    pub is_latest: bool,
    /// The keys of its calls that failed, but for its title's.
    pub failed_calls: Vec<String>,
    /// The keys of those that did not.
    pub answered_calls: Vec<String>,
}

/// A run of the transaction's user.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn earlier(tx: &mut Tx, id: RunId) -> Result<Earlier, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "SELECT r.conversation_id, r.message_id, r.status, ",
        whole_plan!("r"),
        ", r.plan_version, r.format, m.body,
                m.run_id = r.id AND NOT EXISTS (",
        goes_on!(),
        ") AS is_latest,
                ARRAY(SELECT key FROM calls WHERE run_id = r.id AND outcome <> 'ok' AND stage <> 'title')
                    AS failed_calls,
                ARRAY(SELECT key FROM calls WHERE run_id = r.id AND outcome = 'ok') AS answered_calls
         FROM runs r
         JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
         JOIN messages m ON m.id = r.message_id AND m.user_id = r.user_id
         WHERE r.id = $1 AND r.user_id = $2"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    Ok(Earlier {
        conversation: ConversationId(row.try_get("conversation_id")?),
        message: MessageId(row.try_get("message_id")?),
        status: RunStatus::read(row.try_get("status")?)?,
        plan: row.try_get("plan")?,
        plan_version: row.try_get("plan_version")?,
        format: row.try_get("format")?,
        body: row.try_get("body")?,
        is_latest: row.try_get("is_latest")?,
        failed_calls: row.try_get("failed_calls")?,
        answered_calls: row.try_get("answered_calls")?,
    })
}

/// Sets the answer of `earlier` aside and gives its message to a new run. Returns whether it was still the latest of
/// its branch.
pub(super) async fn replace(
    tx: &mut Tx,
    message: MessageId,
    earlier: RunId,
    new: RunId,
) -> Result<bool, StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(concat!(
        "WITH old AS (
             SELECT m.* FROM messages m
             WHERE m.id = $1 AND m.user_id = $2 AND m.run_id = $3
               AND NOT EXISTS (",
        goes_on!(),
        ")
         ), kept AS (
             INSERT INTO message_versions (run_id, message_id, user_id, content, body)
             SELECT run_id, id, user_id, content, body FROM old
         )
         UPDATE messages SET run_id = $4, content = NULL, body = NULL FROM old WHERE messages.id = old.id"
    ))
    .bind(message.0)
    .bind(user.as_str())
    .bind(earlier.0)
    .bind(new.0)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The finished calls of all runs of a message but this one, as JSON, the latest first; of calls with one key and one
/// request the latest alone. Repeated retries add none, except for requests that were not made before.
pub async fn calls_before(
    db: &Db,
    conversation: ConversationId,
    message: MessageId,
    run: RunId,
) -> Result<Vec<Value>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    Ok(sqlx::query_scalar(
        // The index is by conversation.
        "SELECT result FROM (
             SELECT DISTINCT ON (c.key, c.fingerprint) c.result, r.created_at, c.finished_at
             FROM runs r JOIN calls c ON c.run_id = r.id
             WHERE r.conversation_id = $1 AND r.message_id = $2 AND r.id <> $3
               AND c.outcome = 'ok' AND c.result IS NOT NULL
             ORDER BY c.key, c.fingerprint, r.created_at DESC
         ) latest
         ORDER BY created_at DESC, finished_at DESC",
    )
    .bind(conversation.0)
    .bind(message.0)
    .bind(run.0)
    .fetch_all(&mut *tx)
    .await?)
}
