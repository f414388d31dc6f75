//! A reply under way: bytes of an HTTP body in, chunks out.

use std::collections::VecDeque;

use reqwest::Response;

use super::Chunk;
use super::chat_completions::ReplyReader;
use super::error::{CallError, ErrorKind};
use super::upstream_error::ErrorContext;
use crate::sse::{SseDecoder, SseEvent};

/// Longest single event of a stream. An answer's bound is far lower; this one only keeps a
/// server that never ends its line from filling the memory.
const MAX_EVENT_BYTES: usize = 4 << 20;
/// Longest reply that comes as one JSON document.
const MAX_JSON_BYTES: usize = 16 << 20;
/// How much of an HTML page is read: its title is near the start.
const MAX_PAGE_BYTES: usize = 64 << 10;
/// How much of a stream is kept for the error that it is none: more than is shown, so that no secret in what is shown is
/// cut and so not recognised.
const MAX_BEGINNING_BYTES: usize = 4 << 10;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What a successful answer turned out to be. Its first character decides: servers mislabel their content, and send a
/// whole document although a stream was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    Events,
    Json,
    Page,
}

/// A reply under way.
pub(super) struct Incoming {
    response: Response,
    reader: ReplyReader,
    decoder: SseDecoder,
    form: Form,
    /// The beginning of the body, or for [`Form::Json`] all of it.
    body: Vec<u8>,
    payloads: Vec<SseEvent>,
    seen_event: bool,
    queue: VecDeque<Chunk>,
    failure: Option<CallError>,
    ended: bool,
}

impl Incoming {
    pub fn new(response: Response, context: ErrorContext) -> Self {
        Self {
            response,
            reader: ReplyReader::new(context),
            decoder: SseDecoder::new(MAX_EVENT_BYTES),
            form: Form::Unknown,
            body: Vec::new(),
            payloads: Vec::new(),
            seen_event: false,
            queue: VecDeque::new(),
            failure: None,
            ended: false,
        }
    }

    /// The next chunk; after an error, or after the end mark, none.
    pub async fn next(&mut self) -> Option<Result<Chunk, CallError>> {
        loop {
            if let Some(chunk) = self.queue.pop_front() {
                return Some(Ok(chunk));
            }
            if let Some(failure) = self.failure.take() {
                self.ended = true;
                return Some(Err(failure));
            }
            if self.ended {
                return None;
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => self.finish(),
                Err(error) => {
                    self.ended = true;
                    // Some servers drop the connection after their last chunk instead of ending.
                    if !self.reader.is_whole() {
                        self.failure = Some(self.reader.broken(error));
                    }
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        match self.form {
            Form::Events => self.take_events(bytes),
            Form::Json | Form::Page => self.keep(bytes),
            Form::Unknown => {
                self.keep(bytes);
                let body = self.body.strip_prefix(BOM).unwrap_or(&self.body);
                match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
                    None => {}
                    // A byte order mark of which some bytes are still missing.
                    Some(_) if BOM.starts_with(body) => {}
                    Some(b'{' | b'[') => self.form = Form::Json,
                    Some(b'<') => self.form = Form::Page,
                    Some(_) => {
                        self.form = Form::Events;
                        let bytes = self.body.clone();
                        self.body.truncate(MAX_BEGINNING_BYTES);
                        self.take_events(&bytes);
                    }
                }
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.form == Form::Page && self.body.len() >= MAX_PAGE_BYTES {
            return self.finish();
        }
        if self.body.len() + bytes.len() > MAX_JSON_BYTES {
            return self.fail(self.reader.context().bad_response("the answer is too long"));
        }
        self.body.extend_from_slice(bytes);
    }

    fn take_events(&mut self, bytes: &[u8]) {
        let mut payloads = std::mem::take(&mut self.payloads);
        let pushed = self.decoder.push(bytes, &mut payloads);
        self.read(payloads.drain(..));
        self.payloads = payloads;
        if pushed.is_err() && !self.ended {
            self.fail(self.reader.context().bad_response("one event of the stream is too long"));
        }
    }

    fn read(&mut self, payloads: impl Iterator<Item = SseEvent>) {
        let mut chunks = Vec::new();
        for payload in payloads {
            self.seen_event = true;
            let read = self.reader.read_event(&payload.data, &mut chunks);
            self.queue.extend(chunks.drain(..));
            if let Err(failure) = read {
                return self.fail(failure);
            }
            self.ended |= self.reader.is_done();
        }
    }

    fn fail(&mut self, failure: CallError) {
        self.ended = true;
        // The first failure tells more than those that follow from it.
        self.failure.get_or_insert(failure);
    }

    /// The body ended.
    fn finish(&mut self) {
        self.ended = true;
        match self.form {
            Form::Unknown => self.fail(self.reader.context().bad_response("an empty answer")),
            Form::Page => {
                let page = self.reader.context().refused(200, None, &self.body);
                self.fail(CallError { kind: ErrorKind::BadResponse, ..page });
            }
            Form::Json => {
                let body = String::from_utf8_lossy(&self.body);
                let mut chunks = Vec::new();
                let read = self.reader.read_whole(body.trim_start_matches('\u{feff}'), &mut chunks);
                self.queue.extend(chunks);
                if let Err(failure) = read {
                    self.fail(failure);
                }
            }
            Form::Events => {
                if let Some(tail) = self.decoder.finish() {
                    self.read(std::iter::once(tail));
                }
                if self.reader.is_whole_at_its_end() {
                    return;
                }
                let failure = if self.seen_event {
                    self.reader.cut()
                } else {
                    let context = self.reader.context();
                    let beginning = context.excerpt(&String::from_utf8_lossy(&self.body));
                    context.bad_response(&format!("no event stream: {beginning}"))
                };
                self.fail(failure);
            }
        }
    }
}
