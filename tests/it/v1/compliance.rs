//! The documented cases of the Open Responses compliance suite, by their names there. That of calling tools is not among
//! them: a council calls none.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{RESPONSES, program, stream, wants};
use crate::attachments::pictures::png;
use crate::support::app::TestApp;

/// What every response has, and of which type.
#[track_caller]
fn is_a_response(response: &Value) {
    assert_eq!(response["object"], "response");
    for name in ["id", "status", "model", "truncation", "service_tier"] {
        assert!(response[name].is_string(), "{name}: {response}");
    }
    for name in ["created_at", "top_logprobs"] {
        assert!(response[name].is_i64(), "{name}: {response}");
    }
    for name in ["temperature", "top_p", "presence_penalty", "frequency_penalty"] {
        assert!(response[name].is_number(), "{name}: {response}");
    }
    for name in ["parallel_tool_calls", "store", "background"] {
        assert!(response[name].is_boolean(), "{name}: {response}");
    }
    for name in ["output", "tools"] {
        assert!(response[name].is_array(), "{name}: {response}");
    }
    for name in [
        "completed_at",
        "incomplete_details",
        "previous_response_id",
        "instructions",
        "error",
        "tool_choice",
        "text",
        "reasoning",
        "usage",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "safety_identifier",
        "prompt_cache_key",
    ] {
        assert!(response.get(name).is_some(), "{name}: {response}");
    }
    if response["status"] == "completed" {
        let usage = &response["usage"];
        for name in ["input_tokens", "output_tokens", "total_tokens"] {
            assert!(usage[name].is_u64(), "{name}: {usage}");
        }
        assert!(usage["input_tokens_details"]["cached_tokens"].is_u64());
        assert!(usage["output_tokens_details"]["reasoning_tokens"].is_u64());
        let items = response["output"].as_array().unwrap();
        assert!(!items.is_empty());
        for item in items {
            assert!(item["id"].is_string() && item["type"].is_string(), "{item}");
        }
    }
}

/// What a member was asked. Its title is asked for at the same time, and may come first.
fn asked_of_a_member(app: &TestApp) -> Value {
    app.models.records().into_iter().find(|record| record.request.model == "m/one").unwrap().request.body
}

#[tokio::test]
async fn basic_text_response() {
    let app = TestApp::start().await;
    let body = wants("", &json!({"input": [{"type": "message", "role": "user", "content": "Say hello."}]}));
    let response = program(&app).await.post(RESPONSES, body).await.ok();
    is_a_response(&response);
    assert_eq!(response["status"], "completed");
    app.close().await;
}

#[tokio::test]
async fn streaming_response() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let sent = stream(&tool, RESPONSES, &wants("Count to 5.", &json!({"stream": true}))).await.rest().await;
    let states: Vec<Value> =
        sent.iter().map(super::Sent::json).filter(|json| json["response"].is_object()).collect();
    states.iter().for_each(|json| is_a_response(&json["response"]));
    let last = states.last().unwrap();
    assert_eq!(
        (&last["type"], &last["response"]["status"]),
        (&json!("response.completed"), &json!("completed"))
    );
    app.close().await;
}

#[tokio::test]
async fn system_prompt() {
    let app = TestApp::start().await;
    let body = wants(
        "",
        &json!({"input": [
            {"type": "message", "role": "system", "content": "You are a pirate."},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]}
        ]}),
    );
    is_a_response(&program(&app).await.post(RESPONSES, body).await.ok());
    let first = asked_of_a_member(&app);
    assert_eq!(first["messages"][0], json!({"role": "system", "content": "You are a pirate."}));
    app.close().await;
}

#[tokio::test]
async fn image_input() {
    let app = TestApp::with("image_models = [\"m/one\", \"m/ch*\"]\n").await;
    let picture = format!("data:image/png;base64,{}", STANDARD.encode(png((2, 2), b"a red heart")));
    let body = wants(
        "",
        &json!({"input": [{"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "What do you see in this image?"},
            {"type": "input_image", "image_url": picture}
        ]}]}),
    );
    is_a_response(&program(&app).await.post(RESPONSES, body).await.ok());
    assert!(app.models.records().iter().any(|record| record.request.body.to_string().contains(&picture)));
    app.close().await;
}

#[tokio::test]
async fn multi_turn() {
    let app = TestApp::start().await;
    let body = wants(
        "",
        &json!({"input": [
            {"type": "message", "role": "user", "content": "My name is Ann."},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello Ann."}]},
            {"type": "message", "role": "user", "content": "What is my name?"}
        ]}),
    );
    is_a_response(&program(&app).await.post(RESPONSES, body).await.ok());
    let first = asked_of_a_member(&app);
    assert_eq!(first["messages"][0]["content"], "My name is Ann.");
    app.close().await;
}

#[tokio::test]
async fn previous_response_id() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let first = tool.post(RESPONSES, wants("My name is Ann.", &json!({}))).await.ok();
    let more = json!({"previous_response_id": first["id"]});
    let second = tool.post(RESPONSES, wants("What is my name?", &more)).await.ok();
    is_a_response(&second);
    assert_eq!(second["previous_response_id"], first["id"]);
    app.close().await;
}
