//! Statistics about looking for earlier answers.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::LIMITS;
use crate::id::{RunId, UserId};
use crate::store::{Db, Scope, StoreError, Tx};

/// The outcome of one look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookedUp<'l> {
    pub user: &'l UserId,
    pub run: RunId,
    /// The entry whose answer was given; absent where none was.
    pub hit: Option<Uuid>,
    /// No model could be asked for a vector: only the same text was looked for.
    pub embedding_failed: bool,
}

/// Records the outcome of a look-up; a hit counts for its entry. Doing it twice for one run changes nothing. Returns
/// how often the entry has been given in all; `None` where there is no entry, or it is gone.
pub async fn record(db: &Db, look: &LookedUp<'_>) -> Result<Option<u32>, StoreError> {
    let mut tx = db.begin_within(&Scope::Engine, LIMITS).await?;
    // The entry is locked first: otherwise it could be deleted, to make room for another, before the look refers to it.
    let hits: Option<i32> = sqlx::query_scalar(
        "WITH given AS MATERIALIZED (
             SELECT id, cost_usd, took_ms FROM cache_entries WHERE id = $3 FOR NO KEY UPDATE
         ), noted AS (
             INSERT INTO cache_lookups (run_id, user_id, entry_id, is_hit, embedding_failed, saved_usd, saved_ms)
             SELECT $1, $2, e.id, e.id IS NOT NULL, $4, e.cost_usd, e.took_ms
             FROM (SELECT) AS one LEFT JOIN given e ON true
             ON CONFLICT (run_id) DO NOTHING
             RETURNING entry_id
         ), counted AS (
             UPDATE cache_entries e SET hit_count = hit_count + 1, last_hit_at = now(), used_at = now()
             FROM noted WHERE e.id = noted.entry_id
             RETURNING e.hit_count
         )
         SELECT coalesce((SELECT hit_count FROM counted), (SELECT hit_count FROM cache_entries WHERE id = $3))",
    )
    .bind(look.run.0)
    .bind(look.user.as_str())
    .bind(look.hit)
    .bind(look.embedding_failed)
    .fetch_one(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(hits.map(i32::unsigned_abs))
}

/// The outcome of many looks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    pub looks: u64,
    pub hits: u64,
    pub embedding_failures: u64,
    /// In USD, over the hits of which it is known.
    pub saved_usd: f64,
    pub saved_ms: u64,
    pub last: Option<Timestamp>,
}

const OF_LOOKS: &str = "SELECT count(*) AS looks, count(*) FILTER (WHERE is_hit) AS hits,
            count(*) FILTER (WHERE embedding_failed) AS embedding_failures,
            coalesce(sum(saved_usd) FILTER (WHERE is_hit), 0) AS saved_usd,
            coalesce(sum(saved_ms) FILTER (WHERE is_hit), 0)::bigint AS saved_ms, max(looked_at) AS last
     FROM cache_lookups WHERE ($1::text IS NULL OR (user_id = $1 AND NOT is_forgotten))";

fn counts(row: &PgRow) -> Result<Counts, StoreError> {
    let count = |name: &str| row.try_get::<i64, _>(name).map(i64::unsigned_abs);
    Ok(Counts {
        looks: count("looks")?,
        hits: count("hits")?,
        embedding_failures: count("embedding_failures")?,
        saved_usd: row.try_get("saved_usd")?,
        saved_ms: count("saved_ms")?,
        last: row.try_get::<Option<jiff_sqlx::Timestamp>, _>("last")?.map(jiff_sqlx::Timestamp::to_jiff),
    })
}

/// The user's own.
pub async fn mine(tx: &mut Tx) -> Result<Counts, StoreError> {
    let user = tx.user()?.clone();
    let row = sqlx::query(OF_LOOKS).bind(user.as_str()).fetch_one(&mut **tx).await?;
    counts(&row)
}

/// Resets the user's own counts. The entries stay, and administrators go on counting.
pub async fn forget(tx: &mut Tx) -> Result<(), StoreError> {
    let user = tx.user()?.clone();
    sqlx::query("UPDATE cache_lookups SET is_forgotten = true WHERE user_id = $1 AND NOT is_forgotten")
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The entries that exist.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overview {
    pub entries: u64,
    pub users: u64,
    /// How often the entries that are there were given.
    pub hits: u64,
    pub by_model: u64,
    pub by_hash: u64,
    pub last: Option<Timestamp>,
}

const OF_ENTRIES: &str = "SELECT count(*) AS entries, count(DISTINCT user_id) AS users,
            coalesce(sum(hit_count), 0)::bigint AS hits, count(*) FILTER (WHERE method = 'api') AS by_model,
            count(*) FILTER (WHERE method = 'hash') AS by_hash, max(greatest(created_at, used_at)) AS last
     FROM cache_entries WHERE ($1::text IS NULL OR user_id = $1)";

fn overview_of(row: &PgRow) -> Result<Overview, StoreError> {
    let count = |name: &str| row.try_get::<i64, _>(name).map(i64::unsigned_abs);
    Ok(Overview {
        entries: count("entries")?,
        users: count("users")?,
        hits: count("hits")?,
        by_model: count("by_model")?,
        by_hash: count("by_hash")?,
        last: row.try_get::<Option<jiff_sqlx::Timestamp>, _>("last")?.map(jiff_sqlx::Timestamp::to_jiff),
    })
}

/// The user's own entries.
pub async fn overview(tx: &mut Tx) -> Result<Overview, StoreError> {
    let user = tx.user()?.clone();
    let row = sqlx::query(OF_ENTRIES).bind(user.as_str()).fetch_one(&mut **tx).await?;
    overview_of(&row)
}

/// Everybody's, in counts. Needs the administrators' scope.
pub async fn of_everybody(tx: &mut Tx) -> Result<(Overview, Counts), StoreError> {
    let nobody: Option<&str> = None;
    let entries = sqlx::query(OF_ENTRIES).bind(nobody).fetch_one(&mut **tx).await?;
    let looks = sqlx::query(OF_LOOKS).bind(nobody).fetch_one(&mut **tx).await?;
    Ok((overview_of(&entries)?, counts(&looks)?))
}
