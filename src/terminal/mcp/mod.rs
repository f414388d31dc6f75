//! The council for one program of this machine, by the Model Context Protocol over standard input and output: each message
//! is passed on to the council's `POST /mcp`, and what comes back is written line by line. Only the protocol goes to the
//! standard output; whatever people are to read goes to the error output.

mod lines;
mod message;

use std::collections::HashMap;
use std::io::Write as _;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::exit;
use super::query::Interrupts;
use super::session::Trouble;
use super::session::http::Http;
use crate::sse::SseDecoder;
use message::Sent;

/// How many answers may wait to be written.
const ANSWERS: usize = 64;
/// How long requests that are under way may take once nobody sends any more: long enough for what is answered at once.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// The longest message that is read, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Passes messages on until the input ends.
///
/// # Errors
/// None of its own: what goes wrong with a message is the answer to it.
pub async fn run(http: Http) -> Result<u8, Trouble> {
    let mut interrupts = Interrupts::heard();
    let mut input = lines::read(MAX_MESSAGE_BYTES);
    let (answers, written) = mpsc::channel(ANSWERS);
    let mut writer = lines::write(written);
    let mut passing = Passing { http, answers, version: None, open: JoinSet::new(), by_id: HashMap::new() };
    let code = loop {
        tokio::select! {
            line = input.recv() => match line {
                Some(line) => passing.take(&line).await,
                None => break exit::ANSWERED,
            },
            Some(ended) = passing.open.join_next(), if !passing.open.is_empty() => passing.ended(ended.ok()),
            _ = &mut writer => return Ok(exit::PIPE_CLOSED),
            () = interrupts.next() => break exit::CANCELLED,
        }
    };
    if code == exit::ANSWERED {
        let rest = async { while passing.open.join_next().await.is_some() {} };
        tokio::select! {
            // Whoever has closed its end wants this program to end, too.
            _ = tokio::time::timeout(LAST_ANSWERS, rest) => {}
            () = interrupts.next() => {}
        }
    }
    drop(passing);
    // The last line is out when the writer has ended.
    drop(writer.await);
    Ok(code)
}

/// The messages that are under way.
struct Passing {
    http: Http,
    answers: mpsc::Sender<Value>,
    /// The revision that the handshake has agreed on, where there was one.
    version: Option<String>,
    open: JoinSet<Ended>,
    by_id: HashMap<String, AbortHandle>,
}

/// A message that was passed on.
struct Ended {
    /// The id of the request, as JSON.
    id: Option<String>,
    /// What a handshake has agreed on.
    version: Option<String>,
}

impl Passing {
    async fn take(&mut self, line: &[u8]) {
        let sent = match Sent::read(line) {
            Ok(sent) => sent,
            Err(answer) => return self.answer(answer).await,
        };
        if let Some(id) = sent.cancels() {
            // The connection ends with its task, and the server gives the request up.
            if let Some(open) = self.by_id.remove(&id) {
                open.abort();
            }
            return;
        }
        let id = sent.id().map(ToString::to_string);
        let (http, answers, version) = (self.http.clone(), self.answers.clone(), self.version.clone());
        let is_handshake = sent.is_handshake();
        let passed = async move {
            let version = pass(&http, &answers, &sent, version.as_deref()).await;
            Ended { id: sent.id().map(ToString::to_string), version }
        };
        if is_handshake {
            // What follows is in the revision that this agrees on.
            let ended = passed.await;
            return self.ended(Some(ended));
        }
        let open = self.open.spawn(passed);
        if let Some(id) = id {
            self.by_id.insert(id, open);
        }
    }

    fn ended(&mut self, ended: Option<Ended>) {
        let Some(ended) = ended else { return };
        self.version = ended.version.or(self.version.take());
        if let Some(id) = ended.id {
            self.by_id.remove(&id);
        }
    }

    async fn answer(&self, answer: Value) {
        // A writer that has ended ends the program.
        drop(self.answers.send(answer).await);
    }
}

/// Sends a message and writes what comes back; the revision that a handshake agrees on.
async fn pass(
    http: &Http,
    answers: &mpsc::Sender<Value>,
    sent: &Sent,
    version: Option<&str>,
) -> Option<String> {
    match exchange(http, answers, sent, version).await {
        Ok(version) => version,
        Err(trouble) => {
            eprintln!("llm-council: {trouble}");
            if let Some(answer) = sent.refused(&trouble.to_string()) {
                drop(answers.send(answer).await);
            }
            None
        }
    }
}

async fn exchange(
    http: &Http,
    answers: &mpsc::Sender<Value>,
    sent: &Sent,
    version: Option<&str>,
) -> Result<Option<String>, Trouble> {
    let mut response = http.message("/mcp", &sent.headers(version), sent.message()).await?;
    let is_stream = response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
    if !is_stream {
        let status = response.status();
        let bytes = response.bytes().await.map_err(|error| http.broken(&error))?;
        if bytes.is_empty() && status.is_success() {
            return Ok(None);
        }
        let answer: Option<Value> = serde_json::from_slice(&bytes).ok();
        return match answer {
            Some(answer) if answer.get("jsonrpc").is_some() => {
                let version = sent.agreed(&answer);
                if let Some(answer) = sent.answered(answer) {
                    drop(answers.send(answer).await);
                }
                Ok(version)
            }
            other => Err(Trouble::refused(status, other.as_ref())),
        };
    }
    let mut decoder = SseDecoder::new(MAX_MESSAGE_BYTES);
    let mut is_answered = false;
    while let Some(bytes) = response.chunk().await.map_err(|error| http.broken(&error))? {
        let mut events = Vec::new();
        let too_long = decoder.push(&bytes, &mut events).is_err();
        for event in events {
            if let Ok(message) = serde_json::from_str::<Value>(&event.data) {
                is_answered |= message.get("id").is_some();
                drop(answers.send(message).await);
            }
        }
        if too_long {
            return Err(Trouble::Failed("the council's answer is too long".to_owned()));
        }
    }
    if is_answered {
        return Ok(None);
    }
    Err(Trouble::NotReachable(
        "the connection broke before the answer came; a question goes on being answered, ask for it by wait_run, or with the \
         same idempotency_key"
            .to_owned(),
    ))
}

/// Writes a line; nothing else goes to the standard output.
fn write_line(answer: &Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()
}
