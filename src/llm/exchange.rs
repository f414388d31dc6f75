//! Reading the HTTP responses of any upstream server: bounded bodies and refusals.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

use super::clean;
use super::error::CallError;
use super::retry::parse_retry_after;
use super::upstream_error::ErrorContext;

/// How much of a refusal is read.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// How long to wait for the body of a refusal: its status alone says enough.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);

/// An HTTP response outside 2xx.
#[derive(Debug)]
pub struct Refusal {
    pub status: u16,
    /// The wait that it asks for.
    pub retry_after: Option<Duration>,
    /// What could be read of its body.
    pub body: Vec<u8>,
}

/// Reads a refusal.
pub async fn refusal(mut response: Response) -> Refusal {
    let status = response.status().as_u16();
    let retry_after = retry_after(response.headers());
    let mut body = Vec::new();
    let read = async {
        // What came before a body broke off is still useful.
        while let Ok(Some(piece)) = response.chunk().await {
            let room = MAX_ERROR_BYTES - body.len();
            body.extend_from_slice(piece.get(..room).unwrap_or(&piece));
            if body.len() == MAX_ERROR_BYTES {
                break;
            }
        }
    };
    if tokio::time::timeout(ERROR_BODY_TIME, read).await.is_err() {
        tracing::debug!(status, "the body of a refusal did not end in time");
    }
    Refusal { status, retry_after, body }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let ms = value("retry-after-ms").and_then(|value| value.trim().parse().ok()).map(Duration::from_millis);
    ms.or_else(|| parse_retry_after(value("retry-after")?, Timestamp::now()))
}

/// What was read of a body.
#[derive(Debug)]
pub struct Body {
    pub bytes: Vec<u8>,
    /// Whether there was more than the limit.
    pub over_bound: bool,
    /// The error, if the body broke off.
    pub error: Option<reqwest::Error>,
}

/// Reads a body of at most `max` bytes.
pub async fn read_bounded(mut response: Response, max: usize) -> Body {
    let mut body = Body { bytes: Vec::new(), over_bound: false, error: None };
    loop {
        match response.chunk().await {
            Ok(None) => return body,
            Ok(Some(piece)) if body.bytes.len() + piece.len() > max => {
                body.over_bound = true;
                return body;
            }
            Ok(Some(piece)) => body.bytes.extend_from_slice(&piece),
            Err(error) => {
                body.error = Some(error);
                return body;
            }
        }
    }
}

/// Reads a JSON document of at most `max` bytes. `what` names it, as the beginning of an error message.
///
/// # Errors
/// If the connection breaks, the document is longer, or it is not JSON of this form.
pub(super) async fn read_json<T: DeserializeOwned>(
    response: Response,
    max: usize,
    context: &ErrorContext,
    what: &str,
) -> Result<T, CallError> {
    let body = read_bounded(response, max).await;
    if body.over_bound {
        return Err(context.bad_response(&format!("{what} is too long")));
    }
    if let Some(error) = body.error {
        return Err(context.transport(error));
    }
    serde_json::from_str(&clean::json(&String::from_utf8_lossy(&body.bytes))).map_err(|error| {
        let problem = if error.is_data() { "is in no known form" } else { "is malformed JSON" };
        context.bad_response(&format!("{what} {problem}"))
    })
}
