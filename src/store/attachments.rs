//! Files that come with questions: each once per user, under the hash of its content. They go with the last message that
//! came with them.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use crate::id::MessageId;

use super::objects::{Content, Location};
use super::{StoreError, Tx, refuse_nul, settings, time};

/// A file without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// The hash of its content.
    pub id: String,
    pub filename: String,
    pub file_type: String,
    pub mime_type: String,
    /// In bytes.
    pub size: i64,
    /// How long its text is, as far as it is kept.
    pub characters: i64,
    /// Whether there is more in it than is kept of its text.
    pub text_is_cut: bool,
    /// Why it cannot be read, in a word.
    pub problem: Option<String>,
    /// Of a picture, in pixels.
    pub pixels: Option<Pixels>,
    /// Whether a question came with it.
    pub is_used: bool,
    pub created_at: Timestamp,
}

/// The width and the height of a picture.
pub type Pixels = (i32, i32);

/// What is known of what is in a file.
#[derive(Debug, Clone, Copy)]
pub enum Contents<'a> {
    /// What it says, and whether there is more.
    Text { text: &'a str, is_cut: bool },
    /// Why that is not known, in a word.
    Unread(&'a str),
    /// It is a picture.
    Picture(Pixels),
}

/// A file that is uploaded.
#[derive(Debug)]
pub struct NewAttachment<'a> {
    pub id: &'a str,
    pub filename: &'a str,
    pub file_type: &'a str,
    pub mime_type: &'a str,
    pub location: Location<'a>,
    pub contents: Contents<'a>,
}

/// What became of a file that was uploaded.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// It is kept, now or since it was uploaded before.
    Kept(Attachment),
    /// There is no room for it next to the user's other files, which take up this many bytes.
    NoRoom { used: u64 },
    /// The upload of its object took too long.
    TooLate,
}

/// The outcome of deleting a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    Yes,
    /// A question came with it.
    InUse,
    /// There is a hold on its owner's data.
    Held,
}

/// A file of a question, as it was when that was asked.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Attached {
    pub id: String,
    pub filename: String,
    pub file_type: String,
    pub mime_type: String,
    pub size: i64,
    pub characters: i64,
    /// How much of its text the members were given.
    pub characters_read: i64,
    /// Of a picture, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<i32>,
}

macro_rules! columns {
    () => {
        "a.id, a.filename, a.file_type, a.mime_type, a.size, a.characters, a.text_is_cut, a.problem,
         a.width, a.height, a.created_at,
         EXISTS (SELECT FROM message_attachments m WHERE m.user_id = a.user_id AND m.attachment_id = a.id) AS is_used"
    };
}

fn attachment(row: &PgRow) -> Result<Attachment, sqlx::Error> {
    Ok(Attachment {
        id: row.try_get("id")?,
        filename: row.try_get("filename")?,
        file_type: row.try_get("file_type")?,
        mime_type: row.try_get("mime_type")?,
        size: row.try_get("size")?,
        characters: row.try_get("characters")?,
        text_is_cut: row.try_get("text_is_cut")?,
        problem: row.try_get("problem")?,
        pixels: row.try_get::<Option<i32>, _>("width")?.zip(row.try_get("height")?),
        is_used: row.try_get("is_used")?,
        created_at: time(row, "created_at")?,
    })
}

/// Keeps a file, if it and the user's others take up no more than `most` bytes. One that is there already is called by its
/// new name; one that could not be read before is replaced by what was read now.
///
/// # Errors
/// When the database is unavailable: nothing is kept then.
pub async fn save(tx: &mut Tx, new: &NewAttachment<'_>, most: u64) -> Result<Saved, StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", new.filename)?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("attachments/{user}")).await?;
    if let Some(known) = known(tx, (new.id, new.filename)).await? {
        return Ok(Saved::Kept(known));
    }
    // No question comes with such a file.
    sqlx::query("DELETE FROM attachments WHERE user_id = $1 AND id = $2 AND problem IS NOT NULL")
        .bind(user.as_str())
        .bind(new.id)
        .execute(&mut **tx)
        .await?;
    if let Some(used) = used_up(tx, (new.id, new.location.size()), most).await? {
        return Ok(Saved::NoRoom { used });
    }
    if !new.location.is_still_there(tx).await? {
        return Ok(Saved::TooLate);
    }
    let (text, is_cut, problem, pixels) = match new.contents {
        Contents::Text { text, is_cut } => (Some(text), is_cut, None, None),
        Contents::Unread(problem) => (None, false, Some(problem), None),
        Contents::Picture(pixels) => (None, false, None, Some(pixels)),
    };
    let (content, object_key) = new.location.parts();
    let row = sqlx::query(concat!(
        "INSERT INTO attachments AS a (user_id, id, filename, file_type, mime_type, size, content, text, characters,
                                       text_is_cut, problem, width, height, object_key)
         VALUES ($1, $2, $3, $4, $5, $12, $6, $7, coalesce(char_length($7), 0), $8, $9, $10, $11, $13)
         RETURNING ",
        columns!()
    ))
    .bind(user.as_str())
    .bind(new.id)
    .bind(new.filename)
    .bind(new.file_type)
    .bind(new.mime_type)
    .bind(content)
    .bind(text)
    .bind(is_cut)
    .bind(problem)
    .bind(pixels.map(|(width, _)| width))
    .bind(pixels.map(|(_, height)| height))
    .bind(new.location.size().cast_signed())
    .bind(object_key)
    .fetch_one(&mut **tx)
    .await?;
    Ok(Saved::Kept(attachment(&row)?))
}

/// How much the user's other files take up, if this one of this size would exceed `most` with them.
///
/// # Errors
/// When the database is unavailable.
pub async fn used_up(tx: &mut Tx, (id, size): (&str, u64), most: u64) -> Result<Option<u64>, StoreError> {
    let user = tx.user()?;
    let used: i64 = sqlx::query_scalar(
        "SELECT coalesce(sum(size), 0)::bigint FROM attachments WHERE user_id = $1 AND id <> $2",
    )
    .bind(user.as_str())
    .bind(id)
    .fetch_one(&mut **tx)
    .await?;
    let used = used.unsigned_abs();
    Ok((used.saturating_add(size) > most).then_some(used))
}

/// The user's earlier upload of the same file, with its name replaced and its upload time renewed. A file that could
/// not be read then, as when the server had no time for it, is not returned.
async fn known(tx: &mut Tx, (id, filename): (&str, &str)) -> Result<Option<Attachment>, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "UPDATE attachments a SET filename = $3, uploaded_at = now()
         WHERE a.user_id = $1 AND a.id = $2 AND a.problem IS NULL
         RETURNING ",
        columns!()
    ))
    .bind(user.as_str())
    .bind(id)
    .bind(filename)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.as_ref().map(attachment).transpose()?)
}

/// Whether the user has a file of this content already that could be read, which is then called by this name; so nothing has to
/// be read again.
///
/// # Errors
/// When the database is unavailable.
pub async fn upload_again(tx: &mut Tx, id: &str, filename: &str) -> Result<Option<Attachment>, StoreError> {
    known(tx, (id, filename)).await
}

/// A page of the user's files, the latest first, and how many there are.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<Attachment>, u64), StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM attachments a WHERE a.user_id = $1 ORDER BY a.uploaded_at DESC, a.id LIMIT $2 OFFSET $3"
    ))
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM attachments WHERE user_id = $1")
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok((rows.iter().map(attachment).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// The user's files in the order of their ids, after that of this id, at most `limit`: whatever is uploaded or deleted between two
/// pages, none of the others is left out.
///
/// # Errors
/// When the database is unavailable.
pub async fn after(tx: &mut Tx, last: &str, limit: u32) -> Result<Vec<Attachment>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM attachments a WHERE a.user_id = $1 AND a.id > $2 ORDER BY a.id LIMIT $3"
    ))
    .bind(user.as_str())
    .bind(last)
    .bind(i64::from(limit))
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(attachment).collect::<Result<_, _>>()?)
}

/// One of the user's files.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn find(tx: &mut Tx, id: &str) -> Result<Attachment, StoreError> {
    let user = tx.user()?;
    let row =
        sqlx::query(concat!("SELECT ", columns!(), " FROM attachments a WHERE a.user_id = $1 AND a.id = $2"))
            .bind(user.as_str())
            .bind(id)
            .fetch_one(&mut **tx)
            .await?;
    Ok(attachment(&row)?)
}

/// The bytes of one of the user's files, or where they are.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn content(tx: &mut Tx, id: &str) -> Result<Content, StoreError> {
    let user = tx.user()?;
    let row =
        sqlx::query("SELECT id, size, content, object_key FROM attachments WHERE user_id = $1 AND id = $2")
            .bind(user.as_str())
            .bind(id)
            .fetch_one(&mut **tx)
            .await?;
    Ok(Content::of_row(&row)?)
}

/// Which of these files are the user's, each with the beginning of its text: at most so many characters.
///
/// # Errors
/// When the database is unavailable.
pub async fn beginnings(
    tx: &mut Tx,
    ids: &[String],
    characters: i32,
) -> Result<Vec<(Attachment, Option<String>)>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT left(a.text, $3) AS beginning, ",
        columns!(),
        " FROM attachments a WHERE a.user_id = $1 AND a.id = ANY ($2)"
    ))
    .bind(user.as_str())
    .bind(ids)
    .bind(characters)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows
        .iter()
        .map(|row| Ok::<_, sqlx::Error>((attachment(row)?, row.try_get("beginning")?)))
        .collect::<Result<_, _>>()?)
}

/// Deletes a file that no question came with.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn delete(tx: &mut Tx, id: &str) -> Result<Removed, StoreError> {
    let user = tx.user()?;
    // A question that comes with it now has locked it, or finds it gone.
    let row = sqlx::query(
        "SELECT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = a.user_id) AS held
         FROM attachments a WHERE a.user_id = $1 AND a.id = $2 FOR UPDATE OF a",
    )
    .bind(user.as_str())
    .bind(id)
    .fetch_one(&mut **tx)
    .await?;
    if row.try_get("held")? {
        return Ok(Removed::Held);
    }
    let done = sqlx::query(
        "DELETE FROM attachments a WHERE a.user_id = $1 AND a.id = $2
           AND NOT EXISTS (SELECT FROM message_attachments m WHERE m.user_id = a.user_id AND m.attachment_id = a.id)",
    )
    .bind(user.as_str())
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(if done.rows_affected() == 1 { Removed::Yes } else { Removed::InUse })
}

/// Notes which files a question comes with; false where one of them is gone.
pub(super) async fn attach(
    tx: &mut Tx,
    user: &str,
    message: MessageId,
    files: &[Attached],
) -> Result<bool, StoreError> {
    let ids: Vec<&str> = files.iter().map(|file| file.id.as_str()).collect();
    // Locks them against deletion until this transaction ends.
    let there: Vec<String> = sqlx::query_scalar(
        "SELECT id FROM attachments WHERE user_id = $1 AND id = ANY ($2) ORDER BY id FOR KEY SHARE",
    )
    .bind(user)
    .bind(&ids)
    .fetch_all(&mut **tx)
    .await?;
    if there.len() < files.len() {
        return Ok(false);
    }
    for (place, file) in (0_i32..).zip(files) {
        sqlx::query(
            "INSERT INTO message_attachments (message_id, place, user_id, attachment_id, filename, file_type, mime_type,
                                              size, characters, characters_read, width, height)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        )
        .bind(message.0)
        .bind(place)
        .bind(user)
        .bind(&file.id)
        .bind(&file.filename)
        .bind(&file.file_type)
        .bind(&file.mime_type)
        .bind(file.size)
        .bind(file.characters)
        .bind(file.characters_read)
        .bind(file.width)
        .bind(file.height)
        .execute(&mut **tx)
        .await?;
    }
    Ok(true)
}

/// The files of a message, as a column of a query over messages `m`.
macro_rules! of_message {
    () => {
        "(SELECT coalesce(jsonb_agg(jsonb_build_object(
                     'id', f.attachment_id, 'filename', f.filename, 'file_type', f.file_type, 'mime_type', f.mime_type,
                     'size', f.size, 'characters', f.characters, 'characters_read', f.characters_read,
                     'width', f.width, 'height', f.height)
                     ORDER BY f.place), '[]')
          FROM message_attachments f WHERE f.message_id = m.id AND f.user_id = m.user_id) AS attachments"
    };
}
pub(super) use of_message;

/// Reads that column from a row.
pub(super) fn of_row(row: &PgRow) -> Result<Vec<Attached>, sqlx::Error> {
    Ok(row.try_get::<Json<Vec<Attached>>, _>("attachments")?.0)
}

/// Deletes files that were uploaded more than a day ago and that no question came with, or none that is still there; at most
/// `limit`. Returns how many there were. Needs the engine's scope.
///
/// # Errors
/// When the database is unavailable: the next round deletes them then.
pub async fn remove_unused(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    tx.require_engine()?;
    let done = sqlx::query(
        "WITH due AS (
             SELECT a.user_id, a.id FROM attachments a
             WHERE a.uploaded_at < now() - interval '1 day'
               AND NOT EXISTS (SELECT FROM message_attachments m
                               WHERE m.user_id = a.user_id AND m.attachment_id = a.id)
               AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = a.user_id)
             ORDER BY a.uploaded_at LIMIT $1 FOR UPDATE OF a SKIP LOCKED
         )
         DELETE FROM attachments a USING due WHERE a.user_id = due.user_id AND a.id = due.id",
    )
    .bind(i64::from(limit))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}

/// Files that are to go with the messages that came with them, unless others did, too.
pub(super) struct DetachedFiles(Vec<(String, String)>);

impl DetachedFiles {
    /// The files of the messages of these conversations.
    pub(super) async fn of(tx: &mut Tx, conversations: &[uuid::Uuid]) -> Result<Self, StoreError> {
        let files = sqlx::query_as(
            "SELECT DISTINCT f.user_id, f.attachment_id
             FROM message_attachments f JOIN messages m ON m.id = f.message_id
             WHERE m.conversation_id = ANY ($1) ORDER BY 1, 2",
        )
        .bind(conversations)
        .fetch_all(&mut **tx)
        .await?;
        Ok(Self(files))
    }

    /// Deletes them, once the messages are gone. A file that a question is using at this moment is kept.
    pub(super) async fn leave(self, tx: &mut Tx) -> Result<(), StoreError> {
        let (users, ids): (Vec<String>, Vec<String>) = self.0.into_iter().unzip();
        if ids.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "WITH due AS (
                 SELECT a.user_id, a.id FROM attachments a
                 JOIN unnest($1::text[], $2::text[]) AS f (user_id, id) ON f.user_id = a.user_id AND f.id = a.id
                 WHERE NOT EXISTS (SELECT FROM message_attachments m
                                   WHERE m.user_id = a.user_id AND m.attachment_id = a.id)
                 FOR UPDATE OF a SKIP LOCKED
             )
             DELETE FROM attachments a USING due WHERE a.user_id = due.user_id AND a.id = due.id",
        )
        .bind(&users)
        .bind(&ids)
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}
