//! Web search: one search for the question before the first round. What it finds goes to every member with the
//! question; where it fails, the run goes on without.

pub(in crate::council) mod estimate;
mod notes;
pub mod view;

pub use notes::WebSearchNote;

use serde::{Deserialize, Serialize};

use crate::council::brief::Brief;
use crate::council::run::Run;
use crate::council::searching::material::{Background, NotFound};
use crate::council::searching::source::Source;
use crate::search::as_query;

/// A question of fewer characters than this is searched for together with the question before it: on its own it may
/// say too little.
const SHORT_CHARS: usize = 40;
/// How much of the question before it then stands in the query, which is cut at its end: the new one has to fit in.
const EARLIER_CHARS: usize = 300;

/// What one search for the question found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct WebSearch {
    /// What was searched for.
    pub query: String,
    /// Whether anything was found.
    pub found: bool,
    /// Why the search failed; null where it did not.
    pub error: Option<String>,
    /// What the search backend itself says, where it says something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub sources: Vec<Source>,
    /// What was found is made up, as are the answers of a simulated model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

/// The events of a web search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WebSearchEvent {
    /// The search begins.
    WebSearchStart { query: String },
    /// It is over, whatever came of it.
    WebSearchComplete { data: Box<WebSearch> },
}

/// Searches for the question, and adds what was found to the background.
pub async fn hold(run: &Run, brief: &Brief, background: &mut Background) {
    let earlier = brief.history.last().map(|turn| turn.question.as_str());
    let query = query(&brief.question, earlier);
    run.emit("web_search/start", WebSearchEvent::WebSearchStart { query: query.clone() }).await;
    let simulated = brief.search.as_ref().is_some_and(|plan| plan.simulated);
    let data = match run.search(brief, &query).await {
        Ok(findings) => {
            let data = WebSearch {
                query: findings.query.clone(),
                found: !findings.is_empty(),
                answer: Some(findings.answer.clone()).filter(|answer| !answer.is_empty()),
                sources: findings.sources.clone(),
                simulated,
                ..WebSearch::default()
            };
            background.sections.push(("Search results".to_owned(), findings));
            data
        }
        Err(error) => {
            background.not_found.push(NotFound { query: query.clone(), reason: error.reason() });
            WebSearch { query, error: Some(error.message), simulated, ..WebSearch::default() }
        }
    };
    let complete = WebSearchEvent::WebSearchComplete { data: Box::new(data) };
    run.emit("web_search/complete", complete).await;
}

/// What to search for, where `earlier` is the question before this one.
fn query(question: &str, earlier: Option<&str>) -> String {
    let question = question.trim();
    match earlier {
        Some(earlier) if question.chars().count() < SHORT_CHARS => {
            as_query(&format!("{} {question}", beginning(earlier.trim())))
        }
        _ => as_query(question),
    }
}

/// The beginning of a text, cut at a word where it is too long.
fn beginning(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(EARLIER_CHARS) else { return text };
    let kept = text.split_at(end).0;
    kept.rsplit_once(char::is_whitespace).map_or(kept, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_question_is_in_the_query_however_long_the_one_before_it_is() {
        assert_eq!(
            query("And in Graz?", Some("How do trams run in Linz?")),
            "How do trams run in Linz? And in Graz?"
        );
        for earlier in ["How do trams run? ".repeat(50), "ü".repeat(900)] {
            let query = query("And in Graz?", Some(&earlier));
            assert!(query.ends_with(" And in Graz?"), "{query}");
        }
        let long = "How do trams run in Graz on a Sunday in winter?";
        assert_eq!(query(long, Some("Why?")), long);
        assert_eq!(query("And in Graz?", None), "And in Graz?");
    }

    #[test]
    fn a_query_is_told_as_it_is_asked() {
        let query = query(&"words\n".repeat(20_000), None);
        assert_eq!((as_query(&query), query.contains('\n')), (query.clone(), false));
    }
}
