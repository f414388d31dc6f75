//! A question taken apart: its parts, and what every member answers to each. What is put together from them is the
//! final answer.

use crate::terminal::live::piece::Answer;
use serde::Serialize;

use crate::terminal::live::features::reviews::shape::Row;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Decomposition {
    pub complexity: Option<Complexity>,
    /// Why the council answers the question as it is instead; `None` if it does not.
    pub skipped: Option<String>,
    pub questions: Vec<String>,
    /// The parts that have been asked, in order.
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Complexity {
    pub is_complex: bool,
    pub confidence: Option<f64>,
    pub reasoning: String,
    pub indicators: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// From 0.
    pub index: i64,
    pub question: String,
    pub answers: Vec<Answer>,
    /// `None` until the answers to this part are all there, and judged.
    pub result: Option<PartResult>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PartResult {
    pub best_member: Option<String>,
    /// How it was found: `ballot`, `confidence`, `only` or `first`.
    pub picked_by: Option<String>,
    pub ranking: Vec<Row>,
}
