//! The end of runs: their state, what they found out, and what hangs on both.

use super::rows::{FinishedRow, Sql};
use crate::store::figures;
use crate::store::outbox::{self, push};

/// Adds to a statement, after its other parts, what ends these runs: those to which the condition `which` applies.
pub(super) fn push_finished(sql: &mut Sql, rows: &[&FinishedRow], which: &str) {
    sql.push(", finished AS MATERIALIZED (SELECT * FROM unnest(");
    sql.separated(", ")
        .push_bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.status.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.error.clone()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| outbox::event_of(row.status)).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.message.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.body.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.text.as_deref()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.conversation.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.title.as_deref()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.corrections.clone()).collect::<Vec<_>>());
    sql.push(
        ") AS row (run_id, status, error, event, message, body, content, conversation, title, corrections)",
    );
    sql.push(which);
    sql.push(
        "), ended AS (
             UPDATE runs SET status = finished.status, error = finished.error, finished_at = now(), owner = NULL,
                    lease_until = NULL
             FROM finished WHERE runs.id = finished.run_id
             RETURNING runs.id, runs.user_id, runs.tells_devices, finished.event
         ), delivered AS (
             INSERT INTO webhook_deliveries (id, webhook_id, user_id, run_id, event)
             SELECT gen_random_uuid(), webhooks.id, webhooks.user_id, ended.id, ended.event
             FROM ended JOIN webhooks ON (webhooks.user_id = ended.user_id OR webhooks.user_id IS NULL)
                                     AND webhooks.is_enabled AND ended.event = ANY (webhooks.events)
         ), devices AS (",
    );
    push::push_ended(sql);
    sql.push(
        "), answered AS (
             UPDATE messages SET body = finished.body::jsonb, content = finished.content,
                    corrections = finished.corrections
             FROM finished WHERE messages.id = finished.message
         ), titled AS (
             UPDATE conversations SET updated_at = now(),
                    title = CASE WHEN title_is_default THEN coalesce(finished.title, conversations.title)
                                 ELSE conversations.title END,
                    title_is_default = title_is_default AND finished.title IS NULL
             FROM finished WHERE conversations.id = finished.conversation
         )",
    );
    let reserving: Vec<_> = rows.iter().filter(|row| row.has_reservation).map(|row| row.run.0).collect();
    if !reserving.is_empty() {
        sql.push(", freed AS (DELETE FROM reservations WHERE run_id = ANY (").push_bind(reserving);
        sql.push(") AND run_id IN (SELECT run_id FROM finished))");
    }
    let figures: Vec<_> = rows.iter().filter_map(|row| row.figures.as_ref()).collect();
    if !figures.is_empty() {
        figures::push_insert(sql, &figures, which);
    }
}
