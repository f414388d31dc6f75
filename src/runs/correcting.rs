//! Adding something to a question while its members answer. The request is stored on the run's row before anything
//! else, so it outlives a crash; whether it came in time is decided by the run's log, which the server that executes
//! the run writes.

use std::time::Duration;

use serde_json::json;

use super::corrections;
use super::state::Runs;
use super::subscription::Next;
use crate::council::RunEvent;
use crate::council::correction::{Correction, MAX_CORRECTIONS};
use crate::id::{RunId, UserId};
use crate::store::{RunStatus, Scope, StoreError, runs};

/// How long the server that executes the run may take to hear of it: longer than a heartbeat, by which it hears where the
/// database tells it nothing.
const PATIENCE: Duration = Duration::from_secs(25);
/// The first version of plans whose runs take corrections in.
const PLAN_VERSION: i32 = 12;

/// Why something is not added to a question.
#[derive(Debug, thiserror::Error)]
pub enum CorrectError {
    /// The run is over.
    #[error("the run is over")]
    Over,
    /// Its reviews have begun, or its final answer.
    #[error("the reviews have begun")]
    TooLate,
    /// Runs like this one take nothing in.
    #[error("this run takes no corrections")]
    NotHere,
    /// It has taken in as many as it may.
    #[error("there are {MAX_CORRECTIONS} corrections already")]
    TooMany,
    /// It is noted; the server that executes the run has not said yet whether it was in time.
    #[error("the server of the run does not answer")]
    Unanswered,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runs {
    /// Adds something to the question of a run whose reviews have not begun, wherever it is executed. Sent twice, it is
    /// added once.
    ///
    /// # Errors
    /// Nothing is added then, but for [`CorrectError::Unanswered`].
    pub async fn correct(
        &self,
        user: &UserId,
        run: RunId,
        correction: &Correction,
    ) -> Result<(), CorrectError> {
        let scope = Scope::User(user.clone());
        let limits = (MAX_CORRECTIONS, PLAN_VERSION);
        let noted =
            runs::request_correction(&self.shared.db, &scope, run, &json!(correction), limits).await?;
        if noted.status.is_over() {
            return Err(CorrectError::Over);
        }
        if !noted.takes {
            return Err(CorrectError::NotHere);
        }
        if !noted.noted {
            return Err(CorrectError::TooMany);
        }
        if noted.status == RunStatus::Queued {
            // A server that takes the run up reads its row first.
            return Ok(());
        }
        if let Some(live) = self.shared.live_run(run) {
            live.corrections.note([correction.clone()]);
        }
        tokio::time::timeout(PATIENCE, self.came_in_time(user, run, correction))
            .await
            .unwrap_or(Err(CorrectError::Unanswered))
    }

    /// Reads in the run's log whether it has taken this in.
    async fn came_in_time(
        &self,
        user: &UserId,
        run: RunId,
        correction: &Correction,
    ) -> Result<(), CorrectError> {
        let mut log = self.look_into(user, run, 0).await?;
        while let Some(next) = log.next().await? {
            let Next::Frames(frames) = next else { continue };
            for frame in frames.iter().filter(|frame| !frame.key.is_empty()) {
                // A newer server may execute the run; events that are not known here decide nothing.
                let Ok(event) = frame.event() else { continue };
                let added =
                    matches!(event.get(), Some(RunEvent::CorrectionAdded { data }) if data == correction);
                // From the earlier run, where the question is asked again.
                let known = matches!(event.get(), Some(RunEvent::RunStarted { corrections, .. }) if corrections.contains(correction));
                if added || known {
                    return Ok(());
                }
                if event.ends_the_run() {
                    return Err(CorrectError::Over);
                }
                if corrections::closes(&event) {
                    return Err(CorrectError::TooLate);
                }
            }
        }
        Err(CorrectError::Over)
    }
}
