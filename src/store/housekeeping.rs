//! What has to be cleaned up from time to time.

use std::time::Duration;

use crate::id::ConversationId;

use super::budgets::{days, reserve};
use super::{Db, Scope, StoreError, Tx, attachments, conversations, outbox, retention, schedules, shares};

const EVERY: Duration = Duration::from_secs(60 * 60);
/// How many conversations one transaction purges: it must stay short under the daily load.
const AT_ONCE: u32 = 50;
/// How long deliveries to webhooks can be seen.
const KEEP_DELIVERIES: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long results of schedules can be seen: longer than a month, which their budgets are for.
const KEEP_RESULTS_DAYS: i32 = 90;
/// How many old deliveries one transaction removes.
const DELIVERIES_AT_ONCE: u32 = 1_000;

/// Purges deleted conversations whose time for a restore is over and those that are kept no longer, adds up what was spent
/// on days that are over, frees what lost calls hold of budgets, and removes old deliveries to webhooks, old results of
/// schedules, notifications that no device has taken, files that no question came with and links that have expired, every
/// hour until it is dropped.
/// `retention_days` is what is configured. Any number of processes may do so side by side.
pub async fn run_housekeeping(db: Db, retention_days: u32) {
    let mut ticks = tokio::time::interval(EVERY);
    loop {
        ticks.tick().await;
        match purge(&db).await {
            Ok(0) => {}
            Ok(conversations) => tracing::info!(conversations, "deleted conversations were purged"),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "deleted conversations could not be purged; trying again in an hour"
                );
            }
        }
        match expire(&db, retention_days).await {
            Ok(0) => {}
            Ok(conversations) => tracing::info!(conversations, "conversations without activity were deleted"),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "conversations without activity could not be deleted; trying again in an hour"
                );
            }
        }
        if let Err(error) = days::close_days(&db).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "daily spending could not be summed up; trying again in an hour"
            );
        }
        if let Err(error) = in_portions(&db, async |tx| reserve::remove_left(tx, AT_ONCE).await).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "what lost calls hold of budgets could not be freed; trying again in an hour"
            );
        }
        if let Err(error) = remove_unused_files(&db).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "files that nothing uses could not be removed; trying again in an hour"
            );
        }
        if let Err(error) = in_portions(&db, async |tx| shares::remove_expired(tx, AT_ONCE).await).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "links that have expired could not be removed; trying again in an hour"
            );
        }
        let results = async |tx: &mut Tx| schedules::remove_old(tx, KEEP_RESULTS_DAYS, AT_ONCE).await;
        if let Err(error) = in_portions(&db, results).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old results of schedules could not be removed; trying again in an hour"
            );
        }
        if let Err(error) = remove_old_deliveries(&db).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old deliveries could not be removed; trying again in an hour"
            );
        }
    }
}

/// Purges a due conversation at once, instead of with the next round.
///
/// # Errors
/// When the database is unavailable: the next round purges it then.
pub async fn purge_now(db: &Db, id: ConversationId) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    conversations::purge_one(&mut tx, id).await?;
    tx.commit().await
}

async fn purge(db: &Db) -> Result<u64, StoreError> {
    in_portions(db, async |tx| conversations::purge_deleted(tx, AT_ONCE).await).await
}

/// Deletes what is kept no longer, by the rule of the configuration unless an administrator has chosen one; returns how
/// many conversations that were.
///
/// # Errors
/// When the database is unavailable: what was done stays done.
pub async fn expire(db: &Db, retention_days: u32) -> Result<u64, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let before = retention::follow_configuration(&mut tx, retention_days).await?;
    tx.commit().await?;
    if let Some(before) = before {
        // Two servers that say this in turns begin the first week again every hour.
        tracing::warn!(
            before,
            now = retention_days,
            "retention.days has changed the rule, by which nothing is deleted for a week; if this comes again and again, \
             servers of this database have different values, and it deletes nothing"
        );
    }
    in_portions(db, async |tx| conversations::purge_expired(tx, AT_ONCE).await).await
}

async fn in_portions(
    db: &Db,
    portion: impl AsyncFn(&mut Tx) -> Result<u64, StoreError>,
) -> Result<u64, StoreError> {
    let mut purged = 0;
    loop {
        let mut tx = db.begin(&Scope::Engine).await?;
        let done = portion(&mut tx).await?;
        tx.commit().await?;
        purged += done;
        if done < u64::from(AT_ONCE) {
            return Ok(purged);
        }
    }
}

/// Removes files that were uploaded more than a day ago and that no question came with; returns how many that were.
///
/// # Errors
/// When the database is unavailable: what was done stays done.
pub async fn remove_unused_files(db: &Db) -> Result<u64, StoreError> {
    in_portions(db, async |tx| attachments::remove_unused(tx, AT_ONCE).await).await
}

async fn remove_old_deliveries(db: &Db) -> Result<(), StoreError> {
    let all = u64::from(DELIVERIES_AT_ONCE);
    while outbox::remove_old(db, KEEP_DELIVERIES, DELIVERIES_AT_ONCE).await? == all {}
    while outbox::push::remove_old(db, DELIVERIES_AT_ONCE).await? == all {}
    Ok(())
}
