//! Shared conversations: one branch as it was when it was shared. It belongs to its owner, and anybody who knows its id
//! can read it, as long as it lasts, or the members of one project alone; row level security enforces the same.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::Row as _;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::id::{ConversationId, MessageId, ProjectId, ShareId};

use super::attachments::Attached;
use super::project_files::ReadFile;
use super::{StoreError, Tx, projects, refuse_nul, settings, time};

/// A shared conversation without its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    pub id: ShareId,
    /// Whether it is the transaction's user's own.
    pub is_mine: bool,
    pub conversation: ConversationId,
    /// The project whose members alone can read it, apart from its owner; without one everybody who has its link.
    pub project: Option<ProjectId>,
    /// The name of the user who shares it.
    pub shared_by: String,
    pub title: String,
    pub message_count: i32,
    pub created_at: Timestamp,
    /// When its link works no longer.
    pub expires_at: Timestamp,
}

/// A message as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedMessage {
    pub id: MessageId,
    /// `user` or `assistant`.
    pub role: String,
    /// The question, or the final answer's text.
    pub content: Option<String>,
    /// The answer with its stages and metadata.
    pub body: Option<Value>,
    /// The status of its run.
    pub status: Option<String>,
    /// Why the run failed.
    pub error: Option<Value>,
    pub created_at: Timestamp,
    /// The files that it came with.
    pub attachments: Vec<Attached>,
    /// The files of its project that it was read with.
    #[serde(default)]
    pub project_files: Vec<ReadFile>,
}

/// A conversation to be shared.
#[derive(Debug)]
pub struct NewShare<'a> {
    pub conversation: ConversationId,
    /// For whose members alone it is: a project that was opened. For everybody who has the link where there is none.
    pub project: Option<ProjectId>,
    pub shared_by: &'a str,
    pub title: &'a str,
    pub messages: &'a [SharedMessage],
    /// For how long.
    pub days: u32,
}

macro_rules! columns {
    () => {
        "id, user_id = $1 AS is_mine, conversation_id, project_id, shared_by, title, message_count, created_at,
         expires_at"
    };
}

fn share(row: &PgRow) -> Result<Share, sqlx::Error> {
    Ok(Share {
        id: ShareId(row.try_get("id")?),
        is_mine: row.try_get("is_mine")?,
        conversation: ConversationId(row.try_get("conversation_id")?),
        project: row.try_get::<Option<Uuid>, _>("project_id")?.map(ProjectId),
        shared_by: row.try_get("shared_by")?,
        title: row.try_get("title")?,
        message_count: row.try_get("message_count")?,
        created_at: time(row, "created_at")?,
        expires_at: time(row, "expires_at")?,
    })
}

/// Shares a conversation of the user's; `None` when they share `most` already, or have no role in the project any more.
///
/// # Errors
/// [`StoreError::NotFound`] when the conversation or the project is deleted in this moment; when the database is unavailable.
pub async fn create(tx: &mut Tx, new: &NewShare<'_>, most: i64) -> Result<Option<Share>, StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", new.shared_by)?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("shares/{user}")).await?;
    let row = sqlx::query(concat!(
        "INSERT INTO shares (id, user_id, conversation_id, shared_by, title, messages, message_count, expires_at,
                             project_id)
         SELECT $2, $1, $3, $4, $5, $6, $7, now() + make_interval(days => $8), $10
         WHERE (SELECT count(*) FROM shares WHERE user_id = $1 AND expires_at > now()) < $9
           AND ($10::uuid IS NULL OR project_role($10) IS NOT NULL)
         RETURNING ",
        columns!()
    ))
    .bind(user.as_str())
    .bind(ShareId::generate().0)
    .bind(new.conversation.0)
    .bind(new.shared_by)
    .bind(new.title)
    .bind(Json(new.messages))
    .bind(i32::try_from(new.messages.len()).unwrap_or(i32::MAX))
    .bind(i32::try_from(new.days).unwrap_or(i32::MAX))
    .bind(most)
    .bind(new.project.map(|id| id.0))
    .fetch_optional(&mut **tx)
    .await
    .map_err(|error| {
        let is_gone = error.as_database_error().is_some_and(DatabaseError::is_foreign_key_violation);
        if is_gone { StoreError::NotFound } else { error.into() }
    })?;
    Ok(row.as_ref().map(share).transpose()?)
}

/// What the user shares, of one conversation or of all, newest first, and how much that is in all.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(
    tx: &mut Tx,
    of: Option<ConversationId>,
    limit: u32,
    offset: u32,
) -> Result<(Vec<Share>, u64), StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM shares
         WHERE user_id = $1 AND ($2::uuid IS NULL OR conversation_id = $2) AND expires_at > now()
         ORDER BY created_at DESC, id LIMIT $3 OFFSET $4"
    ))
    .bind(user.as_str())
    .bind(of.map(|id| id.0))
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM shares
         WHERE user_id = $1 AND ($2::uuid IS NULL OR conversation_id = $2) AND expires_at > now()",
    )
    .bind(user.as_str())
    .bind(of.map(|id| id.0))
    .fetch_one(&mut **tx)
    .await?;
    Ok((rows.iter().map(share).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// A shared conversation with its messages, whoever shares it; `groups` as in [`projects::open`].
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, its link works no longer, or it is for others.
pub async fn open(
    tx: &mut Tx,
    id: ShareId,
    groups: Option<&[String]>,
) -> Result<(Share, Vec<SharedMessage>), StoreError> {
    let user = tx.user()?;
    projects::enter(tx, None, groups).await?;
    sqlx::query("SELECT set_config('app.share_id', $1, true)")
        .bind(id.to_string())
        .execute(&mut **tx)
        .await?;
    let row = sqlx::query(concat!(
        "SELECT messages, ",
        columns!(),
        " FROM shares
         WHERE id = $2 AND expires_at > now()
           AND (user_id = $1 OR project_id IS NULL OR project_role(project_id) IS NOT NULL)"
    ))
    .bind(user.as_str())
    .bind(id.0)
    .fetch_one(&mut **tx)
    .await?;
    let Json(messages) = row.try_get("messages")?;
    Ok((share(&row)?, messages))
}

/// Withdraws a link of the user's: from its commit on it works for nobody. Returns the conversation that was shared.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not theirs.
pub async fn remove(tx: &mut Tx, id: ShareId) -> Result<ConversationId, StoreError> {
    let user = tx.user()?;
    let conversation =
        sqlx::query_scalar("DELETE FROM shares WHERE id = $1 AND user_id = $2 RETURNING conversation_id")
            .bind(id.0)
            .bind(user.as_str())
            .fetch_one(&mut **tx)
            .await?;
    Ok(ConversationId(conversation))
}

/// Withdraws all links of a conversation of the user's.
pub(super) async fn remove_of(tx: &mut Tx, conversation: ConversationId) -> Result<(), StoreError> {
    let user = tx.user()?;
    sqlx::query("DELETE FROM shares WHERE conversation_id = $1 AND user_id = $2")
        .bind(conversation.0)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Makes a conversation of the user's own of what others show, to go on from, in a project that was opened and in which they may
/// write, if any; gives its id.
///
/// # Errors
/// [`StoreError::NotAWriter`] when they may not, or no longer; when the database is unavailable.
pub async fn copy(
    tx: &mut Tx,
    title: &str,
    messages: &[SharedMessage],
    project: Option<ProjectId>,
) -> Result<ConversationId, StoreError> {
    let user = tx.user()?;
    let conversation = ConversationId::generate();
    sqlx::query(
        "INSERT INTO conversations (id, user_id, title, title_is_default, branch_position, project_id)
         VALUES ($1, $2, $3, false, $4, $5)",
    )
    .bind(conversation.0)
    .bind(user.as_str())
    .bind(title)
    .bind(i32::try_from(messages.len()).unwrap_or(i32::MAX) - 1)
    .bind(project.map(|id| id.0))
    .execute(&mut **tx)
    .await?;
    let copies: Vec<SharedMessage> = messages
        .iter()
        .map(|message| SharedMessage { id: MessageId::generate(), ..message.clone() })
        .collect();
    // In a row: each goes on from the one before it.
    sqlx::query(
        "INSERT INTO messages (id, conversation_id, user_id, position, parent_position, role, content, body,
                               corrections)
         SELECT m.id, $1, $2, place - 1, place - 2, m.role, m.content, nullif(m.body, 'null'),
                m.body #> '{metadata,corrections}'
         FROM jsonb_array_elements($3) WITH ORDINALITY AS copied (message, place),
              jsonb_to_record(message) AS m (id uuid, role text, content text, body jsonb)",
    )
    .bind(conversation.0)
    .bind(user.as_str())
    .bind(Json(copies))
    .execute(&mut **tx)
    .await?;
    Ok(conversation)
}

/// Removes at most `limit` of those whose link works no longer, and returns how many that were. Data under a hold
/// stays. Needs the engine's scope.
pub(super) async fn remove_expired(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    tx.require_engine()?;
    let done = sqlx::query(
        "DELETE FROM shares WHERE id IN (
             SELECT id FROM shares s
             WHERE s.expires_at <= now() AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = s.user_id)
             LIMIT $1 FOR UPDATE OF s SKIP LOCKED)",
    )
    .bind(i64::from(limit))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}
