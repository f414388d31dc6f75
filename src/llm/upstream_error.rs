//! A provider's refusal, in whatever form it came, as one [`CallError`].

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::clean;
use super::error::{CallError, ErrorKind};
use super::retry::parse_retry_after;

/// How much is shown of what came in no known form.
const MAX_BEGINNING_CHARS: usize = 80;

/// Which provider was asked for which model: what every error message of one call is made of.
#[derive(Debug, Clone)]
pub struct ErrorContext {
    /// The configured provider's name.
    pub provider: String,
    /// The model id, without the provider's prefix.
    pub model: String,
    /// Values that must never appear in a message: the key and the extra headers' values.
    pub secrets: Secrets,
}

/// Strings to redact. `Debug` shows none of them.
#[derive(Debug, Clone, Default)]
pub struct Secrets(Arc<[SecretString]>);

impl FromIterator<String> for Secrets {
    fn from_iter<T: IntoIterator<Item = String>>(values: T) -> Self {
        Self(values.into_iter().map(SecretString::from).collect())
    }
}

impl ErrorContext {
    /// The error for an answer that cannot be used.
    pub fn bad_response(&self, what: &str) -> CallError {
        CallError::new(ErrorKind::BadResponse, format!("{}: {what}", self.provider)).having_reached()
    }

    /// The provider's own words, fit to be shown.
    pub fn excerpt(&self, text: &str) -> String {
        clean::excerpt(text, self.secrets.0.iter().map(ExposeSecret::expose_secret))
    }

    /// The first words of what came in no known form, fit to be shown.
    pub fn beginning(&self, text: &str) -> String {
        // Cut only afterwards: of a secret that is cut, the rest would not be recognised.
        self.excerpt(text).chars().take(MAX_BEGINNING_CHARS).collect()
    }

    /// The error for an HTTP response outside 2xx. `body` is what could be read of it; it may ask for a wait if no
    /// header does.
    pub fn refused(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> CallError {
        let text = String::from_utf8_lossy(body);
        let said = ProviderError::read(&text);
        let kind = kind_of_status(status, &said.all);
        let mut error = CallError::new(kind, self.sentence(kind, Some(status), &said));
        error.status = Some(status);
        error.retry_after_ms = retry_after.or(said.wait).and_then(in_ms);
        error
    }

    /// The error for an error object inside an answer that began as a success.
    pub fn failed_midway(&self, error: &Value) -> CallError {
        let said = ProviderError::of(error);
        let status = said.code.parse::<u16>().ok().filter(|code| (400..600).contains(code));
        let kind =
            status.map_or_else(|| kind_of_words(&said.all), |status| kind_of_status(status, &said.all));
        let mut call_error = CallError::new(kind, self.sentence(kind, status, &said));
        call_error.status = status;
        call_error.retry_after_ms = said.wait.and_then(in_ms);
        call_error
    }

    /// The error for a failed connection; the URL is left out of it.
    pub fn transport(&self, error: reqwest::Error) -> CallError {
        let what = if error.is_timeout() {
            "did not accept the connection in time"
        } else if error.is_connect() {
            "cannot be reached"
        } else {
            "lost the connection"
        };
        // Once connected, the request may have been accepted and processed.
        let reached = !(error.is_connect() || error.is_builder());
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let cause = self.excerpt(&cause.to_string());
        let error = CallError::new(ErrorKind::Overloaded, format!("{} {what} ({cause})", self.provider));
        CallError { reached, ..error }
    }

    fn sentence(&self, kind: ErrorKind, status: Option<u16>, said: &ProviderError) -> String {
        let Self { provider, model, .. } = self;
        let mut text = match (kind, status) {
            (ErrorKind::Auth, _) => {
                format!("{provider} refused the server's key; check providers.{provider}.api_key")
            }
            (ErrorKind::RateLimited, Some(402)) => {
                format!("{provider} says that the account has no credit left for `{model}`")
            }
            (ErrorKind::RateLimited, Some(403)) => {
                format!("{provider} says that the limit of the server's key is used up")
            }
            (ErrorKind::RateLimited, _) => format!("{provider} limits the rate of requests to `{model}`"),
            (ErrorKind::ContextTooLong, _) => {
                format!("the prompt does not fit into the context of `{model}`")
            }
            (ErrorKind::Timeout, _) => format!("{provider} gave up waiting for `{model}`"),
            (ErrorKind::Refused, Some(404 | 410)) if said.structured => {
                format!("the model `{model}` is not on offer at {provider}: it may be retired or misspelt")
            }
            (ErrorKind::Refused, Some(404)) => {
                format!(
                    "{provider} knows no such address: the model `{model}` may be retired, or the base_url be wrong"
                )
            }
            (ErrorKind::Refused, Some(300..=399)) => {
                format!("{provider} answered with a redirect, which is not followed; check the base_url")
            }
            (ErrorKind::Refused, _) => format!("{provider} refused the request to `{model}`"),
            (
                ErrorKind::Overloaded | ErrorKind::BadResponse | ErrorKind::Budget | ErrorKind::Cancelled,
                _,
            ) => {
                format!("{provider} failed to answer for `{model}`")
            }
        };
        if let Some(status) = status {
            write!(text, " (HTTP {status})").expect("writing to a string");
        }
        let own_words = self.excerpt(&said.message);
        if !own_words.is_empty() {
            write!(text, ": {own_words}").expect("writing to a string");
        }
        text
    }
}

/// A provider's description of its failure.
#[derive(Debug, Default)]
struct ProviderError {
    /// For people.
    message: String,
    /// `code`, as text.
    code: String,
    /// Everything that may tell the kind of failure, in lower case.
    all: String,
    /// It came as JSON, so from the model server itself, not from something in front of it.
    structured: bool,
    /// The wait that it asks for.
    wait: Option<Duration>,
}

impl ProviderError {
    fn read(body: &str) -> Self {
        if let Ok(value) = serde_json::from_str::<Value>(&clean::json(body)) {
            let value = match &value {
                Value::Array(items) => items.first().unwrap_or(&Value::Null),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                    &value
                }
            };
            return Self::of(value.get("error").filter(|error| !error.is_null()).unwrap_or(value));
        }
        let message = match body.trim_start().chars().next() {
            Some('<') => html_title(body),
            // Broken JSON: no sentence for people.
            Some('{' | '[') => String::new(),
            Some(_) | None => body.to_owned(),
        };
        Self { all: body.to_lowercase(), message, ..Self::default() }
    }

    /// From a text that may be JSON itself, as a gateway passes on the model server's answer.
    fn within(text: String) -> Self {
        if text.trim_start().starts_with(['{', '[']) {
            Self::read(&text)
        } else {
            Self { message: text, ..Self::default() }
        }
    }

    /// From an error object (`{message, code, type, metadata: {raw}}` and its variants), or a bare string.
    fn of(error: &Value) -> Self {
        let text = |name: &str| plain(error.get(name));
        let raw = error.get("metadata").map(|metadata| plain(metadata.get("raw"))).unwrap_or_default();
        // A gateway's own sentence is often only "Provider returned error"; the cause is within.
        let within = Self::within(raw.clone());
        let mut message = both(words(error), within.message);
        // llama.cpp says how far the prompt is over its limit only in numbers.
        if let (Some(tokens), Some(limit)) = (error.get("n_prompt_tokens"), error.get("n_ctx")) {
            message = format!("{message} (n_prompt_tokens {tokens}, n_ctx {limit})");
        }
        let code = text("code");
        let fields = ["message", "detail", "msg", "error", "code", "type", "status"].map(text).join(" ");
        let bare = error.as_str().unwrap_or_default();
        let all = format!("{bare} {fields} {raw} {message}").to_lowercase();
        let wait = wait_in(error, Timestamp::now()).or(within.wait);
        Self { message, code, all, structured: true, wait }
    }
}

/// The wait that an error object asks for: Google's `RetryInfo` (<https://cloud.google.com/apis/design/errors>), or the
/// end of a limit in Unix milliseconds, as OpenRouter puts it into the body
/// (<https://openrouter.ai/docs/api/reference/limits>).
fn wait_in(error: &Value, now: Timestamp) -> Option<Duration> {
    let mut details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    if let Some(delay) = details.find_map(|detail| detail.get("retryDelay")?.as_str()?.strip_suffix('s')) {
        return parse_retry_after(delay, now);
    }
    let headers = error.get("metadata")?.get("headers")?.as_object()?;
    let (_, reset) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-ratelimit-reset"))?;
    let end = Timestamp::from_millisecond(plain(Some(reset)).parse().ok()?).ok()?;
    Duration::try_from(end.duration_since(now)).ok()
}

fn in_ms(wait: Duration) -> Option<u64> {
    u64::try_from(wait.as_millis()).ok()
}

/// The sentence in an error object or in a list of them, however deep; never JSON.
fn words(error: &Value) -> String {
    match error {
        Value::String(text) => sentence_in(text),
        Value::Array(errors) => {
            let said: Vec<String> = errors.iter().map(words).filter(|text| !text.is_empty()).collect();
            said.join("; ")
        }
        Value::Object(_) => ["message", "detail", "msg", "error"]
            .iter()
            .filter_map(|name| error.get(name))
            .map(words)
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// A text, or the sentence in it where it is JSON itself.
fn sentence_in(text: &str) -> String {
    ProviderError::within(text.to_owned()).message
}

/// Two sentences about the same, without saying anything twice.
fn both(first: String, second: String) -> String {
    if second.is_empty() || first.contains(&second) {
        first
    } else if second.contains(&first) {
        second
    } else {
        format!("{first}: {second}")
    }
}

/// Text of a string or number; other values as their JSON.
fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
            other.to_string()
        }
    }
}

/// The title of an error page; its markup would only confuse.
fn html_title(body: &str) -> String {
    let title = body
        .split_once("<title>")
        .or_else(|| body.split_once("<TITLE>"))
        .and_then(|(_, rest)| rest.split('<').next())
        .unwrap_or_default()
        .trim();
    if title.is_empty() { "an HTML page".to_owned() } else { format!("an HTML page, \"{title}\"") }
}

fn kind_of_status(status: u16, said: &str) -> ErrorKind {
    match status {
        403 if says_right_key(said) => ErrorKind::Refused,
        // OpenRouter, of a key with a limit of its own.
        403 if said.contains("key limit exceeded") => ErrorKind::RateLimited,
        401 | 403 => ErrorKind::Auth,
        // Gemini and xAI.
        400 if says_wrong_key(said) => ErrorKind::Auth,
        402 | 429 => ErrorKind::RateLimited,
        408 | 504 => ErrorKind::Timeout,
        413 => ErrorKind::ContextTooLong,
        // Some servers answer 500 to a prompt that is too long.
        400 | 422 | 500 if says_context_too_long(said) => ErrorKind::ContextTooLong,
        500.. => ErrorKind::Overloaded,
        _ => ErrorKind::Refused,
    }
}

/// Whether a 403 is about the prompt, which moderation has refused, or about this one model, which the account may not
/// use: then nothing is wrong with the key.
fn says_right_key(said: &str) -> bool {
    const WORDS: &[&str] = &[
        "moderation",
        "flagged",
        "content policy",
        // xAI.
        "usage guidelines",
        // OpenAI.
        "model_not_found",
        "does not have access to model",
        // Groq.
        "model_permission_blocked",
    ];
    WORDS.iter().any(|words| said.contains(words))
}

fn says_wrong_key(said: &str) -> bool {
    const WORDS: &[&str] =
        &["api key not valid", "api_key_invalid", "api key expired", "incorrect api key", "invalid api key"];
    WORDS.iter().any(|words| said.contains(words))
}

/// For errors without a usable status. What cannot be classified is taken as the provider's failure.
fn kind_of_words(said: &str) -> ErrorKind {
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if says_context_too_long(said) {
        ErrorKind::ContextTooLong
    } else if says(&["invalid_api_key", "authentication", "unauthorized", "permission_denied"]) {
        ErrorKind::Auth
    } else if says(&[
        "rate_limit",
        "rate limit",
        "too many requests",
        "insufficient_quota",
        "resource_exhausted",
    ]) {
        ErrorKind::RateLimited
    } else if says(&["timeout", "timed out", "deadline_exceeded"]) {
        ErrorKind::Timeout
    } else if says(&[
        "invalid_request",
        "invalid_argument",
        "model_not_found",
        "content_policy",
        "moderation",
    ]) {
        ErrorKind::Refused
    } else {
        ErrorKind::Overloaded
    }
}

pub(super) fn says_context_too_long(said: &str) -> bool {
    const WORDS: &[&str] = &[
        "context length",
        "context_length",
        "context window",
        "context size",
        "context_size",
        // Anthropic, of a prompt that fits only without the longest answer that is allowed.
        "context limit",
        "maximum context",
        "maximum prompt length",
        "n_ctx",
        "max_model_len",
        "prompt is too long",
        "prompt too long",
        "input is too long",
        "too many tokens",
        "reduce the length",
        "maximum number of tokens",
        "input token count",
        // Text Generation Inference, and Together over it.
        "`inputs` tokens + `max_new_tokens` must be",
        "`inputs` must have less than",
        // Kimi, and Alibaba's models.
        "model token limit",
        "range of input length",
    ];
    WORDS.iter().any(|words| said.contains(words))
}

#[cfg(test)]
#[path = "upstream_error_tests.rs"]
mod tests;
