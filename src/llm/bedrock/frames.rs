//! The frames that a streamed reply comes in (`application/vnd.amazon.eventstream`): their bounds, and what the
//! headers of each say. Framing and checksums are left to AWS's crate.

use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use aws_smithy_types::event_stream::Message;
use bytes::{Buf as _, Bytes, BytesMut};

/// Longest frame. Those of a reply are a few hundred bytes; this only keeps a server that announces a huge one from
/// filling the memory.
const MAX_FRAME_BYTES: usize = 4 << 20;
/// The shortest frame there can be: prelude and checksum.
const MIN_FRAME_BYTES: usize = 16;

/// The content of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// A piece of the reply: its kind (`contentBlockDelta`, …) and its JSON.
    Event { kind: String, json: Bytes },
    /// The reply ends with a failure: its kind (`throttlingException`, …) and its JSON.
    Exception { kind: String, json: Bytes },
    /// The server gives up the connection: a code, and a sentence.
    Error { code: String, message: String },
}

/// Why bytes cannot be read as a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadFrame {
    TooLong,
    /// A checksum or a length does not fit.
    Damaged,
    /// It is marked neither as an event nor as a failure.
    Unknown,
}

impl BadFrame {
    pub fn words(self) -> &'static str {
        match self {
            Self::TooLong => "one frame of the stream is too long",
            Self::Damaged => "a frame of the stream is damaged",
            Self::Unknown => "a frame of the stream is of no known kind",
        }
    }
}

/// Takes bytes as they come and gives frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    unread: BytesMut,
    decoder: MessageFrameDecoder,
    /// The decoder has taken the beginning of a frame out of `unread`.
    begun: bool,
}

impl Frames {
    pub fn push(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
    }

    /// The next whole frame, if there is one.
    ///
    /// # Errors
    /// If a frame cannot be read; nothing after it can be either.
    pub fn next(&mut self) -> Result<Option<Frame>, BadFrame> {
        if !self.begun {
            let Some(length) = self.unread.first_chunk().map(|length| u32::from_be_bytes(*length)) else {
                return Ok(None);
            };
            let length = usize::try_from(length).map_err(|_| BadFrame::TooLong)?;
            if length > MAX_FRAME_BYTES {
                return Err(BadFrame::TooLong);
            }
            if length < MIN_FRAME_BYTES {
                return Err(BadFrame::Damaged);
            }
        }
        let before = self.unread.remaining();
        match self.decoder.decode_frame(&mut self.unread).map_err(|_| BadFrame::Damaged)? {
            DecodedFrame::Complete(message) => {
                self.begun = false;
                read(&message).map(Some)
            }
            DecodedFrame::Incomplete => {
                self.begun |= self.unread.remaining() < before;
                Ok(None)
            }
        }
    }

    /// Whether the bytes so far end in the middle of a frame.
    #[cfg(test)]
    pub fn is_cut(&self) -> bool {
        self.begun || !self.unread.is_empty()
    }
}

fn read(message: &Message) -> Result<Frame, BadFrame> {
    let header = |name: &str| {
        let found = message.headers().iter().find(|header| header.name().as_str() == name)?;
        found.value().as_string().ok().map(|value| value.as_str().to_owned())
    };
    let json = message.payload().clone();
    let kind = |name| header(name).ok_or(BadFrame::Unknown);
    match header(":message-type").as_deref() {
        Some("event") => Ok(Frame::Event { kind: kind(":event-type")?, json }),
        Some("exception") => Ok(Frame::Exception { kind: kind(":exception-type")?, json }),
        Some("error") => Ok(Frame::Error {
            code: kind(":error-code")?,
            message: header(":error-message").unwrap_or_default(),
        }),
        Some(_) | None => Err(BadFrame::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_eventstream::frame::write_message_to;
    use aws_smithy_types::event_stream::{Header, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn frame(headers: &[(&'static str, &'static str)], payload: &str) -> Vec<u8> {
        let text = |text: &'static str| HeaderValue::String(text.into());
        let headers = headers.iter().map(|(name, value)| Header::new(*name, text(value))).collect();
        let message = Message::new_from_parts(headers, payload.as_bytes().to_vec());
        let mut bytes = Vec::new();
        write_message_to(&message, &mut bytes).unwrap();
        bytes
    }

    fn event(payload: &str) -> Vec<u8> {
        frame(&[(":message-type", "event"), (":event-type", "contentBlockDelta")], payload)
    }

    fn all(bytes: &[u8], at_once: usize) -> (Vec<Frame>, Option<BadFrame>, bool) {
        let (mut frames, mut found) = (Frames::default(), Vec::new());
        for piece in bytes.chunks(at_once.max(1)) {
            frames.push(piece);
            loop {
                match frames.next() {
                    Ok(Some(frame)) => found.push(frame),
                    Ok(None) => break,
                    Err(bad) => return (found, Some(bad), true),
                }
            }
        }
        (found, None, frames.is_cut())
    }

    #[test]
    fn each_kind_of_frame_is_read_in_pieces_of_any_size() {
        let mut bytes = event("{}");
        bytes.extend(frame(
            &[(":message-type", "exception"), (":exception-type", "throttlingException")],
            "{}",
        ));
        bytes.extend(frame(&[(":message-type", "error"), (":error-code", "x"), (":error-message", "y")], ""));
        let expected = vec![
            Frame::Event { kind: "contentBlockDelta".into(), json: "{}".into() },
            Frame::Exception { kind: "throttlingException".into(), json: "{}".into() },
            Frame::Error { code: "x".into(), message: "y".into() },
        ];
        for at_once in [1, 2, 3, 5, 11, 12, 13, 64, 4096] {
            assert_eq!(all(&bytes, at_once), (expected.clone(), None, false), "{at_once}");
        }
        assert!(all(&bytes[..bytes.len() - 1], 7).2, "the last frame is cut");
    }

    #[test]
    fn what_is_no_frame_is_said_to_be_so() {
        assert_eq!(all(&[0xff; 20], 20).1, Some(BadFrame::TooLong));
        assert_eq!(all(&[0; 20], 20).1, Some(BadFrame::Damaged));
        assert_eq!(all(&frame(&[(":message-type", "event")], ""), 9).1, Some(BadFrame::Unknown));
        assert_eq!(all(&frame(&[], "{}"), 9).1, Some(BadFrame::Unknown));
    }

    proptest! {
        #[test]
        fn no_flipped_bit_goes_unnoticed(at in 0usize..2000, bit in 0u8..8) {
            let mut bytes = event("{\"delta\":{\"text\":\"so\"}}");
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            let (found, bad, is_cut) = all(&bytes, 17);
            prop_assert!(found.is_empty() && (bad.is_some() || is_cut));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>, at_once in 1usize..40) {
            all(&bytes, at_once);
        }
    }
}
