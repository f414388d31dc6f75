//! Where the bytes of a file are: in its row, or as an object in an object store under a key that nothing else ever has.
//!
//! The database knows every object that may exist: a file points to it, or it is in the list of loose ones, which it
//! enters before it is put and leaves when a file comes to point to it. When that file is deleted, a trigger (migration
//! 48) puts it on the list again, and it leaves for good once it is removed. So a process that dies in between leaves
//! no unknown objects.

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::id::ObjectKey;

use super::{Db, Scope, StoreError, Tx};

/// Where the bytes of a file are to be kept.
#[derive(Debug, Clone, Copy)]
pub enum Location<'a> {
    /// In its row.
    InRow(&'a [u8]),
    /// In the object that was put, of so many bytes.
    InObject { key: ObjectKey, size: u64 },
}

impl<'a> Location<'a> {
    /// In bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::InRow(bytes) => bytes.len() as u64,
            Self::InObject { size, .. } => *size,
        }
    }

    /// What goes into its row.
    pub(super) fn parts(&self) -> (Option<&'a [u8]>, Option<Uuid>) {
        match self {
            Self::InRow(bytes) => (Some(bytes), None),
            Self::InObject { key, .. } => (None, Some(key.0)),
        }
    }

    /// Whether a file may come to point there: an object whose upload took too long is being removed.
    pub(super) async fn is_still_there(&self, tx: &mut Tx) -> Result<bool, StoreError> {
        let Self::InObject { key, .. } = self else { return Ok(true) };
        let placed = sqlx::query_scalar("SELECT place_object($1)").bind(key.0).fetch_one(&mut **tx).await?;
        Ok(placed)
    }
}

/// Where the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    InRow(Vec<u8>),
    InObject(Stored),
}

/// An object that a file points to, and what it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub key: ObjectKey,
    /// In bytes.
    pub size: u64,
    /// SHA-256, as hexadecimal digits.
    pub hash: String,
}

impl Content {
    /// Reads it from a row with `id`, `size`, `content` and `object_key`.
    pub(super) fn of_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let Some(key) = row.try_get::<Option<Uuid>, _>("object_key")? else {
            return Ok(Self::InRow(row.try_get("content")?));
        };
        Ok(Self::InObject(Stored {
            key: ObjectKey(key),
            size: row.try_get::<i64, _>("size")?.unsigned_abs(),
            hash: row.try_get("id")?,
        }))
    }
}

/// Notes an object that is about to be put. Unless a file comes to point to it within the hour, it is removed.
///
/// # Errors
/// When the database is unavailable.
pub async fn announce(tx: &mut Tx, key: ObjectKey) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO loose_objects (key, due_at) VALUES ($1, now() + interval '1 hour')")
        .bind(key.0)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Objects that are to be removed now, at most `limit`, exclusively for the caller: after five minutes they are given
/// to another server. No file comes to point to any of them.
///
/// # Errors
/// When the database is unavailable.
pub async fn claim(db: &Db, limit: u32) -> Result<Vec<ObjectKey>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    // Nothing that a file points to should be in the list; if it were, the file would be lost.
    let keys: Vec<Uuid> = sqlx::query_scalar(
        "WITH due AS (
             SELECT key FROM loose_objects WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
         ), used AS (
             SELECT d.key FROM due d
             WHERE EXISTS (SELECT FROM attachments a WHERE a.object_key = d.key)
                OR EXISTS (SELECT FROM project_files f WHERE f.object_key = d.key)
         ), kept AS (
             DELETE FROM loose_objects l USING used u WHERE l.key = u.key
         )
         UPDATE loose_objects l SET is_leaving = true, due_at = now() + interval '5 minutes'
         FROM due d WHERE l.key = d.key AND NOT EXISTS (SELECT FROM used u WHERE u.key = l.key)
         RETURNING l.key",
    )
    .bind(i64::from(limit))
    .fetch_all(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(keys.into_iter().map(ObjectKey).collect())
}

/// Records that these are removed.
///
/// # Errors
/// When the database is unavailable: they are removed once more then, which changes nothing.
pub async fn forget(db: &Db, keys: &[ObjectKey]) -> Result<(), StoreError> {
    change(db, "DELETE FROM loose_objects WHERE key = ANY ($1)", keys).await
}

/// Records that these could not be removed: the next sweep tries again.
///
/// # Errors When the database is unavailable: they are given to another server after a while.
/// # Errors
/// When the database is unavailable: they are given to somebody else after a while.
pub async fn put_back(db: &Db, keys: &[ObjectKey]) -> Result<(), StoreError> {
    change(db, "UPDATE loose_objects SET due_at = now() WHERE key = ANY ($1)", keys).await
}

async fn change(db: &Db, sql: &'static str, keys: &[ObjectKey]) -> Result<(), StoreError> {
    if keys.is_empty() {
        return Ok(());
    }
    let keys: Vec<Uuid> = keys.iter().map(|key| key.0).collect();
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(sql).bind(keys).execute(&mut *tx).await?;
    tx.commit().await
}

/// How many objects there may be: those that files point to, and loose ones.
///
/// # Errors
/// When the database is unavailable.
pub async fn count(db: &Db) -> Result<i64, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let count = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM attachments WHERE object_key IS NOT NULL)
              + (SELECT count(*) FROM project_files WHERE object_key IS NOT NULL)
              + (SELECT count(*) FROM loose_objects)",
    )
    .fetch_one(&mut *tx)
    .await?;
    Ok(count)
}
