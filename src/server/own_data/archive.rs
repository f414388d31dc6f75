//! A ZIP file that is sent while it is written: only a piece of one file is in memory at a time, however long it gets,
//! and a slow reader slows the writing down.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::mpsc;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::objects::ObjectError;
use crate::store::StoreError;

/// How much text is compressed at once; other tasks run in between.
const PIECE_BYTES: usize = 64 * 1024;
/// How much of the ZIP file is collected before it is sent, in bytes.
const SEND_BYTES: usize = 16 * 1024;
/// A level that needs little CPU time: text still shrinks to a third.
const LEVEL: i64 = 3;

/// Why a copy ended before it was whole. Its reader sees a download that breaks off.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExportError {
    #[error("the database could not be read")]
    Store(#[from] StoreError),
    #[error("a file could not be read")]
    Object(#[from] ObjectError),
    #[error("the ZIP file could not be written")]
    Zip(#[from] ZipError),
    #[error("the ZIP file could not be written")]
    Io(#[from] io::Error),
    #[error("a conversation could not be written as JSON")]
    Json(#[from] serde_json::Error),
    #[error("nobody reads it any more")]
    Left,
}

/// See the module.
pub(super) struct Archive {
    zip: ZipWriter<StreamWriter<Gathered>>,
    gathered: Gathered,
    out: mpsc::Sender<Bytes>,
}

impl Archive {
    /// An empty archive, and the stream of its bytes.
    pub(super) fn new() -> (Self, mpsc::Receiver<Bytes>) {
        let (out, sent) = mpsc::channel(1);
        let gathered = Gathered::default();
        (Self { zip: ZipWriter::new_stream(gathered.clone()), gathered, out }, sent)
    }

    /// Begins a file with this modification time. The one before it ends.
    pub(super) fn begin(&mut self, name: &str, changed_at: Timestamp) -> Result<(), ExportError> {
        let mut options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL));
        if let Some(at) = dos_time(changed_at) {
            options = options.last_modified_time(at);
        }
        Ok(self.zip.start_file(name, options)?)
    }

    /// Appends text to the file, and waits until the resulting bytes are taken.
    pub(super) async fn write(&mut self, text: &str) -> Result<(), ExportError> {
        self.write_bytes(text.as_bytes()).await
    }

    /// Appends bytes, which need not be text, to the file, and waits until the resulting bytes are taken.
    pub(super) async fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.zip.write_all(piece)?;
            send(&self.gathered, &self.out, SEND_BYTES).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Ends it with the list of its files.
    pub(super) async fn finish(self) -> Result<(), ExportError> {
        let Self { zip, gathered, out } = self;
        drop(zip.finish()?);
        send(&gathered, &out, 0).await
    }
}

/// Sends what has been collected, if it is long enough, and waits until more is wanted: so the writer holds no database
/// transaction open while the reader is slow.
async fn send(gathered: &Gathered, out: &mpsc::Sender<Bytes>, at_least: usize) -> Result<(), ExportError> {
    let Some(bytes) = gathered.take(at_least) else { return Ok(()) };
    out.send(bytes).await.map_err(|_| ExportError::Left)?;
    // The channel has room again once these are taken.
    drop(out.reserve().await.map_err(|_| ExportError::Left)?);
    Ok(())
}

/// ZIP files know the time of day without a zone, from 1980 on.
fn dos_time(at: Timestamp) -> Option<DateTime> {
    let at = at.to_zoned(TimeZone::UTC).datetime();
    let small = |number: i8| u8::try_from(number).ok();
    DateTime::from_date_and_time(
        u16::try_from(at.year()).ok()?,
        small(at.month())?,
        small(at.day())?,
        small(at.hour())?,
        small(at.minute())?,
        small(at.second())?,
    )
    .ok()
}

/// What has been written and not been sent.
#[derive(Debug, Clone, Default)]
struct Gathered(Arc<Mutex<Vec<u8>>>);

impl Gathered {
    fn take(&self, at_least: usize) -> Option<Bytes> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!bytes.is_empty() && bytes.len() >= at_least).then(|| std::mem::take(&mut *bytes).into())
    }
}

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What `writing` sends, as it is asked for: not a task of its own, so that dropping the stream ends everything.
pub(super) fn sent(
    writing: impl Future<Output = Result<(), ExportError>> + 'static,
    pieces: mpsc::Receiver<Bytes>,
) -> impl Stream<Item = Result<Bytes, ExportError>> {
    let begun = (Some(Box::pin(writing)), pieces);
    stream::unfold(begun, |(writing, mut pieces)| async move {
        let Some(mut writing) = writing else {
            // Its sender is gone: the rest is in the channel.
            return pieces.recv().await.map(|bytes| (Ok(bytes), (None, pieces)));
        };
        tokio::select! {
            biased;
            Some(bytes) = pieces.recv() => Some((Ok(bytes), (Some(writing), pieces))),
            result = &mut writing => match result {
                Ok(()) => pieces.recv().await.map(|bytes| (Ok(bytes), (None, pieces))),
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "an export of a user's data was interrupted");
                    Some((Err(error), (None, pieces)))
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{Cursor, Read as _};
    use std::rc::Rc;

    use futures_util::StreamExt as _;

    use super::*;

    /// Text that hardly compresses.
    fn noise(length: usize) -> String {
        let mut state = 1_u64;
        let next = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b' ' + u8::try_from((*state >> 33) % 95).unwrap())
        };
        (0..length).map(|_| next(&mut state)).collect()
    }

    #[tokio::test]
    async fn no_more_is_written_than_is_read() {
        let text = noise(4 * PIECE_BYTES);
        let written = Rc::new(Cell::new(0));
        let (mut archive, pieces) = Archive::new();
        let (count, text_of_each) = (written.clone(), text.clone());
        let mut stream = Box::pin(sent(
            async move {
                for number in 0..50 {
                    archive.begin(&format!("{number}.txt"), Timestamp::UNIX_EPOCH)?;
                    archive.write(&text_of_each).await?;
                    count.set(count.get() + 1);
                }
                archive.finish().await
            },
            pieces,
        ));
        let mut bytes = stream.next().await.unwrap().unwrap().to_vec();
        let longest = bytes.len();
        assert!(written.get() <= 1, "{} files for the first piece", written.get());
        assert!(longest < 2 * PIECE_BYTES, "{longest}");
        while let Some(piece) = stream.next().await {
            let piece = piece.unwrap();
            assert!(piece.len() < 2 * PIECE_BYTES, "{}", piece.len());
            bytes.extend_from_slice(&piece);
        }
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(zip.len(), 50);
        let mut last = String::new();
        zip.by_name("49.txt").unwrap().read_to_string(&mut last).unwrap();
        assert_eq!(last, text);
    }

    #[tokio::test]
    async fn an_error_ends_the_stream_with_itself() {
        let (mut archive, pieces) = Archive::new();
        let mut stream = Box::pin(sent(
            async move {
                archive.begin("one.txt", Timestamp::UNIX_EPOCH)?;
                Err(ExportError::Left)
            },
            pieces,
        ));
        assert!(matches!(stream.next().await, Some(Err(ExportError::Left))));
        assert!(stream.next().await.is_none());
    }
}
