//! Retrying a failed member within the same run at its owner's request, as long as others still answer. The request
//! is first stored on the run's row, so it outlives a crash; whether it came in time is decided by the run's log, which
//! the server that executes the run writes.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::journal::Recovered;
use super::state::Runs;
use super::subscription::Next;
use crate::council::asking::Asking;
use crate::council::member_retry::{MAX_RETRIES, MemberRetry};
use crate::council::stages::answers::{self, AnswersEvent};
use crate::council::{AnyEvent, RunEvent};
use crate::id::{RunId, UserId};
use crate::llm::CallFact;
use crate::store::{RunStatus, Scope, StoreError, journal, runs};

/// How long to wait until the server that executes the run has begun a retry: with the default lease longer than a
/// heartbeat, which brings that server the request even if notices do not arrive.
const PATIENCE: Duration = Duration::from_secs(25);
/// The first plan version in whose runs members can be asked again.
const PLAN_VERSION: i32 = 13;

/// Why a member is not asked again.
#[derive(Debug, thiserror::Error)]
pub enum RetryMemberError {
    /// The run is over, or a server of an earlier version may execute it.
    #[error("the run is over")]
    Over,
    /// The answers of the member's group are not awaited yet, or no longer.
    #[error("nobody is waited for with this member")]
    NotAnswering,
    /// The member is still being asked.
    #[error("the member is being asked")]
    BeingAsked,
    /// The member has answered.
    #[error("the member has answered")]
    Answered,
    /// The run's owner asked to go on without the member.
    #[error("the member was skipped")]
    Skipped,
    /// The member was asked again as often as it may be.
    #[error("the member was asked again {MAX_RETRIES} times")]
    TooOften,
    /// No seat of this name has been asked in this run; these have.
    #[error("no such seat")]
    NoSuchMember(Vec<String>),
    /// The request is stored; the server that executes the run has not yet said whether it came in time.
    #[error("the server of the run does not answer")]
    Unanswered,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A member that is being asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunRetry {
    pub retry: MemberRetry,
    pub model: String,
}

impl Runs {
    /// Asks a member again whose answer has failed while others still answer, whichever server executes the run. A
    /// request sent twice before the retry has begun counts once.
    ///
    /// # Errors
    /// Nobody is asked then, except perhaps after [`RetryMemberError::Unanswered`].
    pub async fn retry_member(
        &self,
        user: &UserId,
        run: RunId,
        member: &str,
    ) -> Result<BegunRetry, RetryMemberError> {
        let db = &self.shared.db;
        let scope = Scope::User(user.clone());
        let status = runs::find(db, &scope, run).await?.status;
        if status.is_over() {
            return Err(RetryMemberError::Over);
        }
        if status == RunStatus::Queued {
            return Err(RetryMemberError::NotAnswering);
        }
        // Structural events are shown only when they are durable, so the log has whatever the person saw.
        let stored = journal::remembered(db, &[run]).await?.remove(&run).unwrap_or_default();
        let Recovered { events, retries, last_seq, .. } = Recovered::read(stored);
        Answering::after(&events).check(member)?;
        let seat = (answers::STAGE, member.to_owned());
        let number = retries.get(&seat).copied().unwrap_or_default() + 1;
        if number > MAX_RETRIES {
            return Err(RetryMemberError::TooOften);
        }
        let (stage, member) = seat;
        let retry = MemberRetry { stage, member, number };
        if !runs::request_retry(db, &scope, run, &json!(retry), PLAN_VERSION).await? {
            return Err(RetryMemberError::Over);
        }
        if let Some(live) = self.shared.live_run(run) {
            live.retries.note([retry.clone()]);
        }
        tokio::time::timeout(PATIENCE, self.has_begun(user, run, last_seq, retry))
            .await
            .unwrap_or(Err(RetryMemberError::Unanswered))
    }

    /// Reads from the run's log, after the event `after`, whether the retry has begun.
    async fn has_begun(
        &self,
        user: &UserId,
        run: RunId,
        after: u64,
        retry: MemberRetry,
    ) -> Result<BegunRetry, RetryMemberError> {
        let mut log = self.look_into(user, run, after).await?;
        while let Some(next) = log.next().await? {
            let Next::Frames(frames) = next else { continue };
            for frame in frames.iter().filter(|frame| !frame.is_token()) {
                // A newer server may execute the run; events that are not known here decide nothing.
                let Ok(event) = frame.event() else { continue };
                if let Some(model) = begins(&event, &retry) {
                    return Ok(BegunRetry { model, retry });
                }
                if event.ends_the_run() {
                    return Err(RetryMemberError::Over);
                }
                if closes(&event) {
                    return Err(RetryMemberError::NotAnswering);
                }
            }
        }
        Err(RetryMemberError::Over)
    }
}

/// The model that is asked, if this event says that the retry has begun.
fn begins(event: &AnyEvent, wanted: &MemberRetry) -> Option<String> {
    let Some(RunEvent::MemberRetried { member, model, stage, retry, .. }) = event.get() else { return None };
    let is_wanted = (member, stage, *retry) == (&wanted.member, &wanted.stage, wanted.number);
    is_wanted.then(|| model.clone())
}

/// Whether this event means that members awaited so far can no longer be asked again: their answers are complete, or
/// others are asked after them.
fn closes(event: &AnyEvent) -> bool {
    let is_complete = matches!(event.get(), Some(AnswersEvent::Stage1Complete { .. }));
    is_complete || matches!(event.asking(), Some(Asking::Begins { stage, .. }) if stage == answers::STAGE)
}

/// The state of one of the members that are awaited together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Asked,
    Answered,
    Failed,
    Skipped,
}

/// The state of a run's answers, folded from its events.
#[derive(Debug, Default)]
struct Answering {
    /// The members that are awaited together; empty once their answers are complete.
    members: BTreeMap<String, MemberState>,
    /// Everybody who has been asked for an answer.
    seats: Vec<String>,
}

impl Answering {
    fn after<'e>(events: impl IntoIterator<Item = &'e AnyEvent>) -> Self {
        let mut answering = Self::default();
        for event in events {
            answering.apply(event);
        }
        answering
    }

    fn apply(&mut self, event: &AnyEvent) {
        if let Some(Asking::Begins { stage, seats }) = event.asking()
            && stage == answers::STAGE
        {
            self.members = seats.iter().map(|seat| (seat.member.clone(), MemberState::Asked)).collect();
            for seat in seats {
                if !self.seats.contains(&seat.member) {
                    self.seats.push(seat.member);
                }
            }
        } else if let Some(RunEvent::MemberRetried { member, stage, .. }) = event.get() {
            if *stage == answers::STAGE {
                self.put(member, MemberState::Asked);
            }
        } else {
            match event.get() {
                Some(AnswersEvent::Stage1ModelComplete { member, .. }) => {
                    self.put(member, MemberState::Answered);
                }
                Some(AnswersEvent::Stage1Error { member, data, .. }) => {
                    let is_skipped = matches!(data.error_fact, Some(CallFact::Skipped));
                    self.put(member, if is_skipped { MemberState::Skipped } else { MemberState::Failed });
                }
                Some(AnswersEvent::Stage1Complete { .. }) => self.members.clear(),
                Some(
                    AnswersEvent::Stage1Start { .. }
                    | AnswersEvent::Stage1Token { .. }
                    | AnswersEvent::Stage1ReasoningToken { .. },
                )
                | None => {}
            }
        }
    }

    /// Ignores a member that is not among those awaited.
    fn put(&mut self, member: &str, state: MemberState) {
        if let Some(known) = self.members.get_mut(member) {
            *known = state;
        }
    }

    /// Whether this member can be asked again.
    fn check(&self, member: &str) -> Result<(), RetryMemberError> {
        match self.members.get(member) {
            Some(MemberState::Failed) => Ok(()),
            Some(MemberState::Asked) => Err(RetryMemberError::BeingAsked),
            Some(MemberState::Answered) => Err(RetryMemberError::Answered),
            Some(MemberState::Skipped) => Err(RetryMemberError::Skipped),
            None if self.seats.is_empty() || self.seats.iter().any(|seat| seat == member) => {
                Err(RetryMemberError::NotAnswering)
            }
            None => Err(RetryMemberError::NoSuchMember(self.seats.clone())),
        }
    }
}

#[cfg(test)]
#[path = "retry_member_tests.rs"]
mod tests;
