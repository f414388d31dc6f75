//! What has to be cleaned up from time to time.

use std::time::Duration;

use crate::id::ConversationId;

use super::budgets::days;
use super::{Db, Scope, StoreError, conversations, webhooks};

const EVERY: Duration = Duration::from_secs(60 * 60);
/// How many conversations one transaction purges: it stays short beside the day's work.
const AT_ONCE: u32 = 50;
/// How long one can see what webhooks were told.
const KEEP_DELIVERIES: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How many old deliveries one transaction removes.
const DELIVERIES_AT_ONCE: u32 = 1_000;

/// Purges deleted conversations whose time for a restore is over, adds up what was spent on days that are over, and
/// removes what webhooks were told long ago, every hour until it is dropped.
/// Any number of processes may do so side by side.
pub async fn run_housekeeping(db: Db) {
    let mut ticks = tokio::time::interval(EVERY);
    loop {
        ticks.tick().await;
        match purge(&db).await {
            Ok(0) => {}
            Ok(conversations) => tracing::info!(conversations, "deleted conversations were purged"),
            Err(error) => {
                tracing::warn!(%error, "deleted conversations could not be purged; trying again in an hour");
            }
        }
        if let Err(error) = days::close_days(&db).await {
            tracing::warn!(%error, "what was spent could not be added up; trying again in an hour");
        }
        if let Err(error) = remove_old_deliveries(&db).await {
            tracing::warn!(%error, "old deliveries of webhooks could not be removed; trying again in an hour");
        }
    }
}

/// Purges a conversation that is due at once, instead of with the next round.
///
/// # Errors
/// When the database is away: the next round purges it then.
pub async fn purge_now(db: &Db, id: ConversationId) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    conversations::purge_one(&mut tx, id).await?;
    tx.commit().await
}

async fn purge(db: &Db) -> Result<u64, StoreError> {
    let mut purged = 0;
    loop {
        let mut tx = db.begin(&Scope::Engine).await?;
        let done = conversations::purge_deleted(&mut tx, AT_ONCE).await?;
        tx.commit().await?;
        purged += done;
        if done < u64::from(AT_ONCE) {
            return Ok(purged);
        }
    }
}

async fn remove_old_deliveries(db: &Db) -> Result<(), StoreError> {
    while webhooks::remove_old(db, KEEP_DELIVERIES, DELIVERIES_AT_ONCE).await?
        == u64::from(DELIVERIES_AT_ONCE)
    {}
    Ok(())
}
