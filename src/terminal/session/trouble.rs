//! The errors of commands, and the exit code for each.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use thiserror::Error;

/// Why there is no answer; each says what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Trouble {
    /// Everything that is wrong with a request, so that nothing was asked.
    #[error("nothing was asked: {}", .0.join("; "))]
    Wrong(Vec<String>),
    #[error("{0}")]
    NotReachable(String),
    #[error("{0}")]
    NotSignedIn(String),
    #[error("{0}")]
    OverBudget(String),
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Failed(String),
}

/// A request that failed.
#[derive(Debug)]
pub struct Refused {
    pub trouble: Trouble,
    /// The wait after which the same request may succeed; `None` if it would fail again.
    pub again: Option<Duration>,
    /// The connection was there, so the server may have received the request.
    pub may_have_arrived: bool,
}

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, again: None, may_have_arrived: false }
    }
}

impl Trouble {
    /// The code that a command ends with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(_) | Self::NotFound(_) => 1,
            Self::Wrong(_) => 2,
            Self::NotReachable(_) => 3,
            Self::NotSignedIn(_) => 4,
            Self::OverBudget(_) => 5,
        }
    }

    /// From a server's refusal: its status and, where it has one, its problem (RFC 9457).
    #[must_use]
    pub fn refused(status: StatusCode, problem: Option<&Value>) -> Self {
        let text = |name: &str| problem.and_then(|problem| problem.get(name)).and_then(Value::as_str);
        let said = text("detail").or_else(|| text("title")).map_or_else(
            || format!("the server answered {status}"),
            |said| super::super::text::one_line(said).into_owned(),
        );
        match status {
            StatusCode::UNAUTHORIZED => Self::NotSignedIn(format!("{said}: {SIGN_IN}")),
            StatusCode::FORBIDDEN => Self::NotSignedIn(said),
            StatusCode::PAYMENT_REQUIRED => Self::OverBudget(said),
            StatusCode::NOT_FOUND => Self::NotFound(said),
            StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST => {
                let fields = problem.map(fields).unwrap_or_default();
                Self::Wrong(if fields.is_empty() { vec![said] } else { fields })
            }
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                Self::NotReachable(said)
            }
            _ => Self::Failed(said),
        }
    }
}

/// What to do if one is not signed in.
const SIGN_IN: &str = "run `llm-council login`, or set LLM_COUNCIL_TOKEN to a personal access token (web app: \
                                  Settings, Tokens)";

/// Each field's problem as a sentence.
fn fields(problem: &Value) -> Vec<String> {
    let errors = problem.get("errors").and_then(Value::as_array).into_iter().flatten();
    let sentence = |error: &Value| {
        let text = |name: &str| error.get(name).and_then(Value::as_str);
        let (field, message) = (text("field")?, text("message").or_else(|| text("detail"))?);
        Some(super::super::text::one_line(&format!("{field} {message}")).into_owned())
    };
    errors.filter_map(sentence).collect()
}
