//! The results of schedules: their runs, what these cost, and why there were none.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::id::{ConversationId, RunId, ScheduleId, ScheduleResultId};
use crate::store::{RunStatus, StoreError, Tx, time, time_or_null};

/// What came of one time.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleResult {
    pub id: ScheduleResultId,
    pub schedule: ScheduleId,
    /// Absent where its owner asked at another time.
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Absent where nothing was asked.
    pub asked: Option<Asked>,
    /// Why nothing was asked.
    pub refusal: Option<String>,
    /// The refusal as the problem that a request would have been answered with, where that was recorded.
    pub problem: Option<Value>,
}

/// The run of one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub run: RunId,
    pub status: RunStatus,
    /// Absent where it was deleted since.
    pub conversation: Option<ConversationId>,
    /// US dollars so far, of the calls whose cost is known; none where none is.
    pub cost_usd: Option<f64>,
    /// Calls that reached a model and whose cost is not known: not in the sum.
    pub unknown_cost_calls: i64,
}

/// The last results of each of these schedules of the user's, at most `each`, the newest first.
///
/// # Errors
/// When the database is unavailable.
pub async fn results(
    tx: &mut Tx,
    schedules: &[ScheduleId],
    each: u32,
    offset: u32,
) -> Result<Vec<ScheduleResult>, StoreError> {
    let user = tx.user()?;
    let ids: Vec<Uuid> = schedules.iter().map(|id| id.0).collect();
    let rows = sqlx::query(
        "SELECT s.id, s.schedule_id, s.due_at, s.created_at, s.refusal, s.problem, s.run_id, r.status, c.id AS conversation,
                paid.cost_usd, paid.unknown_cost_calls
         FROM unnest($2::uuid[]) AS asked (id)
         CROSS JOIN LATERAL (SELECT * FROM schedule_results o WHERE o.schedule_id = asked.id AND o.user_id = $1
                             ORDER BY o.created_at DESC, o.id DESC LIMIT $3 OFFSET $4) AS s
         CROSS JOIN LATERAL (SELECT sum(k.cost_usd) AS cost_usd,
                                    count(*) FILTER (WHERE k.cost_usd IS NULL AND k.latency_ms IS NOT NULL)
                                        AS unknown_cost_calls
                             FROM calls k WHERE k.run_id = s.run_id AND k.user_id = $1) AS paid
         LEFT JOIN runs r ON r.id = s.run_id AND r.user_id = $1
         LEFT JOIN conversations c ON c.id = r.conversation_id AND c.user_id = $1 AND c.deleted_at IS NULL
         ORDER BY s.created_at DESC, s.id DESC",
    )
    .bind(user.as_str())
    .bind(ids)
    .bind(i64::from(each))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    rows.iter().map(result).collect()
}

fn result(row: &PgRow) -> Result<ScheduleResult, StoreError> {
    let asked = match row.try_get::<Option<Uuid>, _>("run_id")? {
        None => None,
        Some(run) => Some(Asked {
            run: RunId(run),
            status: RunStatus::read(row.try_get("status")?)?,
            conversation: row.try_get::<Option<Uuid>, _>("conversation")?.map(ConversationId),
            cost_usd: row.try_get("cost_usd")?,
            unknown_cost_calls: row.try_get("unknown_cost_calls")?,
        }),
    };
    Ok(ScheduleResult {
        id: ScheduleResultId(row.try_get("id")?),
        schedule: ScheduleId(row.try_get("schedule_id")?),
        due_at: time_or_null(row, "due_at")?,
        created_at: time(row, "created_at")?,
        asked,
        refusal: row.try_get("refusal")?,
        problem: row.try_get("problem")?,
    })
}

/// What the runs of schedules of the user's have cost in this calendar month (UTC), in US dollars; those under way as much as
/// they were expected to, unless it is more already. Those that have cost nothing are left out.
///
/// # Errors
/// When the database is unavailable.
pub async fn spent(tx: &mut Tx, schedules: &[ScheduleId]) -> Result<BTreeMap<ScheduleId, f64>, StoreError> {
    let user = tx.user()?;
    let ids: Vec<Uuid> = schedules.iter().map(|id| id.0).collect();
    // A run that began in the last hours of a month ends in the next one.
    let rows = sqlx::query(
        "SELECT s.schedule_id, coalesce(sum(greatest(paid.usd, CASE WHEN r.status IN ('queued', 'running') THEN s.expected_usd
                                                     ELSE 0 END)), 0) AS usd
         FROM schedule_results s JOIN runs r ON r.id = s.run_id AND r.user_id = s.user_id
         CROSS JOIN LATERAL (SELECT coalesce(sum(coalesce(c.cost_usd, c.assumed_usd)), 0) AS usd FROM calls c
                             WHERE c.run_id = r.id AND c.user_id = $2
                               AND c.finished_at >= date_trunc('month', now(), 'UTC')) AS paid
         WHERE s.schedule_id = ANY ($1) AND s.user_id = $2
           AND s.created_at >= date_trunc('month', now(), 'UTC') - interval '2 days'
         GROUP BY 1",
    )
    .bind(ids)
    .bind(user.as_str())
    .fetch_all(&mut **tx)
    .await?;
    let one = |row: &PgRow| Ok((ScheduleId(row.try_get("schedule_id")?), row.try_get("usd")?));
    Ok(rows.iter().map(one).collect::<Result<_, sqlx::Error>>()?)
}

/// Removes at most `limit` results that are older than this many days, and returns how many that were. Data under a
/// hold stays. Needs the engine's scope.
///
/// # Errors
/// When the database is unavailable.
pub async fn remove_old(tx: &mut Tx, days: i32, limit: u32) -> Result<u64, StoreError> {
    tx.require_engine()?;
    let done = sqlx::query(
        "DELETE FROM schedule_results WHERE id IN (
             SELECT id FROM schedule_results s
             WHERE s.created_at < now() - make_interval(days => $1)
               AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = s.user_id)
             LIMIT $2 FOR UPDATE OF s SKIP LOCKED)",
    )
    .bind(days)
    .bind(i64::from(limit))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}
