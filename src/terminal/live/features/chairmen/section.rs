//! The drafts of several chairmen.

use super::shape::Chairmen;
use crate::terminal::sections::section::{Section, of_piece};

/// One draft after the other.
pub fn drafts(chairmen: &Chairmen) -> impl Iterator<Item = Section> {
    chairmen.drafts.iter().map(|draft| {
        let what = format!("Draft {}", draft.label);
        of_piece(&format!("draft/{}", draft.label), Some(&what), &draft.piece)
    })
}
