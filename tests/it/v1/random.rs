//! Whatever a program sends, it is answered or refused, and never with a fault of this server.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::{CHAT, RESPONSES, program};
use crate::support::app::TestApp;

/// How many bodies are sent, unless `LLM_COUNCIL_BODIES` says another number.
const BODIES: usize = 300;
/// Every so many is asked of a council, which then answers; all others of a model that is not there.
const ANSWERED: usize = 10;

/// JSON of the words that these APIs know, and of others.
fn value() -> impl Strategy<Value = Value> {
    let words = [
        "council",
        "debate",
        "user",
        "assistant",
        "system",
        "tool",
        "text",
        "input_text",
        "json_object",
        "json_schema",
        "schema",
        "name",
        "format",
        "function",
        "function_call",
        "function_call_output",
        "tool_calls",
        "$ref",
        "#",
        "message",
        "reasoning",
        "role",
        "content",
        "type",
        "include_usage",
        "web_search",
        "none",
        "auto",
        "\0",
        "\u{1f600}",
        "",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let name = prop_oneof![prop::sample::select(words.to_vec()).prop_map(str::to_owned), any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A body that is right but for some fields, or not even nearly.
fn body() -> impl Strategy<Value = Value> {
    let names = [
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
        "response_format",
        "include",
        "metadata",
        "user",
        "background",
        "previous_response_id",
        "text",
        "reasoning",
        "store",
        "web_search_options",
        "conversation",
        "prompt",
        "logprobs",
        "modalities",
        "seed",
    ];
    let fields = prop::collection::vec((prop::sample::select(names.to_vec()), value()), 1..5);
    let nearly = fields.prop_map(|fields| {
        let mut body =
            json!({"model": "nowhere", "messages": [{"role": "user", "content": "Why?"}], "input": "Why?"});
        for (name, value) in fields {
            body[name] = value;
        }
        body
    });
    prop_oneof![9 => nearly, 1 => value()]
}

#[tokio::test]
async fn random_bodies_are_never_a_fault_of_this_server() {
    let app = TestApp::simulated().await;
    let tool = program(&app).await;
    let mut runner = TestRunner::new(Config::default());
    let body = body();
    let bodies = std::env::var("LLM_COUNCIL_BODIES").map_or(BODIES, |given| given.parse().expect("a number"));
    let mut answered = 0;
    for place in 0..bodies {
        let mut sent = body.new_tree(&mut runner).unwrap().current();
        if place % ANSWERED < 2 && sent["model"] == "nowhere" {
            sent["model"] = json!("council:fast");
            sent["user"] = json!(place.to_string());
        }
        let path = if place.is_multiple_of(2) { CHAT } else { RESPONSES };
        let answer = tool.post(path, sent.clone()).await;
        assert!(answer.status < 500, "{path} {sent}: {} {}", answer.status, answer.text);
        if answer.status >= 400 {
            super::refused(&answer);
        } else {
            answered += 1;
        }
    }
    assert!(answered > 0, "nothing was answered");
    app.close().await;
}
