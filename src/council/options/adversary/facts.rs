//! What failed with the devil's advocate.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::llm::Reason;

/// Why there is no attack, or no revision after one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AdversaryFact {
    NotAttacked {
        model: String,
        reason: Reason,
    },
    NotRevised {
        model: String,
        reason: Reason,
    },
    /// The run ended in it.
    Unfinished,
}

impl fmt::Display for AdversaryFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAttacked { model, reason } => {
                write!(f, "{model} could not attack the answer: {reason}")
            }
            Self::NotRevised { model, reason } => {
                write!(f, "{model} could not revise the answer, which stands as it was: {reason}")
            }
            Self::Unfinished => f.write_str("stopped before it was finished"),
        }
    }
}

/// Why nobody said how grave an attack is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum SeverityFact {
    /// What it said when it was asked once more could not be read.
    Unread { model: String },
    /// It could not be asked once more.
    NotAsked { model: String, reason: Reason },
}

impl fmt::Display for SeverityFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The attack states no severity, and ")?;
        match self {
            Self::Unread { model } => write!(f, "{model} gave no severity that could be read"),
            Self::NotAsked { model, reason } => write!(f, "{model} could not be asked for it: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ErrorKind;

    #[test]
    fn a_sentence_is_made_of_its_fact() {
        let reason = || Reason::of(Some(ErrorKind::Timeout), None, "30 s");
        let model = || "a/one".to_owned();
        assert_eq!(
            AdversaryFact::NotAttacked { model: model(), reason: reason() }.to_string(),
            "a/one could not attack the answer: no answer came in time"
        );
        assert_eq!(
            AdversaryFact::NotRevised { model: model(), reason: reason() }.to_string(),
            "a/one could not revise the answer, which stands as it was: no answer came in time"
        );
        assert_eq!(AdversaryFact::Unfinished.to_string(), "stopped before it was finished");
        assert_eq!(
            SeverityFact::Unread { model: model() }.to_string(),
            "The attack states no severity, and a/one gave no severity that could be read"
        );
        assert_eq!(
            SeverityFact::NotAsked { model: model(), reason: reason() }.to_string(),
            "The attack states no severity, and a/one could not be asked for it: no answer came in time"
        );
    }
}
