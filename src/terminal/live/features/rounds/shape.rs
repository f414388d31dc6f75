//! A debate: rounds of statements by speakers who answer each other. Its ballots stand with the reviews, its
//! judgment is the final answer.

use crate::terminal::live::event::Fields;
use crate::terminal::live::piece::{Piece, Seat};
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Debate {
    /// `debate` or `arena`.
    pub mode: String,
    /// `rotation` or `all_to_all`.
    pub style: Option<String>,
    /// What the speakers are to do in each round.
    pub round_types: Vec<String>,
    /// The rounds that have begun.
    pub rounds: Vec<Round>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Round {
    /// From 1.
    pub number: i64,
    pub kind: String,
    pub statements: Vec<Statement>,
}

/// What one speaker says in one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statement {
    /// The name by which the others know the speaker.
    pub label: String,
    pub piece: Piece,
    /// The labels of those whose words it answers.
    pub replies_to: Vec<String>,
    /// The same text split by the speakers that it criticises; empty where it does not criticise several.
    pub critiques: Vec<CritiqueOf>,
    /// What it answers to its critics.
    pub addressed: Option<String>,
    /// Its answer as it stands now.
    pub revised_answer: Option<String>,
    /// Whether it has changed its mind; `None` if unknown.
    pub changed: Option<bool>,
}

/// What one speaker criticises in another.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CritiqueOf {
    /// A label.
    pub of: String,
    pub text: String,
}

impl Statement {
    pub(in crate::terminal::live) fn waiting(speaker: Fields, since: Option<String>) -> Self {
        Self {
            label: speaker.string("label"),
            piece: Piece::waiting(Seat::of(speaker), since),
            replies_to: speaker.texts("replies_to"),
            ..Self::default()
        }
    }

    pub(in crate::terminal::live) fn of(result: Fields) -> Self {
        if result.flag("pending") {
            return Self::waiting(result, None);
        }
        let critique = |fields: Fields| CritiqueOf { of: fields.string("of"), text: fields.string("text") };
        let position = result.within("position");
        Self {
            label: result.string("label"),
            piece: Piece::ended(result, "text"),
            replies_to: result.texts("replies_to"),
            critiques: result.each("critiques").map(critique).collect(),
            addressed: result.owned("addressed"),
            revised_answer: result.owned("revised_answer"),
            changed: position.has_value("changed").then(|| position.flag("changed")),
        }
    }
}
