//! A scripted search engine over real HTTP: Tavily and `SearXNG` on one port, each in its own shape. It finds, limits,
//! stalls, cuts and lies as it is told, and records everything it was asked.
//!
//! Without a script it finds three pages about whatever is asked.

#![allow(dead_code, reason = "a kit: each test binary uses a part of it")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::model_server::{ModelServer, Outcome, Record, RecordedRequest, Script};

/// The key that Tavily is given.
pub const KEY: &str = "tvly-secret-of-the-test";

/// One page that is found.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub url: String,
    pub title: String,
    pub snippet: String,
    pub published: Option<String>,
}

impl Page {
    /// A page with a title and an excerpt.
    pub fn new(url: &str, title: &str, snippet: &str) -> Self {
        Self { url: url.into(), title: title.into(), snippet: snippet.into(), published: None }
    }

    /// So many pages about something.
    pub fn many(count: usize, about: &str) -> Vec<Self> {
        (1..=count)
            .map(|n| Self {
                published: Some(format!("2026-11-{:02}", n % 28 + 1)),
                ..Self::new(
                    &format!("https://found.example/{n}"),
                    &format!("Page {n}"),
                    &format!("What page {n} says about {about}."),
                )
            })
            .collect()
    }
}

/// What to answer to one search.
#[derive(Debug, Clone)]
pub enum Says {
    /// These pages, and perhaps an answer of the engine's own, in the shape of whoever is asked.
    Finds(Option<String>, Vec<Page>),
    /// This, after so long.
    Slowly(Duration, Box<Self>),
    /// This, as it stands.
    Raw(Script),
}

impl Says {
    /// These pages alone.
    pub fn finds(pages: Vec<Page>) -> Self {
        Self::Finds(None, pages)
    }

    /// An HTTP error.
    pub fn status(status: u16, body: &str) -> Self {
        Self::Raw(Script::status(status, body))
    }

    fn script(self, request: &RecordedRequest) -> Script {
        match self {
            Self::Raw(script) => script,
            Self::Slowly(pause, says) => says.script(request).pause(pause),
            Self::Finds(answer, pages) if request.method == "POST" => {
                let results: Vec<Value> = pages.into_iter().map(|page| of(page, "published_date")).collect();
                document(&json!({"query": query(request), "answer": answer, "images": [], "results": results,
                                "response_time": 0.1}))
            }
            Self::Finds(answer, pages) => {
                let results: Vec<Value> = pages.into_iter().map(|page| of(page, "publishedDate")).collect();
                let answers: Vec<Value> =
                    answer.into_iter().map(|answer| json!({"answer": answer, "url": null})).collect();
                document(&json!({"query": query(request), "results": results, "answers": answers,
                                "number_of_results": 0, "unresponsive_engines": []}))
            }
        }
    }
}

impl From<Script> for Says {
    fn from(script: Script) -> Self {
        Self::Raw(script)
    }
}

fn of(page: Page, date: &str) -> Value {
    let mut result = Map::new();
    result.insert("url".into(), page.url.into());
    result.insert("title".into(), page.title.into());
    result.insert("content".into(), page.snippet.into());
    result.insert(date.into(), page.published.into());
    Value::Object(result)
}

fn document(body: &Value) -> Script {
    Script::raw("application/json", body.to_string())
}

/// What was searched for.
fn query(request: &RecordedRequest) -> String {
    if request.method == "POST" {
        return request.body["query"].as_str().unwrap_or_default().to_owned();
    }
    parameter(request, "q").unwrap_or_default()
}

fn parameter(request: &RecordedRequest, name: &str) -> Option<String> {
    let url = url::Url::parse(&format!("http://search.test{}", request.path)).ok()?;
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

type Rule = dyn Fn(&str) -> Option<Says> + Send + Sync;

#[derive(Default)]
struct Scripts {
    in_turn: VecDeque<Says>,
    rule: Option<Arc<Rule>>,
    check: Option<Script>,
}

/// See the file's head.
pub struct SearchServer {
    server: ModelServer,
    scripts: Arc<Mutex<Scripts>>,
}

impl SearchServer {
    /// Starts on a random port of 127.0.0.1.
    pub async fn start() -> Self {
        let server = ModelServer::start().await;
        let scripts: Arc<Mutex<Scripts>> = Arc::default();
        let ours = Arc::clone(&scripts);
        server
            .others(move |request| choose(&mut ours.lock().unwrap_or_else(PoisonError::into_inner), request));
        Self { server, scripts }
    }

    /// The part before `/search`.
    pub fn base_url(&self) -> String {
        self.server.base_url().trim_end_matches("/v1").to_owned()
    }

    /// The configuration of a server that searches here; `backend` is `tavily` or `searxng`, and `more` are further
    /// lines of its table `search`.
    pub fn toml(&self, backend: &str, more: &str) -> String {
        let key = if backend == "tavily" { format!("api_key = \"{KEY}\"\n") } else { String::new() };
        let base_url = self.base_url();
        format!(
            "\n[search]\nbackend = \"{backend}\"\n{more}\n\n[search.{backend}]\nbase_url = \"{base_url}\"\n{key}"
        )
    }

    fn change(&self, change: impl FnOnce(&mut Scripts)) {
        change(&mut self.scripts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Answers searches by these in turn; the last one stays.
    pub fn says(&self, in_turn: impl IntoIterator<Item = Says>) {
        self.change(|scripts| scripts.in_turn = in_turn.into_iter().collect());
    }

    /// Asks `rule` first, with the query; where it gives nothing, the others follow.
    pub fn rule(&self, rule: impl Fn(&str) -> Option<Says> + Send + Sync + 'static) {
        self.change(|scripts| scripts.rule = Some(Arc::new(rule)));
    }

    /// Answers by this whoever looks whether it is there.
    pub fn check(&self, script: Script) {
        self.change(|scripts| scripts.check = Some(script));
    }

    /// All searches so far, in order of arrival.
    pub fn records(&self) -> Vec<Record> {
        self.server.other_records().into_iter().filter(|record| is_search(&record.request)).collect()
    }

    /// What was searched for, in order of arrival.
    pub fn queries(&self) -> Vec<String> {
        self.records().iter().map(|record| query(&record.request)).collect()
    }

    /// Everything else that was asked.
    pub fn checks(&self) -> Vec<Record> {
        self.server.other_records().into_iter().filter(|record| !is_search(&record.request)).collect()
    }

    /// Waits until so many searches have arrived.
    ///
    /// # Panics
    /// After a minute.
    pub async fn until(&self, searches: usize) {
        self.server
            .until_any(|records| {
                records.iter().filter(|record| is_search(&record.request)).count() >= searches
            })
            .await;
    }

    /// Waits until one more search has been answered to its end, for as long as it takes.
    pub async fn next_found(&self) {
        let found = || self.records().iter().filter(|record| record.outcome == Outcome::Finished).count();
        let (mut ends, before) = (self.server.ends(), found());
        while found() == before {
            match ends.recv().await {
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                // The sender lives in the server.
                Err(RecvError::Closed) => unreachable!("the server is here"),
            }
        }
    }

    /// Waits until no search is under way any more.
    ///
    /// # Panics
    /// After a minute.
    pub async fn until_gone(&self) {
        self.server.until_any(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;
    }
}

/// A search, not a look whether the engine is there.
fn is_search(request: &RecordedRequest) -> bool {
    let path = request.path.split('?').next().unwrap_or_default();
    path.ends_with("/search") && (request.method == "POST" || parameter(request, "q").is_some())
}

fn choose(scripts: &mut Scripts, request: &RecordedRequest) -> Option<Script> {
    let path = request.path.split('?').next().unwrap_or_default();
    if !is_search(request) {
        let known = match request.method.as_str() {
            "GET" if path.ends_with("/usage") => {
                Script::raw("application/json", r#"{"key": {"usage": 1, "limit": null}}"#)
            }
            "GET" if path.ends_with("/search") => Script::status(400, r#"{"error": "No query"}"#),
            _ => return None,
        };
        return Some(scripts.check.clone().unwrap_or(known));
    }
    let query = query(request);
    let says = scripts.rule.as_ref().and_then(|rule| rule(&query)).or_else(|| {
        if scripts.in_turn.len() > 1 { scripts.in_turn.pop_front() } else { scripts.in_turn.front().cloned() }
    });
    Some(says.unwrap_or_else(|| Says::finds(Page::many(3, &query))).script(request))
}
