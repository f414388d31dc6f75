//! The limits and rules of runs in this process.

use std::time::Duration;

use crate::id::RunId;
use crate::store::budgets::Defaults;
use crate::store::cache::Sharing;

/// Whether a budget lets calls through whose price is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownPrices {
    /// They are let through until the budget is used up, and counted separately.
    #[default]
    Allow,
    Refuse,
}

/// The rules of budgets that this process applies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BudgetRules {
    /// The limits that no admin has set.
    pub defaults: Defaults,
    pub unknown_prices: UnknownPrices,
}

/// The rules of the semantic cache in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRules {
    /// How many answers are kept per user; beyond it the least recently used ones are dropped.
    pub max_entries: u32,
    /// To whom an answer may be given besides its owner.
    pub sharing: Sharing,
}

impl Default for CacheRules {
    fn default() -> Self {
        Self { max_entries: 1000, sharing: Sharing::Off }
    }
}

/// The rules of this process's runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSettings {
    /// How many runs this process executes at once.
    pub max_live: usize,
    /// How many runs of one user are executed at once, over all servers.
    pub max_per_user: u32,
    /// How many runs may wait, over all servers.
    pub max_queued: u32,
    /// How many runs of one user may wait, over all servers.
    pub max_queued_per_user: u32,
    /// How long a run stays with a process that sends no heartbeat.
    pub lease: Duration,
    /// How long a run goes on that nobody watches; `None` means until its end.
    pub unwatched: Option<Duration>,
    pub budgets: BudgetRules,
    pub cache: CacheRules,
    /// The run whose random choices every run repeats; `None` for choices of its own.
    pub seed: Option<RunId>,
}

impl RunSettings {
    /// The pause between two heartbeats: several may fail before the lease is lost.
    #[must_use]
    pub fn heartbeat(&self) -> Duration {
        self.lease / 4
    }
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            max_live: 1000,
            max_per_user: 10,
            max_queued: 1000,
            max_queued_per_user: 20,
            lease: Duration::from_secs(10),
            unwatched: None,
            budgets: BudgetRules::default(),
            cache: CacheRules::default(),
            seed: None,
        }
    }
}
