//! A person's decision on the offer of an earlier answer. Like a request to skip a member ([`skip`](super::skip)), it
//! is stored on the run's row before it is confirmed, and reaches the run in the same way.

use serde::Deserialize as _;
use serde_json::json;

use super::journal::Recovered;
use super::state::Runs;
use crate::council::options::cache::event::CacheEvent;
use crate::council::options::cache::{ASK_ANYWAY, STAGE, TAKE};
use crate::council::skip::Skip;
use crate::id::{RunId, UserId};
use crate::store::{RunStatus, Scope, StoreError, journal, runs};

/// Why an offer cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// The run does not offer an earlier answer, or no longer does.
    #[error("no earlier answer is offered now")]
    NotOffered,
    /// The offer was answered before, the other way.
    #[error("the offer has been answered already")]
    Answered,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runs {
    /// Accepts the earlier answer that a run offers (`take`), or has the question asked anyway. Repeating the same
    /// decision changes nothing.
    ///
    /// # Errors
    /// Nothing has changed then.
    pub async fn answer_offer(&self, user: &UserId, run: RunId, take: bool) -> Result<(), OfferError> {
        let db = &self.shared.db;
        let scope = Scope::User(user.clone());
        let row = runs::find(db, &scope, run).await?;
        if row.status != RunStatus::Running {
            return Err(OfferError::NotOffered);
        }
        let member = if take { TAKE } else { ASK_ANYWAY };
        let said = runs::skips(db, &scope, run).await?;
        // An unknown value, written by a newer server, does not answer an offer of this one.
        let said: Vec<Skip> = Vec::deserialize(said).unwrap_or_default();
        if let Some(said) = said.iter().find(|skip| skip.stage == STAGE) {
            return if said.member == member { Ok(()) } else { Err(OfferError::Answered) };
        }
        let stored = journal::remembered(db, &[run]).await?.remove(&run).unwrap_or_default();
        let events = Recovered::read(stored).events;
        let latest = events.iter().filter_map(|event| event.get::<CacheEvent>()).next_back();
        if !matches!(latest, Some(CacheEvent::CacheOffer { .. })) {
            return Err(OfferError::NotOffered);
        }
        let skip = Skip { stage: STAGE, member: member.to_owned() };
        if !runs::request_skip(db, &scope, run, &json!(skip)).await? {
            return Err(OfferError::NotOffered);
        }
        if let Some(live) = self.shared.live_run(run) {
            live.skips.note([skip]);
        }
        Ok(())
    }
}
