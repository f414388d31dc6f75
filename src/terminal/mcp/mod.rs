//! The council for one program on this machine, by the Model Context Protocol over standard input and output: each
//! message is passed on to the council's `POST /mcp`, and what comes back is written line by line. Only the protocol
//! goes to the standard output; text for people goes to the standard error.

mod lines;
mod message;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::exit;
use super::query::Interrupts;
use super::session::Trouble;
use super::session::http::Http;
use crate::sse::SseDecoder;
use message::ClientMessage;

/// How many answers may wait to be written.
const ANSWERS: usize = 64;
/// How long requests under way may take once the input has ended: long enough for those that are answered at once.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// The longest message that is read, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Passes messages on until the input ends. Tools are called once the models and their prices are known (`listed`); all
/// else is answered at once, because some clients give a server only seconds to start.
///
/// # Errors
/// None of its own: what goes wrong with a message is the answer to it.
pub async fn run(http: Http, listed: BoxFuture<'static, ()>) -> Result<u8, Trouble> {
    let mut interrupts = Interrupts::listen();
    let mut input = lines::read(MAX_MESSAGE_BYTES);
    let (answers, written) = mpsc::channel(ANSWERS);
    let mut writer = lines::write(written);
    let bridge = Bridge { http, listed: listed.shared(), answers, agreed: Arc::default() };
    let mut requests = OpenRequests { bridge, open: JoinSet::new(), by_id: HashMap::new() };
    let code = loop {
        tokio::select! {
            line = input.recv() => match line {
                Some(line) => requests.take(&line).await,
                None => break exit::ANSWERED,
            },
            Some(ended) = requests.open.join_next(), if !requests.open.is_empty() => requests.ended(ended.ok().flatten()),
            _ = &mut writer => return Ok(exit::PIPE_CLOSED),
            () = interrupts.next() => break exit::CANCELLED,
        }
    };
    if code == exit::ANSWERED {
        let rest = async { while requests.open.join_next().await.is_some() {} };
        tokio::select! {
            // A client that has closed its end wants this program to end, too.
            _ = tokio::time::timeout(LAST_ANSWERS, rest) => {}
            () = interrupts.next() => {}
        }
    }
    drop(requests);
    // The last line is written when the writer has ended.
    drop(writer.await);
    Ok(code)
}

/// The requests that are under way.
struct OpenRequests {
    bridge: Bridge,
    /// Each ends with the id of its request, as JSON.
    open: JoinSet<Option<String>>,
    by_id: HashMap<String, AbortHandle>,
}

impl OpenRequests {
    async fn take(&mut self, line: &[u8]) {
        let message = match ClientMessage::read(line) {
            Ok(message) => message,
            Err(answer) => return self.bridge.answer(answer).await,
        };
        if let Some(id) = message.cancels() {
            // The connection closes with its task, and the server cancels the request.
            if let Some(open) = self.by_id.remove(&id) {
                open.abort();
            }
            return;
        }
        let id = message.id().map(ToString::to_string);
        let (bridge, ends_as) = (self.bridge.clone(), id.clone());
        let open = self.open.spawn(async move {
            bridge.pass(&message).await;
            ends_as
        });
        if let Some(id) = id {
            self.by_id.insert(id, open);
        }
    }

    fn ended(&mut self, id: Option<String>) {
        if let Some(id) = id {
            self.by_id.remove(&id);
        }
    }
}

/// The connection to the council: messages there, answers back.
#[derive(Clone)]
struct Bridge {
    http: Http,
    listed: Shared<BoxFuture<'static, ()>>,
    answers: mpsc::Sender<Value>,
    /// The revision that the handshake has agreed on, where there was one.
    agreed: Arc<Mutex<Option<String>>>,
}

impl Bridge {
    async fn answer(&self, answer: Value) {
        // A writer that has ended ends the program.
        drop(self.answers.send(answer).await);
    }

    /// Sends a message and writes what comes back.
    async fn pass(&self, message: &ClientMessage) {
        if message.calls_a_tool() {
            self.listed.clone().await;
        }
        let Err(trouble) = self.exchange(message).await else { return };
        eprintln!("llm-council: {trouble}");
        if let Some(answer) = message.refused(&trouble.to_string()) {
            self.answer(answer).await;
        }
    }

    async fn exchange(&self, message: &ClientMessage) -> Result<(), Trouble> {
        let agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let response =
            self.http.message("/mcp", &message.headers(agreed.as_deref()), message.message()).await?;
        if response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream") {
            return self.stream(response).await;
        }
        let status = response.status();
        let bytes = response.bytes().await.map_err(|error| self.http.broken(&error))?;
        if bytes.is_empty() && status.is_success() {
            return Ok(());
        }
        match serde_json::from_slice::<Value>(&bytes).ok() {
            Some(answer) if answer.get("jsonrpc").is_some() => {
                if let Some(version) = message.agreed(&answer) {
                    *self.agreed.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
                }
                if let Some(answer) = message.answered(answer) {
                    self.answer(answer).await;
                }
                Ok(())
            }
            other => Err(Trouble::refused(status, other.as_ref())),
        }
    }

    /// Writes messages as they come, until the answer has come.
    async fn stream(&self, mut response: Response) -> Result<(), Trouble> {
        let mut decoder = SseDecoder::new(MAX_MESSAGE_BYTES);
        let mut is_answered = false;
        while let Some(bytes) = response.chunk().await.map_err(|error| self.http.broken(&error))? {
            let mut events = Vec::new();
            let pushed = decoder.push(&bytes, &mut events);
            for event in events {
                if let Ok(message) = serde_json::from_str::<Value>(&event.data) {
                    is_answered |= message.get("id").is_some();
                    self.answer(message).await;
                }
            }
            if pushed.is_err() {
                return Err(Trouble::Failed("the council's answer is too long".to_owned()));
            }
        }
        if is_answered {
            return Ok(());
        }
        Err(Trouble::NotReachable(
            "the connection broke before the answer came; a question goes on being answered, ask for it by wait_run, or with \
             the same idempotency_key"
                .to_owned(),
        ))
    }
}
