//! What is right. Each grader is a file here and a line in [`GRADERS`].

mod candidates;
mod choice;
mod exact;
mod grader;
pub mod judge;
pub mod numeric;

pub use grader::{Grader, Grading, Verdict};

use super::question::Question;

/// Everybody who can grade.
pub static GRADERS: [&Grader; 4] = [&exact::GRADER, &numeric::GRADER, &choice::GRADER, &judge::GRADER];

/// Who grades a question; none where this program knows no grader of that name.
#[must_use]
pub fn of(question: &Question) -> Option<&'static Grader> {
    GRADERS.iter().copied().find(|grader| grader.name == question.grader)
}

/// What models are asked: the question, its options, and how to write the answer down.
#[must_use]
pub fn prompt(question: &Question) -> String {
    let mut prompt = question.text.clone();
    if !question.choices.is_empty() {
        prompt.push('\n');
        for (letter, choice) in ('A'..='Z').zip(&question.choices) {
            prompt.push_str(&format!("\n{letter}. {choice}"));
        }
    }
    if let Some(ending) = of(question).and_then(|grader| grader.ending) {
        prompt.push_str("\n\n");
        prompt.push_str(ending);
    }
    prompt
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
