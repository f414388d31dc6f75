//! What is wrong with a request itself.

use actix_web::http::StatusCode;
use serde_json::{Value, json};

use super::{ENCODED_BODY, Problem};
use crate::attachments::Unreadable;
use crate::council::field::{FieldError, FieldErrorKind, named};

impl Problem {
    /// 400: the request itself is malformed.
    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", "Malformed request", detail)
    }

    /// 400: the proxy says something about the user that cannot be used.
    #[must_use]
    pub fn identity_header(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "identity-header", "Unusable identity header", detail)
    }

    /// 405: the path exists, but does not support the method.
    #[must_use]
    pub fn method_not_allowed(methods: &'static str) -> Self {
        let detail = format!("this path knows only {methods}");
        let mut problem =
            Self::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed", detail);
        problem.0.allow = Some(methods);
        problem
    }

    /// 415: a body that is not JSON, or does not say so.
    #[must_use]
    pub fn not_json() -> Self {
        let detail = "the body must be JSON, with the header Content-Type: application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "Not JSON", detail)
    }

    /// 415: a body that is compressed.
    #[must_use]
    pub fn encoded() -> Self {
        let detail =
            "the body must be sent as it is, without a Content-Encoding: compressed ones are not taken";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ENCODED_BODY, "The body is compressed", detail)
    }

    /// 408: the body did not arrive in time.
    #[must_use]
    pub fn slow_body() -> Self {
        let detail = "the request's body did not arrive in time; send it again";
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow-body", "Request too slow", detail)
    }

    /// 413: the body is larger than this server takes.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        let detail = format!("the request's body is larger than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Request too large", detail)
    }

    /// 413: a file that is larger than those that are taken here.
    #[must_use]
    pub fn file_too_large(limit: usize) -> Self {
        let detail = format!(
            "the file is larger than {}, the most that this server takes: upload the part that matters",
            mebibytes(limit as u64)
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "file-too-large", "File too large", detail)
    }

    /// 413: a picture that is larger than is taken.
    #[must_use]
    pub fn picture_too_large(limit: usize) -> Self {
        let detail = format!(
            "the picture is larger than {}, the limit for pictures: make it smaller and upload that",
            mebibytes(limit as u64)
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "file-too-large", "File too large", detail)
    }

    /// 413: there is no room for a file next to the same user's others.
    #[must_use]
    pub fn no_room(used: u64, limit: u64) -> Self {
        let detail = format!(
            "your files take up {} of {}: there is no room for this one until some are deleted, by themselves or with their \
             conversations",
            mebibytes(used),
            mebibytes(limit)
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "no-room", "No room for this file", detail)
    }

    /// 413: there is no room for a file next to the same project's others.
    #[must_use]
    pub fn no_room_in_project(used: u64, limit: u64) -> Self {
        let detail = format!(
            "the files of this project take up {} of {}: there is no room for this one until some are removed",
            mebibytes(used),
            mebibytes(limit)
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "no-room", "No room for this file", detail)
    }

    /// 422: a file that nothing can be read of, where only what can be read is kept.
    #[must_use]
    pub fn unreadable(why: Unreadable, filename: &str) -> Self {
        let message = format!("cannot be read ({filename}): {}", why.sentence());
        let mut problem: Self = vec![FieldError::value("file", message)].into();
        problem.0.more.insert("problem_kind".into(), json!(why.as_str()));
        problem
    }

    /// 415: a file of a kind that is not taken.
    #[must_use]
    pub fn not_taken(detail: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "file-not-taken", "This file is not taken", detail)
    }

    /// 415: a body that is not a form.
    #[must_use]
    pub fn no_form() -> Self {
        let detail = "the body must be a form with one file in the field file (multipart/form-data)";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "no-form", "Not a form", detail)
    }

    /// 421: sent to a name that is not this server's.
    #[must_use]
    pub fn misdirected() -> Self {
        let detail = "this server does not answer to the host name of this request; whoever runs it can add the \
                      name to server.allowed_hosts";
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", "Not this server's name", detail)
    }

    /// 422: every wrong field, or so many of them that nobody needs more.
    #[must_use]
    pub fn fields(errors: &[FieldError]) -> Self {
        let errors = named(errors);
        let mut problem =
            Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "Some fields are wrong", String::new());
        problem.0.detail = errors.iter().map(existing_clients_shape).collect();
        problem.0.more.insert("errors".into(), json!(errors));
        problem
    }

    /// 422 for one field.
    #[must_use]
    pub fn field(field: &str, message: &str) -> Self {
        Self::fields(&[FieldError::value(field, message)])
    }
}

/// A size for people, in mebibytes where it has some.
pub(in crate::server) fn mebibytes(bytes: u64) -> String {
    const MEBIBYTE: u64 = 1 << 20;
    if bytes < MEBIBYTE {
        return format!("{bytes} bytes");
    }
    let tenths = bytes.saturating_mul(10) / MEBIBYTE;
    if tenths.is_multiple_of(10) {
        format!("{} MiB", tenths / 10)
    } else {
        format!("{}.{} MiB", tenths / 10, tenths % 10)
    }
}

/// `{type, loc, msg}`, as clients of FastAPI servers read validation errors.
fn existing_clients_shape(error: &FieldError) -> Value {
    let kind = match error.kind {
        FieldErrorKind::Missing => "missing",
        FieldErrorKind::Type => "type_error",
        FieldErrorKind::Value => "value_error",
        FieldErrorKind::Unavailable => "unavailable",
    };
    let place =
        error.field.split('.').map(|part| part.parse::<u64>().map_or_else(|_| json!(part), |n| json!(n)));
    let loc: Vec<Value> = [json!("body")].into_iter().chain(place.filter(|part| part != "body")).collect();
    json!({ "type": kind, "loc": loc, "msg": error.message })
}
