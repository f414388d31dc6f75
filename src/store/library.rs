//! The library: prompts and rubrics with their versions. An entry is its owner's; others read it as long as it is shared, and of its
//! versions those that were shared when they were written. Row level security enforces the same.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::id::{LibraryEntryId, UserId};

use super::{StoreError, Tx, refuse_nul, settings, time};

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A question's text, with places to fill.
    Prompt,
    /// Criteria for reviewers.
    Rubric,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Rubric => "rubric",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Prompt, Self::Rubric].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// An entry in its newest version.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub id: LibraryEntryId,
    pub owner: UserId,
    pub kind: Kind,
    pub version: i32,
    pub is_shared: bool,
    pub name: String,
    /// In a list only its beginning.
    pub text: String,
    pub created_at: Timestamp,
    /// When that version was written.
    pub updated_at: Timestamp,
}

/// One version without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionHead {
    pub version: i32,
    pub name: String,
    /// Whether the entry was shared with it.
    pub is_shared: bool,
    pub created_at: Timestamp,
}

/// One version.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    pub head: VersionHead,
    pub text: String,
}

/// The content of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content<'c> {
    pub name: &'c str,
    pub text: &'c str,
    pub is_shared: bool,
}

/// Which entries are listed.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'w> {
    pub kind: Option<Kind>,
    /// What their names contain, in any case.
    pub name: Option<&'w str>,
    pub limit: u32,
    pub offset: u32,
}

macro_rules! columns {
    () => {
        "e.id, e.user_id, e.kind, e.version, e.is_shared, v.name, e.created_at, e.updated_at"
    };
}

macro_rules! newest {
    () => {
        " FROM library_entries e JOIN library_versions v ON v.entry_id = e.id AND v.version = e.version
         WHERE (e.user_id = $1 OR e.is_shared)"
    };
}

fn entry(row: &PgRow) -> Result<Entry, sqlx::Error> {
    let kind = Kind::parse(row.try_get("kind")?);
    Ok(Entry {
        id: LibraryEntryId(row.try_get("id")?),
        owner: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        kind: kind.ok_or_else(|| sqlx::Error::Decode("no kind of entry has this name".into()))?,
        version: row.try_get("version")?,
        is_shared: row.try_get("is_shared")?,
        name: row.try_get("name")?,
        text: row.try_get("text")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
    })
}

fn version_head(row: &PgRow) -> Result<VersionHead, sqlx::Error> {
    Ok(VersionHead {
        version: row.try_get("version")?,
        name: row.try_get("name")?,
        is_shared: row.try_get("is_shared")?,
        created_at: time(row, "created_at")?,
    })
}

/// The user's entries and the shared ones, by name, and how many those are in all.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx, filter: Filter<'_>) -> Result<(Vec<Entry>, u64), StoreError> {
    let user = tx.user()?;
    let name = filter.name.unwrap_or_default();
    refuse_nul("the name", name)?;
    let kind = filter.kind.map(Kind::as_str);
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        ", left(v.text, 300) AS text",
        newest!(),
        " AND ($2::text IS NULL OR e.kind = $2) AND position(lower($3) IN lower(v.name)) > 0
         ORDER BY lower(v.name), v.name, e.id LIMIT $4 OFFSET $5"
    ))
    .bind(user.as_str())
    .bind(kind)
    .bind(name)
    .bind(i64::from(filter.limit))
    .bind(i64::from(filter.offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar(concat!(
        "SELECT count(*)",
        newest!(),
        " AND ($2::text IS NULL OR e.kind = $2) AND position(lower($3) IN lower(v.name)) > 0"
    ))
    .bind(user.as_str())
    .bind(kind)
    .bind(name)
    .fetch_one(&mut **tx)
    .await?;
    Ok((rows.iter().map(entry).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// One of the entries that [`list`] returns.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there, or another's and not shared.
pub async fn find(tx: &mut Tx, id: LibraryEntryId) -> Result<Entry, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!("SELECT ", columns!(), ", v.text", newest!(), " AND e.id = $2"))
        .bind(user.as_str())
        .bind(id.0)
        .fetch_one(&mut **tx)
        .await?;
    Ok(entry(&row)?)
}

/// The versions of an entry, the newest first: all of one's own, of another's those that were shared.
///
/// # Errors
/// When the database is unavailable.
pub async fn versions(tx: &mut Tx, id: LibraryEntryId) -> Result<Vec<VersionHead>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(
        "SELECT v.version, v.name, v.is_shared, v.created_at
         FROM library_entries e JOIN library_versions v ON v.entry_id = e.id
         WHERE e.id = $2 AND (e.user_id = $1 OR e.is_shared AND v.is_shared)
         ORDER BY v.version DESC",
    )
    .bind(user.as_str())
    .bind(id.0)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(version_head).collect::<Result<_, _>>()?)
}

/// One of the versions that [`versions`] returns.
///
/// # Errors
/// [`StoreError::NotFound`] when it is none of them.
pub async fn find_version(tx: &mut Tx, id: LibraryEntryId, number: i32) -> Result<Version, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(
        "SELECT v.version, v.name, v.text, v.is_shared, v.created_at
         FROM library_entries e JOIN library_versions v ON v.entry_id = e.id
         WHERE e.id = $2 AND v.version = $3 AND (e.user_id = $1 OR e.is_shared AND v.is_shared)",
    )
    .bind(user.as_str())
    .bind(id.0)
    .bind(number)
    .fetch_one(&mut **tx)
    .await?;
    Ok(Version { head: version_head(&row)?, text: row.try_get("text")? })
}

/// Makes an entry of the user's; `None` when they have `most` already.
///
/// # Errors
/// When the database is unavailable.
pub async fn create(
    tx: &mut Tx,
    kind: Kind,
    content: Content<'_>,
    most: i64,
) -> Result<Option<LibraryEntryId>, StoreError> {
    let user = tx.user()?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("library of {user}")).await?;
    let id = LibraryEntryId::generate();
    let done = sqlx::query(
        "INSERT INTO library_entries (id, user_id, kind, version, is_shared)
         SELECT $2, $1, $3, 1, $4 WHERE (SELECT count(*) FROM library_entries WHERE user_id = $1) < $5",
    )
    .bind(user.as_str())
    .bind(id.0)
    .bind(kind.as_str())
    .bind(content.is_shared)
    .bind(most)
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    write(tx, &user, id, 1, content).await?;
    Ok(Some(id))
}

/// Replaces the content of an entry of the user's, which they have read in the version `read`; returns whether it was
/// still that one: nothing is changed otherwise. Of its versions the newest `most` are kept.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not theirs.
pub async fn change(
    tx: &mut Tx,
    id: LibraryEntryId,
    read: i32,
    content: Content<'_>,
    most: i32,
) -> Result<bool, StoreError> {
    let user = tx.user()?;
    // A concurrent change waits here, and then finds another version.
    let now: Option<i32> =
        sqlx::query_scalar("SELECT version FROM library_entries WHERE id = $1 AND user_id = $2 FOR UPDATE")
            .bind(id.0)
            .bind(user.as_str())
            .fetch_optional(&mut **tx)
            .await?;
    if now.ok_or(StoreError::NotFound)? != read {
        return Ok(false);
    }
    write(tx, &user, id, read + 1, content).await?;
    sqlx::query(
        "UPDATE library_entries SET version = $3, is_shared = $4, updated_at = now() WHERE id = $1 AND user_id = $2",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(read + 1)
    .bind(content.is_shared)
    .execute(&mut **tx)
    .await?;
    sqlx::query("DELETE FROM library_versions WHERE entry_id = $1 AND user_id = $2 AND version <= $3")
        .bind(id.0)
        .bind(user.as_str())
        .bind(read + 1 - most)
        .execute(&mut **tx)
        .await?;
    Ok(true)
}

async fn write(
    tx: &mut Tx,
    user: &UserId,
    id: LibraryEntryId,
    number: i32,
    Content { name, text, is_shared }: Content<'_>,
) -> Result<(), StoreError> {
    refuse_nul("the name", name)?;
    refuse_nul("the text", text)?;
    sqlx::query(
        "INSERT INTO library_versions (entry_id, user_id, version, name, text, is_shared) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(number)
    .bind(name)
    .bind(text)
    .bind(is_shared)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Deletes an entry with its versions: the user's own, or a shared one in the admins' scope.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none.
pub async fn delete(tx: &mut Tx, id: LibraryEntryId) -> Result<(), StoreError> {
    let owner = tx.owner()?;
    let done = sqlx::query(
        "DELETE FROM library_entries WHERE id = $1 AND (user_id = $2 OR $2 IS NULL AND is_shared)",
    )
    .bind(id.0)
    .bind(owner)
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
