//! Why a run as a whole can fail.

use crate::llm::ErrorKind;

/// Why a run as a whole failed, as opposed to one of its members.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No member answered; with the reason, if all failed for the same one.
    #[error("No model answered{}", .0.map(|kind| format!(": {}.", kind.reason())).unwrap_or_else(|| ".".to_owned()))]
    NoAnswers(Option<ErrorKind>),
    /// Only one member answered, so there is nobody to debate with.
    #[error("Only one of {asked} models answered: a debate needs two. Ask again, or ask the council.")]
    TooFewSpeakers { asked: usize },
}

impl Failure {
    /// The failure of a run without a usable answer, given each answer's reason.
    pub(super) fn no_answers(mut reasons: impl Iterator<Item = Option<ErrorKind>>) -> Self {
        let first = reasons.next().flatten();
        Self::NoAnswers(first.filter(|_| reasons.all(|reason| reason == first)))
    }

    /// Its kind in one word, for operators.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoAnswers(_) => "no_answers",
            Self::TooFewSpeakers { .. } => "too_few_speakers",
        }
    }
}
