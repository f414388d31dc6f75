//! Extractors for handlers: who asks, the JSON body, ids from the path.

use std::future::{Ready, ready};
use std::ops::Deref;
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{self, HeaderMap};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tracing_actix_web::RequestId;

use super::app::App;
use super::problem::Problem;
use crate::identity::{AuthMethod, Identity, Permission};
use crate::runs::AskedBy;
use crate::store::Scope;
use crate::trace::Span;

/// How many values a body may have. Until the request is answered, each takes up tens of times as much memory as the few bytes
/// that it came as.
const MOST_VALUES: usize = 100_000;

/// The person or program that asks; the gate has put it there. A handler that takes none serves
/// everybody, and a test walks all routes to see that only health does.
#[derive(Debug, Clone)]
pub struct Caller(pub Identity);

impl Caller {
    /// The scope of everything this caller may touch.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope::User(self.0.user.clone())
    }

    /// The groups that the proxy named in this request; a token names none, and neither does a scheduled question.
    #[must_use]
    pub fn groups_from_proxy(&self) -> Option<&[String]> {
        match self.0.via {
            AuthMethod::Proxy | AuthMethod::Local => Some(&self.0.groups),
            AuthMethod::Token { .. } | AuthMethod::Schedule => None,
        }
    }

    /// Refuses everybody but admins.
    pub fn admin(&self) -> Result<(), Problem> {
        if self.0.is_admin {
            Ok(())
        } else {
            Err(Problem::forbidden("this is for administrators of this server"))
        }
    }

    /// Refuses every token: things that a leaked one must not make or change are managed only in the browser.
    pub fn in_person(&self, what: &str) -> Result<(), Problem> {
        if self.is_in_person() {
            Ok(())
        } else {
            Err(Problem::forbidden(&format!("{what} are managed in the browser, not with a token")))
        }
    }

    /// Whether no token was used.
    #[must_use]
    pub fn is_in_person(&self) -> bool {
        match self.0.via {
            AuthMethod::Proxy | AuthMethod::Local => true,
            AuthMethod::Token { .. } | AuthMethod::Schedule => false,
        }
    }

    /// Refuses a token that lacks a permission; people in their browser have them all.
    pub fn may(&self, permission: Permission) -> Result<(), Problem> {
        if self.0.may(permission) {
            Ok(())
        } else {
            Err(Problem::forbidden("this token does not have the permission for that"))
        }
    }
}

impl Deref for Caller {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.0
    }
}

impl FromRequest for Caller {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let identity = request.extensions().get::<Identity>().cloned();
        ready(
            identity.map(Self).ok_or_else(|| Problem::unauthenticated("no identity came with this request")),
        )
    }
}

/// A JSON body that says it is one, read with a limit on its size and on the time it may take. Pages of
/// other sites can send text and forms without asking first, but no JSON.
pub struct Body(pub Value);

impl FromRequest for Body {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let app = request.app_data::<web::Data<App>>();
        let read = app.map(|app| {
            let server = &app.config.server;
            read_json(request, payload.take(), server.body_limit_bytes, server.body_timeout())
        });
        Box::pin(async move { read.ok_or_else(Problem::internal)?.await.map(Self) })
    }
}

/// Reads the body of a request that may come without one: `{}` then.
///
/// # Errors
/// As with [`Body`].
pub(super) async fn body_if_any(request: &HttpRequest, payload: web::Payload) -> Result<Value, Problem> {
    let headers = request.headers();
    // Nothing else announces a body.
    let is_empty = [header::TRANSFER_ENCODING, header::CONTENT_LENGTH]
        .iter()
        .all(|name| headers.get(name).is_none_or(|value| value == "0"));
    if is_empty {
        return Ok(json!({}));
    }
    Ok(Body::from_request(request, &mut payload.into_inner()).await?.0)
}

/// The body as JSON, of so many bytes at most.
///
/// # Errors
/// Why it is not read: it is too long, too slow, or not JSON.
pub(super) fn read_json(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
    timeout: Duration,
) -> impl Future<Output = Result<Value, Problem>> + use<> {
    let says_json = says_json(request.headers());
    let is_encoded = is_encoded(request.headers());
    async move {
        let read = tokio::time::timeout(timeout, read(payload, limit)).await;
        let bytes = read.map_err(|_| Problem::slow_body())??;
        if !bytes.is_empty() && is_encoded {
            return Err(Problem::encoded());
        }
        if !bytes.is_empty() && !says_json {
            return Err(Problem::not_json());
        }
        if values(&bytes) > MOST_VALUES {
            return Err(Problem::field(
                "body",
                &format!("has too many values: at most {MOST_VALUES} are taken"),
            ));
        }
        serde_json::from_slice(&bytes).map_err(|error| Problem::field("body", &unparsed(&error)))
    }
}

/// How many values a JSON text has, by the signs before them: `[` or `{` before a list or an object, a comma before all others
/// within but the first.
fn values(json: &[u8]) -> usize {
    let mut count = 0;
    let mut rest = json.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'[' | b'{' | b',' => count += 1,
            // To the end of the text.
            b'"' => {
                while rest.find(|byte| matches!(byte, b'"' | b'\\')) == Some(&b'\\') {
                    rest.next();
                }
            }
            _ => {}
        }
    }
    count
}

/// What is wrong with a body that cannot be parsed. For JSON that is well-formed and cannot be represented here only
/// the parser's own words say why.
fn unparsed(error: &serde_json::Error) -> String {
    const HALF: &str = "has half a surrogate pair, like \\ud800";
    let words = error.to_string();
    let known = [
        ("recursion limit exceeded", "is nested too deeply"),
        ("number out of range", "has a number that is too large"),
        ("lone leading surrogate", HALF),
        ("unexpected end of hex escape", HALF),
    ];
    let found = known.iter().find(|(begin, _)| words.starts_with(*begin));
    let what = found.map_or("is not JSON", |(_, what)| *what);
    format!("{what} (line {}, column {})", error.line(), error.column())
}

/// Whether a body is compressed, or encoded in another way; such bodies are not taken.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::CONTENT_ENCODING);
    let mut codings =
        values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    codings.any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"))
}

/// Whether the one `Content-Type` is `application/json` or another kind of JSON (`…+json`).
fn says_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let (Some(given), None) = (types.next(), types.next()) else { return false };
    let essence = given.split(';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let is_token = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
    match essence.split_once('/') {
        Some(("application", "json")) => true,
        Some((kind, subtype)) => is_token(kind) && subtype.strip_suffix("+json").is_some_and(is_token),
        None => false,
    }
}

async fn read(mut payload: Payload, limit: usize) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    while let Some(part) = payload.next().await {
        let part = part.map_err(|_| Problem::bad_request("the body could not be read"))?;
        if body.len() + part.len() > limit {
            return Err(Problem::too_large(limit));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// An id from the path. Anything that is not an id counts as not found.
///
/// # Errors
/// 404 that names `what`.
pub fn id<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::not_found(what))
}

/// The ids by which the run's log lines and traces lead back to this request.
pub(super) fn asked_by(request: &HttpRequest) -> AskedBy {
    let extensions = request.extensions();
    AskedBy {
        request_id: extensions.get::<RequestId>().map(ToString::to_string),
        context: extensions.get::<Span>().and_then(Span::context),
    }
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (json, count) in [
            ("", 0),
            ("7", 0),
            ("[]", 1),
            ("[0, 1, 2]", 3),
            (r#"{"a": [1], "b": {"c": "d, [e], {f}"}}"#, 4),
            (r#"["\"", "\\", ",\\\",,", 1]"#, 4),
            (r#"["never ends, ["#, 1),
            (r#"["never ends \"#, 1),
        ] {
            assert_eq!(values(json.as_bytes()), count, "{json}");
        }
    }
}
