//! What a person adds to their question while its members answer. The members have been asked by then; every model that
//! later answers, judges, or writes or improves the final answer reads it with the question.
//!
//! A run takes corrections in until its reviews begin or, without reviews, until the final answer is written. Each one
//! taken in is an event, so an execution after a crash finds them in the log.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest correction, in characters: it is read together with the answers.
pub const MAX_CORRECTION_CHARS: usize = 4_000;
/// How many corrections a run takes in.
pub const MAX_CORRECTIONS: usize = 5;

/// The title of a correction where the question is quoted.
pub const TITLE: &str = "Correction by the person who asked, made after the question above had been sent to the members: \
                         it counts where the two differ, and an answer may have been written without it";

/// Something that was added to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = QuestionCorrection)]
pub struct Correction {
    /// A hash of the text, so that a correction sent twice is added once.
    pub id: String,
    pub text: String,
}

impl Correction {
    /// A correction of these words.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { id: hex::encode(&Sha256::digest(text)[..8]), text: text.to_owned() }
    }
}

/// The corrections of a run, and whether it takes in more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Corrections {
    pub taken: Vec<Correction>,
    pub closed: bool,
}

impl Corrections {
    /// Whether the correction with this id has been taken in.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.taken.iter().any(|taken| taken.id == id)
    }
}

/// A question with its corrections as one text, for models that are asked it later.
#[must_use]
pub fn whole_question(question: &str, corrections: &[Correction]) -> String {
    let mut whole = question.to_owned();
    for correction in corrections {
        whole.push_str("\n\nCorrection: ");
        whole.push_str(&correction.text);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_correction() {
        assert_eq!(Correction::new("In 2024."), Correction::new("In 2024."));
        assert_ne!(Correction::new("In 2024.").id, Correction::new("In 2025.").id);
        assert_eq!(Correction::new("x").id.len(), 16);
    }

    #[test]
    fn a_corrected_question_is_one_text() {
        assert_eq!(whole_question("Which year?", &[]), "Which year?");
        let corrections = [Correction::new("Of the first edition."), Correction::new("In Spain.")];
        assert_eq!(
            whole_question("Which year?", &corrections),
            "Which year?\n\nCorrection: Of the first edition.\n\nCorrection: In Spain."
        );
    }
}
