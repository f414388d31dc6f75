//! The table of errors in the shape that clients of OpenAI's API read: `{"error": {message, type, param, code}}`,
//! with `x-should-retry` for their own retries.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::council::field::{FieldError, named};
use crate::server::problem::Problem;

/// The header that tells a client library whether to send the request again by itself.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// An error as JSON.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    pub error: ErrorObject,
}

/// What is wrong.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorObject {
    /// In a sentence.
    pub message: String,
    /// `invalid_request_error`, `permission_error`, `insufficient_quota`, `rate_limit_error` or `server_error`.
    pub r#type: String,
    /// The parameter that is wrong, where one is.
    pub param: Option<String>,
    /// The exact kind of error, in one word.
    pub code: String,
}

/// One refusal or failure, as a program will read it.
#[derive(Debug, Clone)]
pub struct Refusal(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    status: StatusCode,
    kind: &'static str,
    code: &'static str,
    message: String,
    param: Option<String>,
    /// Whether the same request may succeed by itself.
    retry: bool,
    retry_after: Option<u64>,
    more: Map<String, Value>,
}

const INVALID: &str = "invalid_request_error";
const SERVER: &str = "server_error";

impl Refusal {
    fn new(status: StatusCode, kind: &'static str, code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            status,
            kind,
            code,
            message: message.into(),
            param: None,
            retry: false,
            retry_after: None,
            more: Map::new(),
        }))
    }

    /// 400 for wrong parameters: all of them in the sentence, unless they are very many, and the first by its name. `names`
    /// says what a field of a question is called in this API.
    pub(super) fn of_fields(errors: &[FieldError], names: &[(String, &str)]) -> Self {
        let errors = named(errors);
        let name = |field: &str| {
            let known = names.iter().find(|(ours, _)| *ours == field);
            known.map_or_else(|| field.to_owned(), |(_, theirs)| (*theirs).to_owned())
        };
        let sentences: Vec<String> =
            errors.iter().map(|error| format!("{} {}", name(&error.field), error.message)).collect();
        let mut refusal = Self::new(StatusCode::BAD_REQUEST, INVALID, "invalid_value", sentences.join("; "));
        refusal.0.param = errors.first().map(|error| name(&error.field)).filter(|name| name != "body");
        refusal
    }

    /// 404: no such model.
    pub(super) fn no_model(model: &str) -> Self {
        let message = format!(
            "there is no model {model:?} here; GET /v1/models lists what can be asked with this token"
        );
        let mut refusal = Self::new(StatusCode::NOT_FOUND, INVALID, "model_not_found", message);
        refusal.0.param = Some("model".to_owned());
        refusal
    }

    /// 405: the path exists, but does not support the method.
    pub(super) fn wrong_method(methods: &str) -> Self {
        let message = format!("this path knows only {methods}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, INVALID, "method_not_allowed", message)
    }

    /// 404: no such path.
    pub(super) fn no_route() -> Self {
        let message =
            "there is no such route; this server has /v1/models, /v1/chat/completions and /v1/responses";
        Self::new(StatusCode::NOT_FOUND, INVALID, "unknown_url", message)
    }

    /// 500: the council came to no answer. Asked again by itself it would be paid for once more.
    pub(super) fn no_answer(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, SERVER, "no_answer", message)
    }

    /// 400: the run has been stopped. `why` says by whom, where that was not its owner. Some libraries ignore the
    /// header and repeat what was a 409, which would begin another run.
    pub(super) fn cancelled(why: Option<&str>) -> Self {
        let message = why.unwrap_or("the run was cancelled before it came to an answer");
        Self::new(StatusCode::BAD_REQUEST, INVALID, "cancelled", message)
    }

    /// 409: the present state prevents it.
    pub(super) fn conflict(code: &'static str, message: &str) -> Self {
        Self::new(StatusCode::CONFLICT, INVALID, code, message)
    }

    /// 503: the run goes on, and the same request again joins it.
    pub(super) fn still_running() -> Self {
        let message = "this server is restarting and the run goes on without it; send the same request again: it \
                       joins the run and is not paid for twice";
        let mut refusal = Self::new(StatusCode::SERVICE_UNAVAILABLE, SERVER, "restarting", message);
        refusal.0.retry = true;
        refusal.0.retry_after = Some(2);
        refusal
    }

    /// 502: the one model that was asked gave no answer.
    pub(super) fn no_reply(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, SERVER, "no_reply", message)
    }

    /// A problem with a question, with this API's names for the question's fields.
    #[must_use]
    pub(super) fn of_question(problem: &Problem, names: &[(String, &str)]) -> Self {
        match fields(problem) {
            Some(errors) => Self::of_fields(&errors, names),
            None => Self::from(problem.clone()),
        }
    }

    /// What stands under `error`.
    pub(super) fn object(&self) -> Value {
        let Parts { kind, code, message, param, more, .. } = &*self.0;
        let mut object = json!({"message": message, "type": kind, "param": param, "code": code});
        if let Some(object) = object.as_object_mut() {
            object.extend(more.clone());
        }
        object
    }

    /// The sentence.
    pub(super) fn message(&self) -> &str {
        &self.0.message
    }

    /// The response.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.0.status);
        response
            .insert_header((header::CONTENT_TYPE, HeaderValue::from_static("application/json")))
            .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
            .insert_header((SHOULD_RETRY, if self.0.retry { "true" } else { "false" }));
        if self.0.status == StatusCode::UNAUTHORIZED {
            response.insert_header((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        if let Some(seconds) = self.0.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        response.body(json!({"error": self.object()}).to_string())
    }
}

/// The wrong fields that a problem names, if it is about fields.
fn fields(problem: &Problem) -> Option<Vec<FieldError>> {
    problem.more().get("errors").map(|errors| serde_json::from_value(errors.clone()).unwrap_or_default())
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        if let Some(errors) = fields(&problem) {
            return Self::of_fields(&errors, &[]);
        }
        let status = problem.status_code();
        // A budget that is used up is what clients of OpenAI's API know as 429 with this code, by which they
        // distinguish it from too many requests; many of them do not know 402.
        let (status, kind, code, retry) = match status.as_u16() {
            401 => (status, INVALID, "invalid_api_key", false),
            402 => (StatusCode::TOO_MANY_REQUESTS, "insufficient_quota", "insufficient_quota", false),
            403 => (status, "permission_error", "insufficient_permissions", false),
            404 => (status, INVALID, "not_found", false),
            408 => (status, INVALID, problem.kind(), true),
            429 => (status, "rate_limit_error", "rate_limit_exceeded", true),
            503 => (status, SERVER, problem.kind(), true),
            500.. => (status, SERVER, problem.kind(), false),
            _ => (status, INVALID, problem.kind(), false),
        };
        let mut refusal = Self::new(status, kind, code, problem.sentences().join("; "));
        refusal.0.retry = retry;
        refusal.0.retry_after = problem.retry_after();
        refusal.0.more = problem.more().clone();
        refusal
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.status.as_u16(), self.0.code)
    }
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response()
    }
}
