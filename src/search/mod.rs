//! Searching the web: backends behind one small trait, what they found made harmless, and an adapter through which a
//! search is asked like a call to a model. So journal, ledger, budgets, retries, limits and the circuit breaker of a
//! search are those of model calls.
//!
//! Imports `llm`, `id` and `invisible`. Start at [`Search`]; a new backend is one file that implements it and a line in
//! `setup.rs`. Nothing that a search found is fetched, and none of it is to be trusted.

mod built_in;
mod exchange;
pub mod link;
mod provider;
mod results;
mod searxng;
pub mod settings;
pub mod setup;
mod state;
mod tavily;
pub mod text;

use async_trait::async_trait;

use crate::llm::{CallError, Citation};

pub use link::Link;
pub use provider::as_query;
pub use settings::{Backend, KeyIn, SearchSettings, SearxngSettings, TavilySettings};
pub use setup::{Setup, SetupError, set_up};
pub use state::{Failure, Snapshot, State};

/// The most results of one search.
pub const MAX_RESULTS: usize = 20;

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// One line, of [`provider::MAX_QUERY_CHARS`] characters at most.
    pub text: String,
    /// How many results to ask for, 1 to [`MAX_RESULTS`].
    pub max_results: usize,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The backend's own answer, where it gives one.
    pub answer: Option<String>,
    /// Best first, cleaned: http and https only, each page once, plain text of bounded length. Perhaps none.
    pub results: Vec<Citation>,
}

/// A backend that searches. It translates, nothing more: limits, retries and the record of what failed are the
/// caller's.
#[async_trait]
pub trait Search: Send + Sync {
    /// Searches once.
    ///
    /// # Errors
    /// What the backend refused, or why what it said cannot be used.
    async fn search(&self, query: &Query) -> Result<Found, CallError>;

    /// Whether it is there, asked in a way that costs nothing.
    ///
    /// # Errors
    /// Why not.
    async fn check(&self) -> Result<(), CallError>;

    /// Whether its results are made up.
    fn is_simulated(&self) -> bool {
        false
    }
}
