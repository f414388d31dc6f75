//! What a process needs to work on benches, and its right to work on one.

use std::sync::Arc;
use std::time::Duration;

use super::report::Status;
use super::stored::{Bench, BenchError};
use crate::llm::Models;
use crate::runs::Runs;
use crate::store::benches;
use crate::store::{Db, Scope, StoreError};

/// What a bench needs to be worked on.
#[derive(Clone)]
pub struct Engine {
    pub runs: Runs,
    pub db: Db,
    pub models: Arc<dyn Models>,
    /// This process, as the holder of benches.
    pub holder: String,
    /// How long a bench stays with a process that no longer prolongs its right to it.
    pub lease: Duration,
}

impl Engine {
    /// Takes a bench for this process. Another one that died holds it for a few seconds still, which are waited for.
    ///
    /// # Errors
    /// [`BenchError::Held`] where it goes on holding it.
    pub async fn hold(&self, bench: &Bench) -> Result<(), BenchError> {
        let until = tokio::time::Instant::now() + self.lease + Duration::from_secs(1);
        loop {
            if self.prolong(bench).await? {
                return Ok(());
            }
            if tokio::time::Instant::now() >= until {
                return Err(BenchError::Held);
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }

    /// Takes or prolongs the right to work on a bench; false while another process has it.
    pub(super) async fn prolong(&self, bench: &Bench) -> Result<bool, StoreError> {
        let mut tx = self.db.begin(&Scope::User(bench.user.clone())).await?;
        let held = benches::hold(&mut tx, bench.id, &self.holder, self.lease).await?;
        tx.commit().await?;
        Ok(held)
    }

    /// Releases a bench, and stores where it stands.
    ///
    /// # Errors
    /// When the database cannot be written to; another process can take it a few seconds later then.
    pub async fn release(&self, bench: &Bench, status: Status) -> Result<(), StoreError> {
        let mut tx = self.db.begin(&Scope::User(bench.user.clone())).await?;
        benches::release(&mut tx, bench.id, &self.holder, status.as_str()).await?;
        tx.commit().await
    }
}
