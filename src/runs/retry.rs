//! Asking again for a run that is over: see [`fork`](crate::council::fork).

use std::collections::HashMap;

use super::driver::{Ask, Asked, Replaces, Runs};
use super::{StartError, patiently};
use crate::council::fork::{Again, Fork};
use crate::council::run::FinishedCall;
use crate::council::{Deliberation, Plan};
use crate::id::{RunId, UserId};
use crate::store::runs::RunStatus;
use crate::store::versions::{self, Earlier};
use crate::store::{Db, Scope, StoreError};

/// Finished calls by key and fingerprint: the same place may have been asked different things.
pub(super) type Carried = HashMap<(String, String), FinishedCall>;

/// A run to be asked for again.
pub struct Retry {
    pub user: UserId,
    pub run: RunId,
    pub again: Again,
    /// As in [`Ask`].
    pub groups: Option<Vec<String>>,
    pub idempotency_key: Option<String>,
}

impl Runs {
    /// Starts a run that replaces the answer of an earlier one, and takes over what that one has.
    ///
    /// # Errors
    /// [`StartError`]; nothing has changed then.
    pub async fn retry(&self, retry: Retry) -> Result<Asked, StartError> {
        let Retry { user, run, again, groups, idempotency_key } = retry;
        let mut earlier = versions::earlier(self.db(), &Scope::User(user.clone()), run).await?;
        // Of one that cannot be read nothing is known.
        let answer: Deliberation =
            serde_json::from_value(earlier.body.take().unwrap_or_default()).unwrap_or_default();
        // A request that is sent twice finds its run through the key, not through what it replaced.
        if idempotency_key.is_none() || earlier.is_latest {
            refuse(&earlier, &answer, &again)?;
        }
        let plan: Plan = serde_json::from_value(earlier.plan).map_err(|error| {
            tracing::error!(run.id = %run, %error, "a stored plan cannot be read");
            StartError::NotAgain("it was asked under another version of this server; ask the question anew")
        })?;
        let kept = again.kept(&answer);
        let replaces = Some(Replaces { run, message: earlier.message, kept });
        let plan = plan.again(run, again);
        self.start(Ask { user, conversation: earlier.conversation, plan, groups, idempotency_key, replaces })
            .await
    }
}

fn refuse(earlier: &Earlier, answer: &Deliberation, again: &Again) -> Result<(), StartError> {
    if !earlier.status.is_over() {
        return Err(StartError::NotAgain("the run is still under way; wait for it or stop it"));
    }
    if !earlier.is_latest {
        return Err(StartError::NotAgain(
            "only the latest answer of a conversation can be asked for again: what came later builds on it",
        ));
    }
    match again {
        Again::Failed if earlier.status == RunStatus::Complete && !earlier.has_failures => {
            Err(StartError::NotAgain(
                "nothing of this run failed; say which member is to answer again, or from where on",
            ))
        }
        Again::Failed | Again::From(_) => Ok(()),
        Again::Member(name) => {
            let answers = answer.stage1.iter().flatten();
            let seats: Vec<String> = answers.map(|answer| answer.member.clone()).collect();
            if seats.contains(name) { Ok(()) } else { Err(StartError::NoSuchMember(seats)) }
        }
    }
}

/// What a run takes over from the ones before it. A call that cannot be read is made again.
///
/// # Errors
/// When the database answers with an error.
pub(super) async fn carried(db: &Db, fork: &Fork) -> Result<Carried, StoreError> {
    let calls = patiently("what it goes on from", || versions::calls_of(db, &fork.of)).await?;
    let mut carried = Carried::new();
    for value in calls {
        match serde_json::from_value::<FinishedCall>(value) {
            // The latest run's come first.
            Ok(call) if fork.again.keeps(&call) => {
                carried.entry((call.key.clone(), call.fingerprint.clone())).or_insert(call);
            }
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "a journaled call cannot be read"),
        }
    }
    Ok(carried)
}
