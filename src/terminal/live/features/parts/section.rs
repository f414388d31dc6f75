//! The parts of a question, each with its best answer.

use super::shape::{Decomposition, Part};
use crate::terminal::live::piece::Piece;
use crate::terminal::sections::section::{Body, Section, of_piece};

/// The parts that are judged.
pub fn parts(decomposition: &Decomposition) -> impl Iterator<Item = Section> {
    decomposition.parts.iter().filter_map(part)
}

fn part(part: &Part) -> Option<Section> {
    let best = part.result.as_ref()?.best_member.as_ref();
    let best = part.answers.iter().find(|answer| Some(&answer.piece.seat.member) == best);
    let best = best.or(part.answers.first())?;
    let what = format!("Part {}", part.index + 1);
    let mut section = of_piece(&format!("part{}", part.index), Some(&what), &best.piece);
    if let Body::Markdown(text) = &mut section.body {
        *text = format!("**{}**\n\n{text}", part.question);
    }
    Some(section)
}

/// All answers to the parts.
pub fn pieces(decomposition: &Decomposition) -> impl Iterator<Item = &Piece> {
    decomposition.parts.iter().flat_map(|part| &part.answers).map(|answer| &answer.piece)
}
