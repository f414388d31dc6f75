//! How conversations end: deleted, they can be restored for a while; then, or at once, they go for good.

use sqlx::Row as _;
use uuid::Uuid;

use super::one_row;
use crate::id::{ConversationId, RunId};
use crate::store::attachments::DetachedFiles;
use crate::store::notify::{self, Notice};
use crate::store::{StoreError, Tx, retention, shares};

/// Deleted conversations can be brought back for this long, in days.
pub const PURGE_AFTER_DAYS: i32 = 30;

/// Deletes it so that it can be brought back; its links are withdrawn for good. Returns its run that is under way, if there is
/// one, which is asked to stop: nobody would see what it goes on to cost. Another cannot begin any more.
pub async fn delete(tx: &mut Tx, id: ConversationId) -> Result<Option<RunId>, StoreError> {
    let user = tx.user()?;
    // A run that is stopped below is locked before the conversation, as at its own end: otherwise the two could wait
    // for each other.
    sqlx::query(
        "SELECT FROM runs WHERE conversation_id = $1 AND user_id = $2 AND status IN ('queued', 'running')
           AND cancel_requested_at IS NULL FOR NO KEY UPDATE",
    )
    .bind(id.0)
    .bind(user.as_str())
    .execute(&mut **tx)
    .await?;
    let done = sqlx::query(
        "UPDATE conversations SET deleted_at = now() WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(id.0)
    .bind(user.as_str())
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())?;
    shares::remove_of(tx, id).await?;
    // After the row is locked: a question that was first is seen, and the next one finds the conversation deleted.
    // One that was asked before is not locked: its end may be waiting for the conversation.
    let row = sqlx::query(
        "WITH live AS (
             SELECT id, cancel_requested_at IS NULL AS is_news FROM runs
             WHERE conversation_id = $1 AND user_id = $2 AND status IN ('queued', 'running')
         ), told AS (
             UPDATE runs SET cancel_requested_at = now() FROM live WHERE runs.id = live.id AND live.is_news
         )
         SELECT id, is_news FROM live",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let live = RunId(row.try_get("id")?);
    if row.try_get("is_news")? {
        notify::send(tx, &Notice::Stop(live)).await?;
    }
    Ok(Some(live))
}

/// Brings a deleted conversation back; one that is not deleted stays as it is.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, it is purged, or it is another user's.
pub async fn restore(tx: &mut Tx, id: ConversationId) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query("UPDATE conversations SET deleted_at = NULL WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    one_row(done.rows_affected())
}

/// Purges what was deleted more than [`PURGE_AFTER_DAYS`] ago, at most `limit` conversations at a
/// time, and returns how many there were. The ledger stays, emptied of content: whose run, which
/// models, how many tokens, what it cost. Needs the engine's scope.
pub async fn purge_deleted(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    tx.require_engine()?;
    // SKIP LOCKED: replicas purge side by side, and a restore under way wins.
    let rows = sqlx::query(
        "SELECT id FROM conversations c
         WHERE deleted_at < now() - make_interval(days => $1)
           AND NOT EXISTS (SELECT FROM runs r WHERE r.conversation_id = c.id AND r.status IN ('queued', 'running'))
           AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = c.user_id)
         ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED",
    )
    .bind(PURGE_AFTER_DAYS)
    .bind(i64::from(limit))
    .fetch_all(&mut **tx)
    .await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.try_get("id")).collect::<Result<_, _>>()?;
    empty(tx, &ids).await?;
    Ok(ids.len() as u64)
}

/// Deletes for good what nothing has happened in for as long as the administrator keeps conversations, in its project or at all, at most
/// `limit` at a time, and returns how many there were; like [`purge_deleted`]. Needs the engine's scope.
pub async fn purge_expired(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    tx.require_engine()?;
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "SELECT c.id FROM conversations c LEFT JOIN projects p ON p.id = c.project_id LEFT JOIN retention r ON true
         CROSS JOIN LATERAL (
             SELECT coalesce(p.retention_days, r.days) AS days,
                    greatest(CASE WHEN p.retention_days IS NULL THEN r.since END, p.retention_since, c.moved_at) AS since
         ) rule
         WHERE rule.days > 0 AND rule.since < now() - make_interval(days => $1)
           AND c.updated_at < now() - make_interval(days => rule.days)
           AND NOT EXISTS (SELECT FROM runs WHERE conversation_id = c.id AND status IN ('queued', 'running'))
           AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = c.user_id)
         ORDER BY c.updated_at LIMIT $2 FOR UPDATE OF c SKIP LOCKED",
    )
    .bind(retention::NOTICE_DAYS)
    .bind(i64::from(limit))
    .fetch_all(&mut **tx)
    .await?;
    empty(tx, &ids).await?;
    Ok(ids.len() as u64)
}

/// Makes a deleted conversation due for its purge, as if [`PURGE_AFTER_DAYS`] had gone by since. If the server then
/// dies, it is still purged within the hour.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, it is purged, or it is another user's.
pub async fn make_due(tx: &mut Tx, id: ConversationId) -> Result<PurgeState, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(
        "SELECT deleted_at IS NOT NULL AS deleted, EXISTS (SELECT FROM runs r
                WHERE r.conversation_id = c.id AND r.status IN ('queued', 'running')) AS running,
                EXISTS (SELECT FROM legal_holds h WHERE h.user_id = c.user_id) AS held
         FROM conversations c WHERE id = $1 AND user_id = $2 FOR UPDATE OF c",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    if !row.try_get::<bool, _>("deleted")? {
        return Ok(PurgeState::NotDeleted);
    }
    if row.try_get::<bool, _>("held")? {
        return Ok(PurgeState::Held);
    }
    if row.try_get::<bool, _>("running")? {
        return Ok(PurgeState::Running);
    }
    // A day more than needed, so that differences between clocks do not matter.
    sqlx::query(
        "UPDATE conversations SET deleted_at = LEAST(deleted_at, now() - make_interval(days => $3 + 1))
         WHERE id = $1 AND user_id = $2",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(PURGE_AFTER_DAYS)
    .execute(&mut **tx)
    .await?;
    Ok(PurgeState::Now)
}

/// Whether a conversation may be purged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeState {
    /// It is deleted, and due from now on.
    Now,
    /// It is not deleted.
    NotDeleted,
    /// It is deleted, and a run of it is not over yet.
    Running,
    /// There is a hold on its owner's data.
    Held,
}

/// Purges one conversation if it is due; another one who does so at the same time, or has brought it back, wins. Needs
/// the engine's scope.
pub async fn purge_one(tx: &mut Tx, id: ConversationId) -> Result<(), StoreError> {
    tx.require_engine()?;
    let due = sqlx::query(
        "SELECT id FROM conversations c
         WHERE id = $1 AND deleted_at < now() - make_interval(days => $2)
           AND NOT EXISTS (SELECT FROM runs r WHERE r.conversation_id = c.id AND r.status IN ('queued', 'running'))
           AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = c.user_id)
         FOR UPDATE",
    )
    .bind(id.0)
    .bind(PURGE_AFTER_DAYS)
    .fetch_optional(&mut **tx)
    .await?;
    if due.is_some() {
        empty(tx, &[id.0]).await?;
    }
    Ok(())
}

/// Removes what was written in conversations, and them. Their rows are locked by the caller.
async fn empty(tx: &mut Tx, ids: &[Uuid]) -> Result<(), StoreError> {
    let files = DetachedFiles::of(tx, ids).await?;
    for sql in [
        // First, as everything that shortens a log locks its run first: what that writes is then there to be deleted.
        // The kind of an error is not content, so it stays.
        "UPDATE runs SET plan = '{}', program = NULL, skips = '[]', retries = '[]', corrections = '[]',
                error = CASE WHEN error_kind IS NOT NULL THEN jsonb_build_object('kind', error_kind) END
         WHERE conversation_id = ANY ($1)",
        "UPDATE calls SET result = NULL WHERE run_id IN (SELECT id FROM runs WHERE conversation_id = ANY ($1))",
        "DELETE FROM run_events WHERE run_id IN (SELECT id FROM runs WHERE conversation_id = ANY ($1))",
        "DELETE FROM decisions WHERE run_id IN (SELECT id FROM runs WHERE conversation_id = ANY ($1))",
        "UPDATE feedback SET comment = NULL
         WHERE run_id IN (SELECT id FROM runs WHERE conversation_id = ANY ($1)) AND comment IS NOT NULL",
        "DELETE FROM conversations WHERE id = ANY ($1)",
    ] {
        sqlx::query(sql).bind(ids).execute(&mut **tx).await?;
    }
    files.leave(tx).await
}
