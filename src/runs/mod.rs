//! Durability: a run survives whatever happens to the process that executes it.
//!
//! A deliberation (`council`) runs over a [`journal`]; its records and events enter a
//! [`live`] run, the one writer of the process ([`log`]) commits them in groups, and readers
//! ([`hub`]) take them from memory or from the log, [`wake`]d by other servers' notices. [`driver`]
//! owns the runs, [`recovery`] their leases, [`queue`] their places; [`compaction`] shrinks old logs. Imports `council`, `store`, `llm`, `shutdown`, `id`. Start at [`driver::Runs`].

mod compaction;
mod door;
pub mod driver;
mod execution;
pub mod frame;
pub mod hub;
pub mod journal;
pub mod live;
pub mod log;
pub mod memory;
mod purse;
pub mod queue;
mod reading;
pub mod records;
mod recovery;
mod retry;
pub mod settings;
mod single;
mod wake;

pub use driver::{Ask, Asked, Replaces, Runs};
pub use frame::Frame;
pub use hub::{Next, Subscription};
pub use purse::shown;
pub use retry::Retry;
pub use settings::{BudgetRules, RunSettings, UnknownPrices};
pub use single::Payer;

use crate::council::budget::BudgetState;
use std::time::Duration;

use crate::id::RunId;
use crate::store::StoreError;

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
    /// Too many runs of this user wait already.
    #[error("too many runs of this user wait already")]
    TooMany,
    /// Too many runs wait already.
    #[error("too many runs wait already")]
    Full,
    /// It does not fit into a budget.
    #[error("over budget")]
    OverBudget(Box<OverBudget>),
    /// What was to be asked again is still under way, or not the conversation's latest, or whole.
    #[error("cannot be asked again: {0}")]
    NotAgain(&'static str),
    /// The run that was to be asked again has no answer of this seat.
    #[error("no such seat")]
    NoSuchMember(Vec<String>),
    /// This server is shutting down.
    #[error("this server is shutting down")]
    Closing,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How often a database that is away is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Asks for `what` until the database answers: the run waits for it anyway.
async fn patiently<T, F>(what: &str, mut ask: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    loop {
        match ask().await {
            Err(error @ StoreError::Unavailable(_)) => {
                tracing::warn!(%error, what, "a run waits for the database");
                tokio::time::sleep(ASK_AGAIN).await;
            }
            result => return result,
        }
    }
}
