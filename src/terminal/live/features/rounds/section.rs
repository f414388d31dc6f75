//! The statements of a debate.

use super::shape::Debate;
use crate::terminal::live::piece::Piece;
use crate::terminal::sections::section::{Section, of_piece};

/// The statements, round by round.
pub fn statements(debate: &Debate) -> impl Iterator<Item = Section> {
    debate.rounds.iter().flat_map(|round| {
        let what = format!("Round {} ({})", round.number, round.kind.replace('_', " "));
        round
            .statements
            .iter()
            .map(move |statement| of_piece(&format!("round{}", round.number), Some(&what), &statement.piece))
    })
}

/// The statements as pieces.
pub fn pieces(debate: &Debate) -> impl Iterator<Item = &Piece> {
    debate.rounds.iter().flat_map(|round| &round.statements).map(|said| &said.piece)
}
