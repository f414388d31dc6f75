//! The text of a PDF.

use pdf_extract::{Document, PlainTextOutput, output_doc};

use super::problem::Unreadable;
use super::text::{NotRead, Text};
use super::{MAX_PAGES, MAX_TEXT_BYTES};

/// The text of these bytes. May panic on what is no PDF.
pub(super) fn text(bytes: &[u8]) -> Result<Text, NotRead> {
    let document = Document::load_mem(bytes).map_err(|_| Unreadable::Damaged)?;
    // Many are encrypted with an empty password, only to restrict what may be done with them: those are decrypted by
    // now.
    if document.trailer.get(b"Encrypt").is_ok() && !document.was_encrypted() {
        return Err(Unreadable::Encrypted.into());
    }
    if document.get_pages().len() > MAX_PAGES {
        return Err(Unreadable::TooManyPages.into());
    }
    let mut text = Bounded::default();
    let whole = output_doc(&document, &mut PlainTextOutput::new(&mut text as &mut dyn std::io::Write));
    // The text before the limit, or before a page that cannot be read, is kept.
    if whole.is_err() && text.0.is_empty() {
        return Err(Unreadable::Damaged.into());
    }
    let mut read = Text::default();
    read.push(&String::from_utf8_lossy(&text.0));
    Ok(read)
}

/// Takes a little more text than is kept, and then no more.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > MAX_TEXT_BYTES {
            return Err(std::io::Error::other("there is more text than is kept"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
