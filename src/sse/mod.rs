//! A bounded decoder for event streams: bytes in, events out. Imports no other room.
//!
//! It follows the WHATWG event stream rules (CR, LF, CRLF, a BOM, comments, bare `data`,
//! multi-line data), with four differences that model servers ask for: a tail without its blank
//! line still counts (several gateways forget it after `[DONE]`), an event may not be longer than
//! a bound, invalid UTF-8 becomes U+FFFD instead of an error, and JSON under another name or none is data as well. Event
//! names are ignored: neither model servers nor we put anything needed there. An id belongs to its own event alone.

use std::borrow::Cow;

/// An event grew over the decoder's bound; nothing after it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Its `id` line, if it has one.
    pub id: Option<String>,
    /// Its data lines, joined by line feeds.
    pub data: String,
}

/// Incremental: what comes out does not depend on how the bytes were cut into pieces.
#[derive(Debug)]
pub struct SseDecoder {
    /// The line under way, without its end.
    line: Vec<u8>,
    /// The data lines of the event under way, joined by line feeds.
    data: Option<String>,
    /// The id of the event under way.
    id: Option<String>,
    /// The last byte was a CR: a LF right after it belongs to the same line end.
    after_cr: bool,
    /// No line has ended yet, so a BOM may stand at the start.
    at_start: bool,
    max_event_bytes: usize,
    failed: bool,
}

impl SseDecoder {
    /// A decoder that refuses events (and single lines) longer than `max_event_bytes`.
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            line: Vec::new(),
            data: None,
            id: None,
            after_cr: false,
            at_start: true,
            max_event_bytes,
            failed: false,
        }
    }

    /// Takes the next bytes and appends the events they complete to `out`.
    ///
    /// # Errors
    /// [`TooLong`], also for every later call; the events before it are in `out`.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        if self.failed {
            return Err(TooLong);
        }
        while !bytes.is_empty() {
            if self.after_cr {
                self.after_cr = false;
                if let Some(rest) = bytes.strip_prefix(b"\n") {
                    bytes = rest;
                    continue;
                }
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (content, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + content.len() > self.max_event_bytes {
                return self.fail();
            }
            self.line.extend_from_slice(content);
            bytes = rest;
            if let Some((line_end, rest)) = rest.split_first() {
                self.after_cr = *line_end == b'\r';
                bytes = rest;
                if self.end_line(out).is_err() {
                    return self.fail();
                }
            }
        }
        Ok(())
    }

    /// The stream ended: returns the event under way, if it has data.
    pub fn finish(&mut self) -> Option<SseEvent> {
        if self.failed {
            return None;
        }
        let mut out = Vec::new();
        if !self.line.is_empty() && self.end_line(&mut out).is_err() {
            return None;
        }
        self.event()
    }

    fn event(&mut self) -> Option<SseEvent> {
        let id = self.id.take();
        self.data.take().map(|data| SseEvent { id, data })
    }

    fn fail(&mut self) -> Result<(), TooLong> {
        self.failed = true;
        self.line = Vec::new();
        self.data = None;
        Err(TooLong)
    }

    fn end_line(&mut self, out: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        let bytes = if std::mem::take(&mut self.at_start) {
            self.line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.line)
        } else {
            &self.line
        };
        if bytes.is_empty() {
            let event = self.event();
            out.extend(event);
        } else if let Some(value) = value_of(b"id", bytes) {
            self.id = Some(value.into_owned());
        } else if let Some(value) = value_of(b"data", bytes).or_else(|| misnamed(bytes)) {
            match &mut self.data {
                None => self.data = Some(value.into_owned()),
                Some(data) if data.len() + 1 + value.len() > self.max_event_bytes => return Err(TooLong),
                Some(data) => {
                    data.push('\n');
                    data.push_str(&value);
                }
            }
        }
        self.line.clear();
        Ok(())
    }
}

/// The value of a field's line; `None` for comments and every other field.
fn value_of<'l>(field: &[u8], line: &'l [u8]) -> Option<Cow<'l, str>> {
    let rest = line.strip_prefix(field)?;
    let value = match rest.split_first() {
        None => rest,
        Some((b':', value)) => value.strip_prefix(b" ").unwrap_or(value),
        Some(_) => return None,
    };
    Some(String::from_utf8_lossy(value))
}

/// Data that came without its name. Builds of llama.cpp send an error as `error: {…}`, and a gateway loses the name of
/// the piece that has the finish reason.
fn misnamed(line: &[u8]) -> Option<Cow<'_, str>> {
    if line.starts_with(b"{") { Some(String::from_utf8_lossy(line)) } else { value_of(b"error", line) }
}

#[cfg(test)]
mod tests;
