//! The table of errors: what a client reads when something is wrong (RFC 9457 problem details,
//! with `detail` in the shape existing clients expect). No internal error's own text is shown.

mod conflicts;
mod errors;
mod requests;

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::council::budget::BudgetState;
use crate::council::field::FieldError;

pub use conflicts::{NotInProject, NotToShare};
pub(super) use errors::over_budget_detail;
pub(in crate::server) use requests::mebibytes;

/// How long a client should wait when this server cannot answer now, in seconds.
const RETRY_AFTER_SECONDS: u64 = 5;

/// The kind of a problem with a compressed body; the answer says what is taken instead.
const ENCODED_BODY: &str = "encoded-body";

/// One refusal or failure, as the client will read it.
#[derive(Debug, Clone)]
pub struct Problem(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    status: StatusCode,
    /// The last part of the problem's type URI.
    kind: &'static str,
    title: &'static str,
    detail: Value,
    more: Map<String, Value>,
    retry_after: Option<u64>,
    allow: Option<&'static str>,
}

/// A problem as JSON (`application/problem+json`).
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProblemBody {
    /// A URI that names the kind of problem.
    pub r#type: String,
    pub title: String,
    pub status: u16,
    /// A sentence; for a 422 a list of `{type, loc, msg}`.
    #[schema(value_type = Object)]
    pub detail: Value,
    /// For a 422: every wrong field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldError>>,
    /// For a 402: the budget that the question does not fit into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetState>,
    /// For a 402: what a schedule's own budget allows in a calendar month, and what of it is spent, in USD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent_usd: Option<f64>,
    /// For a 402: what the question would need, in USD; absent when that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_usd: Option<f64>,
    /// For a 402: the models whose price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_price_models: Option<Vec<String>>,
    /// For a 409: the run that is in the way. For a 503: the run that the question has become, which goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// For a file that nothing can be read of: why, in a word, as in `Attachment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_kind: Option<String>,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        let detail = Value::String(detail.into());
        Self(Box::new(Parts {
            status,
            kind,
            title,
            detail,
            more: Map::new(),
            retry_after: None,
            allow: None,
        }))
    }

    /// 404: not there, or not theirs; nobody learns which.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "Not found", format!("{what} not found"))
    }

    /// 401: no identity that counts.
    #[must_use]
    pub fn unauthenticated(detail: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", "Sign in first", detail)
    }

    /// 403: signed in, but not allowed.
    #[must_use]
    pub fn forbidden(detail: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail)
    }

    /// 503: not now.
    #[must_use]
    pub fn unavailable(detail: &str) -> Self {
        let mut problem =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Not available right now", detail);
        problem.0.retry_after = Some(RETRY_AFTER_SECONDS);
        problem
    }

    /// 503: this server does as much as it can. Unlike a server that shuts down, it has definitely refused.
    #[must_use]
    pub fn full(detail: &str) -> Self {
        let mut problem = Self::unavailable(detail);
        problem.0.kind = "full";
        problem
    }

    /// 503: the store that files are kept in fails.
    #[must_use]
    pub fn files_away() -> Self {
        let detail = "the store that files are kept in cannot be used right now; try again in a moment";
        let mut problem = Self::unavailable(detail);
        problem.0.kind = "files-away";
        problem
    }

    /// 503: a file is in a store that this server knows nothing of.
    #[must_use]
    pub fn files_off() -> Self {
        let detail = "this file is kept in an object store, and none is configured on this server; tell whoever runs it";
        let mut problem = Self::unavailable(detail);
        problem.0.kind = "files-off";
        problem
    }

    /// 500: the store has lost or changed a file.
    #[must_use]
    pub fn file_lost() -> Self {
        let detail = "this file is missing from the store that it is kept in, or was changed there, so it cannot be \
                      downloaded; tell whoever runs this server";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "file-lost", "The file is lost", detail)
    }

    /// 500: a fault of ours; the log and Sentry have it.
    #[must_use]
    pub fn internal() -> Self {
        let detail = "something went wrong on this server; it has been recorded";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error", detail)
    }

    /// What kind of problem it is, in a word.
    pub(super) fn kind(&self) -> &'static str {
        self.0.kind
    }

    /// When to try again, in seconds.
    pub(super) fn retry_after(&self) -> Option<u64> {
        self.0.retry_after
    }

    /// Fields in addition to the sentence, such as a budget's figures.
    pub(super) fn more(&self) -> &Map<String, Value> {
        &self.0.more
    }

    /// Names what was not found, where the store cannot know.
    #[must_use]
    pub fn naming(self, what: &str) -> Self {
        if self.0.status == StatusCode::NOT_FOUND { Self::not_found(what) } else { self }
    }

    /// The problem in sentences, for a terminal: one for each wrong field.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let errors = self.0.more.get("errors").and_then(Value::as_array);
        let sentence = |error: &Value| {
            let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
            format!("{} {}", part("field"), part("message"))
        };
        match (errors, &self.0.detail) {
            (Some(errors), _) => errors.iter().map(sentence).collect(),
            (None, Value::String(detail)) => vec![detail.clone()],
            (None, detail) => vec![detail.to_string()],
        }
    }

    /// Whether it says that the caller may do nothing here.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.0.kind == "blocked"
    }

    /// Whether it says that something is not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.0.status == StatusCode::NOT_FOUND
    }

    /// Which fields of a request are wrong.
    ///
    /// # Errors
    /// The problem itself where it is another.
    pub fn into_fields(self) -> Result<Vec<FieldError>, Self> {
        let errors = self.0.more.get("errors").filter(|_| self.is_about_fields());
        errors.and_then(|errors| serde_json::from_value(errors.clone()).ok()).ok_or(self)
    }

    /// Whether the reason is temporary and not in the request: another server, or this one a little later, may accept
    /// it.
    #[must_use]
    pub fn is_for_now(&self) -> bool {
        self.0.status == StatusCode::SERVICE_UNAVAILABLE
    }

    /// Whether it says which fields of a request are wrong.
    #[must_use]
    pub fn is_about_fields(&self) -> bool {
        self.0.status == StatusCode::UNPROCESSABLE_ENTITY
    }

    /// The problem as JSON ([`ProblemBody`]).
    #[must_use]
    pub fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("type".into(), json!(format!("urn:llm-council:problem:{}", self.0.kind)));
        body.insert("title".into(), json!(self.0.title));
        body.insert("status".into(), json!(self.0.status.as_u16()));
        body.insert("detail".into(), self.0.detail.clone());
        body.extend(self.0.more.clone());
        body
    }

    /// The response.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.0.status);
        response
            .insert_header((header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json")))
            .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")));
        if let Some(seconds) = self.0.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        if let Some(methods) = self.0.allow {
            response.insert_header((header::ALLOW, methods));
        }
        if self.0.kind == ENCODED_BODY {
            response.insert_header((header::ACCEPT_ENCODING, HeaderValue::from_static("identity")));
        }
        if self.0.status == StatusCode::UNAUTHORIZED {
            // No further parameters: tokens are made in the web app, there is no authorization server that issues them.
            response.insert_header((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        response.body(Value::Object(self.body()).to_string())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.status.as_u16(), self.0.kind)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response()
    }
}
