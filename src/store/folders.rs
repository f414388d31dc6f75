//! Folders: groups of one person's own conversations, in that person's list alone.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::id::{ConversationId, FolderId};

use super::{StoreError, Tx, refuse_nul, settings, time};

/// A folder of the transaction's user.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    pub id: FolderId,
    pub name: String,
    /// How many conversations are in it, without those that are archived or deleted.
    pub conversation_count: i64,
    pub created_at: Timestamp,
}

macro_rules! columns {
    () => {
        "f.id, f.name, f.created_at,
         (SELECT count(*) FROM conversations c
          WHERE c.folder_id = f.id AND c.user_id = f.user_id AND c.deleted_at IS NULL AND NOT c.archived) AS conversation_count"
    };
}

fn folder(row: &PgRow) -> Result<Folder, sqlx::Error> {
    Ok(Folder {
        id: FolderId(row.try_get("id")?),
        name: row.try_get("name")?,
        conversation_count: row.try_get("conversation_count")?,
        created_at: time(row, "created_at")?,
    })
}

/// A page of the user's folders, by name, of which no two have the same; and how many there are in all.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Folder>, u64), StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM folders f WHERE f.user_id = $1 ORDER BY f.name_key LIMIT $2 OFFSET $3"
    ))
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM folders WHERE user_id = $1")
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok((rows.iter().map(folder).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// One of the user's folders.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it is another user's.
pub async fn find(tx: &mut Tx, id: FolderId) -> Result<Folder, StoreError> {
    let user = tx.user()?;
    let row =
        sqlx::query(concat!("SELECT ", columns!(), " FROM folders f WHERE f.id = $1 AND f.user_id = $2"))
            .bind(id.0)
            .bind(user.as_str())
            .fetch_one(&mut **tx)
            .await?;
    Ok(folder(&row)?)
}

/// Makes an empty folder; `None` when the user has `most` already.
///
/// # Errors
/// [`StoreError::AlreadyExists`] when another folder of the user's has this name, whatever its case.
pub async fn create(tx: &mut Tx, name: &str, most: i64) -> Result<Option<FolderId>, StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", name)?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("folders of {user}")).await?;
    let id = FolderId::generate();
    let done = sqlx::query(
        "INSERT INTO folders (id, user_id, name, name_key)
         SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM folders WHERE user_id = $2) < $5",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(name)
    .bind(name.to_lowercase())
    .bind(most)
    .execute(&mut **tx)
    .await?;
    Ok((done.rows_affected() == 1).then_some(id))
}

/// Gives a folder another name.
///
/// # Errors
/// [`StoreError::NotFound`] as in [`find`]; [`StoreError::AlreadyExists`] as in [`create`].
pub async fn rename(tx: &mut Tx, id: FolderId, name: &str) -> Result<(), StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", name)?;
    let done = sqlx::query("UPDATE folders SET name = $3, name_key = $4 WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .bind(name)
        .bind(name.to_lowercase())
        .execute(&mut **tx)
        .await?;
    one_row(done.rows_affected())
}

/// Deletes a folder. What was in it stays, in no folder.
///
/// # Errors
/// [`StoreError::NotFound`] as in [`find`].
pub async fn delete(tx: &mut Tx, id: FolderId) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query("DELETE FROM folders WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    one_row(done.rows_affected())
}

/// Puts a conversation of the user's into a folder of theirs, or takes it out of the one that it is in. That does not
/// count as activity in the conversation.
///
/// # Errors
/// [`StoreError::NotFound`] when there is no such conversation that is not deleted, or it is another user's.
pub async fn put(
    tx: &mut Tx,
    conversation: ConversationId,
    folder: Option<FolderId>,
) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE conversations SET folder_id = $3 WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(conversation.0)
    .bind(user.as_str())
    .bind(folder.map(|id| id.0))
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())
}

/// Whether this is a folder of the user's, which then stays until the transaction's end.
///
/// # Errors
/// When the database is unavailable.
pub async fn hold(tx: &mut Tx, id: FolderId) -> Result<bool, StoreError> {
    let user = tx.user()?;
    let found = sqlx::query("SELECT id FROM folders WHERE id = $1 AND user_id = $2 FOR KEY SHARE")
        .bind(id.0)
        .bind(user.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.is_some())
}

fn one_row(affected: u64) -> Result<(), StoreError> {
    if affected == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
