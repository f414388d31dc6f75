//! Bedrock's refusals, and failures in mid-reply: maps the names of its exceptions to our error kinds, each with a
//! sentence that says what to do.

use std::time::Duration;

use serde_json::Value;

use crate::llm::clean;
use crate::llm::error::{CallError, ErrorKind};
use crate::llm::upstream_error::{ErrorContext, says_context_too_long};

/// The request that failed, as the error messages name it.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub context: &'a ErrorContext,
    pub region: &'a str,
    /// Whether it went out with a bearer key.
    pub has_bearer: bool,
}

/// A failure by its name and its words.
struct Failure<'a> {
    /// `ThrottlingException`, in whatever case; empty where there is none.
    name: &'a str,
    /// What Bedrock says, as it came.
    words: String,
    status: Option<u16>,
}

/// The error for an HTTP response outside 2xx. `named` is its header `x-amzn-errortype`.
pub(super) fn refused(
    call: &Call<'_>,
    status: u16,
    named: Option<&str>,
    retry_after: Option<Duration>,
    body: &[u8],
) -> CallError {
    let document = document(body);
    let in_body = document.as_ref().and_then(|body| body.get("__type")).and_then(Value::as_str);
    let name = bare_name(named.or(in_body).unwrap_or_default());
    let Some(words) = document.as_ref().and_then(words) else {
        // The answer comes not from Bedrock but from something in front of it.
        return call.context.refused(status, retry_after, body);
    };
    let mut error = call.error(&Failure { name, words, status: Some(status) });
    error.retry_after_ms = retry_after.and_then(|pause| u64::try_from(pause.as_millis()).ok());
    error
}

/// The error for an exception in the middle of a reply.
pub(super) fn midway(call: &Call<'_>, name: &str, body: &[u8]) -> CallError {
    let words = document(body).as_ref().and_then(words).unwrap_or_default();
    let failure = Failure { name, words, status: status_of(name) };
    call.error(&failure)
}

/// The error for a failure of the connection itself, which has only a code and a sentence.
pub(super) fn of_connection(call: &Call<'_>, code: &str, message: &str) -> CallError {
    call.error(&Failure { name: code, words: message.to_owned(), status: status_of(code) })
}

/// Whether the credentials were refused because they have expired.
pub(super) fn says_expired(named: Option<&str>) -> bool {
    named.is_some_and(|name| bare_name(name) == "ExpiredTokenException")
}

fn document(body: &[u8]) -> Option<Value> {
    serde_json::from_str(&clean::json(&String::from_utf8_lossy(body))).ok().filter(Value::is_object)
}

fn words(document: &Value) -> Option<String> {
    let said = ["message", "Message", "originalMessage"].iter().find_map(|name| document.get(name));
    Some(said.and_then(Value::as_str)?.to_owned())
}

/// `ThrottlingException` of `com.amazon.x#ThrottlingException:http://…`.
fn bare_name(name: &str) -> &str {
    let name = name.rsplit_once('#').map_or(name, |(_, name)| name);
    name.split(':').next().unwrap_or_default().trim()
}

/// The status that an exception has where it comes instead of a reply.
fn status_of(name: &str) -> Option<u16> {
    Some(match name.to_ascii_lowercase().as_str() {
        "throttlingexception" => 429,
        "internalserverexception" => 500,
        "serviceunavailableexception" => 503,
        "validationexception" => 400,
        "modeltimeoutexception" => 408,
        "modelerrorexception" => 424,
        // `modelStreamErrorException` gets none: its status is 424, which is not retried, but AWS wants this one to be.
        _ => return None,
    })
}

impl Call<'_> {
    fn error(&self, failure: &Failure<'_>) -> CallError {
        let (kind, sentence) = self.verdict(failure);
        let status = failure.status.map(|status| format!(" (HTTP {status})")).unwrap_or_default();
        let words = self.context.excerpt(&failure.words);
        let words = if words.is_empty() { words } else { format!(": {words}") };
        CallError { status: failure.status, ..CallError::new(kind, format!("{sentence}{status}{words}")) }
    }

    fn verdict(&self, failure: &Failure<'_>) -> (ErrorKind, String) {
        let ErrorContext { provider, model, .. } = self.context;
        let region = self.region;
        let said = failure.words.to_lowercase();
        let named = failure.name.to_ascii_lowercase();
        let key = if self.has_bearer { "key" } else { "credentials" };
        match named.as_str() {
            "accessdeniedexception" => self.denied(&said),
            "expiredtokenexception" | "expiredtoken" => (
                ErrorKind::Auth,
                format!("the {key} of {provider} has expired; renew what providers.{provider} names"),
            ),
            "unrecognizedclientexception"
            | "missingauthenticationtokenexception"
            | "incompletesignatureexception" => {
                (ErrorKind::Auth, format!("{provider} does not know the {key}; check providers.{provider}"))
            }
            "invalidsignatureexception" | "signaturedoesnotmatch" => (
                ErrorKind::Auth,
                format!(
                    "{provider} did not accept the signature: check the secret key, and the clock of this server"
                ),
            ),
            "throttlingexception" | "toomanyrequestsexception" => (
                ErrorKind::RateLimited,
                format!("{provider} limits the rate of requests to `{model}` in {region}"),
            ),
            "servicequotaexceededexception" => (
                ErrorKind::RateLimited,
                format!(
                    "a quota of the account for `{model}` in {region} is used up; AWS raises it on request"
                ),
            ),
            "modelnotreadyexception" => {
                (ErrorKind::Overloaded, format!("`{model}` is not ready yet in {region}; it is being loaded"))
            }
            "modeltimeoutexception" => {
                (ErrorKind::Timeout, format!("{provider} gave up waiting for `{model}`"))
            }
            "resourcenotfoundexception" => (ErrorKind::Refused, self.not_on_offer()),
            "validationexception" => self.invalid(&said),
            // The model's own failure, or Bedrock's.
            "modelerrorexception"
            | "modelstreamerrorexception"
            | "internalserverexception"
            | "serviceunavailableexception" => {
                (ErrorKind::Overloaded, format!("{provider} failed to answer for `{model}`"))
            }
            _ => self.unnamed(failure.status, &said),
        }
    }

    fn denied(&self, said: &str) -> (ErrorKind, String) {
        let ErrorContext { provider, model, .. } = self.context;
        let region = self.region;
        let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
        if says(&[
            "access to the model",
            "model access",
            "use case details",
            "aws-marketplace",
            "marketplace",
        ]) {
            // Nothing is wrong with the key: the other models of this provider answer.
            let what = format!(
                "the account has no access to `{model}` in {region}; ask for it in the Bedrock console"
            );
            (ErrorKind::Refused, what)
        } else if says(&["not authorized to perform", "explicit deny"]) {
            let what = format!(
                "the credentials of {provider} may not ask `{model}` in {region}: they need \
                 bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream"
            );
            (ErrorKind::Auth, what)
        } else if self.has_bearer {
            (
                ErrorKind::Auth,
                format!("{provider} refused the server's key; check providers.{provider}.api_key"),
            )
        } else {
            (
                ErrorKind::Auth,
                format!("{provider} refused the server's credentials; check providers.{provider}"),
            )
        }
    }

    fn invalid(&self, said: &str) -> (ErrorKind, String) {
        let ErrorContext { provider, model, .. } = self.context;
        let region = self.region;
        if says_context_too_long(said) || said.contains("too many input tokens") {
            return (
                ErrorKind::ContextTooLong,
                format!("the prompt does not fit into the context of `{model}`"),
            );
        }
        // The apostrophe in "isn't" is sometimes a typographic one.
        let what = if said.contains("on-demand throughput") {
            format!(
                "`{model}` is asked in {region} through an inference profile only: use its id with the profile's \
                 prefix, such as `us.` or `global.`"
            )
        } else if said.contains("model identifier is invalid") {
            self.not_on_offer()
        } else {
            format!("{provider} refused the request to `{model}`")
        };
        (ErrorKind::Refused, what)
    }

    fn not_on_offer(&self) -> String {
        let ErrorContext { model, .. } = self.context;
        format!(
            "`{model}` is not on offer in {}: it may be retired, misspelt, or in other regions only",
            self.region
        )
    }

    /// A failure without a name that is known.
    fn unnamed(&self, status: Option<u16>, said: &str) -> (ErrorKind, String) {
        let ErrorContext { provider, model, .. } = self.context;
        match status {
            Some(401 | 403) => self.denied(said),
            Some(400 | 422) => self.invalid(said),
            Some(429) => {
                (ErrorKind::RateLimited, format!("{provider} limits the rate of requests to `{model}`"))
            }
            Some(408 | 504) => (ErrorKind::Timeout, format!("{provider} gave up waiting for `{model}`")),
            Some(413) => {
                (ErrorKind::ContextTooLong, format!("the prompt does not fit into the context of `{model}`"))
            }
            Some(404) => (ErrorKind::Refused, self.not_on_offer()),
            Some(300..=499) => (ErrorKind::Refused, format!("{provider} refused the request to `{model}`")),
            Some(_) | None => (ErrorKind::Overloaded, format!("{provider} failed to answer for `{model}`")),
        }
    }
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
