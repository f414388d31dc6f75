//! Durability: a run survives whatever happens to the process that executes it.
//!
//! A deliberation (`council`) runs over a [`journal`]; its records and events enter a
//! [`live`] run, the one writer of the process ([`log`]) commits them in groups, and readers
//! ([`hub`]) take them from memory or from the log, [`wake`]d by other servers' notices. [`driver`]
//! owns the runs, [`recovery`] their leases, [`queue`] their places; [`compaction`] shrinks old logs. Imports `council`, `store`, `llm`, `shutdown`, `id`. Start at [`driver::Runs`].

mod compaction;
pub mod driver;
mod execution;
pub mod frame;
pub mod hub;
pub mod journal;
pub mod live;
pub mod log;
pub mod memory;
pub mod queue;
mod reading;
pub mod records;
mod recovery;
pub mod settings;
mod wake;

pub use driver::{Ask, Asked, Runs};
pub use frame::Frame;
pub use hub::{Next, Subscription};
pub use settings::RunSettings;

use crate::id::RunId;
use crate::store::StoreError;

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
    /// This server is shutting down.
    #[error("this server is shutting down")]
    Closing,
    #[error(transparent)]
    Store(#[from] StoreError),
}
