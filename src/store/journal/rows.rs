//! The rows of a batch, as parts of a statement and as statements of their own.
//!
//! A batch whose commit was not answered is written again, whether it succeeded or not: a row that exists already is
//! the very same one, for no other execution gives these keys and numbers.

use serde_json::Value;
use sqlx::{Postgres, QueryBuilder};

use crate::id::{ConversationId, MessageId, RunId, UserId};
use crate::store::figures::FiguresRow;
use crate::store::{RunStatus, StoreError, TxConnection};

/// A statement that is put together from the rows there are.
pub(super) type Sql = QueryBuilder<Postgres>;

/// One row of the ledger.
#[derive(Debug, Clone)]
pub struct CallRow {
    pub run: RunId,
    pub user: UserId,
    pub key: String,
    pub stage: String,
    pub model: String,
    pub purpose: String,
    pub fingerprint: String,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// The finished call as JSON text, for the process that goes on with the run.
    pub result: Option<String>,
    pub prompt_tokens: Option<i64>,
    pub completion_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    pub cached_tokens: Option<i64>,
    /// What the provider's cache saved, in USD.
    pub cache_saved_usd: Option<f64>,
    pub total_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    /// Where the cost comes from, in one word.
    pub cost_source: Option<&'static str>,
    /// What budgets take a call of unknown cost to have cost, in USD.
    pub assumed_usd: Option<f64>,
    /// `None` for a call that reached no model: it cost nothing, whereas any other call without a cost is of unknown
    /// cost.
    pub latency_ms: Option<i64>,
    pub ttft_ms: Option<i64>,
    pub tries: i32,
}

/// One decision.
#[derive(Debug, Clone)]
pub struct DecisionRow {
    pub run: RunId,
    pub user: UserId,
    pub key: String,
    /// JSON text.
    pub value: String,
}

/// The events of one run in one commit.
#[derive(Debug, Clone)]
pub struct EventsRow {
    pub run: RunId,
    pub user: UserId,
    pub row: LogRow,
}

/// A stretch of one run's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRow {
    pub first_seq: i64,
    pub last_seq: i64,
    /// Frames in the log's line format.
    pub frames: String,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct FinishedRow {
    pub run: RunId,
    pub status: RunStatus,
    pub error: Option<Value>,
    pub message: MessageId,
    pub conversation: ConversationId,
    /// The deliberation as JSON text.
    pub body: String,
    /// The final answer's text, for search and history.
    pub text: Option<String>,
    /// What was added to the question, as a JSON list; none where nothing was.
    pub corrections: Option<Value>,
    /// The title to give the conversation, if it has none yet.
    pub title: Option<String>,
    /// What analytics keep of it; none when nobody answered.
    pub figures: Option<FiguresRow>,
    /// It had reserved something of a budget, which is free from now on.
    pub has_reservation: bool,
}

/// What a part ends with.
const UNLESS_THERE: &str = " ON CONFLICT DO NOTHING";

pub(super) async fn insert_calls(tx: &mut TxConnection, rows: &[&CallRow]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::default();
    push_calls(&mut sql, rows, "");
    sql.build().execute(tx).await?;
    Ok(())
}

pub(super) async fn insert_decisions(tx: &mut TxConnection, rows: &[&DecisionRow]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::default();
    push_decisions(&mut sql, rows, "");
    sql.build().execute(tx).await?;
    Ok(())
}

pub(super) async fn insert_events(tx: &mut TxConnection, rows: &[EventsRow]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::default();
    push_events(&mut sql, rows, "");
    sql.build().execute(tx).await?;
    Ok(())
}

/// Calls, those to which the condition `which` applies.
pub(super) fn push_calls(sql: &mut Sql, rows: &[&CallRow], which: &str) {
    sql.push(
        "INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result,
                            prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                            cost_usd, cost_source, latency_ms, ttft_ms, tries, assumed_usd, cache_saved_usd)
         SELECT run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result::jsonb,
                prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                cost_usd, cost_source, latency_ms, ttft_ms, tries, assumed_usd, cache_saved_usd
         FROM unnest(",
    );
    sql.separated(", ")
        .push_bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.stage.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.model.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.purpose.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.fingerprint.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.outcome.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.result.as_deref()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.prompt_tokens).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.completion_tokens).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.reasoning_tokens).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.cached_tokens).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.total_tokens).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.cost_usd).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.cost_source).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.latency_ms).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.ttft_ms).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.tries).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.assumed_usd).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.cache_saved_usd).collect::<Vec<_>>());
    sql.push(
        ") AS row (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result,
                   prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, total_tokens,
                   cost_usd, cost_source, latency_ms, ttft_ms, tries, assumed_usd, cache_saved_usd)",
    );
    sql.push(which).push(UNLESS_THERE);
}

/// Decisions, those to which the condition `which` applies.
pub(super) fn push_decisions(sql: &mut Sql, rows: &[&DecisionRow], which: &str) {
    sql.push("INSERT INTO decisions (run_id, key, user_id, value) SELECT run_id, key, user_id, value::jsonb FROM unnest(");
    sql.separated(", ")
        .push_bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.value.as_str()).collect::<Vec<_>>());
    sql.push(") AS row (run_id, key, user_id, value)").push(which).push(UNLESS_THERE);
}

/// Events, those to which the condition `which` applies.
pub(super) fn push_events(sql: &mut Sql, rows: &[EventsRow], which: &str) {
    sql.push(
        "INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
         SELECT run_id, first_seq, last_seq, user_id, frames FROM unnest(",
    );
    sql.separated(", ")
        .push_bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.row.first_seq).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.row.last_seq).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.row.frames.as_str()).collect::<Vec<_>>());
    sql.push(") AS row (run_id, first_seq, last_seq, user_id, frames)").push(which).push(UNLESS_THERE);
}
