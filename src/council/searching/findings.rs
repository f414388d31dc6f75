//! What a search found.

use super::source::Source;

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// The query as it was sent.
    pub query: String,
    /// What the backend itself says, with the run's numbers in it; empty where it says nothing.
    pub answer: String,
    /// In the backend's order.
    pub sources: Vec<Source>,
    /// How long it took, in milliseconds; that of the first search where the same was searched for before.
    pub latency_ms: u64,
}

impl Findings {
    /// Whether there is anything to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answer.is_empty() && self.sources.is_empty()
    }
}

/// What a search found, before its sources have numbers.
#[derive(Debug, Clone)]
pub struct Found {
    pub(super) query: String,
    /// In the backend's own numbers.
    pub(super) answer: String,
    /// In the backend's order; none in the place of a link that is not one to follow.
    pub(super) cited: Vec<Option<Source>>,
    pub(super) latency_ms: u64,
}
