//! Why a question is not taken apart.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::bounds::{MIN_PARTS, THRESHOLD};
use crate::llm::Reason;

/// See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum SkipFact {
    /// The utility model says that it has no parts.
    NotComplex,
    /// It says that the question has parts, but is not sure enough.
    NotSure {
        /// 0 to 1; absent when it said none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
    /// It could not be asked.
    NotJudged { model: String, reason: Reason },
    /// What it said of the question cannot be read.
    JudgmentUnread { model: String },
    /// It could not be asked for the parts.
    NotSplit { model: String, reason: Reason },
    /// Its list of parts cannot be read; it was asked twice.
    PartsUnread { model: String },
    /// It found too few parts.
    TooFewParts { count: usize },
}

impl fmt::Display for SkipFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotComplex => f.write_str("The question has no parts worth asking apart."),
            Self::NotSure { confidence: Some(confidence) } => write!(
                f,
                "Whether the question has parts is not sure enough: {confidence:.2}, and {THRESHOLD} is needed."
            ),
            Self::NotSure { confidence: None } => {
                f.write_str("Whether the question has parts is not sure enough: no confidence was said.")
            }
            Self::NotJudged { model, reason } => {
                write!(f, "{model} could not say whether the question has parts: {reason}")
            }
            Self::JudgmentUnread { model } => {
                write!(f, "What {model} said of the question could not be read.")
            }
            Self::NotSplit { model, reason } => write!(f, "{model} could not name the parts: {reason}"),
            Self::PartsUnread { model } => {
                write!(f, "{model}'s list of parts could not be read, also when it was asked again.")
            }
            Self::TooFewParts { count } => {
                write!(f, "The question came to {count} parts, and it takes {MIN_PARTS} to ask them apart.")
            }
        }
    }
}
