//! What the owner of a conversation can change besides its messages.

use uuid::Uuid;

use super::one_row;
use crate::id::{ConversationId, ProjectId};
use crate::store::notify::{self, Notice};
use crate::store::{Db, Scope, StoreError, Tx, refuse_nul};

/// Gives it a name of the user's choice.
pub async fn rename(tx: &mut Tx, id: ConversationId, title: &str) -> Result<(), StoreError> {
    let user = tx.user()?;
    refuse_nul("the title", title)?;
    let done = sqlx::query(
        "UPDATE conversations SET title = $3, title_is_default = false, updated_at = now()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(title)
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())?;
    // A run that is under way will not give it another.
    notify::send(tx, &Notice::Named(id)).await
}

/// The title that a person has given a conversation, if one has. For its run, whoever in its project has asked.
pub async fn own_title(db: &Db, id: ConversationId) -> Result<Option<String>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let named = "SELECT title FROM conversations WHERE id = $1 AND NOT title_is_default";
    Ok(sqlx::query_scalar(named).bind(id.0).fetch_optional(&mut *tx).await?)
}

/// Archives it, which also unpins it, or takes it back.
pub async fn set_archived(tx: &mut Tx, id: ConversationId, archived: bool) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE conversations SET archived = $3, pinned = pinned AND NOT $3, updated_at = now()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(archived)
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())
}

/// Pins or unpins it. That does not count as activity in it.
pub async fn set_pinned(tx: &mut Tx, id: ConversationId, pinned: bool) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE conversations SET pinned = $3
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(pinned)
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())
}

/// Puts it into a project that was opened and in which the user may write, or takes it out of the one that it is in.
/// That does not count as activity in it. Returns the project that it was in.
pub async fn set_project(
    tx: &mut Tx,
    id: ConversationId,
    project: Option<ProjectId>,
) -> Result<Option<ProjectId>, StoreError> {
    let user = tx.user()?;
    let before: Option<Option<Uuid>> = sqlx::query_scalar(
        "WITH before AS MATERIALIZED (
             SELECT id, project_id FROM conversations WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL
             FOR NO KEY UPDATE
         )
         UPDATE conversations c SET project_id = $3 FROM before WHERE c.id = before.id AND c.user_id = $2
         RETURNING before.project_id",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(project.map(|id| id.0))
    .fetch_optional(&mut **tx)
    .await?;
    Ok(before.ok_or(StoreError::NotFound)?.map(ProjectId))
}

/// Replaces its tags. Their form (lower case, length, number) is the server's to check.
pub async fn set_tags(tx: &mut Tx, id: ConversationId, tags: &[String]) -> Result<(), StoreError> {
    let user = tx.user()?;
    for tag in tags {
        refuse_nul("a tag", tag)?;
    }
    let done = sqlx::query(
        "UPDATE conversations SET tags = $3, updated_at = now()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(tags)
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())
}
