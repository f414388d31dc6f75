//! One event as it goes over the wire and into the log: numbered, encoded once, shared.

use bytes::Bytes;

use crate::council::{AnyEvent, Event, Token};
use crate::store::journal::LogRow;

/// An encoded event of one run.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its number in the run, ascending from 1, with gaps only where another execution took over; 0 until it has one.
    pub seq: u64,
    /// The event's place in the deliberation; empty for tokens.
    pub key: String,
    /// The event as ASCII-only JSON.
    pub json: Bytes,
    /// Whether it is the run's last event.
    pub ends: bool,
    /// The event itself, where it is kept for readers inside this process.
    pub(super) event: Option<AnyEvent>,
}

impl PartialEq for Frame {
    /// Compares what is sent and logged, not whether the event itself is kept.
    fn eq(&self, other: &Self) -> bool {
        (self.seq, &self.key, &self.json, self.ends) == (other.seq, &other.key, &other.json, other.ends)
    }
}

impl Eq for Frame {}

impl Frame {
    /// A structural event under its number and key.
    #[must_use]
    pub fn structural(seq: u64, key: &str, event: AnyEvent) -> Self {
        Self {
            seq,
            key: key.to_owned(),
            json: encode(&event),
            ends: event.ends_the_run(),
            event: Some(event),
        }
    }

    /// A frame of an event that is encoded already.
    #[must_use]
    pub fn encoded(seq: u64, key: &str, json: Bytes, ends: bool) -> Self {
        Self { seq, key: key.to_owned(), json, ends, event: None }
    }

    /// Whether it is a piece of a streamed text.
    #[must_use]
    pub fn is_token(&self) -> bool {
        self.key.is_empty()
    }

    /// The event of a frame that is not a token's: the one that is kept, else parsed from the JSON.
    ///
    /// # Errors
    /// When no feature has such an event: a newer version may have written it.
    pub fn event(&self) -> serde_json::Result<AnyEvent> {
        match &self.event {
            Some(event) => Ok(event.clone()),
            None => Event::read(&self.json).map(AnyEvent::from),
        }
    }
}

/// Encodes an event as JSON that survives clients which decode every network read on its own:
/// everything beyond ASCII is written as `\u` escapes (surrogate pairs outside the basic plane).
#[must_use]
pub fn encode(event: &AnyEvent) -> Bytes {
    Bytes::from(escape_non_ascii(event.json()))
}

/// Encodes a token as [`encode`] does an event.
#[must_use]
pub fn encode_token(token: &Token) -> Bytes {
    Bytes::from(escape_non_ascii(token.json()))
}

fn escape_non_ascii(json: String) -> String {
    if json.is_ascii() {
        return json;
    }
    let mut ascii = String::with_capacity(json.len() + json.len() / 2);
    let mut units = [0u16; 2];
    for c in json.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}

/// Writes frames as the log keeps them: one line each, `seq TAB key TAB json`. JSON has no raw
/// control characters, and keys are made of names that may not have any.
#[must_use]
pub fn to_log(frames: &[Frame]) -> String {
    // Two numbers and three separators at most.
    let length = frames.iter().map(|frame| frame.key.len() + frame.json.len() + 23).sum();
    let mut text = String::with_capacity(length);
    for frame in frames {
        text.push_str(&frame.seq.to_string());
        text.push('\t');
        text.push_str(&frame.key);
        text.push('\t');
        text.push_str(std::str::from_utf8(&frame.json).unwrap_or("null"));
        text.push('\n');
    }
    text
}

/// A row of the log with these frames; `None` without frames.
#[must_use]
pub fn to_row(frames: &[Frame]) -> Option<LogRow> {
    let (first, last) = (frames.first()?, frames.last()?);
    let number = |seq| i64::try_from(seq).unwrap_or(i64::MAX);
    Some(LogRow { first_seq: number(first.seq), last_seq: number(last.seq), frames: to_log(frames) })
}

/// Reads frames back. A line that cannot be read is `None`.
pub fn from_log(text: &str) -> impl Iterator<Item = Option<Frame>> + '_ {
    text.lines().map(|line| {
        let (seq, rest) = line.split_once('\t')?;
        let (key, json) = rest.split_once('\t')?;
        Some(Frame::encoded(seq.parse().ok()?, key, Bytes::copy_from_slice(json.as_bytes()), key == END_KEY))
    })
}

/// The key of a run's last event.
pub const END_KEY: &str = "end";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::RunEvent;

    #[test]
    fn an_event_is_one_line_of_ascii() {
        let event = AnyEvent::from(RunEvent::Error { message: "naïve 😀\nline".into(), error_kind: None });
        let json = encode(&event);
        assert_eq!(&json[..], br#"{"type":"error","message":"na\u00efve \ud83d\ude00\nline"}"#);
    }

    #[test]
    fn an_event_is_the_same_kept_or_read() {
        let event = AnyEvent::from(RunEvent::Error { message: "naïve".into(), error_kind: None });
        let kept = Frame::structural(3, END_KEY, event);
        let read = from_log(&to_log(std::slice::from_ref(&kept))).next().flatten().unwrap();
        assert_eq!(read, kept);
        assert!(kept.event.is_some() && read.event.is_none());
        assert_eq!(read.event().unwrap().json(), kept.event().unwrap().json());
        assert!(Frame::encoded(4, "later", Bytes::from_static(b"{}"), false).event().is_err());
    }

    proptest! {
        #[test]
        fn escaping_changes_no_text(text in any::<String>()) {
            let json = encode(&AnyEvent::from(RunEvent::Error { message: text.clone(), error_kind: None }));
            prop_assert!(json.is_ascii());
            let back: serde_json::Value = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(back["message"].as_str().unwrap(), text);
        }

        #[test]
        fn the_log_gives_back_what_it_took(texts in prop::collection::vec(any::<String>(), 0..5)) {
            let frames: Vec<Frame> = texts.into_iter().enumerate().map(|(i, message)| {
                let key = if i % 2 == 0 { String::new() } else { format!("stage1/m {i}") };
                let json = encode(&AnyEvent::from(RunEvent::Error { message, error_kind: None }));
                Frame::encoded(i as u64 + 1, &key, json, false)
            }).collect();
            let back: Option<Vec<Frame>> = from_log(&to_log(&frames)).collect();
            prop_assert_eq!(back, Some(frames));
        }
    }
}
