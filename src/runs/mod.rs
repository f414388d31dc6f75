//! Durability: a run survives whatever happens to the process that executes it.
//!
//! A deliberation (`council`) runs over a [`journal`]; its records and events enter a
//! [`live`] run, the one writer of the process ([`log`]) commits them in groups, and readers
//! ([`hub`]) take them from memory or from the log. [`driver`] owns the runs, [`recovery`] their
//! leases. Imports `council`, `store`, `llm`, `shutdown`, `id`. Start at [`driver::Runs`].

pub mod driver;
pub mod frame;
pub mod hub;
pub mod journal;
pub mod live;
pub mod log;
pub mod memory;
mod recovery;

pub use driver::{Ask, Asked, Runs};
pub use frame::Frame;
pub use hub::Subscription;

use crate::id::RunId;
use crate::store::StoreError;

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The conversation has a live run already.
    #[error("the conversation has a live run already: {0}")]
    Busy(RunId),
    /// This server is shutting down.
    #[error("this server is shutting down")]
    Closing,
    #[error(transparent)]
    Store(#[from] StoreError),
}
