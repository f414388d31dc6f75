//! Why a run as a whole can fail.

use crate::llm::ErrorKind;

/// Why a whole run failed. One member's failure is never one of these.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Not one member answered, and why where all of them failed alike. Each answer has its own reason.
    #[error("No model answered{}", .0.map(|kind| format!(": {}.", kind.reason())).unwrap_or_else(|| ".".to_owned()))]
    NoAnswers(Option<ErrorKind>),
    /// Only one member has anything to say: there is nobody to debate with.
    #[error("Only one of {asked} models answered: a debate needs two. Ask again, or ask the council.")]
    TooFewSpeakers { asked: usize },
}

impl Failure {
    /// Not one answer can be used; these are the reasons.
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
