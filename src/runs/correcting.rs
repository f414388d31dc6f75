//! Adding something to a question while its members answer. The request is first stored on the run's row, so it
//! outlives a crash; whether it came in time is decided by the run's log, which the server that executes the run
//! writes.

use std::time::Duration;

use serde_json::json;

use super::corrections;
use super::state::Runs;
use super::subscription::Next;
use crate::council::RunEvent;
use crate::council::correction::{Correction, MAX_CORRECTIONS};
use crate::id::{RunId, UserId};
use crate::store::{RunStatus, Scope, StoreError, runs};

/// How long to wait until the server that executes the run has confirmed a correction: with the default lease longer
/// than a heartbeat, which brings that server the request even if notices do not arrive.
const PATIENCE: Duration = Duration::from_secs(25);
/// The first plan version whose runs accept corrections.
const PLAN_VERSION: i32 = 12;

/// Why a correction is not added to a question.
#[derive(Debug, thiserror::Error)]
pub enum CorrectError {
    /// The run is over.
    #[error("the run is over")]
    Over,
    /// The run's reviews, or its final answer, have begun.
    #[error("the reviews have begun")]
    TooLate,
    /// Runs of this format, roster or plan version take no corrections.
    #[error("this run takes no corrections")]
    NotHere,
    /// The run has as many corrections as it may have.
    #[error("there are {MAX_CORRECTIONS} corrections already")]
    TooMany,
    /// The correction is stored; the server that executes the run has not yet said whether it came in time.
    #[error("the server of the run does not answer")]
    Unanswered,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runs {
    /// Adds a correction to the question of a run whose reviews have not begun, whichever server executes it. The same
    /// correction sent twice is added once.
    ///
    /// # Errors
    /// Nothing is added then, except perhaps after [`CorrectError::Unanswered`].
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

    /// Reads from the run's log whether the run has taken this correction in.
    async fn came_in_time(
        &self,
        user: &UserId,
        run: RunId,
        correction: &Correction,
    ) -> Result<(), CorrectError> {
        let mut log = self.look_into(user, run, 0).await?;
        while let Some(next) = log.next().await? {
            let Next::Frames(frames) = next else { continue };
            for frame in frames.iter().filter(|frame| !frame.is_token()) {
                // A newer server may execute the run; events that are not known here decide nothing.
                let Ok(event) = frame.event() else { continue };
                let added =
                    matches!(event.get(), Some(RunEvent::CorrectionAdded { data }) if data == correction);
                // Carried over from the run that this one replaces.
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
