//! The entries of one user, to be looked at and deleted.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::id::{ConversationId, RunId};
use crate::store::like::anywhere;
use crate::store::{StoreError, Tx, time};

/// An entry, without its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub id: Uuid,
    pub query: String,
    pub conversation: ConversationId,
    pub run: RunId,
    /// The run's format.
    pub format: String,
    /// `api` or `hash`.
    pub method: String,
    pub model: Option<String>,
    pub cost_usd: Option<f64>,
    pub took_ms: u64,
    pub hit_count: u32,
    pub created_at: Timestamp,
    pub last_hit_at: Option<Timestamp>,
    pub is_shared: bool,
    /// What the user thought of the answer, wherever it was given: the thumbs of others are not theirs to read.
    pub thumbs_up: u64,
    pub thumbs_down: u64,
}

/// A page of the entries, and how many there are in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub entries: Vec<Entry>,
    pub total: u64,
}

/// The user's entries, the one that was used last first; with `words`, those whose question has all of them.
pub async fn list(tx: &mut Tx, (limit, offset): (u32, u32), words: &[String]) -> Result<Listed, StoreError> {
    let user = tx.user()?.clone();
    let patterns: Vec<String> = words.iter().map(|word| anywhere(word)).collect();
    let rows = sqlx::query(
        "WITH chosen AS MATERIALIZED (
             SELECT * FROM cache_entries WHERE user_id = $1 AND query ILIKE ALL ($4)
             ORDER BY used_at DESC, id LIMIT $2 OFFSET $3
         )
         SELECT e.id, e.query, m.conversation_id, e.run_id, r.format, e.method, e.model, e.cost_usd, e.took_ms,
                e.hit_count, e.created_at, e.last_hit_at, e.shared_with <> '{}' AS is_shared,
                coalesce(f.up, 0) AS up, coalesce(f.down, 0) AS down
         FROM chosen e
         JOIN messages m ON m.id = e.message_id
         JOIN runs r ON r.id = e.run_id
         LEFT JOIN LATERAL (
             SELECT count(*) FILTER (WHERE thumb = 'up') AS up, count(*) FILTER (WHERE thumb = 'down') AS down
             FROM (SELECT e.run_id
                   UNION ALL SELECT l.run_id FROM cache_lookups l WHERE l.entry_id = e.id) AS given (run_id)
             JOIN feedback USING (run_id)
         ) f ON true
         ORDER BY e.used_at DESC, e.id",
    )
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .bind(&patterns)
    .fetch_all(&mut **tx)
    .await?;
    let total: i64 =
        sqlx::query_scalar("SELECT count(*) FROM cache_entries WHERE user_id = $1 AND query ILIKE ALL ($2)")
            .bind(user.as_str())
            .bind(&patterns)
            .fetch_one(&mut **tx)
            .await?;
    Ok(Listed { entries: rows.iter().map(read).collect::<Result<_, _>>()?, total: total.unsigned_abs() })
}

fn read(row: &PgRow) -> Result<Entry, StoreError> {
    let count = |name: &str| row.try_get::<i64, _>(name).map(i64::unsigned_abs);
    Ok(Entry {
        id: row.try_get("id")?,
        query: row.try_get("query")?,
        conversation: ConversationId(row.try_get("conversation_id")?),
        run: RunId(row.try_get("run_id")?),
        format: row.try_get("format")?,
        method: row.try_get("method")?,
        model: row.try_get("model")?,
        cost_usd: row.try_get("cost_usd")?,
        took_ms: count("took_ms")?,
        hit_count: row.try_get::<i32, _>("hit_count")?.unsigned_abs(),
        created_at: time(row, "created_at")?,
        last_hit_at: row
            .try_get::<Option<jiff_sqlx::Timestamp>, _>("last_hit_at")?
            .map(jiff_sqlx::Timestamp::to_jiff),
        is_shared: row.try_get("is_shared")?,
        thumbs_up: count("up")?,
        thumbs_down: count("down")?,
    })
}

/// Deletes one of the user's entries.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none of this id.
pub async fn remove(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    let user = tx.user()?.clone();
    let done = sqlx::query("DELETE FROM cache_entries WHERE id = $1 AND user_id = $2")
        .bind(id)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}

/// Deletes all of the user's entries; returns how many there were.
pub async fn clear(tx: &mut Tx) -> Result<u64, StoreError> {
    let user = tx.user()?.clone();
    let done = sqlx::query("DELETE FROM cache_entries WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}
