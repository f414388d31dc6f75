//! One exchange with a search engine: JSON of bounded length, or why there is none.

use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;

use crate::llm::exchange::{Refusal, read_bounded, refusal};
use crate::llm::upstream_error::ErrorContext;
use crate::llm::{CallError, ErrorKind, clean};

/// The longest answer; twenty results with their excerpts take a hundredth of this.
const MAX_BODY_BYTES: usize = 4 << 20;

/// Why an exchange gave no JSON.
pub(super) enum Failed {
    /// An HTTP answer outside 2xx: its meaning depends on the engine.
    Refused(Refusal),
    /// Anything else.
    Lost(CallError),
}

/// Sends a request. The answer is read as JSON, whatever its content type.
pub(super) async fn json(context: &ErrorContext, request: RequestBuilder) -> Result<Value, Failed> {
    let lost = |error: reqwest::Error| Failed::Lost(context.transport(error));
    let response = request.send().await.map_err(lost)?;
    let status = response.status();
    if !status.is_success() || status == StatusCode::NO_CONTENT {
        return Err(Failed::Refused(refusal(response).await));
    }
    let body = read_bounded(response, MAX_BODY_BYTES).await;
    let bad = |what: &str| Failed::Lost(context.bad_response(what));
    if body.over_bound {
        return Err(bad("its answer is longer than 4 MiB and was not read"));
    }
    if let Some(error) = body.error {
        return Err(lost(error));
    }
    let text = String::from_utf8_lossy(&body.bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    match text.chars().next() {
        None => return Err(bad("an empty answer")),
        Some('<') => return Err(bad("it answered with a web page instead of JSON; check its base_url")),
        Some(_) => {}
    }
    serde_json::from_str(&clean::json(text)).map_err(|_| bad("its answer is malformed JSON"))
}

/// What a refusal says, as a sentence after which `why` (what to do, or nothing) and the engine's own words follow.
pub(super) fn refused(
    context: &ErrorContext,
    kind: ErrorKind,
    refusal: &Refusal,
    sentence: &str,
) -> CallError {
    let words = context.excerpt(&own_words(&String::from_utf8_lossy(&refusal.body)));
    let colon = if words.is_empty() { "" } else { ": " };
    let message = format!("{} {sentence} (HTTP {}){colon}{words}", context.provider, refusal.status);
    let retry_after_ms = refusal.retry_after.and_then(|pause| u64::try_from(pause.as_millis()).ok());
    CallError { status: Some(refusal.status), retry_after_ms, ..CallError::new(kind, message) }
}

/// The meaning of a status that is the same for every engine.
pub(super) fn usual_refusal(context: &ErrorContext, refusal: &Refusal) -> CallError {
    let (kind, sentence) = match refusal.status {
        300..=399 => {
            (ErrorKind::Refused, "answered with a redirect, which is not followed; check its base_url")
        }
        404 | 405 | 410 => (ErrorKind::Refused, "has no search at this address; check its base_url"),
        408 | 504 | 524 => (ErrorKind::Timeout, "gave up on the search"),
        429 => (ErrorKind::RateLimited, "limits the rate of searches"),
        500..=599 => (ErrorKind::Overloaded, "failed to search"),
        200..=299 => (ErrorKind::BadResponse, "answered without a result"),
        _ => (ErrorKind::Refused, "refused the search"),
    };
    refused(context, kind, refusal, sentence)
}

/// The sentence in the body of a refusal: `{"detail": {"error": …}}` and its relatives, or plain text.
fn own_words(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(&clean::json(body)) else {
        let is_code = body.trim_start().starts_with(['<', '{', '[']);
        return if is_code { String::new() } else { body.to_owned() };
    };
    let mut said = &value;
    for _ in 0..3 {
        let inner = ["detail", "error", "message", "msg"].iter().find_map(|name| said.get(*name));
        // Where there are several error messages, the first.
        match inner.or_else(|| said.get(0)) {
            Some(inner) => said = inner,
            None => break,
        }
    }
    said.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_engines_own_words_are_found() {
        for (body, words) in [
            (
                r#"{"detail": {"error": "Unauthorized: missing or invalid API key."}}"#,
                "Unauthorized: missing or invalid API key.",
            ),
            (r#"{"detail": "Query is too long."}"#, "Query is too long."),
            (r#"{"detail": [{"loc": ["body", "query"], "msg": "Field required"}]}"#, "Field required"),
            (r#"{"error": "No query"}"#, "No query"),
            ("Too Many Requests", "Too Many Requests"),
            ("<html><title>403</title></html>", ""),
            (r#"{"detail": "#, ""),
            (r#"{"detail": 7}"#, ""),
            ("", ""),
        ] {
            assert_eq!(own_words(body), words, "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_refusal_is_one_short_line(body in proptest::collection::vec(any::<u8>(), 0..600), status in 300u16..600) {
            let context = ErrorContext { provider: "tavily".into(), model: String::new(), secrets: Default::default() };
            let error = usual_refusal(&context, &Refusal { status, retry_after: None, body });
            prop_assert!(error.message.chars().count() < 450);
            prop_assert!(!error.message.contains(char::is_control), "{:?}", error.message);
        }
    }
}
