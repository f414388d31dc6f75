//! The header `Idempotency-Key`: a client's name for one request, under which it may send that again
//! without asking twice. It stands for that request alone: where it was sent, and what it says.

use actix_web::HttpRequest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::problem::Problem;
use crate::id::{ConversationId, RunId};
use crate::store::runs::IdempotencyKey;

const MAX_KEY_CHARS: usize = 200;

/// Where a request was sent. A question is the same question, streamed or not.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Question(ConversationId),
    /// The first question of a conversation that the server is to name.
    FirstQuestion,
    Retry(RunId),
    /// The path of another program's API.
    Program(&'static str),
}

/// The key of a request, if it has one.
///
/// # Errors
/// 422 for a header that is not a key.
pub(super) fn key(
    request: &HttpRequest,
    target: Target,
    body: &Value,
) -> Result<Option<IdempotencyKey>, Problem> {
    let mut keys = request.headers().get_all("idempotency-key");
    let Some(key) = keys.next() else { return Ok(None) };
    let rule = format!("one header of 1 to {MAX_KEY_CHARS} visible ASCII characters");
    match key.to_str() {
        Ok(key) if keys.next().is_none() && is_key(key) => Ok(Some(of(key, target, body))),
        Ok(_) | Err(_) => Err(Problem::field("Idempotency-Key", &rule)),
    }
}

/// The key where it came as the field of this name.
///
/// # Errors
/// 422 for anything that is not a key.
pub(super) fn in_field(
    field: &str,
    key: &str,
    target: Target,
    body: &Value,
) -> Result<IdempotencyKey, Problem> {
    if is_key(key) {
        return Ok(of(key, target, body));
    }
    Err(Problem::field(field, &format!("must be 1 to {MAX_KEY_CHARS} visible ASCII characters")))
}

fn is_key(key: &str) -> bool {
    (1..=MAX_KEY_CHARS).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

fn of(key: &str, target: Target, body: &Value) -> IdempotencyKey {
    // In the APIs of other programs a key counts for each path by itself.
    let key = match target {
        Target::Question(_) | Target::FirstQuestion | Target::Retry(_) => key.to_owned(),
        Target::Program(path) => format!("{path} {key}"),
    };
    IdempotencyKey { key, request_digest: digest(target, body) }
}

/// A digest of a request that is equal for equal JSON, however that is written. Stored with runs: changing it would
/// refuse requests that are repeated across an upgrade.
pub(super) fn digest(target: Target, body: &Value) -> Vec<u8> {
    let target = match target {
        Target::Question(conversation) => format!("question {conversation}"),
        Target::FirstQuestion => "first question".to_owned(),
        Target::Retry(run) => format!("retry {run}"),
        Target::Program(path) => format!("program {path}"),
    };
    let mut body = body.clone();
    body.sort_all_objects();
    Sha256::digest(format!("{target}\n{body}")).to_vec()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_digest_stands_for_the_place_and_the_json_however_it_is_written() {
        let conversation = ConversationId::generate();
        let of = |target, text: &str| digest(target, &serde_json::from_str(text).unwrap());
        let one = of(Target::Question(conversation), r#"{"content":"Why?","models":[{"a":1,"b":2}]}"#);
        let same = of(Target::Question(conversation), r#"{ "models": [{"b":2,"a":1}], "content": "Why?" }"#);
        assert_eq!(one, same);
        let question = |body| digest(Target::Question(conversation), &body);
        let others = [
            question(json!({"content": "Why?", "models": [{"a": 1, "b": 3}]})),
            question(json!({"content": "Why?", "models": []})),
            question(json!({"content": "Why?"})),
            digest(Target::Question(ConversationId::generate()), &json!({"content": "Why?"})),
            digest(Target::Retry(RunId::generate()), &json!({"content": "Why?"})),
        ];
        for (at, other) in others.iter().enumerate() {
            assert!(*other != one && !others[..at].contains(other), "{at}");
        }
    }
}
