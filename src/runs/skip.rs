//! Going on without a member at somebody's request. The request is stored on the run's row before it is
//! confirmed: the server that executes the run reads it there, at once after a notice or with the next
//! heartbeat, and an execution after a crash with its claim.

use serde_json::json;

use super::journal::Recovered;
use super::state::{Runs, Shared};
use crate::council::skip::{Awaited, Awaiting, Skip};
use crate::council::stage::Stage;
use crate::council::stages::reviews;
use crate::id::{RunId, UserId};
use crate::store::{RunStatus, Scope, StoreError, journal, runs};

/// Why a run does not go on without a member.
#[derive(Debug, thiserror::Error)]
pub enum SkipError {
    /// The run is over.
    #[error("the run is over")]
    Over,
    /// Nobody of this name is being waited for.
    #[error("nobody of this name is being waited for")]
    NotAwaited,
    /// No seat of this name has been asked in this run; these have.
    #[error("no such seat")]
    NoSuchMember(Vec<String>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runs {
    /// Lets a run go on without a member whose call is open, in this stage or in any, whichever server executes it.
    /// Returns what the member was being asked for.
    ///
    /// # Errors
    /// Nothing has changed then.
    pub async fn skip(
        &self,
        user: &UserId,
        run: RunId,
        (member, stage): (&str, Option<&Stage>),
    ) -> Result<Awaited, SkipError> {
        let db = &self.shared.db;
        let scope = Scope::User(user.clone());
        let status = runs::find(db, &scope, run).await?.status;
        if status.is_over() {
            return Err(SkipError::Over);
        }
        if status == RunStatus::Queued {
            return Err(SkipError::NotAwaited);
        }
        // Structural events are shown only when they are durable, so the log has whatever the person saw.
        let stored = journal::remembered(db, &[run]).await?.remove(&run).unwrap_or_default();
        let events = Recovered::read(stored).events;
        let Awaiting { open, seats } = Awaiting::after(&events);
        let Some(awaited) = meant(open, member, stage) else {
            let is_known = seats.is_empty() || seats.iter().any(|seat| seat == member);
            return Err(if is_known { SkipError::NotAwaited } else { SkipError::NoSuchMember(seats) });
        };
        let skip = Skip { stage: awaited.stage.clone(), member: awaited.member.clone() };
        if !runs::request_skip(db, &scope, run, &json!(skip)).await? {
            return Err(SkipError::Over);
        }
        if let Some(live) = self.shared.live_run(run) {
            live.skips.note([skip]);
        }
        Ok(awaited)
    }
}

/// What this seat is being asked for, in this stage or in any. Of several, ballots come last: those on the openings of
/// a debate are cast alongside it, and only its end waits for them.
fn meant(open: Vec<Awaited>, member: &str, stage: Option<&Stage>) -> Option<Awaited> {
    let of_it = open.into_iter().filter(|awaited| awaited.member == member);
    let there = of_it.filter(|awaited| stage.is_none_or(|stage| awaited.stage == *stage));
    there.min_by_key(|awaited| awaited.stage == reviews::STAGE)
}

/// Schedules reading the skips from the run's row, if the run is executed here.
pub(super) fn read_soon(shared: &Shared, run: RunId) {
    if shared.live().contains_key(&run) {
        shared.skip_requested.notify_one();
    }
}
