//! What to do about a provider or a model, as a code with parameters; the sentence is made of it.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

use crate::llm::budget::Cost;
use crate::llm::{CallError, ErrorKind};

/// What to do.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schema(as = CheckAdvice)]
pub enum Advice {
    /// The provider refused the key, or has none.
    CheckKey { provider: String },
    /// The account has no credit left.
    TopUp { provider: String },
    /// Too many requests for now.
    WaitForLimit { provider: String },
    /// Nobody answers there.
    CheckAddress { provider: String },
    /// The provider fails by itself.
    TryLater { provider: String },
    /// The model is gone, or misspelt.
    Replace {
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
    },
    /// It answers in one piece only.
    TurnStreamingOff { provider: String },
    /// It does not answer in one piece, which only matters where streaming is off.
    KeepStreaming { provider: String },
    /// `structured_outputs` is set for it, but it does not keep to schemas.
    TurnSchemasOff { provider: String },
    /// It searches the web whatever it is asked: titles and small tasks are for another.
    NameAnotherForUtility { model: String },
    /// Let it cost more.
    RaiseMaxCost { needed_usd: f64 },
    /// Leave the limit of cost out.
    LeaveMaxCostOut,
    /// The provider's own message says it best.
    ReadTheError,
}

impl Advice {
    /// Of a failed call.
    pub(super) fn of(error: &CallError, provider: &str) -> Self {
        let provider = provider.to_owned();
        match error.kind {
            ErrorKind::Auth => Self::CheckKey { provider },
            ErrorKind::RateLimited if error.status == Some(402) => Self::TopUp { provider },
            ErrorKind::RateLimited => Self::WaitForLimit { provider },
            ErrorKind::Overloaded if error.status.is_none() && !error.reached => {
                Self::CheckAddress { provider }
            }
            ErrorKind::Overloaded => Self::TryLater { provider },
            ErrorKind::Timeout => Self::TryLater { provider },
            ErrorKind::Refused
            | ErrorKind::ContextTooLong
            | ErrorKind::BadResponse
            | ErrorKind::Budget
            | ErrorKind::Cancelled => Self::ReadTheError,
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CheckKey { provider } => {
                write!(f, "check providers.{provider}.api_key: make a new key at the provider and restart")
            }
            Self::TopUp { provider } => write!(f, "add credit to the account at {provider}"),
            Self::WaitForLimit { provider } => {
                write!(f, "wait, or raise the limit of the account at {provider}")
            }
            Self::CheckAddress { provider } => write!(
                f,
                "check providers.{provider}.base_url, and that this machine reaches it (firewall, proxy, DNS)"
            ),
            Self::TryLater { provider } => {
                write!(f, "try again in a few minutes; if it persists, look at the status page of {provider}")
            }
            Self::Replace { model, nearest: Some(nearest) } => {
                write!(f, "use {nearest} instead of {model}")
            }
            Self::Replace { model, nearest: None } => {
                write!(f, "use another model instead of {model}; its provider has no other like it")
            }
            Self::TurnStreamingOff { provider } => write!(f, "set providers.{provider}.stream = false"),
            Self::KeepStreaming { provider } => write!(f, "leave providers.{provider}.stream on"),
            Self::TurnSchemasOff { provider } => {
                write!(f, "set providers.{provider}.structured_outputs = false")
            }
            Self::NameAnotherForUtility { model } => write!(
                f,
                "name another model as council.title_model and council.utility_model: {model} searches the web whatever \
                 it is asked"
            ),
            Self::RaiseMaxCost { needed_usd } => {
                // Rounded up: a limit that is a little lower would be reached again.
                let enough = Cost((needed_usd * 1e4).ceil() / 1e4);
                write!(f, "raise the limit to {enough} (--max-cost) to ask everything")
            }
            Self::LeaveMaxCostOut => f.write_str("drop the cost limit to ask it"),
            Self::ReadTheError => f.write_str("the error says what the provider does not take"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_to_set_covers_what_is_needed() {
        let advised = |needed_usd| Advice::RaiseMaxCost { needed_usd }.to_string();
        for (needed_usd, enough) in [(0.000_13, "$0.0002"), (0.020_54, "$0.0206"), (0.5, "$0.5000")] {
            assert_eq!(
                advised(needed_usd),
                format!("raise the limit to {enough} (--max-cost) to ask everything")
            );
        }
    }
}
