//! A run's stream that reconnects wherever it breaks off, and is read as if it had not.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::{Stream, StreamExt as _, stream};
use reqwest::Response;
use serde_json::Value;

use super::following::{Following, Step, ends};
use super::trouble::{Refused, Trouble};
use crate::sse::{SseDecoder, SseEvent};

/// The longest event that is read.
const MAX_EVENT_BYTES: usize = 16 << 20;
/// The waits between tries to reconnect; the last one is repeated.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];
/// How many tries in a row may fail before a run, or a question that may have become one, is given up: about ten
/// minutes.
const PATIENCE: usize = 120;

/// Where a run's stream comes from.
#[async_trait]
pub trait Source: Send + 'static {
    /// Opens the stream after this event.
    async fn open(&mut self, after: u64) -> Result<Response, Refused>;

    /// The error for a stream that breaks off.
    fn broken(&self, error: &reqwest::Error) -> Trouble;

    /// The error once no further try is made.
    fn given_up(&self, trouble: Trouble) -> Trouble;
}

/// A run's stream, opened again wherever it breaks.
pub struct Reconnecting<S> {
    source: S,
    /// The last event that was read.
    after: u64,
    response: Option<Response>,
    decoder: SseDecoder,
    read: std::vec::IntoIter<SseEvent>,
    /// How many tries in a row have failed.
    failed: usize,
    /// Whether the loss of the connection was reported.
    is_loss_reported: bool,
    /// The server has said that it shuts down, and nothing else since.
    is_shutting_down: bool,
    over: bool,
}

impl<S: Source> Reconnecting<S> {
    /// Reads this response, and what follows the event `after` wherever it breaks off.
    pub fn follow(source: S, after: u64, response: Response) -> Following {
        Following::new(Self::new(source, after, Some(response)).steps())
    }

    /// Follows a run whose stream could not be opened, for this reason.
    pub fn follow_lost(source: S, why: String) -> Following {
        let reader = Self { is_loss_reported: true, ..Self::new(source, 0, None) };
        let lost = stream::once(std::future::ready(Step::Lost(why)));
        Following::new(lost.chain(reader.steps()))
    }

    fn new(source: S, after: u64, response: Option<Response>) -> Self {
        Self {
            source,
            after,
            response,
            decoder: SseDecoder::new(MAX_EVENT_BYTES),
            read: Vec::new().into_iter(),
            failed: 0,
            is_loss_reported: false,
            is_shutting_down: false,
            over: false,
        }
    }

    fn steps(self) -> impl Stream<Item = Step> + Send + 'static {
        stream::unfold(self, |mut reader| async move {
            let step = reader.next().await?;
            Some((step, reader))
        })
    }

    async fn next(&mut self) -> Option<Step> {
        loop {
            if self.over {
                return None;
            }
            if let Some(read) = self.read.next() {
                if let Some(step) = self.step(&read) {
                    return Some(step);
                }
                continue;
            }
            let Some(response) = &mut self.response else {
                if let Some(step) = self.reconnect().await {
                    return Some(step);
                }
                continue;
            };
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    let mut read = Vec::new();
                    let pushed = self.decoder.push(&bytes, &mut read);
                    self.read = read.into_iter();
                    if !self.is_shutting_down {
                        self.failed = 0;
                    }
                    if pushed.is_err() {
                        return Some(self.lose("an event is too long".to_owned()));
                    }
                    if std::mem::take(&mut self.is_loss_reported) {
                        return Some(Step::Back);
                    }
                }
                // It has said that it shuts down. Until it is gone, it accepts readers and ends their streams after
                // what is new.
                Ok(None) if self.is_shutting_down => {
                    self.close();
                    // The pauses grow, but patience does not end: it may let runs finish for as long as it likes.
                    self.failed = (self.failed + 1).min(PAUSES.len() - 1);
                }
                Ok(None) => return Some(self.lose("the server ended the stream".to_owned())),
                Err(error) => return Some(self.lose(self.source.broken(&error).to_string())),
            }
        }
    }

    /// An event of the stream as a step; `None` if it was read already or is to be skipped.
    fn step(&mut self, read: &SseEvent) -> Option<Step> {
        let seq: Option<u64> = read.id.as_deref().and_then(|id| id.parse().ok());
        if seq.is_some_and(|seq| seq <= self.after) {
            return None;
        }
        let event: Value = serde_json::from_str(&read.data).ok()?;
        let is_shutting_down = event.get("type").and_then(Value::as_str) == Some("server_shutdown");
        if std::mem::replace(&mut self.is_shutting_down, is_shutting_down) && is_shutting_down {
            return None;
        }
        self.failed = 0;
        self.after = seq.unwrap_or(self.after);
        self.over = ends(&event);
        Some(Step::Event { seq, event })
    }

    /// Notes that the connection is lost.
    fn lose(&mut self, why: String) -> Step {
        self.close();
        self.is_loss_reported = true;
        Step::Lost(why)
    }

    fn close(&mut self) {
        self.response = None;
        self.decoder = SseDecoder::new(MAX_EVENT_BYTES);
        self.read = Vec::new().into_iter();
    }

    /// One try to reconnect.
    async fn reconnect(&mut self) -> Option<Step> {
        let pause = PAUSES.get(self.failed).or(PAUSES.last()).copied().unwrap_or_default();
        tokio::time::sleep(pause).await;
        match self.source.open(self.after).await {
            Ok(response) => self.response = Some(response),
            Err(Refused { trouble, again: Some(_), .. }) if self.failed < PATIENCE => {
                self.failed += 1;
                tracing::debug!(%trouble, "a stream cannot be opened again yet");
                if !std::mem::replace(&mut self.is_loss_reported, true) {
                    return Some(Step::Lost(trouble.to_string()));
                }
            }
            Err(Refused { trouble, .. }) => {
                self.over = true;
                return Some(Step::Gone(self.source.given_up(trouble)));
            }
        }
        None
    }
}
