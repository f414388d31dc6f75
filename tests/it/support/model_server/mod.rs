//! A scripted OpenAI-compatible server over real HTTP, which answers as Bedrock where it is asked so: it answers, stalls, cuts and lies as it is
//! told, per model or by a function of the request, and records everything it was asked.
//!
//! Without a script it answers plausibly: a ranking for a review, a title, an answer. Nothing here
//! sleeps for luck: tests hold it with a [`Gate`] and wait for records with
//! [`ModelServer::until`]. It stops when it is dropped.

#![allow(dead_code, reason = "a kit: each test binary uses a part of it")]

pub mod bedrock;
pub mod embeddings;
mod http;
mod script;

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

pub use script::{Gate, Script};

/// How long [`ModelServer::until`] waits before it gives the test up; far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How many ends a listener may be behind before it misses some.
const ENDS: usize = 1024;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON body, or null.
    pub body: Value,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// The body's `model`, or that of Bedrock's path, or nothing.
    pub model: String,
    /// The text of the last user message, where it comes in blocks.
    pub blocks: Option<String>,
}

/// What the last message of the user says.
fn last_of_user(body: &Value) -> Option<&Value> {
    let messages = body.get("messages").and_then(Value::as_array)?;
    Some(&messages.iter().rev().find(|message| message["role"] == "user")?["content"])
}

/// What a prompt of the council asks for, as far as its words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskedFor {
    Answer,
    Review,
    Synthesis,
    /// Also when only the letter is asked for.
    Selection,
    Title,
    Routing,
    Critique,
    Revision,
    Attack,
    /// How grave an attack is, alone.
    Severity,
}

/// A message's text, also where it is marked for a cache.
pub fn text_of(content: &Value) -> &str {
    content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default()
}

impl RecordedRequest {
    /// The first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The last user message.
    pub fn prompt(&self) -> &str {
        last_of_user(&self.body).and_then(Value::as_str).or(self.blocks.as_deref()).unwrap_or_default()
    }

    /// The text whose vector is asked for.
    pub fn embedded(&self) -> &str {
        embeddings::text_of(&self.body)
    }

    /// Guessed from the prompt: a chairman's holds the reviews, so it is looked for first.
    pub fn asked_for(&self) -> AskedFor {
        let prompt = self.prompt();
        let lower = prompt.to_lowercase();
        let beginning: String = lower.chars().take(400).collect();
        if beginning.starts_with("classify the question below") {
            AskedFor::Routing
        } else if beginning.contains("have attacked an answer") {
            AskedFor::Severity
        } else if beginning.contains("devil's advocate") {
            AskedFor::Attack
        } else if beginning.contains("critic of the draft") {
            AskedFor::Critique
        } else if beginning.contains("revise your answer") {
            AskedFor::Revision
        } else if prompt.contains("SELECTED: ") {
            AskedFor::Selection
        } else if prompt.contains("COUNCIL NOTES:") || beginning.contains("chairman") {
            AskedFor::Synthesis
        } else if prompt.contains("FINAL RANKING") {
            AskedFor::Review
        } else if beginning.contains("title") {
            AskedFor::Title
        } else {
            AskedFor::Answer
        }
    }

    /// `Response A`, `Response B`, … as the prompt first names them in headings, else anywhere.
    pub fn labels(&self) -> Vec<String> {
        let found = |lines: &mut dyn Iterator<Item = &str>| {
            let mut labels: Vec<String> = Vec::new();
            for line in lines {
                for after in line.split("Response ").skip(1) {
                    let mut chars = after.chars();
                    let label = chars.next().filter(char::is_ascii_uppercase);
                    if let Some(label) = label
                        && !chars.next().is_some_and(char::is_alphanumeric)
                        && !labels.contains(&format!("Response {label}"))
                    {
                        labels.push(format!("Response {label}"));
                    }
                }
            }
            labels
        };
        let is_heading =
            |line: &&str| ["#", "<", "**", "--", "=="].iter().any(|mark| line.trim_start().starts_with(mark));
        let headed = found(&mut self.prompt().lines().filter(is_heading));
        if headed.is_empty() { found(&mut self.prompt().lines()) } else { headed }
    }
}

/// How the answer to a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Under way.
    Open,
    /// Sent to its end.
    Finished,
    /// Cut by the script.
    Cut,
    /// The client closed the connection before the end.
    ClientGone,
}

/// A request and what became of it.
#[derive(Debug, Clone)]
pub struct Record {
    pub request: RecordedRequest,
    pub outcome: Outcome,
}

type Rule = dyn Fn(&RecordedRequest) -> Option<Script> + Send + Sync;

type Others = dyn Fn(&RecordedRequest) -> Option<Script> + Send + Sync;

struct State {
    scripts: Mutex<HashMap<String, VecDeque<Script>>>,
    rule: Mutex<Option<Arc<Rule>>>,
    embeddings: Mutex<Option<Arc<Rule>>>,
    models: Mutex<Option<Arc<Rule>>>,
    others: Mutex<Option<Arc<Others>>>,
    records: Mutex<Vec<Record>>,
    changes: watch::Sender<()>,
    ends: broadcast::Sender<(AskedFor, Outcome)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            scripts: Mutex::default(),
            rule: Mutex::default(),
            embeddings: Mutex::default(),
            models: Mutex::default(),
            others: Mutex::default(),
            records: Mutex::default(),
            changes: watch::Sender::default(),
            ends: broadcast::Sender::new(ENDS),
        }
    }
}

/// See the file's head.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    /// The accepting task; dropping it ends every connection.
    _accepting: JoinSet<()>,
}

impl ModelServer {
    /// Starts on a random port of 127.0.0.1.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state = Arc::new(State::default());
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _accepting: accepting }
    }

    /// The base URL for clients: the part before `/chat/completions`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Answers this model's requests by these scripts in turn; the last one stays.
    pub fn script(&self, model: &str, scripts: impl IntoIterator<Item = Script>) {
        lock(&self.state.scripts).insert(model.to_owned(), scripts.into_iter().collect());
    }

    /// Asks `rule` first; where it gives nothing, the models' scripts and the defaults follow.
    pub fn rule(&self, rule: impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static) {
        *lock(&self.state.rule) = Some(Arc::new(rule));
    }

    /// Asks `rule` first where a vector is asked for ([`Script::embedding`], or a fault); where it gives nothing, the
    /// model's scripts follow, and then vectors of the words.
    pub fn embeddings(&self, rule: impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static) {
        *lock(&self.state.embeddings) = Some(Arc::new(rule));
    }

    /// Answers `GET /models` by this script.
    pub fn models(&self, script: Script) {
        self.models_by(move |_| Some(script.clone()));
    }

    /// The same by a function of the request, as for a list in pages; where it gives nothing, the list is of the
    /// scripted models.
    pub fn models_by(&self, rule: impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static) {
        *lock(&self.state.models) = Some(Arc::new(rule));
    }

    /// Answers what no model server is asked for.
    pub fn others(&self, rule: impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static) {
        *lock(&self.state.others) = Some(Arc::new(rule));
    }

    /// All chat requests so far, in order of arrival.
    pub fn records(&self) -> Vec<Record> {
        chats(&lock(&self.state.records))
    }

    /// All requests for vectors so far, in order of arrival.
    pub fn embedding_records(&self) -> Vec<Record> {
        lock(&self.state.records).iter().filter(|record| is_embedding(record)).cloned().collect()
    }

    /// Everything else that was asked (models, embeddings, wrong paths).
    pub fn other_records(&self) -> Vec<Record> {
        lock(&self.state.records).iter().filter(|record| !is_chat(record)).cloned().collect()
    }

    /// How many chat requests this model got.
    pub fn count(&self, model: &str) -> usize {
        self.records().iter().filter(|record| record.request.model == model).count()
    }

    /// Hears of every answer that ends from now on, at that very moment.
    pub fn ends(&self) -> broadcast::Receiver<(AskedFor, Outcome)> {
        self.state.ends.subscribe()
    }

    /// Waits until the chat records are as wanted.
    ///
    /// # Panics
    /// After a minute, showing the records.
    pub async fn until(&self, wanted: impl Fn(&[Record]) -> bool) {
        self.until_any(|records| wanted(&chats(records))).await;
    }

    /// The same of everything that was asked.
    ///
    /// # Panics
    /// After a minute, showing the records.
    pub async fn until_any(&self, wanted: impl Fn(&[Record]) -> bool) {
        let mut changes = self.state.changes.subscribe();
        let waiting = async {
            while !wanted(&self.all_records()) {
                changes.changed().await.expect("the sender lives in the state");
            }
        };
        if tokio::time::timeout(TIMEOUT, waiting).await.is_err() {
            panic!("the server was not asked as expected: {:#?}", self.all_records());
        }
    }

    fn all_records(&self) -> Vec<Record> {
        lock(&self.state.records).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_chat(record: &Record) -> bool {
    let path = &record.request.path;
    path.ends_with("/chat/completions") || bedrock::model_of(path).is_some()
}

fn is_embedding(record: &Record) -> bool {
    embeddings::is_asked(&record.request.method, &record.request.path)
}

fn chats(records: &[Record]) -> Vec<Record> {
    records.iter().filter(|record| is_chat(record)).cloned().collect()
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(serve(http::Connection::new(stream), Arc::clone(&state)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(mut connection: http::Connection, state: Arc<State>) {
    while let Some(request) = connection.request().await {
        let response = state.choose(&request).render(&request);
        let asked_for = request.asked_for();
        let at = {
            let mut records = lock(&state.records);
            records.push(Record { request, outcome: Outcome::Open });
            records.len() - 1
        };
        state.changes.send_replace(());
        let (outcome, goes_on) = connection.answer(&response).await;
        lock(&state.records)[at].outcome = outcome;
        // Nobody may be listening.
        state.ends.send((asked_for, outcome)).ok();
        state.changes.send_replace(());
        if !goes_on {
            return;
        }
    }
}

impl State {
    fn choose(&self, request: &RecordedRequest) -> Script {
        let path = request.path.split('?').next().unwrap_or_default();
        match request.method.as_str() {
            "POST" if path.ends_with("/chat/completions") || bedrock::model_of(path).is_some() => {
                self.choose_by(&self.rule, request, plausible)
            }
            "POST" if embeddings::is_asked("POST", path) => {
                self.choose_by(&self.embeddings, request, embeddings::plausible)
            }
            "GET" if path.ends_with("/models") => {
                let models = lock(&self.models).clone();
                models.and_then(|rule| rule(request)).unwrap_or_else(|| self.list_of_scripted())
            }
            _ => {
                let others = lock(&self.others).clone();
                others
                    .and_then(|rule| rule(request))
                    .unwrap_or_else(|| Script::status(404, r#"{"error":{"message":"no such path"}}"#))
            }
        }
    }

    /// By the rule, else by the model's scripts, else as is plausible.
    fn choose_by(
        &self,
        rule: &Mutex<Option<Arc<Rule>>>,
        request: &RecordedRequest,
        plausible: fn(&RecordedRequest) -> Script,
    ) -> Script {
        let rule = lock(rule).clone();
        if let Some(script) = rule.and_then(|rule| rule(request)) {
            return script;
        }
        let mut scripts = lock(&self.scripts);
        match scripts.get_mut(&request.model) {
            Some(queue) if queue.len() > 1 => queue.pop_front().unwrap_or_else(|| plausible(request)),
            Some(queue) => queue.front().cloned().unwrap_or_else(|| plausible(request)),
            None => plausible(request),
        }
    }

    fn list_of_scripted(&self) -> Script {
        let mut ids: Vec<String> = lock(&self.scripts).keys().cloned().collect();
        ids.sort();
        let data: Vec<Value> =
            ids.iter().map(|id| json!({"id": id, "object": "model", "owned_by": "scripted"})).collect();
        Script::raw("application/json", json!({"object": "list", "data": data}).to_string())
    }
}

/// An answer that a council can work with.
pub fn plausible(request: &RecordedRequest) -> Script {
    let model = &request.model;
    match request.asked_for() {
        AskedFor::Answer => Script::answer(&format!("A scripted answer of {model}.\n\nCONFIDENCE: 8")),
        AskedFor::Synthesis => Script::answer(&format!("A scripted synthesis by {model}.")),
        AskedFor::Selection => Script::answer(
            "EVALUATION:\nAll are fair.\n\nSELECTED: A\n\nREASONING:\nIt is clear.\n\nFINAL RESPONSE:\nUNCHANGED",
        ),
        AskedFor::Title => Script::answer("A Scripted Title"),
        AskedFor::Routing => {
            Script::answer("CATEGORY: CODING\nCONFIDENCE: 0.9\nREASONING: It is about code.")
        }
        AskedFor::Critique => Script::answer(&format!("{model} says: the year is wrong.")),
        AskedFor::Revision => Script::answer(&format!("A scripted revision by {model}.")),
        AskedFor::Attack => Script::answer("The year is wrong.\n\nSEVERITY: major"),
        AskedFor::Severity => Script::answer("SEVERITY: major"),
        AskedFor::Review => {
            let lines: Vec<String> = request
                .labels()
                .iter()
                .enumerate()
                .map(|(at, label)| format!("{}. {label}", at + 1))
                .collect();
            Script::answer(&format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n")))
        }
    }
}
