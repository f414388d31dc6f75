//! Durability: a run survives whatever happens to the process that executes it.
//!
//! A deliberation (`council`) runs on a [`journal`]; its records and events enter a [`live`] run, the
//! one writer of the process ([`log`]) commits them in groups, and each reader's [`subscription`] takes
//! them from memory or from the log, woken by the notices of other servers ([`waiters`]).
//!
//! [`Runs`] is the state that the parts share; each adds its own methods to it. [`start`] and [`retry`] begin
//! runs, [`driver`] executes them, [`recovery`] keeps leases and takes over abandoned and queued runs,
//! [`background`] is the work that never ends. [`compaction`] shrinks old logs.
//!
//! Imports `council`, `store`, `llm`, `objects`, `cache`, `trace`, `shutdown`, `id`. Start at [`start`], then
//! [`driver`].

mod admission;
mod background;
mod budget;
mod cache_offer;
mod carried;
mod compaction;
mod correcting;
mod corrections;
mod driver;
mod earlier;
pub mod ephemeral;
mod error;
mod execution;
pub mod frame;
pub mod journal;
mod late;
pub mod live;
pub mod log;
pub mod memory;
mod metrics;
mod notices;
pub mod queue;
mod readers;
pub mod records;
mod recovery;
mod requests;
mod retry;
mod retry_member;
mod settings;
mod shown;
mod single;
mod skip;
mod start;
mod starting;
mod state;
mod stop;
mod store_retry;
mod subscription;
mod takeover;
mod waiters;

pub use budget::budget_state;
pub use cache_offer::OfferError;
pub use correcting::CorrectError;
pub use error::{OverBudget, StartError};
pub use frame::Frame;
pub use live::AskedBy;
pub use retry::Retry;
pub use retry_member::{BegunRetry, RetryMemberError};
pub use settings::{BudgetRules, CacheRules, RunSettings, UnknownPrices};
pub use single::Payer;
pub use skip::SkipError;
pub use start::{Ask, Replaces, RunStart, StartedRun};
pub use state::Runs;
pub use stop::Stopped;
pub use subscription::{Next, Subscription};
