//! Files that come with questions: what they are, what they are called, and what they say. Nothing here trusts them. PDF and
//! DOCX are read in a process of its own ([`Extractor`] starts it, [`worker`] is what it does), which has nothing of the
//! server's environment, little memory and little time. Imports `invisible` alone.

mod docx;
mod extractor;
mod kind;
pub mod name;
mod pdf;
pub mod picture;
mod problem;
mod text;
pub mod worker;

pub use extractor::{Extracted, Extractor, NotExtracted};
pub use kind::{Format, Kind, NotTaken, without_mark};
pub use problem::Unreadable;

/// The most that is kept of a file's text, in bytes.
pub const MAX_TEXT_BYTES: usize = 2 << 20;
/// The longest PDF, in pages.
pub const MAX_PAGES: usize = 2_000;

/// A text's beginning of so many bytes at most, which ends with a whole character; whether there is more.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(bytes);
    (text.get(..end).unwrap_or_default(), end < text.len())
}
