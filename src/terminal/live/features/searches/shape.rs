//! What is looked up before anybody answers, and the sources of a run, whoever found them.

use crate::terminal::live::event::Fields;
use serde::Serialize;

/// Everything that a run looked up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Searches {
    /// By number, each once, whoever found them.
    pub sources: Vec<Source>,
    pub research: Option<Research>,
    pub web_search: Option<WebSearch>,
}

/// A page that was found, under its number in the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Source {
    pub n: i64,
    pub title: String,
    pub url: String,
    pub host: String,
    pub snippet: String,
}

/// Research: the question's topics, and what was found of each.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Research {
    pub model: Option<String>,
    pub status: ResearchStatus,
    pub topics: Vec<Topic>,
    /// Whether anything was found.
    pub found: bool,
    /// The findings as the members read them; `None` for none.
    pub response: Option<String>,
    /// The question needs no research.
    pub needless: bool,
    /// The question was searched for as it is, because nobody could name its topics.
    pub is_whole: bool,
    /// Why every search failed; `None` if one did not.
    pub failure: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResearchStatus {
    #[default]
    Splitting,
    Searching,
    Compiling,
    Done,
    /// The run ended in the middle of it.
    Stopped,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Topic {
    pub label: String,
    pub query: String,
    /// `None` as long as it is being looked for.
    pub finding: Option<Finding>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Finding {
    pub response: String,
    /// Numbers of sources.
    pub sources: Vec<i64>,
    pub error: Option<String>,
}

impl Topic {
    pub(in crate::terminal::live) fn of(query: Fields) -> Self {
        Self { label: query.string("label"), query: query.string("query"), finding: None }
    }

    pub(in crate::terminal::live) fn found(result: Fields) -> Self {
        let finding = Finding {
            response: result.string("response"),
            sources: result.each("sources").filter_map(|source| source.whole("n")).collect(),
            error: result.owned("error"),
        };
        Self { finding: Some(finding), ..Self::of(result) }
    }
}

/// One search, which every member reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WebSearch {
    pub query: String,
    pub status: SearchStatus,
    pub found: bool,
    pub answer: Option<String>,
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchStatus {
    #[default]
    Searching,
    Done,
    /// The run ended in the middle of it.
    Stopped,
}
