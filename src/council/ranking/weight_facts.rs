//! What a ballot weighs, in words and figures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How one model's weight comes about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum WeightFact {
    /// Its record is too short to weigh it by.
    TooFewRuns { weight: f64, runs: u32, needed: u32 },
    /// Its weight is the sum of these.
    Sum {
        parts: Vec<WeightPart>,
        raw: f64,
        /// What the weight is, where the sum is out of bounds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bound: Option<WeightBound>,
    },
}

/// A part of the sum, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum WeightPart {
    /// What every model begins with.
    Base {
        weight: f64,
    },
    /// `win_rate` is in percent.
    Wins {
        weight: f64,
        win_rate: f64,
    },
    Rank {
        weight: f64,
        average_rank: f64,
    },
    Confidence {
        weight: f64,
        average_confidence: f64,
    },
}

/// The bound that a sum passed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum WeightBound {
    AtMost { weight: f64 },
    AtLeast { weight: f64 },
}

/// Whether the ballots weigh differently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum WeightsFact {
    /// No model has so many ranked answers yet.
    NoRecords { needed: u32 },
    /// This many of the models are weighed by their records, from `min` to `max`.
    Weighed { with_records: usize, models: usize, min: f64, max: f64 },
}

impl WeightPart {
    /// What it adds to the sum.
    #[must_use]
    pub fn weight(self) -> f64 {
        match self {
            Self::Base { weight }
            | Self::Wins { weight, .. }
            | Self::Rank { weight, .. }
            | Self::Confidence { weight, .. } => weight,
        }
    }
}

impl fmt::Display for WeightFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRuns { weight, runs, needed } => {
                write!(f, "{weight:.2}: weighed from {needed} ranked answers on; ")?;
                match runs {
                    0 => f.write_str("it has none yet"),
                    runs => write!(f, "it has {runs}"),
                }
            }
            Self::Sum { parts, raw, bound } => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "{} = {raw:.2}", parts.join(" + "))?;
                match bound {
                    None => Ok(()),
                    Some(WeightBound::AtMost { weight }) => write!(f, ", at most {weight}"),
                    Some(WeightBound::AtLeast { weight }) => write!(f, ", at least {weight}"),
                }
            }
        }
    }
}

impl fmt::Display for WeightPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.weight())?;
        match self {
            Self::Base { .. } => Ok(()),
            Self::Wins { win_rate, .. } => write!(f, " (first in {win_rate:.1} %)"),
            Self::Rank { average_rank, .. } => write!(f, " (average rank {average_rank:.2})"),
            Self::Confidence { average_confidence, .. } => {
                write!(f, " (confidence {average_confidence:.1} of 10)")
            }
        }
    }
}

impl fmt::Display for WeightsFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecords { needed } => write!(
                f,
                "No model has {needed} ranked answers in earlier runs yet: every ballot counts the same."
            ),
            Self::Weighed { with_records, models, min, max } => write!(
                f,
                "{with_records} of {models} models are weighed by their earlier runs, from {min:.2} to {max:.2}; the \
                 weights are then divided by their average."
            ),
        }
    }
}
