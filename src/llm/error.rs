//! How a call fails: a value in the result, never an error of the run.

use serde::{Deserialize, Serialize};

use super::reply::Reply;

/// What a caller can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The provider refused the key.
    Auth,
    /// Too many requests, or no credit left for now.
    RateLimited,
    /// The provider is down or overloaded (5xx, transport).
    Overloaded,
    /// The prompt does not fit the model's context window.
    ContextTooLong,
    /// The provider refused this request (unknown or retired model, bad parameter, policy).
    Refused,
    /// One of the call's time limits passed.
    Timeout,
    /// The answer was malformed, cut, empty or over the size bound.
    BadResponse,
    /// The run was cancelled while the call was under way.
    Cancelled,
}

/// One failed call. `message` is written for people and never holds a secret, a URL with a query
/// or a provider's raw body beyond a cleaned, short excerpt of its own error text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    pub kind: ErrorKind,
    pub message: String,
    /// The upstream HTTP status, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What had arrived before the failure (text, reasoning, usage), kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Box<Reply>>,
    pub tries: u32,
}

impl CallError {
    /// An error of the first try, with nothing arrived.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, retry_after_ms: None, partial: None, tries: 1 }
    }
}
