//! The result of reading a file.

use super::problem::Unreadable;
use super::{MAX_TEXT_BYTES, beginning};

/// Why nothing was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotRead {
    OfAnotherKind,
    Unreadable(Unreadable),
}

impl From<Unreadable> for NotRead {
    fn from(why: Unreadable) -> Self {
        Self::Unreadable(why)
    }
}

/// Text that is gathered, a little more of it than is kept: then it is known that there is more.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn push(&mut self, piece: &str) {
        let room = (MAX_TEXT_BYTES + 4).saturating_sub(self.0.len());
        self.0.push_str(beginning(piece, room).0);
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() > MAX_TEXT_BYTES
    }
}
