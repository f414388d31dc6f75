//! The latest runs of a user, with their figures.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use sqlx::Row as _;
use uuid::Uuid;

use super::filter::{RowFilter, in_time, runs_within};
use super::sums::Money;
use crate::id::{ConversationId, RunId};
use crate::store::{StoreError, Tx, time, time_or_null};

/// The page first, then the sums over its runs only. A conversation is named while it is there.
const RECENT: &str = concat!(
    "SELECT r.id, r.format, r.status, r.created_at, r.finished_at, c.id AS conversation_id, f.chairman,
            p.thumb, used.*, given.answers
     FROM (SELECT id, user_id, conversation_id, format, status, created_at, finished_at FROM runs WHERE ",
    runs_within!("created_at"),
    "      ORDER BY created_at DESC, id LIMIT $5 OFFSET $6) AS r
     LEFT JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
     LEFT JOIN run_figures f ON f.run_id = r.id AND f.user_id = r.user_id
     LEFT JOIN feedback p ON p.run_id = r.id AND p.user_id = r.user_id
     LEFT JOIN LATERAL (
         SELECT coalesce(sum(total_tokens), 0)::bigint AS total_tokens, sum(cost_usd) AS cost_usd,
                count(*) FILTER (WHERE cost_usd IS NULL AND latency_ms IS NOT NULL) AS unknown_cost_calls,
                count(*) FILTER (WHERE cost_source IN ('listed', 'built_in')) AS estimated_cost_calls
         FROM calls WHERE calls.run_id = r.id AND calls.user_id = r.user_id
     ) AS used ON true
     LEFT JOIN LATERAL (
         SELECT coalesce(jsonb_agg(jsonb_build_object('model', model, 'place', place, 'average_rank', average_rank,
                                                      'confidence', confidence) ORDER BY seat), '[]') AS answers
         FROM placings WHERE placings.run_id = r.id AND placings.user_id = r.user_id
     ) AS given ON true
     ORDER BY r.created_at DESC, r.id"
);

/// One answer of a recent run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RecentAnswer {
    pub model: String,
    /// In the headline order; none when it was not ranked.
    pub place: Option<i16>,
    pub average_rank: Option<f64>,
    pub confidence: Option<i16>,
}

/// A run as its user's analytics show it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentRun {
    pub id: RunId,
    /// None when the conversation was deleted.
    pub conversation: Option<ConversationId>,
    pub format: String,
    pub status: String,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Who wrote the final answer.
    pub chairman: Option<String>,
    /// What the user thought of it: `up` or `down`.
    pub thumb: Option<String>,
    pub total_tokens: i64,
    pub money: Money,
    /// The answers, in the order of their seats; none of a run that is not over.
    pub answers: Vec<RecentAnswer>,
}

/// The user's runs, the newest first. Needs a user's scope.
pub async fn recent(
    tx: &mut Tx,
    filter: &RowFilter,
    limit: u32,
    offset: u32,
) -> Result<Vec<RecentRun>, StoreError> {
    tx.user()?;
    let query = filter.query(RECENT).bind(i64::from(limit)).bind(i64::from(offset));
    let rows = query.fetch_all(&mut **tx).await?;
    rows.iter().map(read).collect()
}

fn read(row: &sqlx::postgres::PgRow) -> Result<RecentRun, StoreError> {
    let answers: Value = row.try_get("answers")?;
    Ok(RecentRun {
        id: RunId(row.try_get("id")?),
        conversation: row.try_get::<Option<Uuid>, _>("conversation_id")?.map(ConversationId),
        format: row.try_get("format")?,
        status: row.try_get("status")?,
        created_at: time(row, "created_at")?,
        finished_at: time_or_null(row, "finished_at")?,
        chairman: row.try_get("chairman")?,
        thumb: row.try_get("thumb")?,
        total_tokens: row.try_get("total_tokens")?,
        money: Money::of(row)?,
        answers: serde_json::from_value(answers)
            .map_err(|source| StoreError::Corrupt { what: "placings", source: source.into() })?,
    })
}
