//! The rows of a batch, as parts of a statement and as statements of their own.
//!
//! A batch whose commit was not answered is written again, whether it went through or not: what is there already is
//! the very same row, for no other execution gives these keys and numbers.

use super::{CallRow, DecisionRow, EventsRow, Sql, StoreError, TxConnection};

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
