//! One question of a bench, whatever file it came from.

use serde::{Deserialize, Serialize};

/// A question with what its answer is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    /// Its name in the file, else the number of its line.
    pub id: String,
    pub text: String,
    /// The options of a multiple choice question, the first one A.
    pub choices: Vec<String>,
    /// Every answer that is right; of a multiple choice question the letter. None where only a rubric says.
    pub answers: Vec<String>,
    /// What a right answer has to have, for a judge.
    pub rubric: Option<String>,
    /// How far a number may be off, in its own unit.
    pub tolerance: Option<f64>,
    /// Who grades it: a name in [`GRADERS`](super::graders::GRADERS).
    pub grader: String,
}
