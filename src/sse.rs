//! A bounded decoder for event streams: bytes in, events out. Imports no other room.
//!
//! It follows the WHATWG event stream rules (CR, LF, CRLF, a BOM, comments, bare `data`,
//! multi-line data), with three differences that model servers ask for: a tail without its blank
//! line still counts (several gateways forget it after `[DONE]`), an event may not be longer than
//! a bound, and invalid UTF-8 becomes U+FFFD instead of an error. Event names are ignored: neither model servers nor we put
//! anything needed there. An id belongs to its own event alone.

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
        } else if let Some(value) = value_of(b"data", bytes) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(pieces: &[&[u8]], bound: usize) -> (Vec<String>, bool) {
        let (events, failed) = events(pieces, bound);
        (events.into_iter().map(|event| event.data).collect(), failed)
    }

    fn events(pieces: &[&[u8]], bound: usize) -> (Vec<SseEvent>, bool) {
        let mut decoder = SseDecoder::new(bound);
        let mut out = Vec::new();
        let mut failed = false;
        for piece in pieces {
            failed |= decoder.push(piece, &mut out).is_err();
        }
        out.extend(decoder.finish());
        (out, failed)
    }

    fn all(text: &str) -> Vec<String> {
        decode(&[text.as_bytes()], 1 << 20).0
    }

    #[test]
    fn every_line_end_separates_events() {
        for end in ["\n", "\r", "\r\n"] {
            assert_eq!(all(&format!("data: a{end}{end}data:b{end}{end}")), ["a", "b"], "{end:?}");
        }
    }

    #[test]
    fn a_crlf_split_between_two_pieces_is_one_line_end() {
        let (events, _) = decode(&[b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n"], 100);
        assert_eq!(events, ["a\nb"]);
    }

    #[test]
    fn a_bom_at_the_start_is_skipped_and_later_ones_are_not() {
        assert_eq!(all("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(all("data: a\n\n\u{feff}data: b\n\n"), ["a"]);
    }

    #[test]
    fn an_id_belongs_to_its_own_event() {
        let (events, _) = events(&[b"id: 7\ndata: a\n\ndata: b\n\nid:8\n\nid: 9\ndata: c\n\n"], 100);
        let read: Vec<_> = events.iter().map(|event| (event.id.as_deref(), event.data.as_str())).collect();
        assert_eq!(read, [(Some("7"), "a"), (None, "b"), (Some("9"), "c")]);
    }

    #[test]
    fn comments_and_names_are_ignored() {
        assert_eq!(all(": keep-alive\n\nevent: x\nid: 1\nretry: 5\ndata: a\ndatabase: b\n\n"), ["a"]);
    }

    #[test]
    fn bare_data_is_an_empty_line_and_one_space_only_is_removed() {
        assert_eq!(all("data\n\n"), [""]);
        assert_eq!(all("data\ndata\n\n"), ["\n"]);
        assert_eq!(all("data:  two\n\n"), [" two"]);
    }

    #[test]
    fn a_tail_without_its_blank_line_counts() {
        assert_eq!(all("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
        assert_eq!(all("data: a\n\ndata: [DONE]\n"), ["a", "[DONE]"]);
    }

    #[test]
    fn an_event_over_the_bound_fails_and_keeps_what_came_before() {
        assert_eq!(
            decode(&[b"data: a\n\ndata: 0123456789abcdef\n\ndata: b\n\n"], 12),
            (vec!["a".into()], true)
        );
        assert_eq!(decode(&[b"data: 01234\ndata: 01234\ndata: 01234\n\n"], 12), (vec![], true));
    }

    #[test]
    fn a_character_cut_in_two_is_whole_again() {
        let text = "data: ü😀\n\n".as_bytes();
        for cut in 0..text.len() {
            assert_eq!(decode(&[&text[..cut], &text[cut..]], 100).0, ["ü😀"]);
        }
    }

    fn streams() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"data".to_vec()),
            Just(b"data: ".to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\n\n".to_vec()),
            Just(b"\xEF\xBB\xBF".to_vec()),
            Just(b": c".to_vec()),
            Just("ü😀".as_bytes().to_vec()),
            proptest::collection::vec(any::<u8>(), 0..12),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_events(
            stream in streams(),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
            bound in 1usize..64,
        ) {
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
            at.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for to in at {
                pieces.push(&stream[from..to]);
                from = to;
            }
            pieces.push(&stream[from..]);
            prop_assert_eq!(events(&pieces, bound), events(&[&stream], bound));
        }
    }
}
