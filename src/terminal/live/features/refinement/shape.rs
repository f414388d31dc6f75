//! Refinement: critiques of the draft, and its revisions, one iteration after the other.

use crate::terminal::live::piece::Piece;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Refinement {
    pub max_iterations: u64,
    pub iterations: Vec<Iteration>,
    /// Nobody had a substantial objection any more.
    pub converged: bool,
    pub done: bool,
    /// In USD; `None` if no cost is known.
    pub cost: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Iteration {
    /// From 1.
    pub iteration: i64,
    /// How many critics were asked.
    pub asked: u64,
    pub critiques: Vec<Critique>,
    /// The revision as far as it has come; whole when `Done`.
    pub text: String,
    pub status: IterationStatus,
    /// Why it was stopped, or why it is the last one.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Critique {
    pub piece: Piece,
    /// Whether it has a substantial objection.
    pub is_substantive: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IterationStatus {
    #[default]
    Critiques,
    Revising,
    Done,
    /// Over without a revision, and `reason` says why.
    Stopped,
}
