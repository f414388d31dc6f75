//! The recordings: one file each, one line for each record in the order in which it was committed, so that any
//! beginning of the lines is what a server leaves that dies there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use llm_council::council::fingerprint::Fingerprint;
use llm_council::council::run::{FinishedCall, Host};
use llm_council::council::{AnyEvent, Deliberation, Token};
use llm_council::id::RunId;
use llm_council::runs::memory::MemoryHost;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One record of a run, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    Call(Value),
    Decision(String, Value),
    Event(String, Value),
}

/// All that is stored of one run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its name in the list of features, which says what the models do.
    pub feature: String,
    pub run: RunId,
    pub plan: Value,
    pub failed: bool,
    /// The stored message.
    pub message: Value,
    pub written: Vec<Written>,
}

impl Recorded {
    pub fn to_text(&self) -> String {
        let Self { feature, run, plan, failed, message, written } = self;
        let written: Vec<String> = written.iter().map(|written| json!(written).to_string()).collect();
        format!(
            "{{\"feature\": {},\n\"run\": {},\n\"failed\": {failed},\n\"plan\": {plan},\n\"message\": {message},\n\"written\": [\n{}\n]}}\n",
            json!(feature),
            json!(run),
            written.join(",\n")
        )
    }

    pub fn read(text: &str) -> Self {
        serde_json::from_str(text).expect("a recording")
    }

    pub fn save(&self, directory: &Path, name: &str) {
        fs::create_dir_all(directory).expect("a folder");
        let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        fs::write(directory.join(format!("{name}.json")), self.to_text()).expect("a file");
    }

    /// Those of one version, with a name for messages.
    pub fn all(directory: &Path) -> Vec<(String, Self)> {
        let mut files: Vec<PathBuf> = fs::read_dir(directory)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.file_name().is_some_and(|name| name != DATABASE))
            .collect();
        files.sort();
        let read = |path: PathBuf| {
            let name = path.strip_prefix(root()).expect("it is under it").display().to_string();
            (name, Self::read(&fs::read_to_string(path).expect("a text")))
        };
        files.into_iter().map(read).collect()
    }
}

/// The name of the file with a whole database.
pub const DATABASE: &str = "database.json";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/frozen")
}

/// The folders of the versions, but for one that is being recorded.
pub fn directories() -> Vec<PathBuf> {
    let entries = fs::read_dir(root()).expect("the fixtures");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.retain(|path| Some(path) != recording().as_ref());
    all.sort();
    all
}

/// Where to record, if that is wanted.
pub fn recording() -> Option<PathBuf> {
    std::env::var("LLM_COUNCIL_RECORD").ok().map(|name| root().join(name))
}

/// Sentences that each execution makes anew and no model is told. The reason at their end is in the words of
/// its version.
const SENTENCES: [&str; 3] = ["error", "notes", "stop_reason"];

fn say_the_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::String(old), Value::String(new)) => {
            let said = |text: &str| text.rsplit_once(": ").map(|(said, _)| said.to_owned());
            old == new || said(old).is_some() && said(old) == said(new)
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| say_the_same(old, new))
        }
        _ => old == new,
    }
}

/// What of `old` is not in `new`, if anything: an object may have more fields than it had, and a sentence
/// other words.
pub fn lacks(old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            old.iter().find_map(|(name, value)| match new.get(name) {
                Some(found) if SENTENCES.contains(&name.as_str()) && say_the_same(value, found) => None,
                Some(found) => lacks(value, found).map(|lack| format!("{name}.{lack}")),
                None if value.is_null() => None,
                None => Some(format!("{name} is gone; it was {value}")),
            })
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => old
            .iter()
            .zip(new)
            .enumerate()
            .find_map(|(at, (old, new))| lacks(old, new).map(|lack| format!("{at}.{lack}"))),
        _ => (old != new).then(|| format!(" was {old} and is {new}")),
    }
}

/// A host that remembers the order of what is committed.
pub struct Recorder {
    inner: MemoryHost,
    written: Mutex<Vec<Written>>,
    /// What runs before it have asked.
    carried: Vec<FinishedCall>,
}

impl Recorder {
    pub fn new(inner: MemoryHost, left: Vec<Written>, carried: Vec<FinishedCall>) -> Self {
        Self { inner, written: Mutex::new(left), carried }
    }

    pub fn written(&self) -> Vec<Written> {
        self.lock().clone()
    }

    pub fn deliberation(&self) -> Deliberation {
        self.inner.deliberation()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Host for Recorder {
    fn finished_call(&self, key: &str) -> Option<FinishedCall> {
        self.inner.finished_call(key)
    }

    fn asks_something_else(&self, key: &str) {
        self.inner.asks_something_else(key);
    }

    fn carried_call(&self, key: &str, fingerprint: Fingerprint<'_>) -> Option<FinishedCall> {
        let asks_this = |call: &&FinishedCall| call.key == key && fingerprint.is(&call.fingerprint);
        self.carried.iter().find(asks_this).cloned()
    }

    fn decision(&self, key: &str) -> Option<Value> {
        self.inner.decision(key)
    }

    async fn commit_call(&self, call: &FinishedCall) {
        self.lock().push(Written::Call(json!(call)));
        self.inner.commit_call(call).await;
    }

    async fn commit_decision(&self, key: &str, value: Value) {
        self.lock().push(Written::Decision(key.to_owned(), value.clone()));
        self.inner.commit_decision(key, value).await;
    }

    async fn publish(&self, key: &str, event: AnyEvent) {
        let is_known = |written: &Written| matches!(written, Written::Event(known, _) if known == key);
        {
            let mut written = self.lock();
            if !written.iter().any(is_known) {
                written.push(Written::Event(key.to_owned(), serde_json::from_str(&event.json()).unwrap()));
            }
        }
        self.inner.publish(key, event).await;
    }

    async fn stream(&self, call: &str, token: Token) {
        self.inner.stream(call, token).await;
    }

    fn attempt(&self) -> u32 {
        self.inner.attempt()
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }
}
