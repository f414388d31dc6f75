//! The events of research, and what is stored of it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::council::searching::findings::Findings;
use crate::council::searching::source::Source;

/// One search that a question needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SubQuery {
    /// What it is about, in a word or two.
    pub label: String,
    pub query: String,
}

/// What one search found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = ResearchFinding)]
pub struct SubResult {
    pub label: String,
    pub query: String,
    /// What was found, as text with the numbers of its sources; empty where nothing was.
    pub response: String,
    pub sources: Vec<Source>,
    /// Why the search failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl SubResult {
    pub(super) fn of(sub: SubQuery, findings: &Findings) -> Self {
        Self {
            label: sub.label,
            query: sub.query,
            response: text(findings),
            sources: findings.sources.clone(),
            error: None,
        }
    }

    pub(super) fn failed(sub: SubQuery, error: String) -> Self {
        Self { label: sub.label, query: sub.query, error: Some(error), ..Self::default() }
    }
}

/// What was found, for people: the backend's own answer, and what each source says.
fn text(findings: &Findings) -> String {
    let mut text = findings.answer.clone();
    for source in findings.sources.iter().filter(|source| !source.snippet.is_empty()) {
        // A source speaks for itself only where nobody has summed it up.
        if findings.answer.is_empty() {
            let _infallible = writeln!(text, "- {} [{}]", source.snippet, source.n);
        }
    }
    text.trim_end().to_owned()
}

/// What came of the research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ResearchResult {
    /// Who split the question.
    pub model: String,
    /// Everything that was found, under a heading for each search; null where nothing was.
    pub response: Option<String>,
    /// Whether anything was found.
    pub has_research: bool,
    /// Whether the question needs research, as far as the research model can say.
    pub needed: bool,
    pub sub_queries: Vec<SubQuery>,
    pub sub_results: Vec<SubResult>,
    /// Why the question was not split and went to the search as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_split: Option<String>,
    /// Why nothing was found, where every search failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was found is made up, as are the answers of a simulated model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

impl Default for ResearchResult {
    fn default() -> Self {
        Self {
            model: String::new(),
            response: None,
            has_research: false,
            needed: true,
            sub_queries: Vec::new(),
            sub_results: Vec::new(),
            not_split: None,
            error: None,
            simulated: false,
        }
    }
}

impl ResearchEvent {
    /// The sources that it tells of.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        if let Self::Stage0SubResult { data } = self { &data.result.sources } else { &[] }
    }
}

impl ResearchResult {
    /// Takes in an event: a run that is stopped keeps what it had.
    pub fn apply(&mut self, event: &ResearchEvent) {
        match event {
            ResearchEvent::Stage0Start { model } => self.model.clone_from(model),
            ResearchEvent::Stage0SubQueries { data } => self.sub_queries.clone_from(&data.sub_queries),
            ResearchEvent::Stage0SubResult { data } => {
                let mut results = std::mem::take(&mut self.sub_results);
                results.push(data.result.clone());
                self.join(results);
            }
            ResearchEvent::Stage0Complete { data } => *self = (**data).clone(),
            ResearchEvent::Stage0Decomposing { .. }
            | ResearchEvent::Stage0Researching { .. }
            | ResearchEvent::Stage0Synthesizing { .. } => {}
        }
    }

    /// Whether it came to its end and nothing of it failed: nothing of it is asked again then.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let has_all = !self.sub_results.is_empty() && self.sub_results.len() == self.sub_queries.len();
        self.not_split.is_none()
            && (!self.needed || has_all)
            && self.sub_results.iter().all(|result| result.error.is_none())
    }

    /// Takes in what the searches found.
    pub(super) fn join(&mut self, sub_results: Vec<SubResult>) {
        let good = sub_results.iter().filter(|result| !result.response.is_empty());
        let parts: Vec<String> =
            good.map(|result| format!("### {}\n\n{}", result.label, result.response)).collect();
        self.has_research = sub_results.iter().any(|result| !result.sources.is_empty()) || !parts.is_empty();
        self.response = Some(parts.join("\n\n")).filter(|text| !text.is_empty());
        self.error = if sub_results.iter().all(|result| result.error.is_some()) {
            sub_results.first().and_then(|result| result.error.clone())
        } else {
            None
        };
        self.sub_results = sub_results;
    }
}

/// The searches that a question needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SubQueries {
    pub sub_queries: Vec<SubQuery>,
}

/// What one search found, and which one it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SubResultAt {
    /// Its place in `sub_queries`, from 0.
    pub index: usize,
    pub result: SubResult,
}

/// Nothing, where existing clients read an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Empty {}

/// The events of research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResearchEvent {
    /// The research begins.
    Stage0Start { model: String },
    /// The research model is asked what to search for.
    Stage0Decomposing { data: Empty },
    /// What is searched for.
    Stage0SubQueries { data: SubQueries },
    /// The searches begin.
    Stage0Researching { data: SubQueries },
    /// One of the searches is over.
    Stage0SubResult { data: Box<SubResultAt> },
    /// All searches are over; what they found is put together.
    Stage0Synthesizing { data: Empty },
    /// The research is over, whatever came of it.
    Stage0Complete { data: Box<ResearchResult> },
}
