//! Benches: what is asked of whom, and the outcome of each question. Their contents are the business of the room
//! `bench`; here they are JSON.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::id::{BenchId, ConversationId, RunId};

use super::{StoreError, Tx, refuse_nul, refuse_nul_in_json, time, time_or_null};

/// A bench that begins.
#[derive(Debug)]
pub struct NewBench<'a> {
    pub id: BenchId,
    pub name: &'a str,
    pub suite: &'a Value,
    pub questions: &'a Value,
    pub question_count: usize,
    pub variant_count: usize,
    /// Of what it was asked to do.
    pub digest: &'a [u8],
    pub max_cost_usd: f64,
}

/// A bench without its questions and what came of them.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchRow {
    pub id: BenchId,
    pub name: String,
    /// `running` only while a process holds it.
    pub status: String,
    pub suite: Value,
    pub digest: Vec<u8>,
    pub questions: i32,
    pub variants: i32,
    pub max_cost_usd: f64,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Answers that are there, over all variants.
    pub done: i64,
    /// What they and their grading cost, in USD, as far as it is known.
    pub spent_usd: f64,
    /// Calls of unknown cost among theirs.
    pub unpriced_calls: i64,
}

/// One question asked of one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRow {
    pub question: i32,
    pub variant: i32,
    pub outcome: Value,
}

/// A call in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerCall {
    /// USD; absent when unknown.
    pub cost_usd: Option<f64>,
    /// Absent where it reached no model.
    pub latency_ms: Option<i64>,
    pub finished_at: Timestamp,
    /// A budget left nothing for it.
    pub over_budget: bool,
}

macro_rules! columns {
    () => {
        "b.id, b.name, b.suite, b.digest, b.question_count, b.variant_count, b.max_cost_usd, b.created_at,
         b.finished_at, i.done, i.spent_usd, i.unpriced_calls,
         CASE WHEN b.status = 'running' AND coalesce(b.held_until < now(), true) THEN 'stopped' ELSE b.status END
             AS status
         FROM benches b
         CROSS JOIN LATERAL (
             SELECT count(*) AS done,
                    coalesce(sum(coalesce((outcome #>> '{spent,usd}')::float8, 0)
                                 + coalesce((outcome #>> '{grading,usd}')::float8, 0)), 0) AS spent_usd,
                    coalesce(sum(coalesce((outcome #>> '{spent,unpriced_calls}')::bigint, 0)
                                 + coalesce((outcome #>> '{grading,unpriced_calls}')::bigint, 0)), 0)::bigint
                        AS unpriced_calls
             FROM bench_items WHERE bench_id = b.id AND user_id = b.user_id
         ) i "
    };
}

fn bench(row: &PgRow) -> Result<BenchRow, sqlx::Error> {
    Ok(BenchRow {
        id: BenchId(row.try_get("id")?),
        name: row.try_get("name")?,
        status: row.try_get("status")?,
        suite: row.try_get("suite")?,
        digest: row.try_get("digest")?,
        questions: row.try_get("question_count")?,
        variants: row.try_get("variant_count")?,
        max_cost_usd: row.try_get("max_cost_usd")?,
        created_at: time(row, "created_at")?,
        finished_at: time_or_null(row, "finished_at")?,
        done: row.try_get("done")?,
        spent_usd: row.try_get("spent_usd")?,
        unpriced_calls: row.try_get("unpriced_calls")?,
    })
}

/// Makes a bench; `None` where the user has one of this name already.
pub async fn create(tx: &mut Tx, new: &NewBench<'_>) -> Result<bool, StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", new.name)?;
    refuse_nul_in_json("the bench", new.suite)?;
    refuse_nul_in_json("the questions", new.questions)?;
    let done = sqlx::query(
        "INSERT INTO benches (id, user_id, name, status, suite, questions, question_count, variant_count, digest,
                              max_cost_usd)
         VALUES ($1, $2, $3, 'stopped', $4, $5, $6, $7, $8, $9) ON CONFLICT (user_id, name) DO NOTHING",
    )
    .bind(new.id.0)
    .bind(user.as_str())
    .bind(new.name)
    .bind(Json(new.suite))
    .bind(Json(new.questions))
    .bind(i32::try_from(new.question_count).unwrap_or(i32::MAX))
    .bind(i32::try_from(new.variant_count).unwrap_or(i32::MAX))
    .bind(new.digest)
    .bind(new.max_cost_usd)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A page of the user's benches, the newest first; and how many there are in all.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<BenchRow>, u64), StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        "WHERE b.user_id = $1 ORDER BY b.created_at DESC, b.id LIMIT $2 OFFSET $3"
    ))
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM benches WHERE user_id = $1")
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok((rows.iter().map(bench).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// One of the user's benches.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn find(tx: &mut Tx, id: BenchId) -> Result<BenchRow, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!("SELECT ", columns!(), "WHERE b.id = $1 AND b.user_id = $2"))
        .bind(id.0)
        .bind(user.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    Ok(bench(&row.ok_or(StoreError::NotFound)?)?)
}

/// The user's bench of this name, if there is one.
pub async fn find_named(tx: &mut Tx, name: &str) -> Result<Option<BenchRow>, StoreError> {
    let user = tx.user()?;
    refuse_nul("the name", name)?;
    let row = sqlx::query(concat!("SELECT ", columns!(), "WHERE b.name = $1 AND b.user_id = $2"))
        .bind(name)
        .bind(user.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    Ok(row.as_ref().map(bench).transpose()?)
}

/// A bench's questions.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not there or not theirs.
pub async fn questions(tx: &mut Tx, id: BenchId) -> Result<Value, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query("SELECT questions FROM benches WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    Ok(row.ok_or(StoreError::NotFound)?.try_get("questions")?)
}

/// What has come of its questions so far.
pub async fn items(tx: &mut Tx, id: BenchId) -> Result<Vec<ItemRow>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(
        "SELECT question, variant, outcome FROM bench_items WHERE bench_id = $1 AND user_id = $2
         ORDER BY question, variant",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_all(&mut **tx)
    .await?;
    let item = |row: &PgRow| {
        Ok(ItemRow {
            question: row.try_get("question")?,
            variant: row.try_get("variant")?,
            outcome: row.try_get("outcome")?,
        })
    };
    Ok(rows.iter().map(item).collect::<Result<_, sqlx::Error>>()?)
}

/// Takes or prolongs the right to work on a bench; false while another process has it.
pub async fn hold(tx: &mut Tx, id: BenchId, holder: &str, lease: Duration) -> Result<bool, StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE benches SET holder = $3, held_until = now() + make_interval(secs => $4), status = 'running',
                            updated_at = now(), finished_at = NULL
         WHERE id = $1 AND user_id = $2 AND (holder IS NULL OR holder = $3 OR held_until < now())",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(holder)
    .bind(lease.as_secs_f64())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives that right back, and stores the bench's state.
pub async fn release(tx: &mut Tx, id: BenchId, holder: &str, status: &str) -> Result<(), StoreError> {
    let user = tx.user()?;
    sqlx::query(
        "UPDATE benches SET holder = NULL, held_until = NULL, status = $4, updated_at = now(),
                            finished_at = CASE WHEN $4 = 'complete' THEN now() END
         WHERE id = $1 AND user_id = $2 AND holder = $3",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(holder)
    .bind(status)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Sets the most that a bench may cost, in USD.
pub async fn set_max_cost(tx: &mut Tx, id: BenchId, usd: f64) -> Result<(), StoreError> {
    let user = tx.user()?;
    sqlx::query("UPDATE benches SET max_cost_usd = $3, updated_at = now() WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .bind(usd)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Stores what came of a question; what is there already stays.
pub async fn save_item(tx: &mut Tx, id: BenchId, item: &ItemRow) -> Result<(), StoreError> {
    let user = tx.user()?;
    refuse_nul_in_json("the outcome", &item.outcome)?;
    sqlx::query(
        "INSERT INTO bench_items (bench_id, user_id, question, variant, outcome) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(item.question)
    .bind(item.variant)
    .bind(Json(&item.outcome))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Makes the conversation that a question is asked in: archived, and with the tag `bench`. One that is there stays.
pub async fn open_conversation(tx: &mut Tx, id: ConversationId, title: &str) -> Result<(), StoreError> {
    let user = tx.user()?;
    refuse_nul("the title", title)?;
    sqlx::query(
        "INSERT INTO conversations (id, user_id, title, title_is_default, tags, archived)
         VALUES ($1, $2, $3, false, '{bench}', true) ON CONFLICT (id) DO NOTHING",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(title)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The calls of these runs of the user's.
pub async fn calls_of(tx: &mut Tx, runs: &[RunId]) -> Result<Vec<LedgerCall>, StoreError> {
    let user = tx.user()?;
    let ids: Vec<Uuid> = runs.iter().map(|run| run.0).collect();
    let rows = sqlx::query(
        "SELECT cost_usd, latency_ms, finished_at, outcome = 'budget' AS over_budget FROM calls
         WHERE run_id = ANY ($1) AND user_id = $2 ORDER BY run_id, key",
    )
    .bind(&ids)
    .bind(user.as_str())
    .fetch_all(&mut **tx)
    .await?;
    let call = |row: &PgRow| {
        Ok(LedgerCall {
            cost_usd: row.try_get("cost_usd")?,
            latency_ms: row.try_get("latency_ms")?,
            finished_at: time(row, "finished_at")?,
            over_budget: row.try_get("over_budget")?,
        })
    };
    Ok(rows.iter().map(call).collect::<Result<_, sqlx::Error>>()?)
}
