//! What the micro-benchmarks call: the hot path of reading a stream, without a network.

use super::chat_completions::ReplyReader;
use super::upstream_error::{ErrorContext, Secrets};
use super::{CallError, Chunk};
use crate::sse::SseDecoder;

/// Reads a streamed reply that came in these pieces, as a call does; returns how many chunks it had.
///
/// # Errors
/// What the reply is refused for.
pub fn read_reply(pieces: &[&[u8]]) -> Result<usize, CallError> {
    let context = ErrorContext { provider: String::new(), model: String::new(), secrets: Secrets::default() };
    let mut reader = ReplyReader::new(context);
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut count = 0;
    read_events(pieces, |payload| {
        reader.read_event(payload, &mut chunks)?;
        count += chunks.len();
        chunks.clear();
        Ok(())
    })?;
    Ok(count)
}

/// Only splits the event stream into events; returns how many there were.
#[must_use]
pub fn count_events(pieces: &[&[u8]]) -> usize {
    let mut count = 0;
    let counted = read_events(pieces, |_| {
        count += 1;
        Ok(())
    });
    counted.map_or(0, |()| count)
}

fn read_events(
    pieces: &[&[u8]],
    mut each: impl FnMut(&str) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let mut decoder = SseDecoder::new(1 << 20);
    let mut payloads = Vec::new();
    for piece in pieces {
        // The streams of the benchmarks have no event near the bound.
        if decoder.push(piece, &mut payloads).is_err() {
            break;
        }
        payloads.drain(..).try_for_each(|payload| each(&payload.data))?;
    }
    Ok(())
}
