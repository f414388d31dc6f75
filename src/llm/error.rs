//! How a call fails: a value in the result, never an error of the run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fact::{CallFact, known};
use super::reply::Reply;

/// The kind of a failure, as far as a caller can act on it.
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
    /// The call no longer fits into a budget; no model was asked.
    Budget,
    /// The run was cancelled while the call was under way.
    Cancelled,
}

impl ErrorKind {
    /// What went wrong, as part of a sentence. The web app has translations of each of these.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Auth => "the provider refused the server's key",
            Self::RateLimited => "the provider's limit is used up for now",
            Self::Overloaded => "the provider failed or could not be reached",
            Self::ContextTooLong => "the question is too long for this model",
            Self::Refused => "the provider refused the request",
            Self::Timeout => "no answer came in time",
            Self::BadResponse => "the reply was empty, cut off or unreadable",
            Self::Budget => "a budget is used up",
            Self::Cancelled => "it was stopped",
        }
    }

    /// The reason of a failure whose message is `text`: the message itself if it is this server's own, since that is
    /// more specific.
    #[must_use]
    pub fn reason_or(kind: Option<Self>, text: &str) -> &str {
        match kind {
            None | Some(Self::Budget | Self::Cancelled) => text,
            Some(kind) => kind.reason(),
        }
    }
}

/// One failed call. `message` is written for people and never holds a secret, a URL with a query
/// or a provider's raw body beyond a cleaned, short excerpt of its own error text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    pub kind: ErrorKind,
    pub message: String,
    /// The message as a fact, if it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub fact: Option<CallFact>,
    /// The upstream HTTP status, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What had arrived before the failure (text, reasoning, usage), kept. There is one, perhaps an
    /// empty one, for every call that reached a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Box<Reply>>,
    /// Whether a try reached a model, so that it may be charged whatever came of it: silence until a time limit, an
    /// empty or filtered answer, a lost connection, a stream that was cut. Not if the provider could not be connected
    /// to, or sent an error instead of an answer (an HTTP error, or an error before the first token): nobody charges
    /// for those.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reached: bool,
    pub tries: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl CallError {
    /// Why it failed, for a note in plain words.
    #[must_use]
    pub fn reason(&self) -> Reason {
        Reason::of(Some(self.kind), self.fact.as_ref(), &self.message)
    }

    /// An error of the first try, with nothing arrived.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            fact: None,
            status: None,
            retry_after_ms: None,
            partial: None,
            reached: false,
            tries: 1,
        }
    }

    /// The error of a reply that has nothing for the reader.
    #[must_use]
    pub fn empty_answer(model: &str) -> Self {
        Self::new(ErrorKind::BadResponse, format!("`{model}` gave an empty answer")).having_reached()
    }

    /// Whether this error, as the answer to a request for a list of models, means that the provider has none.
    #[must_use]
    pub fn has_no_list(&self) -> bool {
        self.kind == ErrorKind::Refused && matches!(self.status, Some(404 | 405))
    }

    /// This error, marked as that of a call that reached a model.
    #[must_use]
    pub fn having_reached(self) -> Self {
        Self { reached: true, ..self }
    }
}

impl From<CallFact> for CallError {
    fn from(fact: CallFact) -> Self {
        let kind = match &fact {
            CallFact::Unfinished
            | CallFact::NotChosen
            | CallFact::Skipped
            | CallFact::WentOnWithout { .. }
            | CallFact::NoSearch => ErrorKind::Cancelled,
            CallFact::NotOfForm { .. } => ErrorKind::BadResponse,
            CallFact::OverBudget { .. } | CallFact::PriceUnknown | CallFact::BudgetsUnreadable => {
                ErrorKind::Budget
            }
        };
        Self { fact: Some(fact.clone()), ..Self::new(kind, fact.to_string()) }
    }
}

/// Why something failed, as part of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Reason {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// This server's own reason as a fact, if it says more than the kind.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
    /// The reason in English.
    pub error: String,
}

impl Reason {
    /// The reason of a failure whose message is `text`.
    #[must_use]
    pub fn of(kind: Option<ErrorKind>, fact: Option<&CallFact>, text: &str) -> Self {
        let error = ErrorKind::reason_or(kind, text).to_owned();
        Self { error_kind: kind, error_fact: fact.cloned(), error }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)
    }
}
