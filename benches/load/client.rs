//! One user in front of the server: asks, reads the event stream to its end, and records what matters: when events
//! arrived, and whether any were missing.

use std::io;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::cli::By;
use super::http::{Connection, Head, find};
use super::stamp;

const WORDS: &str = "Which of two designs for a queue is better, and why?";
const READ: usize = 64 * 1024;

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Complete,
    /// The run ended in another way, or the stream was cut.
    Failed,
    /// An honest 429 or 503 instead of a run.
    Refused,
}

/// What one reader saw of one run.
#[derive(Debug)]
pub struct Seen {
    pub end: End,
    /// From sending the request to the first event, and to the last.
    pub first_event: Duration,
    pub whole: Duration,
    /// The age of the first token when it arrived here, in microseconds.
    pub first_token_us: Option<u32>,
    /// The ages of all tokens.
    pub token_us: Vec<u32>,
    pub events: u64,
    /// Numbers that were left out.
    pub lost: u64,
}

/// Makes a conversation; returns its id.
pub async fn conversation(connection: &mut Connection) -> anyhow::Result<String> {
    connection.send("POST", "/api/conversations", "{}").await?;
    let mut head = connection.head().await?;
    let body = connection.body(&mut head).await?;
    let value: serde_json::Value = serde_json::from_slice(&body)
        .with_context(|| format!("HTTP {} to a new conversation", head.status))?;
    Ok(value["id"].as_str().context("a new conversation has no id")?.to_owned())
}

/// A stream of events that is being read.
pub struct Events<'c> {
    connection: &'c mut Connection,
    head: Head,
    asked: Instant,
    text: Vec<u8>,
    last_id: u64,
    /// The type of the latest event that has one.
    latest: Vec<u8>,
    seen: Seen,
}

impl<'c> Events<'c> {
    /// Asks the council in a conversation.
    pub async fn ask(connection: &'c mut Connection, conversation: &str) -> anyhow::Result<Self> {
        Self::ask_by(By::Conversation, connection, conversation, Instant::now()).await
    }

    /// The same with further fields of the request.
    pub async fn ask_with(
        connection: &'c mut Connection,
        conversation: &str,
        fields: &str,
    ) -> anyhow::Result<Self> {
        let path = format!("/api/conversations/{conversation}/message/stream");
        let body = format!(r#"{{"content":"{WORDS}",{fields}}}"#);
        Self::open(connection, "POST", &path, &body, Instant::now()).await
    }

    /// The same in one of several ways, where the question was due at a time: its own times count from then.
    pub async fn ask_by(
        by: By,
        connection: &'c mut Connection,
        conversation: &str,
        due: Instant,
    ) -> anyhow::Result<Self> {
        let in_conversation = || format!("/api/conversations/{conversation}/message/stream");
        let (path, body) = match by {
            By::Conversation => (in_conversation(), format!(r#"{{"content":"{WORDS}"}}"#)),
            By::FirstQuestion => {
                (in_conversation(), format!(r#"{{"content":"{WORDS}","new_conversation":true}}"#))
            }
            // The id only makes questions differ, since two with the same body would join one run.
            By::V1 => (
                "/v1/chat/completions".to_owned(),
                format!(
                    r#"{{"model":"council","stream":true,"user":"{conversation}","messages":[{{"role":"user","content":"{WORDS}"}}]}}"#
                ),
            ),
        };
        Self::open(connection, "POST", &path, &body, due).await
    }

    /// Watches a run from its first event.
    pub async fn watch(connection: &'c mut Connection, run: &str) -> anyhow::Result<Self> {
        Self::open(connection, "GET", &format!("/api/runs/{run}/events"), "", Instant::now()).await
    }

    async fn open(
        connection: &'c mut Connection,
        method: &str,
        path: &str,
        body: &str,
        asked: Instant,
    ) -> anyhow::Result<Self> {
        connection.send(method, path, body).await?;
        let head = connection.head().await?;
        let seen = Seen {
            end: End::Failed,
            first_event: Duration::ZERO,
            whole: Duration::ZERO,
            first_token_us: None,
            token_us: Vec::new(),
            events: 0,
            lost: 0,
        };
        let (text, latest) = (Vec::new(), b"none".to_vec());
        let mut events = Self { connection, head, asked, text, last_id: 0, latest, seen };
        match head.status {
            200 => {}
            429 | 503 => {
                events.connection.body(&mut events.head).await?;
                events.seen.end = End::Refused;
            }
            status => {
                let body = events.connection.body(&mut events.head).await?;
                anyhow::bail!("HTTP {status} to {method} {path}: {}", String::from_utf8_lossy(&body));
            }
        }
        Ok(events)
    }

    /// The run's id, once its first event is there.
    pub async fn run(&mut self) -> anyhow::Result<String> {
        const BEFORE: &[u8] = br#""run_id":""#;
        loop {
            if let Some(at) = find(&self.text, BEFORE) {
                let id = self.text.get(at + BEFORE.len()..).unwrap_or_default();
                if let Some(end) = find(id, b"\"") {
                    return Ok(String::from_utf8_lossy(&id[..end]).into_owned());
                }
            }
            if !self.connection.more(&mut self.head, &mut self.text, READ).await? {
                anyhow::bail!("a stream ended before its first event");
            }
        }
    }

    /// Reads to the end.
    pub async fn read_all(mut self) -> Seen {
        if self.seen.end != End::Refused {
            // A stream that was cut is a failed one; nothing else is recorded about it.
            while self.more(READ).await.unwrap_or(false) {}
        }
        self.seen.whole = self.asked.elapsed();
        self.seen
    }

    /// Reads at most `most` bytes. False at the end.
    pub async fn more(&mut self, most: usize) -> io::Result<bool> {
        let goes_on = self.connection.more(&mut self.head, &mut self.text, most).await;
        let now = stamp::now();
        let mut done = 0;
        while let Some(length) = find(self.text.get(done..).unwrap_or_default(), b"\n\n") {
            let event = &self.text[done..done + length];
            take(&mut self.seen, &mut self.last_id, event, now, self.asked);
            done += length + 2;
        }
        if let Some(kind) = latest_kind(&self.text[..done]) {
            self.latest.clear();
            self.latest.extend_from_slice(kind);
        }
        self.text.drain(..done);
        goes_on
    }

    /// Reads at most `most` bytes. Says at the end how the stream ended.
    pub async fn ending(&mut self, most: usize) -> Option<String> {
        let cause = match self.more(most).await {
            Ok(true) => return None,
            Ok(false) => "its body ended".to_owned(),
            Err(error) => error.to_string(),
        };
        Some(format!("{cause}; its latest event was {}", String::from_utf8_lossy(&self.latest)))
    }

    /// What was seen, where somebody has read to the end piece by piece.
    pub fn into_seen(mut self) -> Seen {
        self.seen.whole = self.asked.elapsed();
        self.seen
    }

    /// What was seen so far.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }
}

/// The type of the latest of these events that has one.
fn latest_kind(events: &[u8]) -> Option<&[u8]> {
    let mut lines = events.rsplit(|byte| *byte == b'\n');
    let kind = lines.find_map(|line| line.strip_prefix(br#"data: {"type":""#))?;
    kind.get(..find(kind, b"\"")?)
}

fn take(seen: &mut Seen, last_id: &mut u64, event: &[u8], now: u32, asked: Instant) {
    let mut data: &[u8] = &[];
    let mut id = None;
    for line in event.split(|byte| *byte == b'\n') {
        if let Some(value) = line.strip_prefix(b"data: ") {
            data = value;
        } else if let Some(value) = line.strip_prefix(b"id: ") {
            id = std::str::from_utf8(value).ok().and_then(|id| id.trim().parse::<u64>().ok());
        }
    }
    if data.is_empty() {
        return;
    }
    if seen.events == 0 {
        seen.first_event = asked.elapsed();
    }
    seen.events += 1;
    if let Some(id) = id {
        seen.lost += id.abs_diff(*last_id + 1);
        *last_id = id;
    }
    let kind = data.strip_prefix(br#"{"type":""#).unwrap_or_default();
    let is_chunk = data.starts_with(br#"{"id":"#);
    if is_chunk || kind.starts_with(b"stage1_token") || kind.starts_with(b"stage3_token") {
        for age in stamp::ages(data, now) {
            seen.first_token_us.get_or_insert(age);
            seen.token_us.push(age);
        }
    }
    if kind.starts_with(b"complete\"") || (is_chunk && find(data, br#""finish_reason":"stop""#).is_some()) {
        seen.end = End::Complete;
    }
}
