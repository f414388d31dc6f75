//! The protocol of `POST /embeddings`, which every OpenAI-compatible server with embeddings speaks: the JSON of a
//! request, and the reading of what comes back. No network here.

use serde_json::{Value, json};

use super::Chunk;
use super::chat_completions::says_something;
use super::embedding::from_base64;
use super::error::CallError;
use super::reply::Usage;
use super::upstream_error::ErrorContext;
use super::usage_json::read_usage;

/// The request's JSON.
pub(super) fn body(model: &str, text: &str) -> Vec<u8> {
    json!({"model": model, "input": text}).to_string().into_bytes()
}

/// Reads the reply to one text.
///
/// # Errors
/// An error object in place of the reply, or a reply without a vector.
pub(super) fn read(document: &Value, context: &ErrorContext) -> Result<Vec<Chunk>, CallError> {
    if let Some(error) = document.get("error").filter(|error| says_something(error)) {
        return Err(context.failed_midway(error));
    }
    let vector = document.pointer("/data/0/embedding").and_then(vector);
    let vector = vector.ok_or_else(|| context.bad_response("the reply has no embedding in a known form"))?;
    let model = document.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    // Embeddings have no completion tokens, whatever the server counts.
    let usage = document.get("usage").and_then(read_usage);
    let usage = usage.map(|usage| Usage { completion_tokens: 0, reasoning_tokens: 0, ..usage });
    let chunks = [
        model.map(|model| Chunk::ServedBy(model.to_owned())),
        Some(Chunk::Embedding(vector)),
        usage.map(Chunk::Usage),
    ];
    Ok(chunks.into_iter().flatten().collect())
}

/// A list of numbers, or base64 of little-endian `f32`.
#[expect(clippy::cast_possible_truncation, reason = "what becomes infinite is refused with the reply")]
pub(super) fn vector(value: &Value) -> Option<Vec<f32>> {
    match value {
        Value::Array(numbers) => {
            numbers.iter().map(|number| number.as_f64().map(|number| number as f32)).collect()
        }
        Value::String(text) => from_base64(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::ErrorKind;
    use crate::llm::upstream_error::Secrets;

    fn context() -> ErrorContext {
        ErrorContext { provider: "gate".into(), model: "m".into(), secrets: Secrets::default() }
    }

    #[test]
    fn a_vector_comes_as_numbers_or_as_base64() {
        for form in [json!([1, -2.5]), json!("AACAPwAAIMA=")] {
            let document = json!({"object": "list", "data": [{"index": 0, "embedding": form}], "model": "m-2",
                                  "usage": {"prompt_tokens": 7, "total_tokens": 7, "cost": 0.000_001}});
            let usage = Usage { prompt_tokens: 7, total_tokens: 7, cost_usd: Some(1e-6), ..Usage::default() };
            let wanted =
                [Chunk::ServedBy("m-2".into()), Chunk::Embedding(vec![1.0, -2.5]), Chunk::Usage(usage)];
            assert_eq!(read(&document, &context()).unwrap(), wanted);
        }
        let bare = json!({"data": [{"embedding": [0.5]}], "error": {"message": "", "code": null}});
        assert_eq!(read(&bare, &context()).unwrap(), [Chunk::Embedding(vec![0.5])]);
    }

    #[test]
    fn what_has_no_vector_is_a_bad_response() {
        for document in [
            json!(null),
            json!([]),
            json!("x"),
            json!({}),
            json!({"data": []}),
            json!({"data": [{}]}),
            json!({"data": [{"embedding": null}]}),
            json!({"data": [{"embedding": {"float": [1]}}]}),
            json!({"data": [{"embedding": [1, "x"]}]}),
            json!({"data": [{"embedding": [[1]]}]}),
            json!({"data": [{"embedding": "AAA"}]}),
        ] {
            let error = read(&document, &context()).unwrap_err();
            assert_eq!((error.kind, error.reached), (ErrorKind::BadResponse, true), "{document}");
        }
    }

    #[test]
    fn an_error_in_the_place_of_a_reply_has_its_kind() {
        let document = json!({"error": {"message": "Slow down.", "code": 429}});
        let error = read(&document, &context()).unwrap_err();
        assert_eq!((error.kind, error.status, error.reached), (ErrorKind::RateLimited, Some(429), false));
        assert!(error.message.contains("Slow down."), "{}", error.message);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let keys = prop::sample::select(vec!["data", "embedding", "usage", "model", "error", "x"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((keys, inner), 0..4).prop_map(|fields| fields
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_reply_is_read_or_refused(document in any_json()) {
            let read = read(&document, &context());
            prop_assert!(read.is_err() || document.pointer("/data/0/embedding").is_some());
        }

        #[test]
        fn numbers_keep_their_values(numbers in prop::collection::vec(-1.0f32..1.0, 0..50)) {
            prop_assert_eq!(vector(&json!(numbers)).unwrap(), numbers);
        }
    }
}
