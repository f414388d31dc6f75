//! A call outside a deliberation. It is paid for like any other: checked against the budgets first, and
//! entered in the ledger afterwards.
//!
//! [`Runs::call_once`] keeps nothing of the reply, [`Runs::call_kept`] keeps it under an id.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::admission;
use super::error::StartError;
use super::journal::call_row;
use super::state::{Runs, Shared};
use super::store_retry::until_answered;
use crate::council::fingerprint::Fingerprint;
use crate::council::run::FinishedCall;
use crate::council::stage::Stage;
use crate::council::{estimate, pricing};
use crate::id::{RunId, UserId};
use crate::llm::{CallError, ChatRequest, Models, NoSink, Reply};
use crate::store::budgets::State;
use crate::store::budgets::reserve::Outcome;
use crate::store::journal::NewSingle;
use crate::store::{StoreError, journal};

/// Who pays for a call.
#[derive(Debug, Clone)]
pub struct Payer {
    pub user: UserId,
    /// The groups whose budgets it counts against.
    pub groups: Vec<String>,
    /// The budgets that bind this user, as they are now.
    pub budgets: Vec<State>,
}

impl Runs {
    /// Makes one call; `what_for` is its format in the ledger. The reply is not stored. A call that was sent
    /// is paid for, so it runs to its end even if the caller stops waiting.
    ///
    /// # Errors
    /// [`StartError::OverBudget`] where it does not fit into the budgets: nothing was sent then.
    /// [`StartError::Closing`] when the server shuts down; [`StartError::Store`] when the ledger cannot be
    /// written, or nothing may be done in the user's name.
    pub async fn call_once(
        &self,
        payer: Payer,
        what_for: &'static str,
        stage: Stage,
        request: ChatRequest,
    ) -> Result<Result<Reply, CallError>, StartError> {
        self.call_once_of(self.shared.models.clone(), payer, what_for, stage, request).await
    }

    /// [`Runs::call_once`] with other models than those of runs, as a check of the providers needs.
    ///
    /// # Errors
    /// As [`Runs::call_once`].
    pub async fn call_once_of(
        &self,
        models: Arc<dyn Models>,
        payer: Payer,
        what_for: &'static str,
        stage: Stage,
        request: ChatRequest,
    ) -> Result<Result<Reply, CallError>, StartError> {
        let call = Single { run: RunId::generate(), models, what_for, stage, keeps: false };
        Ok(self.call_single(payer, call, request).await?.result)
    }

    /// Makes the only call of the run with this id, or returns its result if it was made before: a call under the
    /// same id is not paid for twice.
    ///
    /// # Errors
    /// As [`Runs::call_once`].
    pub async fn call_kept(
        &self,
        payer: Payer,
        run: RunId,
        what_for: &'static str,
        stage: Stage,
        request: ChatRequest,
    ) -> Result<FinishedCall, StartError> {
        let mut known = journal::remembered(&self.shared.db, &[run]).await?;
        if let Some(call) = known.remove(&run).and_then(|known| known.calls.into_iter().next()) {
            let call = serde_json::from_value(call).map_err(|source| StoreError::Corrupt {
                what: "a finished call",
                source: Box::new(source),
            })?;
            return Ok(call);
        }
        let models = self.shared.models.clone();
        let call = Single { run, models, what_for, stage, keeps: true };
        self.call_single(payer, call, request).await
    }

    async fn call_single(
        &self,
        payer: Payer,
        call: Single,
        request: ChatRequest,
    ) -> Result<FinishedCall, StartError> {
        // Held before the check, as when a run is started: either a closing server waits for the call, or the check
        // sees that the server is closing.
        let _starting = self.shared.tasks.hold();
        if self.shared.closed.is_cancelled() {
            return Err(StartError::Closing);
        }
        let shared = self.shared.clone();
        let expected = estimate::of_single(call.stage.clone(), &request, call.models.as_ref());
        let need = admission::need(&shared, &expected);
        let single = NewSingle {
            run: call.run,
            user: &payer.user,
            format: call.what_for,
            groups: &payer.groups,
            need,
            budgets: &payer.budgets.iter().map(|state| state.budget.clone()).collect::<Vec<_>>(),
        };
        if let Outcome::Refused(budget) = journal::open_single(&shared.db, &single).await? {
            let over = admission::over_budget(*budget, expected, need);
            return Err(StartError::OverBudget(Box::new(over)));
        }
        let (sender, receiver) = oneshot::channel();
        self.shared.tasks.spawn(async move {
            let (run, what_for) = (call.run, call.what_for);
            let made = make(&shared, &payer.user, call, &request).await;
            if let Err(Err(error)) = sender.send(made) {
                tracing::error!(run.id = %run, what_for, error = &error as &dyn std::error::Error,
                    "a call that was paid for is not in the ledger");
            }
        });
        Ok(receiver.await.map_err(|_| StartError::Closing)??)
    }
}

/// A call that is to be made.
struct Single {
    /// The run whose only call it is.
    run: RunId,
    models: Arc<dyn Models>,
    what_for: &'static str,
    stage: Stage,
    /// Whether the reply is kept.
    keeps: bool,
}

async fn make(
    shared: &Shared,
    user: &UserId,
    Single { run, models, what_for, stage, keeps }: Single,
    request: &ChatRequest,
) -> Result<FinishedCall, StoreError> {
    let result = models.chat(request, &mut NoSink).await;
    let call = FinishedCall {
        key: what_for.to_owned(),
        stage,
        model: request.model.clone(),
        purpose: request.purpose.name.into(),
        fingerprint: Fingerprint::of(request).text(),
        expected_usd: pricing::of_request(request, models.as_ref()),
        result,
    };
    let mut row = call_row(run, user, &call);
    if !keeps {
        row.result = None;
    }
    // If this gave up, the cost would be lost, and a retry would pay again.
    until_answered("the ledger", || journal::record_single(&shared.db, row.clone())).await?;
    Ok(call)
}
