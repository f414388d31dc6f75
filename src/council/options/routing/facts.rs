//! Facts about a question whose kind was decided without a model.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::llm::Reason;

/// Why single words of the question decided, and which: at most five, none where no word told its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RoutingFact {
    /// What the utility model said could not be read.
    Unread { words: Vec<String>, model: String },
    /// The utility model could not be asked.
    NotAsked { words: Vec<String>, model: String, reason: Reason },
}

impl fmt::Display for RoutingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unread { words, .. } | Self::NotAsked { words, .. }) = self;
        if words.is_empty() {
            f.write_str("No word of the question tells its kind.")?;
        } else {
            let words: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
            write!(f, "The question says {}.", words.join(", "))?;
        }
        f.write_str(" Decided without a model: ")?;
        match self {
            Self::Unread { model, .. } => write!(f, "{model} named no kind of question that could be read."),
            Self::NotAsked { model, reason, .. } => write!(f, "{model} could not be asked ({reason})."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ErrorKind;

    #[test]
    fn a_sentence_is_made_of_its_fact() {
        let model = || "a/one".to_owned();
        let words = vec!["python".to_owned(), "bug".to_owned()];
        assert_eq!(
            RoutingFact::Unread { words, model: model() }.to_string(),
            "The question says “python”, “bug”. Decided without a model: a/one named no kind of question that \
             could be read."
        );
        let reason = Reason::of(Some(ErrorKind::Timeout), None, "30 s");
        assert_eq!(
            RoutingFact::NotAsked { words: vec![], model: model(), reason }.to_string(),
            "No word of the question tells its kind. Decided without a model: a/one could not be asked (no answer \
             came in time)."
        );
    }
}
