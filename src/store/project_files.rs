//! Files of projects: read with every question in a project, like its instructions. Each is in a project once, under
//! the hash of its content, without the name of whoever added it, and is deleted with the project. Row level security
//! lets everybody read them who has a role in the project, and lets its owners change them in the project that the
//! transaction has opened.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use crate::id::ProjectId;

use super::objects::{Content, Location};
use super::{StoreError, Tx, refuse_nul, settings, time};

/// A file without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFile {
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
    pub created_at: Timestamp,
}

/// A file that is uploaded.
#[derive(Debug)]
pub struct NewProjectFile<'a> {
    pub id: &'a str,
    pub filename: &'a str,
    pub file_type: &'a str,
    pub mime_type: &'a str,
    pub location: Location<'a>,
    pub text: &'a str,
    pub text_is_cut: bool,
}

/// How much there may be in one project.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub files: usize,
    pub bytes: u64,
}

/// What became of a file that was uploaded.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// It is in the project, now or since it was uploaded before.
    Kept(ProjectFile),
    Full(Full),
    /// The upload of its object took too long.
    TooLate,
}

/// Why there is no room for one more file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// There are as many as there can be.
    TooMany,
    /// The others take up so many bytes.
    NoRoom { used: u64 },
}

/// A file of a project that a question was read with, as it was then.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReadFile {
    pub filename: String,
    pub file_type: String,
    /// In bytes.
    pub size: i64,
    pub characters: i64,
    /// How much of its text the members were given.
    pub characters_read: i64,
}

macro_rules! columns {
    () => {
        "f.id, f.filename, f.file_type, f.mime_type, f.size, f.characters, f.text_is_cut, f.created_at"
    };
}

fn file(row: &PgRow) -> Result<ProjectFile, sqlx::Error> {
    Ok(ProjectFile {
        id: row.try_get("id")?,
        filename: row.try_get("filename")?,
        file_type: row.try_get("file_type")?,
        mime_type: row.try_get("mime_type")?,
        size: row.try_get("size")?,
        characters: row.try_get("characters")?,
        text_is_cut: row.try_get("text_is_cut")?,
        created_at: time(row, "created_at")?,
    })
}

/// Puts a file into the project that was opened, if there is room. One that is there already is called by its new name.
///
/// # Errors
/// [`StoreError::NotFound`] when the user does not own it.
pub async fn save(
    tx: &mut Tx,
    project: ProjectId,
    new: &NewProjectFile<'_>,
    room: Room,
) -> Result<Saved, StoreError> {
    refuse_nul("the name", new.filename)?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("files of {project}")).await?;
    if let Some(known) = upload_again(tx, project, new.id, new.filename).await? {
        return Ok(Saved::Kept(known));
    }
    if let Some(full) = is_full(tx, project, new.location.size(), room).await? {
        return Ok(Saved::Full(full));
    }
    if !new.location.is_still_there(tx).await? {
        return Ok(Saved::TooLate);
    }
    let (content, object_key) = new.location.parts();
    let row = sqlx::query(concat!(
        "INSERT INTO project_files AS f (project_id, id, filename, file_type, mime_type, size, content, text, characters,
                                         text_is_cut, object_key)
         SELECT $1, $2, $3, $4, $5, $9, $6, $7, char_length($7), $8, $10
         WHERE project_role($1) = 'owner'
         RETURNING ",
        columns!()
    ))
    .bind(project.0)
    .bind(new.id)
    .bind(new.filename)
    .bind(new.file_type)
    .bind(new.mime_type)
    .bind(content)
    .bind(new.text)
    .bind(new.text_is_cut)
    .bind(new.location.size().cast_signed())
    .bind(object_key)
    .fetch_one(&mut **tx)
    .await?;
    Ok(Saved::Kept(file(&row)?))
}

/// Why one more file of so many bytes has no room in the project that was opened, where it has none.
///
/// # Errors
/// When the database is unavailable.
pub async fn is_full(
    tx: &mut Tx,
    project: ProjectId,
    size: u64,
    room: Room,
) -> Result<Option<Full>, StoreError> {
    let there = sqlx::query(
        "SELECT count(*) AS count, coalesce(sum(size), 0)::bigint AS used FROM project_files WHERE project_id = $1",
    )
    .bind(project.0)
    .fetch_one(&mut **tx)
    .await?;
    let count: i64 = there.try_get("count")?;
    if count.unsigned_abs() >= room.files as u64 {
        return Ok(Some(Full::TooMany));
    }
    let used = there.try_get::<i64, _>("used")?.unsigned_abs();
    Ok((used.saturating_add(size) > room.bytes).then_some(Full::NoRoom { used }))
}

/// Whether the project that was opened has a file of this content already, which is then called by this name; so nothing has to be
/// read again. For its owners.
///
/// # Errors
/// When the database is unavailable.
pub async fn upload_again(
    tx: &mut Tx,
    project: ProjectId,
    id: &str,
    filename: &str,
) -> Result<Option<ProjectFile>, StoreError> {
    let row = sqlx::query(concat!(
        "UPDATE project_files f SET filename = $3
         WHERE f.project_id = $1 AND f.id = $2 AND project_role($1) = 'owner'
         RETURNING ",
        columns!()
    ))
    .bind(project.0)
    .bind(id)
    .bind(filename)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.as_ref().map(file).transpose()?)
}

/// The files of the project that was opened, by name.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx, project: ProjectId) -> Result<Vec<ProjectFile>, StoreError> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM project_files f WHERE f.project_id = $1 AND (SELECT project_role($1)) IS NOT NULL
         ORDER BY lower(f.filename), f.filename, f.id"
    ))
    .bind(project.0)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(file).collect::<Result<_, _>>()?)
}

/// The project's files by name, each with the beginning of its text: at most so many characters.
///
/// # Errors
/// When the database is unavailable.
pub async fn beginnings(
    tx: &mut Tx,
    project: ProjectId,
    characters: i32,
) -> Result<Vec<(ProjectFile, String)>, StoreError> {
    let rows = sqlx::query(concat!(
        "SELECT left(f.text, $2) AS beginning, ",
        columns!(),
        " FROM project_files f WHERE f.project_id = $1 AND (SELECT project_role($1)) IS NOT NULL
         ORDER BY lower(f.filename), f.filename, f.id"
    ))
    .bind(project.0)
    .bind(characters)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows
        .iter()
        .map(|row| Ok::<_, sqlx::Error>((file(row)?, row.try_get("beginning")?)))
        .collect::<Result<_, _>>()?)
}

/// A file of the project that was opened, with its bytes or where they are.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not in it.
pub async fn content(
    tx: &mut Tx,
    project: ProjectId,
    id: &str,
) -> Result<(ProjectFile, Content), StoreError> {
    let row = sqlx::query(concat!(
        "SELECT f.content, f.object_key, ",
        columns!(),
        " FROM project_files f WHERE f.project_id = $1 AND f.id = $2 AND project_role($1) IS NOT NULL"
    ))
    .bind(project.0)
    .bind(id)
    .fetch_one(&mut **tx)
    .await?;
    Ok((file(&row)?, Content::of_row(&row)?))
}

/// Takes a file out of the project that was opened.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not in it, or the user does not own it.
pub async fn remove(tx: &mut Tx, project: ProjectId, id: &str) -> Result<(), StoreError> {
    let done = sqlx::query(
        "DELETE FROM project_files WHERE project_id = $1 AND id = $2 AND project_role($1) = 'owner'",
    )
    .bind(project.0)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}

/// Reads from a message's row which of them it was read with.
pub(super) fn of_row(row: &PgRow) -> Result<Vec<ReadFile>, sqlx::Error> {
    let read: Option<Json<Vec<ReadFile>>> = row.try_get("project_files")?;
    Ok(read.map(|read| read.0).unwrap_or_default())
}
