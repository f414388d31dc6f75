//! Several chairmen: drafts side by side, and the chairman's choice among them.

use crate::terminal::live::piece::Piece;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chairmen {
    /// Who writes, in the order of the labels A, B, C…
    pub models: Vec<String>,
    pub drafts: Vec<Draft>,
    /// Who chooses; `None` until the drafts are there, or where nobody had to.
    pub selector: Option<String>,
    /// What the chairman writes as it chooses; the whole of it but its final answer once it has.
    pub evaluation: String,
    /// The label of the chosen draft.
    pub selected: Option<String>,
    /// Why that one.
    pub reasoning: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Draft {
    pub label: String,
    pub piece: Piece,
}
