//! Whatever a body says, both readers read it or refuse it in sentences, with the parameter that is wrong.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::files::InlineFiles;
use super::refusal::Refusal;
use super::{chat_request, response_request};

const NAMES: [&str; 36] = [
    "model",
    "messages",
    "input",
    "instructions",
    "stream",
    "stream_options",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "n",
    "tools",
    "tool_choice",
    "functions",
    "function_call",
    "response_format",
    "text",
    "include",
    "metadata",
    "user",
    "background",
    "previous_response_id",
    "store",
    "web_search_options",
    "conversation",
    "prompt",
    "logprobs",
    "top_logprobs",
    "modalities",
    "audio",
    "reasoning",
    "seed",
    "role",
    "content",
    "type",
    "json_schema",
];
const WORDS: [&str; 24] = [
    "council",
    "user",
    "assistant",
    "system",
    "developer",
    "tool",
    "function",
    "text",
    "input_text",
    "image_url",
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "json_object",
    "json_schema",
    "schema",
    "format",
    "name",
    "auto",
    "#/$defs/a",
    "\0",
    "\u{1f600}",
    "",
];

/// JSON of the words that these APIs know, and of others.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(WORDS.to_vec()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let name = prop_oneof![
            prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned),
            prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
            any::<String>(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A body that is valid except for some fields.
fn body() -> impl Strategy<Value = Value> {
    let fields = prop::collection::vec((prop::sample::select(NAMES.to_vec()), json()), 0..5);
    fields.prop_map(|fields| {
        let message = json!({"role": "user", "content": "Why?"});
        let mut body = json!({"model": "council", "messages": [message], "input": "Why?"});
        for (name, value) in fields {
            body[name] = value;
        }
        body
    })
}

fn is_told(refusal: &Refusal) -> Result<(), TestCaseError> {
    let object = refusal.object();
    prop_assert!(object["param"].as_str().is_some_and(|param| !param.is_empty()), "{}", object);
    let message = object["message"].as_str().unwrap_or_default();
    prop_assert!(message.contains(' ') && message.len() < 100_000, "{}", object);
    prop_assert_eq!(&object["code"], "invalid_value");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_body_is_read_or_refused_by_a_parameter(body in body()) {
        match chat_request::read(&body, &InlineFiles::default()) {
            Ok(read) => {
                prop_assert!(!read.parsed.model.is_empty() && !read.parsed.messages.question.trim().is_empty());
                prop_assert!(read.ignored.iter().all(|name| body.get(name).is_some()));
            }
            Err(refusal) => is_told(&refusal)?,
        }
        match response_request::read(&body, &InlineFiles::default()) {
            Ok(read) => prop_assert!(!read.parsed.model.is_empty()),
            Err(refusal) => is_told(&refusal)?,
        }
    }

    #[test]
    fn what_is_no_body_is_refused(body in json()) {
        for refusal in [chat_request::read(&body, &InlineFiles::default()).err(), response_request::read(&body, &InlineFiles::default()).err()].into_iter().flatten() {
            prop_assert!(refusal.object()["message"].as_str().is_some_and(|message| message.contains(' ')));
            prop_assert!(!body.is_object() || refusal.object()["param"].is_string());
        }
    }
}
