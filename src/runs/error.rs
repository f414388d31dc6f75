//! Why a run was not started.

use crate::council::budget::BudgetState;
use crate::id::RunId;
use crate::store::StoreError;
use crate::store::schedules::OverScheduled;

/// A budget that a question does not fit into.
#[derive(Debug, Clone, PartialEq)]
pub struct OverBudget {
    pub budget: BudgetState,
    /// What the question would need, in USD; absent when that is unknown.
    pub needed_usd: Option<f64>,
    /// The models whose price is unknown.
    pub unknown_price_models: Vec<String>,
}

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The conversation has a live run already.
    #[error("the conversation has a live run already: {0}")]
    Busy(RunId),
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    KeyOfAnother,
    /// Too many runs of this user wait already.
    #[error("too many runs of this user wait already")]
    TooMany,
    /// Too many runs wait already.
    #[error("too many runs wait already")]
    Full,
    /// The question does not fit into a budget.
    #[error("over budget")]
    OverBudget(Box<OverBudget>),
    /// The run cannot be asked for again, for this reason.
    #[error("cannot be asked again: {0}")]
    NotAgain(&'static str),
    /// The run that was to be repeated has no answer of this seat; it has answers of these.
    #[error("no such seat")]
    NoSuchMember(Vec<String>),
    /// A file attached to the question has been deleted.
    #[error("a file of the question is gone")]
    FileGone,
    /// The user may not write in the conversation's project.
    #[error("may not write in the project of the conversation")]
    NotAWriter,
    /// The schedule that asks is no longer due: another server was faster, or its owner has changed it.
    #[error("the schedule is not due any more")]
    NotDue,
    /// The question does not fit into the budget of its schedule.
    #[error("over the budget of the schedule")]
    OverScheduled(OverScheduled),
    /// This server is shutting down.
    #[error("this server is shutting down")]
    Closing,
    #[error(transparent)]
    Store(#[from] StoreError),
}
