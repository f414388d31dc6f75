//! Why a second tier is asked, and what comes of it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why the second tier is asked, or that asking it was in vain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum EscalationFact {
    /// Nobody of the first tier answered.
    NoAnswer,
    LowAverage {
        average: f64,
        threshold: f64,
    },
    LowConfidence {
        lowest: u8,
        threshold: u8,
    },
    /// Too few ballots have the same first place; both are shares, 0 to 1.
    LowAgreement {
        agreement: f64,
        threshold: f64,
    },
    /// Nobody of the second tier answered.
    InVain {
        /// Whether the first one is reviewed already, and these reviews stand.
        reviewed: bool,
    },
}

impl fmt::Display for EscalationFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer => f.write_str("no answer: nobody of the first tier could answer"),
            Self::LowAverage { average, threshold } => {
                write!(f, "the average confidence {average} is below {threshold}")
            }
            Self::LowConfidence { lowest, threshold } => {
                write!(f, "the lowest confidence {lowest} is below {threshold}")
            }
            Self::LowAgreement { agreement, threshold } => {
                let percent = |share: &f64| (share * 1000.0).round() / 10.0;
                let (agree, least) = (percent(agreement), percent(threshold));
                write!(f, "only {agree}% of the ballots agree on the first place, below {least}%")
            }
            Self::InVain { reviewed: true } => f.write_str(
                "Nobody of the second tier could answer: the first tier's answers and reviews stand.",
            ),
            Self::InVain { reviewed: false } => {
                f.write_str("Nobody of the second tier could answer: it goes on without them.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_made_of_its_fact() {
        for (fact, text) in [
            (EscalationFact::NoAnswer, "no answer: nobody of the first tier could answer"),
            (
                EscalationFact::LowAverage { average: 5.33, threshold: 7.0 },
                "the average confidence 5.33 is below 7",
            ),
            (EscalationFact::LowConfidence { lowest: 2, threshold: 4 }, "the lowest confidence 2 is below 4"),
            (
                EscalationFact::LowAgreement { agreement: 1.0 / 3.0, threshold: 0.5 },
                "only 33.3% of the ballots agree on the first place, below 50%",
            ),
            (
                EscalationFact::InVain { reviewed: true },
                "Nobody of the second tier could answer: the first tier's answers and reviews stand.",
            ),
            (
                EscalationFact::InVain { reviewed: false },
                "Nobody of the second tier could answer: it goes on without them.",
            ),
        ] {
            assert_eq!(fact.to_string(), text);
            let json = serde_json::to_string(&fact).unwrap();
            assert_eq!(serde_json::from_str::<EscalationFact>(&json).unwrap(), fact, "{json}");
        }
    }
}
