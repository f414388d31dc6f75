//! Each preset against replies in the shape that its service documents: what is sent, what is read of an answer in one
//! piece and of a stream, and what an error is taken for.

mod replies;

use std::collections::BTreeSet;

use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::presets::{self, Addresses, KeyHeader, Preset};
use llm_council::llm::{
    CallError, ChatMessage, ChatRequest, Models as _, NoSink, ProviderSettings, Registry, Reply, RetryPolicy,
    Sampling, Schema, Tool, openai_compatible,
};
use serde_json::{Value, json};

use crate::support::model_server::{ModelServer, RecordedRequest, Script};
use replies::{SERVICES, Service};

const KEY: &str = "sk-hidden-0123456789";

/// A provider of this preset, at the scripted server.
fn settings(preset: &Preset, server: &ModelServer) -> ProviderSettings {
    let base = server.base_url();
    let base = match preset.addresses {
        Addresses::Plain => base.as_str(),
        Addresses::Azure => base.trim_end_matches("/v1"),
    };
    ProviderSettings {
        base_url: Some(base.to_owned()),
        api_key: Some(KEY.to_owned().into()),
        retry: RetryPolicy::NEVER,
        ..ProviderSettings::new("service", &openai_compatible::KIND).with("preset", preset.name)
    }
}

fn registry(settings: ProviderSettings) -> Registry {
    Registry::new(vec![settings], "service").expect("good settings")
}

fn request(model: &str) -> ChatRequest {
    let mut request = ChatRequest::new(model, &ANSWER, vec![ChatMessage::user("Why?")]);
    request.sampling = Sampling { temperature: Some(0.5), max_tokens: Some(99) };
    request.schema = Some(Schema::new("word", json!({"type": "object"})));
    request.tools = vec![Tool {
        name: "search_web".into(),
        description: "Searches.".into(),
        parameters: json!({"type": "object"}),
    }];
    request
}

async fn ask(registry: &Registry, model: &str) -> Result<Reply, CallError> {
    registry.chat(&request(model), &mut NoSink).await
}

/// Everything but lists of models.
fn asked(server: &ModelServer) -> RecordedRequest {
    let all = server.records().into_iter().chain(server.other_records());
    all.map(|record| record.request).find(|request| request.method == "POST").expect("a request")
}

#[test]
fn every_preset_has_a_contract() {
    let told: BTreeSet<&str> = SERVICES.iter().map(|service| service.preset).collect();
    let known: BTreeSet<&str> = presets::NAMES.iter().copied().collect();
    assert_eq!(told, known);
}

#[tokio::test]
async fn a_request_has_what_the_service_takes_and_nothing_that_it_refuses() {
    for service in SERVICES {
        let preset = presets::named(service.preset).unwrap();
        let server = ModelServer::start().await;
        server.rule(|_| Some(Script::answer("ready")));
        ask(&registry(settings(preset, &server)), service.model).await.unwrap();
        let sent = asked(&server);
        let (body, name) = (&sent.body, preset.name);
        match preset.key_header {
            KeyHeader::Bearer => {
                assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()), "{name}");
            }
            KeyHeader::Named(header) => {
                assert_eq!((sent.header(header), sent.header("authorization")), (Some(KEY), None), "{name}");
            }
        }
        let path = if preset.addresses == Addresses::Azure { "/openai/v1" } else { "/v1" };
        assert_eq!(sent.path, format!("{path}/chat/completions"), "{name}");
        assert_eq!(body["stream"], preset.streams, "{name}");
        assert_eq!(body["stream_options"].is_object(), preset.streams && preset.stream_options, "{name}");
        let bound = if preset.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        let bounds: Vec<&str> =
            ["max_tokens", "max_completion_tokens"].into_iter().filter(|name| body[*name].is_u64()).collect();
        assert_eq!(bounds, [bound], "{name}");
        assert_eq!(body["tools"].is_array(), preset.tools, "{name}");
        assert_eq!(body["response_format"].is_object(), preset.structured_outputs, "{name}");
        assert_eq!(body["temperature"].is_number(), service.takes_temperature, "{name}");
        let known = [
            "model",
            "messages",
            "stream",
            "stream_options",
            "temperature",
            "max_tokens",
            "max_completion_tokens",
            "response_format",
            "tools",
        ];
        let sent: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert!(sent.iter().all(|field| known.contains(&field.as_str())), "{name}: {sent:?}");
    }
}

#[tokio::test]
async fn answers_are_read_as_the_service_writes_them() {
    for Service { preset, model, whole, stream, read, .. } in SERVICES {
        let known = presets::named(preset).unwrap();
        let modes = [false, true].into_iter().filter(|streamed| known.streams || !streamed);
        for streamed in modes {
            let server = ModelServer::start().await;
            let body = if streamed { *stream } else { *whole };
            let kind = if streamed { "text/event-stream" } else { "application/json" };
            server.rule(move |_| Some(Script::raw(kind, body)));
            let settings = ProviderSettings { stream: streamed, ..settings(known, &server) };
            let at = format!("{preset}, streamed: {streamed}");
            let reply =
                ask(&registry(settings), model).await.unwrap_or_else(|error| panic!("{at}: {error:?}"));
            assert_eq!(reply.text, read.text, "{at}");
            assert_eq!(reply.reasoning.as_deref(), read.reasoning, "{at}");
            let urls: Vec<&str> = reply.citations.iter().map(|citation| citation.url.as_str()).collect();
            assert_eq!(urls, read.citations, "{at}");
            let tools: Vec<&str> = reply.tool_calls.iter().map(|call| call.name.as_str()).collect();
            assert_eq!(tools, read.tools, "{at}");
            assert_eq!(reply.usage.map(|usage| usage.total_tokens), read.total_tokens, "{at}");
            let added = reply.usage.map(|usage| usage.prompt_tokens + usage.completion_tokens);
            assert_eq!(added, read.total_tokens, "{at}: thoughts are charged as what the model wrote");
        }
    }
}

#[tokio::test]
async fn errors_are_taken_for_what_they_are_and_show_no_key() {
    for Service { preset, model, errors, .. } in SERVICES {
        let known = presets::named(preset).unwrap();
        for (status, body, kind, words) in *errors {
            let server = ModelServer::start().await;
            let text = body.replace("{key}", KEY);
            let (script, status) = (text.clone(), *status);
            server.rule(move |_| Some(Script::status(status, &script)));
            let error = ask(&registry(settings(known, &server)), model).await.expect_err(preset);
            assert_eq!(error.kind, *kind, "{preset} {text}: {error:?}");
            assert!(error.message.contains(words), "{preset}: {}", error.message);
            assert!(!error.message.contains(KEY), "{preset}: {}", error.message);
        }
    }
}

#[tokio::test]
async fn lists_are_read_as_the_service_writes_them() {
    for Service { preset, list, .. } in SERVICES {
        let known = presets::named(preset).unwrap();
        let server = ModelServer::start().await;
        let (body, expected) = *list;
        server.models(Script::raw("application/json", body));
        let registry = registry(settings(known, &server));
        let models = registry.models().await;
        let ids: Vec<&str> = models.models.iter().map(|model| model.id.as_str()).collect();
        assert!(models.errors.is_empty(), "{preset}: {:?}", models.errors);
        assert_eq!(ids, expected, "{preset}");
        assert_eq!(server.other_records().is_empty(), !known.lists_models, "{preset}");
        if !known.lists_models {
            assert!(registry.is_available("something/new"), "{preset}: what is known is not all there is");
        }
    }
}

#[tokio::test]
async fn a_list_in_pages_is_read_to_its_end() {
    let page = |ids: &[&str], has_more: bool| {
        let data: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
        json!({"data": data, "has_more": has_more, "last_id": ids.last()}).to_string()
    };
    let server = ModelServer::start().await;
    let first = page(&["claude-c", "claude-b"], true);
    let (second, third) = (page(&["claude-a"], true), page(&["claude-2"], false));
    server.models_by(move |sent| {
        let body = match sent.path.split_once('?') {
            None => &first,
            Some((_, "after_id=claude-b&limit=1000")) => &second,
            Some((_, "after_id=claude-a&limit=1000")) => &third,
            Some(_) => return None,
        };
        Some(Script::raw("application/json", body.as_str()))
    });
    let registry = registry(settings(presets::named("anthropic").unwrap(), &server));
    let models = registry.models().await;
    let ids: Vec<&str> = models.models.iter().map(|model| model.id.as_str()).collect();
    assert!(models.errors.is_empty(), "{:?}", models.errors);
    assert_eq!(ids, ["claude-c", "claude-b", "claude-a", "claude-2"]);
    assert!(registry.is_available("claude-2") && !registry.is_available("claude-1"));
}

#[tokio::test]
async fn a_list_that_never_ends_is_read_no_further_than_some_pages() {
    let server = ModelServer::start().await;
    server.models_by(|sent| {
        let at = sent.path.len();
        let list = json!({"data": [{"id": format!("m-{at}")}], "has_more": true, "last_id": "x".repeat(at)});
        Some(Script::raw("application/json", list.to_string()))
    });
    let models = registry(settings(presets::named("anthropic").unwrap(), &server)).models().await;
    assert_eq!((models.models.len(), models.errors.len(), server.other_records().len()), (10, 0, 10));
}

#[tokio::test]
async fn models_that_are_configured_are_the_list() {
    let server = ModelServer::start().await;
    let azure =
        settings(presets::named("azure").unwrap(), &server).with("models", json!(["our-gpt", "our-o4"]));
    let models = registry(azure).models().await;
    let ids: Vec<&str> = models.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["our-gpt", "our-o4"]);
    assert!(server.other_records().is_empty());
}

#[tokio::test]
async fn a_dated_version_of_azure_has_the_deployment_in_its_path() {
    let server = ModelServer::start().await;
    server.rule(|_| Some(Script::answer("ready")));
    let azure = settings(presets::named("azure").unwrap(), &server).with("api_version", "2024-10-21");
    ask(&registry(azure), "our gpt").await.unwrap();
    let sent = asked(&server);
    assert_eq!(sent.path, "/openai/deployments/our%20gpt/chat/completions?api-version=2024-10-21");
    assert_eq!((sent.header("api-key"), sent.body["model"] == "our gpt"), (Some(KEY), true));
}

/// Gemini 3 signs its calls, and refuses a conversation in which a signature is missing.
#[tokio::test]
async fn what_came_beside_a_call_goes_back_with_it() {
    let server = ModelServer::start().await;
    let signed = json!({"google": {"thought_signature": "c2lnbmVk"}});
    let function = json!({"name": "search_web", "arguments": "{}"});
    let called = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "delta": {"tool_calls": [
        {"index": 0, "id": "a", "type": "function", "function": function, "extra_content": signed},
        {"index": 1, "id": "b", "type": "function", "function": function},
    ]}}]});
    let stream = format!("data: {called}\n\ndata: [DONE]\n\n");
    server.rule(move |sent| {
        let is_first = sent.body["messages"].as_array().is_some_and(|all| all.len() == 1);
        Some(if is_first {
            Script::raw("text/event-stream", stream.as_str())
        } else {
            Script::answer("ready")
        })
    });
    let registry = registry(settings(presets::named("google").unwrap(), &server));
    let reply = ask(&registry, "gemini-3-pro").await.unwrap();
    let mut next = request("gemini-3-pro");
    next.messages.push(ChatMessage::calling(reply.text, reply.tool_calls, reply.reasoning_details));
    next.messages.extend([ChatMessage::tool("a", "found"), ChatMessage::tool("b", "found")]);
    registry.chat(&next, &mut NoSink).await.unwrap();
    let records = server.records();
    let said = &records.last().unwrap().request.body["messages"][1];
    assert_eq!(said["tool_calls"][0]["extra_content"], signed);
    assert_eq!((said["tool_calls"][1].get("extra_content"), said.get("reasoning_details")), (None, None));
}

/// Two turns with a model that thinks in this field before it calls a tool; what it is sent in the second one, each time
/// that it is asked, of a server that `refuses` thoughts or not.
async fn sent_after_a_thought(preset: &str, (field, thought): (&str, &str), refuses: bool) -> Vec<Value> {
    let server = ModelServer::start().await;
    let thinks = json!({"choices": [{"index": 0, "delta": {"content": null, field: thought}}]});
    let function = json!({"name": "search_web", "arguments": "{}"});
    let calls = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "delta": {"tool_calls": [
        {"index": 0, "id": "a", "type": "function", "function": function},
    ]}}]});
    let stream = format!("data: {thinks}\n\ndata: {calls}\n\ndata: [DONE]\n\n");
    server.rule(move |sent| {
        let messages = sent.body["messages"].as_array().expect("messages");
        let refusal =
            r#"{"error": {"message": "'messages.1' : property 'reasoning_content' is unsupported"}}"#;
        Some(match messages.get(1) {
            None => Script::raw("text/event-stream", stream.as_str()),
            Some(said) if refuses && said["reasoning_content"].is_string() => Script::status(400, refusal),
            Some(_) => Script::answer("ready"),
        })
    });
    let registry = registry(settings(presets::named(preset).unwrap(), &server));
    let reply = ask(&registry, "m").await.unwrap();
    let mut next = request("m");
    next.messages.extend([ChatMessage::of_calls(&reply), ChatMessage::tool("a", "found")]);
    assert_eq!(registry.chat(&next, &mut NoSink).await.unwrap().text, "ready");
    let sent = server.records().into_iter().map(|record| record.request.body["messages"][1].clone());
    sent.skip(1).collect()
}

/// DeepSeek and Kimi refuse a conversation in which the thoughts before a call are missing; Groq, which sends them under
/// another name, refuses one that has them.
#[tokio::test]
async fn thoughts_go_back_with_calls_to_whoever_sent_them_as_reasoning_content() {
    for (preset, (field, thought), sent_back) in [
        ("deepseek", ("reasoning_content", "Hm."), Some("Hm.")),
        ("deepseek", ("reasoning_content", ""), Some("")),
        ("groq", ("reasoning", "Hm."), None),
    ] {
        let sent = sent_after_a_thought(preset, (field, thought), false).await;
        assert_eq!(sent.len(), 1, "{preset}");
        assert_eq!(sent[0].get("reasoning_content").and_then(Value::as_str), sent_back, "{preset}");
        assert_eq!(
            (sent[0]["tool_calls"][0]["id"].as_str(), sent[0].get("reasoning_details")),
            (Some("a"), None)
        );
    }
}

/// A gateway renames the field on the way here and not on the way back.
#[tokio::test]
async fn thoughts_that_are_refused_are_left_out_at_once() {
    let sent = sent_after_a_thought("litellm", ("reasoning_content", "Hm."), true).await;
    let thoughts: Vec<Option<&str>> =
        sent.iter().map(|said| said.get("reasoning_content").and_then(Value::as_str)).collect();
    assert_eq!(thoughts, [Some("Hm."), None]);
    assert_eq!(
        (sent[1]["tool_calls"][0]["id"].as_str(), sent[1].get("reasoning_details")),
        (Some("a"), None)
    );
}

#[tokio::test]
async fn a_reasoning_model_is_sent_no_temperature() {
    let server = ModelServer::start().await;
    server.rule(|_| Some(Script::answer("ready")));
    let registry = registry(settings(presets::named("openai").unwrap(), &server));
    for (model, takes) in [("gpt-4.1", true), ("gpt-5.1", false), ("o3-mini", false), ("ours/gpt-5", false)] {
        ask(&registry, model).await.unwrap();
        let records = server.records();
        let sent: &Value = &records.last().unwrap().request.body;
        assert_eq!(sent["temperature"].is_number(), takes, "{model}");
    }
}
