//! Why refinement ended, or did not change the draft.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::llm::Reason;

/// Why an iteration is the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RefinementFact {
    /// Too few critics name a fault: the draft is good.
    Converged {
        /// How many name one.
        found: usize,
        asked: usize,
        failed: usize,
        /// How many it takes for a revision.
        needed: usize,
    },
    /// Too few critics answered: that nobody found anything says nothing about the draft then.
    TooFewCritics { answered: usize, asked: usize },
    /// The writer of the draft failed to revise it.
    NotRevised { model: String, reason: Reason },
    /// The run ended in it.
    Unfinished,
}

impl fmt::Display for RefinementFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged { found, asked, failed, needed } => {
                match found {
                    0 => f.write_str("None")?,
                    some => write!(f, "{some}")?,
                }
                write!(f, " of {asked} critics")?;
                if *failed > 0 {
                    write!(f, " ({failed} failed)")?;
                }
                write!(f, " named a fault; a revision takes {needed}.")
            }
            Self::TooFewCritics { answered, asked } => write!(
                f,
                "{answered} of {asked} critics answered, too few for a revision: the draft stands as it was."
            ),
            Self::NotRevised { model, reason } => {
                write!(f, "{model} could not revise the draft, which stands as it was: {reason}")
            }
            Self::Unfinished => f.write_str("stopped before it was finished"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ErrorKind;

    #[test]
    fn a_reason_is_made_of_its_fact() {
        let reason = Reason::of(Some(ErrorKind::Timeout), None, "30 s");
        for (fact, text) in [
            (
                RefinementFact::Converged { found: 0, asked: 3, failed: 0, needed: 2 },
                "None of 3 critics named a fault; a revision takes 2.",
            ),
            (
                RefinementFact::Converged { found: 1, asked: 4, failed: 1, needed: 2 },
                "1 of 4 critics (1 failed) named a fault; a revision takes 2.",
            ),
            (
                RefinementFact::TooFewCritics { answered: 1, asked: 3 },
                "1 of 3 critics answered, too few for a revision: the draft stands as it was.",
            ),
            (
                RefinementFact::NotRevised { model: "a/one".into(), reason },
                "a/one could not revise the draft, which stands as it was: no answer came in time",
            ),
            (RefinementFact::Unfinished, "stopped before it was finished"),
        ] {
            assert_eq!(fact.to_string(), text);
            let json = serde_json::to_string(&fact).unwrap();
            assert_eq!(serde_json::from_str::<RefinementFact>(&json).unwrap(), fact, "{json}");
        }
    }
}
