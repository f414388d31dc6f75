//! Figures over many runs: of one user, in their scope, or of everybody, in the admins'. All of them
//! are queries over the ledger (`calls`) and what the ends of runs left in `placings` and
//! `run_figures`.
//!
//! Start reading at [`RowFilter`]: whose rows and of which time a query counts.

mod chairmen;
mod clear;
mod comparisons;
mod days;
mod filter;
pub(super) mod leanings;
mod models;
mod recent;
pub(super) mod records;
mod sums;

pub use chairmen::{Chairman, chairmen};
pub use clear::clear;
pub use comparisons::{
    AgainstBest, Duel, MAX_COMPARED_RUNS, Preferred, against_best, ballots, duels, preferences,
};
pub use days::{Day, days};
pub use filter::RowFilter;
pub use leanings::{
    Agreement, CountAndSum, Mean, ModelLeanings, ReviewerSums, everybodys_reviewers, leanings, picks,
};
pub use models::{
    ModelCache, ModelLatency, ModelPlaces, ModelUsage, Runs, cached, latencies, places, runs, usage,
};
pub use recent::{RecentAnswer, RecentRun, recent};
pub use records::{NEWEST, Record, records};
pub use sums::{Latency, Money};

/// The statements by name, for inspecting their query plans. `$1` is the user or null for
/// everybody, `$2` and `$3` the span of time, `$4` the format or null for all; [`recent`] and the tag's ask for more.
#[doc(hidden)]
pub const STATEMENTS: &[(&str, &str)] = &[
    ("records", records::RECORDS),
    ("reviewers", leanings::REVIEWERS),
    ("agreement of ballots", leanings::AGREEMENT),
    ("leanings by model", leanings::MEANS),
    ("usage by model", models::USAGE),
    ("cached by model", models::CACHED),
    ("latency by model", models::LATENCIES),
    ("places by model", models::PLACES),
    ("runs", models::RUNS),
    ("usage by day", days::USAGE),
    ("runs by day", days::RUNS),
    ("chairmen", chairmen::WRITTEN),
    ("chairmen's calls", chairmen::CALLS),
    ("head to head", comparisons::DUELS),
    ("ballots", comparisons::BALLOTS),
    ("people's preferences", comparisons::PREFERENCES),
    ("council against its best member", comparisons::AGAINST_BEST),
];
