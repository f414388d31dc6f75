//! What was looked up, and the sources.

use super::shape::Searches;
use crate::terminal::live::state::Run;
use crate::terminal::sections::section::{Section, lines};

/// The sentences before the answers.
pub fn beginning(searches: &Searches) -> impl Iterator<Item = String> {
    let research = searches.research.as_ref().filter(|research| !research.topics.is_empty());
    let researched = research.map(|research| {
        let topics = research.topics.iter().map(|topic| topic.query.as_str());
        format!("Researched: {}", topics.collect::<Vec<_>>().join("; "))
    });
    let searched = searches.web_search.as_ref().map(|search| format!("Searched for: {}", search.query));
    researched.into_iter().chain(searched)
}

/// The list after the final answer.
#[must_use]
pub fn sources(searches: &Searches, run: &Run) -> Option<Section> {
    let said =
        searches.sources.iter().map(|source| format!("[{}] {} {}", source.n, source.title, source.url));
    lines("sources", "Sources", said.collect(), !run.status.is_live())
}
