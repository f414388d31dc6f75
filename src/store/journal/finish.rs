//! The end of runs: their state, what they found out, and what hangs on both.

use uuid::Uuid;

use super::rows::FinishedRow;
use crate::store::outbox::{self, push};
use crate::store::{StoreError, TxConnection, figures};

/// Stores the end of runs, in two or three round trips however many there are.
pub(super) async fn finish(tx: &mut TxConnection, rows: &[&FinishedRow]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "WITH finished AS (
             SELECT * FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $4::text[], $5::uuid[], $6::text[], $7::text[],
                                  $8::uuid[], $9::text[], $13::jsonb[])
                  AS row (run, status, error, event, message, body, content, conversation, title, corrections)
         ), ended AS (
             UPDATE runs SET status = finished.status, error = finished.error, finished_at = now(), owner = NULL,
                    lease_until = NULL
             FROM finished WHERE runs.id = finished.run
             RETURNING runs.id, runs.user_id, runs.tells_devices, finished.event
         ), told AS (
             INSERT INTO webhook_deliveries (id, webhook_id, user_id, run_id, event)
             SELECT gen_random_uuid(), webhooks.id, webhooks.user_id, ended.id, ended.event
             FROM ended JOIN webhooks ON (webhooks.user_id = ended.user_id OR webhooks.user_id IS NULL)
                                     AND webhooks.is_enabled AND ended.event = ANY (webhooks.events)
         ), devices AS (
             INSERT INTO webhook_deliveries (id, push_subscription_id, user_id, run_id, event, next_attempt_at)
             SELECT gen_random_uuid(), s.id, s.user_id, ended.id, ended.event, now() + make_interval(secs => $12)
             FROM ended JOIN push_subscriptions s ON s.user_id = ended.user_id
             WHERE ended.tells_devices AND ended.event = ANY ($11)
         ), answered AS (
             UPDATE messages SET body = finished.body::jsonb, content = finished.content,
                    corrections = finished.corrections
             FROM finished WHERE messages.id = finished.message
         ), freed AS (
             DELETE FROM reservations WHERE run_id = ANY ($10)
         )
         UPDATE conversations SET updated_at = now(),
                title = CASE WHEN title_is_default THEN coalesce(finished.title, conversations.title)
                             ELSE conversations.title END,
                title_is_default = title_is_default AND finished.title IS NULL
         FROM finished WHERE conversations.id = finished.conversation",
    )
    .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.status.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.error.clone()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| outbox::event_of(row.status)).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.message.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.body.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.text.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.conversation.0).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.title.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().filter(|row| row.has_reservation).map(|row| row.run.0).collect::<Vec<Uuid>>())
    .bind(push::ENDS)
    .bind(push::SEEN_WITHIN.as_secs_f64())
    .bind(rows.iter().map(|row| row.corrections.clone()).collect::<Vec<_>>())
    .execute(&mut *tx)
    .await?;
    figures::insert(tx, rows.iter().filter_map(|row| row.figures.as_ref())).await
}
