use serde_json::json;

use super::super::json_body::tests::whole;
use super::super::purpose::ANY;
use super::super::request::{ChatMessage, Sampling};
use super::*;

const PLAIN: Dialect = Dialect::PLAIN;

fn request(sampling: Sampling) -> ChatRequest {
    ChatRequest {
        sampling,
        seed: 7,
        ..ChatRequest::new("acme/one", &ANY, vec![ChatMessage::user("hi \"you\"")])
    }
}

fn written(request: &ChatRequest, stream: bool, dialect: Dialect) -> Value {
    serde_json::from_slice(&whole(body(request, stream, dialect).unwrap())).unwrap()
}

fn sent(sampling: Sampling, stream: bool, dialect: Dialect) -> Value {
    written(&request(sampling), stream, dialect)
}

#[test]
fn a_request_says_what_was_set_and_nothing_else() {
    assert_eq!(
        sent(Sampling::default(), true, PLAIN),
        json!({
            "model": "acme/one",
            "messages": [{"role": "user", "content": "hi \"you\""}],
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
    let sampling = Sampling { temperature: Some(0.5), max_tokens: Some(9) };
    let whole = sent(sampling, false, Dialect { usage_include: true, ..PLAIN });
    assert_eq!(whole["stream"], false);
    assert_eq!(whole.get("stream_options"), None);
    assert_eq!(whole["usage"], json!({"include": true}));
    assert_eq!((&whole["temperature"], &whole["max_tokens"]), (&json!(0.5), &json!(9)));
}

#[test]
fn a_schema_is_asked_for_strictly() {
    let schema = Schema::new("verdict", json!({"type": "object", "properties": {}}));
    let request = ChatRequest { schema: Some(schema), ..request(Sampling::default()) };
    let body: Value = written(&request, true, PLAIN);
    assert_eq!(
        body["response_format"],
        json!({
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": true, "schema": {"type": "object", "properties": {}}},
        })
    );
}

#[test]
fn openais_own_servers_get_the_new_name_of_the_token_bound() {
    let sampling = Sampling { max_tokens: Some(9), ..Sampling::default() };
    let body = sent(sampling, true, Dialect { max_completion_tokens: true, ..PLAIN });
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(9)));
}
