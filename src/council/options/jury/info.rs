//! What events and stored messages say of a second reading.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::llm::fact::known;

/// Whether the answers were read a second time, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SecondReading {
    /// Whether the reviewers were asked again.
    pub held: bool,
    /// Why, or why not, in a plain sentence.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub reason_fact: Option<SecondReadingFact>,
}

/// Why the answers were read a second time, or why not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum SecondReadingFact {
    /// The first ballots have no sole winner.
    NoSoleWinner,
    /// The first ballots agree too little.
    LowAgreement {
        /// How far, from chance (0) to unanimity (1).
        agreement: f64,
        /// From where on it is enough.
        needed: f64,
    },
    /// The first ballots agree.
    Agreed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agreement: Option<f64>,
        needed: f64,
    },
    /// No ballot counts, or there is nothing to compare.
    NothingToCompare,
}

impl fmt::Display for SecondReadingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSoleWinner => f.write_str("The first ballots have no sole winner."),
            Self::LowAgreement { agreement, needed } => write!(
                f,
                "The first ballots agree to {agreement:.2} between chance (0) and unanimity (1); {needed} is needed."
            ),
            Self::Agreed { agreement: Some(agreement), needed } => write!(
                f,
                "The first ballots agree to {agreement:.2} between chance (0) and unanimity (1); {needed} is enough."
            ),
            Self::Agreed { agreement: None, .. } => f.write_str("The first ballots have a sole winner."),
            Self::NothingToCompare => f.write_str("There are no ballots to compare."),
        }
    }
}

impl SecondReading {
    /// What follows of a fact.
    #[must_use]
    pub fn of(fact: SecondReadingFact) -> Self {
        let held = matches!(fact, SecondReadingFact::NoSoleWinner | SecondReadingFact::LowAgreement { .. });
        Self { held, reason: fact.to_string(), reason_fact: Some(fact) }
    }
}
