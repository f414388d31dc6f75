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

/// A question of fewer characters than this is searched for together with the question before it: on its own it may
/// say too little.
const SHORT_CHARS: usize = 40;

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
    let query = query(brief);
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

/// What to search for.
fn query(brief: &Brief) -> String {
    let question = brief.question.trim();
    match brief.history.last() {
        Some(earlier) if question.chars().count() < SHORT_CHARS => {
            format!("{} {question}", earlier.question.trim())
        }
        _ => question.to_owned(),
    }
}
