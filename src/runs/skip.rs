//! Going on without a member because somebody asks for it. The request stands on the run's row before it is
//! answered: whoever executes the run learns of it from there, at once by a notice or with the next
//! heartbeat, and an execution after a crash with its claim.

use serde_json::json;

use super::journal::Recovered;
use super::state::{Runs, Shared};
use crate::council::skip::{Awaited, Awaiting, Skip};
use crate::id::{RunId, UserId};
use crate::store::{RunStatus, Scope, StoreError, journal, runs};

/// Why a run does not go on without somebody.
#[derive(Debug, thiserror::Error)]
pub enum SkipError {
    /// The run is over.
    #[error("the run is over")]
    Over,
    /// Nobody of this name is being waited for.
    #[error("nobody of this name is being waited for")]
    NotAwaited,
    /// Nobody of this name has been asked in this run; these have.
    #[error("no such seat")]
    NoSuchMember(Vec<String>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runs {
    /// Lets a run go on without a member whose call is open, wherever it is executed. Returns what the
    /// member was being asked for.
    ///
    /// # Errors
    /// Nothing has changed then.
    pub async fn skip(&self, user: &UserId, run: RunId, member: &str) -> Result<Awaited, SkipError> {
        let db = &self.shared.db;
        let scope = Scope::User(user.clone());
        let status = runs::find(db, &scope, run).await?.status;
        if status.is_over() {
            return Err(SkipError::Over);
        }
        if status == RunStatus::Queued {
            return Err(SkipError::NotAwaited);
        }
        // What was shown is durable, so the log has whatever the person saw.
        let stored = journal::remembered(db, &[run]).await?.remove(&run).unwrap_or_default();
        let events = Recovered::read(stored).events;
        let Awaiting { open, seats } = Awaiting::after(&events);
        let Some(awaited) = open.into_iter().find(|awaited| awaited.member == member) else {
            let is_known = seats.is_empty() || seats.iter().any(|seat| seat == member);
            return Err(if is_known { SkipError::NotAwaited } else { SkipError::NoSuchMember(seats) });
        };
        let skip = Skip { stage: awaited.stage.clone(), member: awaited.member.clone() };
        if !runs::request_skip(db, &scope, run, &json!(skip)).await? {
            return Err(SkipError::Over);
        }
        if let Some(live) = self.shared.live_run(run) {
            live.skip([skip]);
        }
        Ok(awaited)
    }
}

/// Reads soon what a run's row says about skips, if the run is executed here.
pub(super) fn read_soon(shared: &Shared, run: RunId) {
    if shared.live().contains_key(&run) {
        shared.skip_requested.notify_one();
    }
}
