//! Reading the conversations in a project, whoever has written them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::enter;
use crate::id::{ConversationId, ProjectId, RunId, UserId};
use crate::store::conversations::{self, Message, Node, Tree};
use crate::store::{RunStatus, StoreError, Tx, time};

/// A conversation in a project, without its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub id: ConversationId,
    pub author: UserId,
    pub title: String,
    /// Whether nobody, person or model, has named it yet.
    pub title_is_default: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Questions and answers, counted each, on all branches.
    pub message_count: i64,
}

macro_rules! columns {
    () => {
        "c.id, c.user_id, c.title, c.title_is_default, c.created_at, c.updated_at,
         (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS message_count"
    };
}

fn listed(row: &PgRow) -> Result<Listed, sqlx::Error> {
    Ok(Listed {
        id: ConversationId(row.try_get("id")?),
        author: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        title: row.try_get("title")?,
        title_is_default: row.try_get("title_is_default")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        message_count: row.try_get("message_count")?,
    })
}

/// What is in the project that was opened, what changed last first, and how much that is in all.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(
    tx: &mut Tx,
    id: ProjectId,
    limit: u32,
    offset: u32,
) -> Result<(Vec<Listed>, u64), StoreError> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM conversations c
         WHERE c.project_id = $1 AND c.deleted_at IS NULL AND (SELECT project_role($1)) IS NOT NULL
         ORDER BY c.updated_at DESC, c.id LIMIT $2 OFFSET $3"
    ))
    .bind(id.0)
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM conversations
         WHERE project_id = $1 AND deleted_at IS NULL AND (SELECT project_role($1)) IS NOT NULL",
    )
    .bind(id.0)
    .fetch_one(&mut **tx)
    .await?;
    Ok((rows.iter().map(listed).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// A conversation in the project that was opened, and how its messages hang together.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not in it, or deleted.
pub async fn read(
    tx: &mut Tx,
    id: ProjectId,
    conversation: ConversationId,
) -> Result<(Listed, Tree), StoreError> {
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM conversations c
         WHERE c.id = $1 AND c.project_id = $2 AND c.deleted_at IS NULL AND (SELECT project_role($2)) IS NOT NULL"
    ))
    .bind(conversation.0)
    .bind(id.0)
    .fetch_one(&mut **tx)
    .await?;
    let head = listed(&row)?;
    let tree = conversations::tree_by(tx, conversation, &head.author).await?;
    Ok((head, tree))
}

/// The messages at these places of a project's conversation, in the order of writing. Of their runs only the status is
/// known.
///
/// # Errors
/// When the database is unavailable.
pub async fn messages(tx: &mut Tx, of: &Listed, nodes: &[Node]) -> Result<Vec<Message>, StoreError> {
    // Before the messages: an answer that ends in between is still being written here, and not over without a text.
    let rows = sqlx::query("SELECT id, status, error FROM runs_in_project($1)")
        .bind(of.id.0)
        .fetch_all(&mut **tx)
        .await?;
    let state = |row: &PgRow| -> Result<(RunId, (String, Option<Value>)), sqlx::Error> {
        Ok((RunId(row.try_get::<Uuid, _>("id")?), (row.try_get("status")?, row.try_get("error")?)))
    };
    let states: BTreeMap<_, _> = rows.iter().map(state).collect::<Result<_, _>>()?;
    let mut messages = conversations::messages_by(tx, of.id, &of.author, nodes, 0).await?;
    for message in &mut messages {
        let Some(run) = message.run_id else { continue };
        // One that is not known has begun in between.
        let begun = || (RunStatus::Running.as_str().to_owned(), None);
        let (status, error) = states.get(&run).cloned().unwrap_or_else(begun);
        (message.run_status, message.run_error) = (Some(status), error);
    }
    Ok(messages)
}

/// The project that a conversation is in, whoever has written it, where the user has a role in that project; `groups` as in
/// [`open`](super::open).
///
/// # Errors
/// [`StoreError::NotFound`] where it is in none of theirs.
pub async fn project_of(
    tx: &mut Tx,
    conversation: ConversationId,
    groups: Option<&[String]>,
) -> Result<ProjectId, StoreError> {
    enter(tx, None, groups).await?;
    let project: Option<Uuid> =
        sqlx::query_scalar("SELECT project_of($1)").bind(conversation.0).fetch_one(&mut **tx).await?;
    project.map(ProjectId).ok_or(StoreError::NotFound)
}

/// Takes another user's conversation out of the project that was opened, for its owners; returns whether it was in it.
///
/// # Errors
/// When the database is unavailable.
pub async fn take_out(tx: &mut Tx, conversation: ConversationId) -> Result<bool, StoreError> {
    let out: Option<Uuid> = sqlx::query_scalar("SELECT * FROM take_out_of_project($1)")
        .bind(conversation.0)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(out.is_some())
}
