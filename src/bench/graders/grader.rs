//! What a grader is.

use serde::{Deserialize, Serialize};

use crate::bench::question::Question;

/// Decides whether an answer is right.
pub struct Grader {
    pub name: &'static str,
    /// What a question ends with, so that the answer can be found.
    pub ending: Option<&'static str>,
    /// Why a question cannot be graded this way, if it cannot.
    pub problem: fn(&Question) -> Option<String>,
    pub grading: Grading,
}

/// How it is found out.
pub enum Grading {
    /// From the text alone.
    Text(fn(&Question, &str) -> Verdict),
    /// A model is asked.
    Judge,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Correct,
    Wrong,
    /// No answer was found in the text. It counts as wrong.
    Unreadable,
    /// The judge said yes in one order and no in the other. It counts as wrong.
    Undecided,
    /// There was no answer: the call or the run failed. It counts as wrong.
    Failed,
    /// The judge did not answer, or a budget was used up in the middle. It counts for nothing.
    Ungraded,
}

impl Verdict {
    /// Right or wrong, as it counts; none where it does not count.
    #[must_use]
    pub fn counts(self) -> Option<bool> {
        match self {
            Self::Correct => Some(true),
            Self::Wrong | Self::Unreadable | Self::Undecided | Self::Failed => Some(false),
            Self::Ungraded => None,
        }
    }

    /// Right or wrong.
    #[must_use]
    pub fn of(is_right: bool) -> Self {
        if is_right { Self::Correct } else { Self::Wrong }
    }
}
