//! What is known of reviewers, for a run that begins: the user's own figures are queried for it; everybody's are
//! refreshed in the background, and no run waits for them.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use crate::council::ranking::certainty::calibration;
use crate::council::ranking::records::{Picks, ReviewerRecord, ReviewerRecords, Tally};
use crate::store::analytics::{self, Agreement, CountAndSum, ReviewerSums};
use crate::store::{Db, Scope, StoreError};

/// How old everybody's figures may become: what models are like changes over weeks.
const REFRESH: Duration = Duration::from_mins(10);
/// How soon they are read again after a failure.
const RETRY: Duration = Duration::from_secs(30);

/// Everybody's figures, as they were read last; nothing at first.
#[derive(Debug, Default)]
pub struct Everybody(RwLock<Arc<ReviewerRecords>>);

impl Everybody {
    /// Keeps them fresh until it is dropped.
    pub async fn keep_fresh(&self, db: &Db) {
        loop {
            let pause = match self.refresh(db).await {
                Ok(()) => REFRESH,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "reviewers' records cannot be refreshed; the old ones stay in use"
                    );
                    RETRY
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// Reads them now.
    ///
    /// # Errors
    /// When the database cannot be asked; they stay as they were then.
    pub async fn refresh(&self, db: &Db) -> Result<(), StoreError> {
        db.opened().await;
        let mut tx = db.begin(&Scope::Admin).await?;
        let instance = analytics::everybodys_reviewers(&mut tx).await?;
        let picks = analytics::picks(&mut tx).await?;
        drop(tx);
        let records = ReviewerRecords {
            instance: instance.into_iter().map(|(model, sums)| (model, record(sums))).collect(),
            picks: Picks {
                count: u32::try_from(picks.len()).unwrap_or(u32::MAX),
                offset: calibration(&picks),
            },
            ..ReviewerRecords::default()
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(records);
        Ok(())
    }

    /// What one user's earlier runs, and everybody's, say about each reviewer.
    pub fn records_with(
        &self,
        user: BTreeMap<String, ReviewerSums>,
        agreement: Agreement,
    ) -> ReviewerRecords {
        let everybody = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        ReviewerRecords {
            user: user.into_iter().map(|(model, sums)| (model, record(sums))).collect(),
            agreement: tally(agreement.ballots),
            reading: tally(agreement.reading),
            ..ReviewerRecords::clone(&everybody)
        }
    }
}

fn record(sums: ReviewerSums) -> ReviewerRecord {
    ReviewerRecord { own: tally(sums.own), position: tally(sums.position) }
}

fn tally((count, sum): CountAndSum) -> Tally {
    Tally { count, sum }
}
