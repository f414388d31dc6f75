//! Several chairmen: drafts side by side, and the chairman's choice among them.

use crate::terminal::live::piece::Piece;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chairmen {
    /// Who writes, in the order of the labels A, B, C…
    pub models: Vec<String>,
    pub drafts: Vec<Draft>,
    /// Who chooses; `None` until the drafts are there, or if nobody had to.
    pub selector: Option<String>,
    /// What the chairman writes while it chooses; once it has, all of that except the final answer.
    pub evaluation: String,
    /// The label of the chosen draft.
    pub selected: Option<String>,
    /// Why it was chosen.
    pub reasoning: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Draft {
    pub label: String,
    pub piece: Piece,
}
