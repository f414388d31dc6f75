//! Removes the objects that no file points to: those of files that were deleted, and those whose upload came to nothing.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;
use sha2::{Digest as _, Sha256};

use super::client::Client;
use super::error::{NotDone, ObjectError};
use super::kept::Objects;
use crate::id::ObjectKey;
use crate::store::objects::{self, Stored};
use crate::store::{Db, Scope};

/// How often they are looked for.
const EVERY: Duration = Duration::from_secs(60);
/// How many are claimed at once.
const PORTION: u32 = 100;
/// How many of these are removed at the same time.
const AT_ONCE: usize = 8;
/// The content of the object that is put to check that the object store works.
const PROBE: &[u8] = b"LLM Council was here, to see whether it can put, read and remove an object.";

impl Objects {
    /// Removes what no file points to, in batches, and returns how many objects that were. Any number of servers may do
    /// so side by side.
    ///
    /// # Errors
    /// When the database or the object store is unavailable, or an object cannot be removed: what was done stays done,
    /// and the rest is tried again.
    pub async fn remove_loose(&self, db: &Db) -> Result<u64, NotDone> {
        let client = self.client()?;
        let mut removed = 0;
        loop {
            let claimed = objects::claim(db, PORTION).await?;
            let (gone, problem) = remove(client, &claimed).await;
            objects::forget(db, &gone).await?;
            removed += gone.len() as u64;
            if let Some(problem) = problem {
                let left: Vec<ObjectKey> = claimed.into_iter().filter(|key| !gone.contains(key)).collect();
                objects::put_back(db, &left).await?;
                return Err(problem.into());
            }
            if claimed.len() < PORTION as usize {
                return Ok(removed);
            }
        }
    }

    /// Puts an object, reads it and removes it.
    ///
    /// # Errors
    /// When the database or the object store is unavailable, or one of the three is refused.
    pub async fn try_out(&self, db: &Db) -> Result<(), NotDone> {
        let client = self.client()?;
        let stored = Stored {
            key: ObjectKey::generate(),
            size: PROBE.len() as u64,
            hash: hex::encode(Sha256::digest(PROBE)),
        };
        let mut tx = db.begin(&Scope::Engine).await?;
        objects::announce(&mut tx, stored.key).await?;
        tx.commit().await?;
        client.put(stored.key, &stored.hash, &Bytes::from_static(PROBE)).await?;
        client.get(&stored).await?;
        client.delete(stored.key).await?;
        Ok(objects::forget(db, &[stored.key]).await?)
    }

    /// Looks once whether the object store can be used, and removes what no file points to, until it is dropped.
    /// Without an object store it logs when files are out of reach.
    pub async fn work(self, db: Db) {
        if !self.is_there() {
            return tell_what_is_out_of_reach(&db).await;
        }
        match self.try_out(&db).await {
            Ok(()) => tracing::info!("files are kept in an object store"),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the object store (attachments.s3) cannot be used: files are neither taken nor handed out until it can"
                );
            }
        }
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut is_told = false;
        loop {
            ticks.tick().await;
            match self.remove_loose(&db).await {
                Ok(removed) => {
                    if is_told || removed > 0 {
                        tracing::info!(removed, "objects that no file points to were removed");
                    }
                    is_told = false;
                }
                Err(error) if !is_told => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "objects that no file points to could not be removed; trying again every minute"
                    );
                    is_told = true;
                }
                Err(_) => {}
            }
        }
    }
}

/// Removes these; returns which of them are gone, and the error of another, if any. An object store that is unavailable
/// is not asked for the rest.
async fn remove(client: &Client, keys: &[ObjectKey]) -> (Vec<ObjectKey>, Option<ObjectError>) {
    let one = |key: ObjectKey| async move { (key, client.delete(key).await) };
    let mut removing = stream::iter(keys.iter().copied()).map(one).buffer_unordered(AT_ONCE);
    let (mut gone, mut problem) = (Vec::new(), None);
    while let Some((key, result)) = removing.next().await {
        match result {
            Ok(()) => gone.push(key),
            Err(error) if error.may_pass() => return (gone, Some(error)),
            Err(error) => problem = Some(error),
        }
    }
    (gone, problem)
}

async fn tell_what_is_out_of_reach(db: &Db) {
    match objects::count(db).await {
        Ok(0) => {}
        Ok(objects) => tracing::warn!(
            objects,
            "files are in an object store, but none is configured: they can be neither read nor removed until attachments.s3 is set again"
        ),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "whether files are in an object store could not be read"
        ),
    }
}
