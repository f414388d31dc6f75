//! What was looked up, and the sources.

use super::shape::{ResearchStatus, SearchStatus, Searches};
use crate::terminal::live::state::Run;
use crate::terminal::sections::section::{Section, lines};

/// The sentences before the answers.
pub fn beginning(searches: &Searches) -> impl Iterator<Item = String> {
    let research = searches.research.as_ref().filter(|research| !research.topics.is_empty());
    let researched = research.map(|research| {
        let topics = research.topics.iter().map(|topic| topic.query.as_str());
        let is_done = research.status == ResearchStatus::Done;
        let came = outcome(is_done && !research.found, research.failure.as_deref());
        format!("Researched: {}{came}", topics.collect::<Vec<_>>().join("; "))
    });
    let searched = searches.web_search.as_ref().map(|search| {
        let is_done = search.status == SearchStatus::Done;
        let came = outcome(is_done && !search.found, search.error.as_deref());
        format!("Searched for: {}{came}", search.query)
    });
    researched.into_iter().chain(searched)
}

/// Why a search gave the members nothing; empty if it gave them something.
fn outcome(is_in_vain: bool, failure: Option<&str>) -> String {
    match failure {
        Some(failure) => format!(" (failed: {failure})"),
        None if is_in_vain => " (nothing was found)".to_owned(),
        None => String::new(),
    }
}

/// The list of sources after the final answer.
#[must_use]
pub fn sources(searches: &Searches, run: &Run) -> Option<Section> {
    let said =
        searches.sources.iter().map(|source| format!("[{}] {} {}", source.n, source.title, source.url));
    lines("sources", "Sources", said.collect(), !run.status.is_live())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::terminal::live::LiveRun;

    #[test]
    fn a_search_that_brought_nothing_is_not_told_as_if_it_had() {
        let said = |data: serde_json::Value| {
            let mut run = LiveRun::default();
            run.apply(&json!({"type": "web_search_start", "query": "sky"}));
            run.apply(&json!({"type": "web_search_complete", "data": data}));
            run.options.beginning().collect::<Vec<_>>()
        };
        assert_eq!(said(json!({"query": "sky", "found": true})), ["Searched for: sky"]);
        assert_eq!(said(json!({"query": "sky", "found": false})), ["Searched for: sky (nothing was found)"]);
        let failed = json!({"query": "sky", "found": false, "error": "too slow"});
        assert_eq!(said(failed), ["Searched for: sky (failed: too slow)"]);
        let mut run = LiveRun::default();
        let data = json!({"sub_queries": [{"label": "a", "query": "blue"}], "has_research": false, "error": "too slow"});
        run.apply(&json!({"type": "stage0_complete", "data": data}));
        assert_eq!(run.options.beginning().collect::<Vec<_>>(), ["Researched: blue (failed: too slow)"]);
    }
}
