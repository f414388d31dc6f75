//! A reply under way: bytes of an HTTP body in, chunks out.

use std::collections::VecDeque;
use std::sync::Arc;

use reqwest::Response;

use super::converse::ReplyReader;
use super::failure::{self, Call};
use super::frames::{Frame, Frames};
use crate::llm::Chunk;
use crate::llm::error::{CallError, ErrorKind};
use crate::llm::upstream_error::ErrorContext;

/// Longest reply that comes as one document.
const MAX_DOCUMENT_BYTES: usize = 16 << 20;
/// How much is read of something that is not a reply.
const MAX_OTHER_BYTES: usize = 64 << 10;

/// What a successful answer turned out to be: its first byte decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    /// A frame begins with its length, whose first byte is always 0, since frames are short.
    Frames,
    Document,
    /// A page of something in front of Bedrock, or anything else.
    Other,
}

/// A reply under way.
pub(super) struct Incoming {
    response: Response,
    reader: ReplyReader,
    region: Arc<str>,
    has_bearer: bool,
    frames: Frames,
    form: Form,
    body: Vec<u8>,
    queue: VecDeque<Chunk>,
    failure: Option<CallError>,
    ended: bool,
}

impl Incoming {
    pub fn new(response: Response, context: ErrorContext, region: Arc<str>, has_bearer: bool) -> Self {
        Self {
            response,
            reader: ReplyReader::new(context),
            region,
            has_bearer,
            frames: Frames::default(),
            form: Form::Unknown,
            body: Vec::new(),
            queue: VecDeque::new(),
            failure: None,
            ended: false,
        }
    }

    /// The next chunk; after an error, or after the end, none.
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
                    // Only the token counts are missing.
                    if !self.reader.is_whole() {
                        self.failure = Some(self.broken(error));
                    }
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.form == Form::Unknown {
            self.form = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(0) => Form::Frames,
                Some(b'{') => Form::Document,
                Some(_) => Form::Other,
            };
        }
        match self.form {
            Form::Frames => {
                self.frames.push(bytes);
                self.read_frames();
            }
            Form::Document if self.body.len() + bytes.len() > MAX_DOCUMENT_BYTES => {
                self.fail(self.reader.context().bad_response("the answer is too long"));
            }
            Form::Other if self.body.len() > MAX_OTHER_BYTES => self.finish(),
            Form::Document | Form::Other | Form::Unknown => self.body.extend_from_slice(bytes),
        }
    }

    fn read_frames(&mut self) {
        let mut chunks = Vec::new();
        while !self.ended {
            let read = match self.frames.next() {
                Ok(None) => break,
                Ok(Some(Frame::Event { kind, json })) => self.reader.read_event(&kind, &json, &mut chunks),
                Ok(Some(Frame::Exception { kind, json })) => Err(failure::midway(&self.call(), &kind, &json)),
                Ok(Some(Frame::Error { code, message })) => {
                    Err(failure::of_connection(&self.call(), &code, &message))
                }
                Err(bad) => Err(self.reader.context().bad_response(bad.words())),
            };
            self.queue.extend(chunks.drain(..));
            if let Err(failure) = read {
                self.fail(failure);
            }
        }
    }

    fn call(&self) -> Call<'_> {
        Call { context: self.reader.context(), region: &self.region, has_bearer: self.has_bearer }
    }

    fn fail(&mut self, failure: CallError) {
        self.ended = true;
        // The first failure tells more than those that follow from it.
        self.failure.get_or_insert(failure);
    }

    /// The error of a connection that broke in mid-reply. Before the first token it counts as a connection that was
    /// never made.
    fn broken(&self, error: reqwest::Error) -> CallError {
        let failure = self.reader.context().transport(error);
        if !self.reader.has_begun() {
            return failure;
        }
        let message = format!("{}; the stream was cut in the middle of the answer", failure.message);
        CallError { kind: ErrorKind::BadResponse, message, ..failure }
    }

    /// The body ended.
    fn finish(&mut self) {
        self.ended = true;
        match self.form {
            Form::Unknown => self.fail(self.reader.context().bad_response("an empty answer")),
            Form::Other => {
                // A page is written by something in front of Bedrock: no model was reached.
                let reached = !self.body.trim_ascii_start().starts_with(b"<");
                let other = self.reader.context().refused(200, None, &self.body);
                self.fail(CallError { kind: ErrorKind::BadResponse, reached, ..other });
            }
            Form::Document => {
                let mut chunks = Vec::new();
                let read = self.reader.read_whole(&self.body, &mut chunks);
                self.queue.extend(chunks);
                if let Err(failure) = read {
                    self.fail(failure);
                }
            }
            // Even without the token counts the answer is complete.
            Form::Frames if self.reader.is_whole() => {}
            Form::Frames => self.fail(self.reader.cut()),
        }
    }
}
