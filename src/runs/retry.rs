//! Repeating a run that is over, or a part of it: see [`rerun`](crate::council::rerun).

use super::error::StartError;
use super::live::AskedBy;
use super::start::{self, Ask, Replaces, StartedRun};
use super::state::Runs;
use crate::council::rerun::{Part, RerunScope, has_recovered};
use crate::council::{Deliberation, Plan, plan};
use crate::id::{RunId, UserId};
use crate::llm::error::ErrorKind;
use crate::store::runs::IdempotencyKey;
use crate::store::versions::{self, Earlier};
use crate::store::{RunStatus, Scope};

/// A run that is over, and what of it is to be asked again.
pub struct Retry {
    pub user: UserId,
    pub run: RunId,
    pub scope: RerunScope,
    /// As in [`Ask`].
    pub groups: Option<Vec<String>>,
    /// As in [`Ask`].
    pub tells_devices: bool,
    pub idempotency_key: Option<IdempotencyKey>,
    pub asked_by: AskedBy,
}

impl Runs {
    /// Starts a run that replaces the answer of an earlier one, and takes over those of its calls that are kept.
    ///
    /// # Errors
    /// Nothing has changed then.
    pub async fn retry(&self, retry: Retry) -> Result<StartedRun, StartError> {
        let Retry { user, run, scope, groups, tells_devices, idempotency_key, asked_by } = retry;
        let mut tx = self.shared.db.begin_frequent(&Scope::User(user.clone())).await?;
        let mut earlier = versions::earlier(&mut tx, run).await?;
        // A stored answer that cannot be read counts as empty.
        let answer: Deliberation =
            serde_json::from_value(earlier.body.take().unwrap_or_default()).unwrap_or_default();
        // A request that is sent twice finds its run through the key, not through what it replaced.
        if idempotency_key.is_none() || earlier.is_latest {
            refuse(&earlier, &answer, &scope.clone().in_format_of(&answer))?;
        }
        let other_version =
            StartError::NotAgain("it was asked under another version of this server; ask the question anew");
        if !plan::is_readable(&earlier.format, earlier.plan_version) {
            return Err(other_version);
        }
        let plan: Plan = serde_json::from_value(earlier.plan).map_err(|error| {
            tracing::error!(run.id = %run, %error, "a stored plan cannot be read");
            other_version
        })?;
        let scope = scope.in_format_of(&answer);
        let kept = scope.kept(&answer);
        let replaces = Some(Replaces { run, message: earlier.message, kept });
        let plan = plan.rerun_of(run, scope, answer.metadata.sources, answer.metadata.corrections);
        let ask = Ask {
            user,
            conversation: earlier.conversation,
            begins_conversation: false,
            project: None,
            plan,
            groups,
            tells_devices,
            idempotency_key,
            parent: None,
            replaces,
            asked_by,
            program: None,
            firing: None,
        };
        start::start(self, tx, ask).await
    }
}

fn refuse(earlier: &Earlier, answer: &Deliberation, scope: &RerunScope) -> Result<(), StartError> {
    if !earlier.status.is_over() {
        return Err(StartError::NotAgain("the run is still under way; wait for it or stop it"));
    }
    if !earlier.is_latest {
        return Err(StartError::NotAgain(
            "only the last answer of a branch can be asked for again: what came later builds on it",
        ));
    }
    if answer.is_repeated() && *scope != RerunScope::From(Part::Stage1) {
        // Its calls belong to another message, so all of them would be made and paid for again.
        return Err(StartError::NotAgain(
            "no part of an earlier answer that is given again can be asked again by itself; ask everybody again (from: stage1)",
        ));
    }
    match scope {
        RerunScope::Failed if earlier.status == RunStatus::Complete && !has_failures(earlier, answer) => {
            Err(StartError::NotAgain(
                "nothing of this run failed; say which member is to answer again, or from where on",
            ))
        }
        RerunScope::Failed | RerunScope::From(_) => Ok(()),
        RerunScope::Member(name) => {
            one_of(name, answer.answers().iter().map(|answer| answer.member.clone()).collect())
        }
        RerunScope::Speaker { member, round } => one_of(member, answer.format.seats_of_round(*round)),
    }
}

/// Whether a call failed for good, or succeeded with an unusable answer.
fn has_failures(earlier: &Earlier, answer: &Deliberation) -> bool {
    let said_nothing = |kind: Option<ErrorKind>| kind == Some(ErrorKind::BadResponse);
    earlier.failed_calls.iter().any(|failed| !has_recovered(failed, &earlier.answered_calls))
        || answer.answers().iter().any(|answer| said_nothing(answer.error_kind))
        || answer.format.failures().any(said_nothing)
}

fn one_of(name: &String, seats: Vec<String>) -> Result<(), StartError> {
    if seats.contains(name) { Ok(()) } else { Err(StartError::NoSuchMember(seats)) }
}
