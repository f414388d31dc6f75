//! The JSON of a request. Long texts are not copied into it but written while it is sent, so that many requests with the
//! same texts and images take the memory of one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use serde::{Serialize, Serializer};

/// From this length on, in bytes, a text is long. A shorter one is cheaper to copy.
const LONG: usize = 16 << 10;
/// How many bytes of a long text are written at a time.
const STEP: usize = 64 << 10;

/// The body of a request.
pub(super) struct JsonBody {
    parts: VecDeque<Part>,
    /// How many bytes are still to be sent.
    left: u64,
}

enum Part {
    Json(Bytes),
    /// What stands between the quotes of a string, from this byte on.
    Text(Arc<str>, usize),
}

impl JsonBody {
    /// The body as reqwest takes it.
    pub fn into_reqwest(self) -> reqwest::Body {
        match self.parts.front() {
            // Sent in one piece, so that reqwest may send it again on another connection.
            Some(Part::Json(json)) if self.parts.len() == 1 => reqwest::Body::from(json.clone()),
            Some(_) | None => reqwest::Body::wrap(self),
        }
    }
}

impl Body for JsonBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(part) = self.parts.pop_front() else { return Poll::Ready(None) };
        let data = match part {
            Part::Json(json) => json,
            Part::Text(text, from) => {
                let to = text.floor_char_boundary(from + STEP);
                let json = escaped(text.get(from..to).unwrap_or_default());
                if to < text.len() {
                    self.parts.push_front(Part::Text(text, to));
                }
                json
            }
        };
        self.left = self.left.saturating_sub(data.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// A text as it stands between the quotes of a JSON string.
fn escaped(text: &str) -> Bytes {
    let json = Bytes::from(serde_json::to_vec(text).expect("a string is JSON"));
    json.slice(1..json.len() - 1)
}

/// The length of [`escaped`] text.
fn escaped_len(text: &str) -> u64 {
    let of_byte = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0x00..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(of_byte).sum()
}

/// The long texts that are left out while a request is serialised, and where.
#[derive(Default)]
pub(super) struct LongTexts {
    /// How many bytes of JSON have been written.
    written: Cell<usize>,
    left_out: RefCell<Vec<(usize, Arc<str>)>>,
}

impl LongTexts {
    /// The body with this JSON, whose [`JsonText`]s refer to these texts.
    ///
    /// # Errors
    /// When a number cannot be written as JSON; never in practice.
    pub fn body(&self, request: &impl Serialize) -> Result<JsonBody, serde_json::Error> {
        let mut json = Vec::with_capacity(1024);
        serde_json::to_writer(Counting { json: &mut json, written: &self.written }, request)?;
        let mut json = Bytes::from(json);
        let mut parts = VecDeque::new();
        let mut left = json.len() as u64;
        let mut at = 0;
        for (gap, text) in self.left_out.take() {
            left += escaped_len(&text);
            if gap > at {
                parts.push_back(Part::Json(json.split_to(gap - at)));
                at = gap;
            }
            parts.push_back(Part::Text(text, 0));
        }
        parts.push_back(Part::Json(json));
        Ok(JsonBody { parts, left })
    }
}

struct Counting<'a> {
    json: &'a mut Vec<u8>,
    written: &'a Cell<usize>,
}

impl io::Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.json.extend_from_slice(bytes);
        self.written.set(self.json.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text in pieces, as a string of the JSON.
pub(super) struct JsonText<'a> {
    pub pieces: &'a [Arc<str>],
    /// What leaves it out if it is long; `None` where the JSON is not sent.
    pub long: Option<&'a LongTexts>,
}

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let length: usize = self.pieces.iter().map(|piece| piece.len()).sum();
        match (self.long, self.pieces) {
            (Some(long), pieces) if length >= LONG => {
                // Between the quotes that follow.
                let at = long.written.get() + 1;
                long.left_out.borrow_mut().extend(pieces.iter().map(|piece| (at, Arc::clone(piece))));
                to.serialize_str("")
            }
            (_, [one]) => to.serialize_str(one),
            (_, pieces) => to.serialize_str(&pieces.concat()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use http_body_util::BodyExt as _;
    use proptest::prelude::*;

    use super::*;

    /// All of a body.
    pub fn whole(body: JsonBody) -> Vec<u8> {
        let collected = futures_util::FutureExt::now_or_never(body.collect()).expect("it waits for nothing");
        collected.unwrap_or_else(|never| match never {}).to_bytes().to_vec()
    }

    #[derive(Serialize)]
    struct Sent<'a> {
        before: f64,
        texts: Vec<JsonText<'a>>,
        after: &'a str,
    }

    proptest! {
        #[test]
        fn long_texts_are_sent_as_if_they_had_been_copied(
            texts in prop::collection::vec(
                prop::collection::vec(("[\\x00-\\x7f]{0,9}|\\PC{0,9}", 1..9000_usize), 0..4),
                0..4,
            ),
        ) {
            let pieces: Vec<Vec<Arc<str>>> = texts
                .iter()
                .map(|pieces| pieces.iter().map(|(words, times)| words.repeat(*times).into()).collect())
                .collect();
            let long = LongTexts::default();
            let words = pieces.iter().map(|pieces| JsonText { pieces, long: Some(&long) }).collect();
            let body = long.body(&Sent { before: 0.5, texts: words, after: "\n" }).unwrap();
            let length = body.size_hint().exact().unwrap();
            let parts = body.parts.len();
            let sent = whole(body);
            prop_assert_eq!(sent.len() as u64, length);
            let words = pieces.iter().map(|pieces| JsonText { pieces, long: None }).collect();
            let copied = serde_json::to_vec(&Sent { before: 0.5, texts: words, after: "\n" }).unwrap();
            prop_assert!(sent == copied, "{} and {} bytes", sent.len(), copied.len());
            let long = |pieces: &Vec<Arc<str>>| pieces.iter().map(|piece| piece.len()).sum::<usize>() >= LONG;
            prop_assert_eq!(parts > 1, pieces.iter().any(long));
        }
    }
}
