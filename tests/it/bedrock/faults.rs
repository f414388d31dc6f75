//! Every way in which a reply of Bedrock can go wrong ends in a declared result, with what had arrived kept.

use llm_council::llm::{
    ChatMessage, ChatRequest, ErrorKind, Models as _, NoSink, ProviderSettings, RetryPolicy, Sampling, Tool,
};
use serde_json::json;

use super::{KEY, MODEL, ask, failure, partial_text, registry, request, settings};
use crate::support::model_server::{ModelServer, Outcome, Script};

const TEXT: &str = "Grüße 😀 from the council, in more than a few words.";

#[tokio::test]
async fn an_answer_streams_and_is_whole() {
    let server = ModelServer::start().await;
    server.script(MODEL, [Script::answer(TEXT).reasoning("Let me see.")]);
    let registry = registry(settings(&server));
    registry.refresh_models().await;
    let reply = registry.chat(&request(MODEL), &mut NoSink).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish_reason.as_deref()), (TEXT, Some("stop")));
    assert_eq!((reply.reasoning.as_deref(), reply.usage.unwrap().total_tokens), (Some("Let me see."), 15));
    let usage = reply.usage.unwrap();
    // 10 and 5 tokens at 3.30 and 16.50 USD for a million: the price of the profile.
    assert!((usage.cost_usd.unwrap() - (10.0 * 3.3e-6 + 5.0 * 16.5e-6)).abs() < 1e-12, "{usage:?}");
    let sent = &server.records()[0].request;
    assert_eq!((sent.method.as_str(), sent.model.as_str()), ("POST", MODEL));
    assert_eq!(sent.path, "/v1/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(sent.body, json!({"messages": [{"role": "user", "content": [{"text": "Why?"}]}]}));
}

#[tokio::test]
async fn a_reply_may_come_in_one_piece() {
    let server = ModelServer::start().await;
    server.script(MODEL, [Script::answer(TEXT)]);
    let registry = registry(ProviderSettings { stream: false, ..settings(&server) });
    let reply = registry.chat(&request(MODEL), &mut NoSink).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.unwrap().total_tokens), (TEXT, 15));
    assert!(server.records()[0].request.path.ends_with("/converse"));
}

#[tokio::test]
async fn the_size_of_the_servers_writes_does_not_matter() {
    for bytes in [1, 2, 3, 7, 11, 12, 13, 64, 4096] {
        let reply = ask([Script::answer(TEXT).in_writes_of(bytes)]).await.0.unwrap();
        assert_eq!(reply.text, TEXT, "{bytes}");
    }
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_never_looks_complete() {
    let script = || Script::answer("one two").without_usage();
    let server = ModelServer::start().await;
    let registry = registry(ProviderSettings { retry: RetryPolicy::NEVER, ..settings(&server) });
    let mut cut = 0;
    // Until the cut falls behind the end, about 600 bytes; by ends that the transport sees, and that it does not.
    for at in (0..900).step_by(3) {
        for cut_script in [script().cut_at_byte(at), script().cut_at_byte(at).close_delimited()] {
            server.script(MODEL, [cut_script]);
            match registry.chat(&request(MODEL), &mut NoSink).await {
                Ok(reply) => {
                    assert_eq!(
                        (reply.text.as_str(), reply.finish_reason.as_deref()),
                        ("one two", Some("stop"))
                    );
                }
                Err(error) => {
                    cut += 1;
                    assert!(
                        matches!(error.kind, ErrorKind::BadResponse | ErrorKind::Overloaded),
                        "{at}: {error:?}"
                    );
                    assert!("one two".starts_with(partial_text(&error)));
                }
            }
        }
    }
    assert!(cut > 200, "{cut}");
}

#[tokio::test]
async fn a_cut_after_the_first_token_keeps_it_and_is_not_tried_again() {
    for script in [
        Script::answer("half ").cut(),
        Script::answer("half ").cut().close_delimited(),
        Script::answer("half ").without_finish().without_usage(),
        Script::answer("half ").without_finish(),
    ] {
        let error = failure(script).await;
        assert_eq!((error.kind, partial_text(&error)), (ErrorKind::BadResponse, "half "));
        assert!(error.message.contains("cut"), "{}", error.message);
    }
}

#[tokio::test]
async fn counts_that_stay_away_are_forgiven_when_the_reason_came() {
    let reply = ask([Script::answer(TEXT).without_usage()]).await.0.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage), (TEXT, None));
}

#[tokio::test]
async fn a_connection_lost_before_the_first_token_is_tried_again() {
    let (result, server) = ask([Script::answer("").cut_at_byte(9), Script::answer(TEXT)]).await;
    let reply = result.unwrap();
    assert_eq!((reply.text.as_str(), reply.tries, server.count(MODEL)), (TEXT, 2, 2));
}

/// In the middle of a reply, before its first token, and in its place.
#[tokio::test]
async fn failures_in_mid_reply_have_their_kinds() {
    for (name, kind, again) in [
        ("throttlingException", ErrorKind::RateLimited, true),
        ("modelStreamErrorException", ErrorKind::Overloaded, true),
        ("internalServerException", ErrorKind::Overloaded, true),
        ("serviceUnavailableException", ErrorKind::Overloaded, true),
        ("modelTimeoutException", ErrorKind::Timeout, true),
        ("validationException", ErrorKind::Refused, false),
        ("somethingNewException", ErrorKind::Overloaded, true),
    ] {
        let error = failure(Script::answer("half ").exception(name, "It failed.")).await;
        assert_eq!((error.kind, partial_text(&error), error.reached), (kind, "half ", true), "{name}");
        assert!(error.message.contains("It failed."), "{}", error.message);
        let (result, server) = ask([Script::answer("").exception(name, "x"), Script::answer(TEXT)]).await;
        assert_eq!(server.count(MODEL), if again { 2 } else { 1 }, "{name}: {result:?}");
        assert_eq!(result.is_ok(), again, "{name}");
    }
    let error = failure(Script::answer("half ").connection_error("InternalFailure")).await;
    assert_eq!((error.kind, partial_text(&error)), (ErrorKind::Overloaded, "half "));
}

#[tokio::test]
async fn refusals_have_their_kinds() {
    for (status, name, words, kind) in [
        (
            403,
            "AccessDeniedException",
            "You don't have access to the model with the specified model ID.",
            ErrorKind::Refused,
        ),
        (
            403,
            "AccessDeniedException",
            "Authentication failed: Please make sure your API Key is valid.",
            ErrorKind::Auth,
        ),
        (
            403,
            "ExpiredTokenException",
            "The security token included in the request is expired",
            ErrorKind::Auth,
        ),
        (
            403,
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
            ErrorKind::Auth,
        ),
        (400, "ServiceQuotaExceededException", "Quota.", ErrorKind::RateLimited),
        (404, "ResourceNotFoundException", "No such model.", ErrorKind::Refused),
        (400, "ValidationException", "Input is too long for requested model.", ErrorKind::ContextTooLong),
        (400, "ValidationException", "The provided model identifier is invalid.", ErrorKind::Refused),
        (424, "ModelErrorException", "x", ErrorKind::Overloaded),
    ] {
        let error = failure(Script::refusal(status, name, &format!("{words} {KEY}"))).await;
        let got = (error.kind, error.status, error.partial.is_none(), error.reached);
        assert_eq!(got, (kind, Some(status), true, false), "{name} {words}");
        assert!(error.message.contains("[redacted]"), "{}", error.message);
    }
    for (status, name, kind) in [
        (429, "ThrottlingException", ErrorKind::RateLimited),
        (429, "ModelNotReadyException", ErrorKind::Overloaded),
        (408, "ModelTimeoutException", ErrorKind::Timeout),
        (500, "InternalServerException", ErrorKind::Overloaded),
        (503, "ServiceUnavailableException", ErrorKind::Overloaded),
    ] {
        let (result, server) = ask([Script::refusal(status, name, "x")]).await;
        let error = result.unwrap_err();
        assert_eq!((error.kind, error.tries, server.count(MODEL)), (kind, 3, 3), "{name}");
        let (result, _) = ask([Script::refusal(status, name, "x"), Script::answer(TEXT)]).await;
        assert_eq!(result.unwrap().tries, 2, "{name}");
    }
}

#[tokio::test]
async fn what_is_no_reply_is_said_to_be_so() {
    for (script, told) in [
        (Script::raw("text/html", "<title>Sign in</title>"), "an HTML page, \"Sign in\""),
        (Script::raw("application/json", "{}"), "no reply"),
        (Script::raw("application/json", "{"), "malformed JSON"),
        (Script::raw("text/plain", ""), "an empty answer"),
        (Script::raw("application/vnd.amazon.eventstream", vec![0; 40]), "damaged"),
        (Script::raw("application/vnd.amazon.eventstream", vec![0, 0xff, 0xff, 0xff, 0, 0]), "too long"),
        (Script::answer("half ").event("\0\0\0\u{11}not a frame, not at all"), "damaged"),
        (Script::answer("half ").converse("contentBlockDelta", json!("no object")), "malformed"),
        (Script::status(204, ""), "an empty answer"),
    ] {
        let error = failure(script).await;
        assert!(error.kind == ErrorKind::BadResponse && error.message.contains(told), "{told}: {error:?}");
        assert!(!(error.reached && told.contains("HTML page")), "{told}: nobody charges for it");
    }
}

#[tokio::test]
async fn reasons_to_stop_have_their_meaning() {
    let (reply, _) = ask([Script::answer(TEXT).finish("length")]).await;
    assert_eq!(reply.unwrap().finish_reason.as_deref(), Some("length"));
    for (reason, kind) in [
        ("guardrail_intervened", ErrorKind::Refused),
        ("content_filtered", ErrorKind::Refused),
        ("model_context_window_exceeded", ErrorKind::ContextTooLong),
        ("malformed_model_output", ErrorKind::BadResponse),
        ("malformed_tool_use", ErrorKind::BadResponse),
    ] {
        let error = failure(Script::answer("half ").finish(reason)).await;
        assert_eq!((error.kind, partial_text(&error), error.reached), (kind, "half ", true), "{reason}");
    }
}

fn tool() -> Tool {
    Tool { name: "search_web".into(), description: "Finds.".into(), parameters: json!({"type": "object"}) }
}

#[tokio::test]
async fn tools_are_offered_called_and_answered() {
    let server = ModelServer::start().await;
    let signed = |piece| json!({"contentBlockIndex": 0, "delta": {"reasoningContent": piece}});
    let thinking = Script::answer("")
        .converse("contentBlockDelta", signed(json!({"text": "I should look."})))
        .converse("contentBlockDelta", signed(json!({"signature": "c2ln"})))
        .converse("contentBlockStop", json!({"contentBlockIndex": 0}))
        .search("call_1", "blue sky");
    server.script(MODEL, [thinking, Script::answer(TEXT)]);
    let registry = registry(settings(&server));
    let first = ChatRequest { tools: vec![tool()], ..request(MODEL) };
    let called = registry.chat(&first, &mut NoSink).await.unwrap();
    let call = called.tool_calls[0].clone();
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("search_web", r#"{"query":"blue sky"}"#));
    let mut second = first.clone();
    second.messages.push(ChatMessage::calling("", called.tool_calls, called.reasoning_details));
    second.messages.push(ChatMessage::tool(&call.id, "Rayleigh."));
    assert_eq!(registry.chat(&second, &mut NoSink).await.unwrap().text, TEXT);
    let sent = &server.records()[1].request.body;
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "user", "content": [{"text": "Why?"}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "I should look.", "signature": "c2ln"}}},
                {"toolUse": {"toolUseId": "call_1", "name": "search_web", "input": {"query": "blue sky"}}}]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "call_1", "content": [{"text": "Rayleigh."}]}}]},
        ])
    );
    assert_eq!(sent["toolConfig"]["tools"][0]["toolSpec"]["name"], "search_web");
}

#[tokio::test]
async fn a_model_without_tools_is_asked_without_them() {
    let refusal = "This model doesn't support tool use in streaming mode.";
    let server = ModelServer::start().await;
    server.script(MODEL, [Script::refusal(400, "ValidationException", refusal), Script::answer(TEXT)]);
    let registry = registry(settings(&server));
    let reply =
        registry.chat(&ChatRequest { tools: vec![tool()], ..request(MODEL) }, &mut NoSink).await.unwrap();
    assert!(reply.tools_refused && reply.text == TEXT);
    assert!(server.records()[1].request.body.get("toolConfig").is_none());
}

#[tokio::test]
async fn a_model_without_system_prompts_is_told_by_the_user() {
    let refusal =
        "This model doesn't support the system field. Remove system messages and try again: system prompt";
    let server = ModelServer::start().await;
    server.script(MODEL, [Script::refusal(400, "ValidationException", refusal), Script::answer(TEXT)]);
    let registry = registry(settings(&server));
    let messages = vec![ChatMessage::system("Be brief."), ChatMessage::user("Why?")];
    let sampling = Sampling { temperature: Some(1.4), max_tokens: Some(99) };
    let asked = ChatRequest { messages, sampling, ..request(MODEL) };
    for _ in 0..2 {
        assert_eq!(registry.chat(&asked, &mut NoSink).await.unwrap().text, TEXT);
    }
    // The second time it is known.
    let bodies: Vec<_> = server.records().into_iter().map(|record| record.request.body).collect();
    assert_eq!(bodies.len(), 3);
    assert_eq!(bodies[0]["system"], json!([{"text": "Be brief."}]));
    assert_eq!(bodies[0]["inferenceConfig"], json!({"temperature": 1.0, "maxTokens": 99}));
    for body in &bodies[1..] {
        assert!(body.get("system").is_none());
        assert_eq!(body["messages"][0]["content"], json!([{"text": "Be brief."}, {"text": "Why?"}]));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = ModelServer::start().await;
    let script =
        Script::status(307, "").header("location", &format!("{}/model/m/converse", elsewhere.base_url()));
    let error = failure(script).await;
    assert_eq!((error.kind, error.status), (ErrorKind::Refused, Some(307)));
    assert!(elsewhere.records().is_empty() && elsewhere.other_records().is_empty());
}

#[tokio::test]
async fn whoever_is_not_waited_for_is_let_go() {
    let server = ModelServer::start().await;
    server.script(MODEL, [Script::answer("half ").stall()]);
    let registry = registry(settings(&server));
    let asked = request(MODEL);
    let mut sink = NoSink;
    tokio::select! {
        result = registry.chat(&asked, &mut sink) => panic!("it stalls: {result:?}"),
        () = server.until(|records| records.len() == 1) => {}
    }
    server.until(|records| records[0].outcome == Outcome::ClientGone).await;
}
