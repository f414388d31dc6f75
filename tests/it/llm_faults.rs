//! Every way in which a model server can go wrong ends in a declared result, with what had
//! arrived kept.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::{
    CallError, ChatMessage, ChatRequest, Chunk, DeltaSink, ErrorKind, Models, NoSink, ProviderKind,
    ProviderSettings, Registry, Reply, RetryPolicy, Timeouts, openai_compatible, openrouter,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::model_server::{Gate, ModelServer, Outcome, Script};

const KEY: &str = "sk-hidden-0123456789";

fn settings(server: &ModelServer, kind: &'static ProviderKind) -> ProviderSettings {
    ProviderSettings {
        base_url: Some(server.base_url()),
        api_key: Some(KEY.to_owned().into()),
        retry: RetryPolicy { base: Duration::from_millis(1), ..RetryPolicy::default() },
        ..ProviderSettings::new("gate", kind)
    }
}

fn registry(settings: ProviderSettings) -> Registry {
    let name = settings.name.clone();
    Registry::new(vec![settings], &name).expect("good settings")
}

fn request(model: &str) -> ChatRequest {
    ChatRequest { seed: 1, ..ChatRequest::new(model, &ANSWER, vec![ChatMessage::user("Why?")]) }
}

/// Asks the model `m` of a server with these scripts.
async fn ask(scripts: impl IntoIterator<Item = Script>) -> (Result<Reply, CallError>, ModelServer) {
    let server = ModelServer::start().await;
    server.script("m", scripts);
    let registry = registry(settings(&server, &openai_compatible::KIND));
    (registry.chat(&request("m"), &mut NoSink).await, server)
}

/// The reply to a script that must succeed.
async fn reply(script: Script) -> Reply {
    ask([script]).await.0.expect("a good reply")
}

/// The error of a script that must fail, at the first try.
async fn failure(script: Script) -> CallError {
    let (result, server) = ask([script]).await;
    let error = result.expect_err("a failure");
    assert_eq!((error.tries, server.count("m")), (1, 1), "{error:?}");
    error
}

fn partial_text(error: &CallError) -> &str {
    error.partial.as_ref().map_or("", |partial| partial.text.as_str())
}

const TEXT: &str = "Grüße 😀 from the council, in more than a few words.";

#[tokio::test]
async fn an_answer_streams_and_is_whole() {
    let server = ModelServer::start().await;
    server.script("m", [Script::answer(TEXT)]);
    let registry = registry(settings(&server, &openai_compatible::KIND));
    #[derive(Default)]
    struct Sink(String);
    #[async_trait]
    impl DeltaSink for Sink {
        async fn push(&mut self, chunk: &Chunk) {
            if let Chunk::Text(text) = chunk {
                self.0.push_str(text);
            }
        }
    }
    let mut sink = Sink::default();
    let reply = registry.chat(&request("gate:m"), &mut sink).await.unwrap();
    assert_eq!((reply.text.as_str(), sink.0.as_str()), (TEXT, TEXT));
    assert_eq!((reply.finish_reason.as_deref(), reply.served_by.as_deref()), (Some("stop"), Some("m")));
    assert_eq!(reply.usage.unwrap().total_tokens, 15);
    assert!(reply.ttft_ms.unwrap() <= reply.latency_ms);
    let records = server.records();
    let sent = &records[0].request;
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        sent.body,
        json!({"model": "m", "messages": [{"role": "user", "content": "Why?"}], "stream": true,
               "stream_options": {"include_usage": true}})
    );
}

#[tokio::test]
async fn the_size_of_the_servers_writes_does_not_matter() {
    for bytes in [1, 2, 3, 7, 64, 4096] {
        assert_eq!(reply(Script::answer(TEXT).in_writes_of(bytes)).await.text, TEXT, "{bytes}");
    }
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_never_looks_complete() {
    let script = || Script::answer("one two").without_usage();
    let server = ModelServer::start().await;
    let settings =
        ProviderSettings { retry: RetryPolicy::NEVER, ..settings(&server, &openai_compatible::KIND) };
    let registry = registry(settings);
    let mut cut = 0;
    // Until the cut falls behind the end. Both kinds of end: one the transport sees, and one it
    // does not. The stream is about 500 bytes.
    for at in (0..1_000).step_by(3) {
        for cut_script in [script().cut_at_byte(at), script().cut_at_byte(at).close_delimited()] {
            server.script("m", [cut_script]);
            match registry.chat(&request("m"), &mut NoSink).await {
                Ok(reply) => assert_eq!(
                    (reply.text.as_str(), reply.finish_reason.as_deref()),
                    ("one two", Some("stop"))
                ),
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
        Script::answer("half ").without_finish().without_done(),
    ] {
        let error = failure(script).await;
        assert_eq!((error.kind, partial_text(&error)), (ErrorKind::BadResponse, "half "));
        assert!(error.message.contains("cut"), "{}", error.message);
    }
}

#[tokio::test]
async fn a_connection_lost_before_the_first_token_is_tried_again() {
    let (result, server) = ask([Script::answer("").cut_at_byte(9), Script::answer(TEXT)]).await;
    let reply = result.unwrap();
    assert_eq!((reply.text.as_str(), reply.tries, server.count("m")), (TEXT, 2, 2));
}

#[tokio::test]
async fn a_missing_end_mark_is_forgiven_when_the_reason_came() {
    assert_eq!(reply(Script::answer(TEXT).without_done()).await.text, TEXT);
    assert_eq!(reply(Script::answer(TEXT).without_finish()).await.text, TEXT);
}

#[tokio::test]
async fn statuses_become_kinds() {
    for (status, body, kind) in [
        (301, "", ErrorKind::Refused),
        (400, r#"{"error":{"message":"temperature?"}}"#, ErrorKind::Refused),
        (400, r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#, ErrorKind::ContextTooLong),
        (400, r#"{"error":{"message":"x","n_prompt_tokens":9,"n_ctx":4}}"#, ErrorKind::ContextTooLong),
        (401, r#"{"error":{"message":"bad key"}}"#, ErrorKind::Auth),
        (402, r#"{"error":{"message":"no credit"}}"#, ErrorKind::RateLimited),
        (403, "forbidden", ErrorKind::Auth),
        (404, r#"{"error":{"message":"No endpoints found for m."}}"#, ErrorKind::Refused),
    ] {
        let error = failure(Script::status(status, body)).await;
        assert_eq!(
            (error.kind, error.status, &error.partial, error.reached),
            (kind, Some(status), &None, false),
            "{status} {body}"
        );
    }
    let error = failure(Script::status(204, "")).await;
    assert_eq!((error.kind, error.status, error.reached), (ErrorKind::BadResponse, Some(204), true));
}

#[tokio::test]
async fn passing_failures_are_tried_three_times() {
    for (status, kind) in [
        (408, ErrorKind::Timeout),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Overloaded),
        (502, ErrorKind::Overloaded),
        (503, ErrorKind::Overloaded),
        (504, ErrorKind::Timeout),
        (524, ErrorKind::Overloaded),
        (529, ErrorKind::Overloaded),
    ] {
        let (result, server) = ask([Script::status(status, "<html><title>Busy</title></html>")]).await;
        let error = result.unwrap_err();
        assert_eq!((error.kind, error.status, error.tries, server.count("m")), (kind, Some(status), 3, 3));
        assert!(error.message.contains("an HTML page, \"Busy\""), "{}", error.message);
    }
}

#[tokio::test]
async fn retry_after_is_reported_and_a_long_one_is_not_waited_for() {
    for status in [429, 503] {
        let (result, server) = ask([Script::status(status, "slow").header("Retry-After", "200")]).await;
        let error = result.unwrap_err();
        assert_eq!((error.retry_after_ms, error.tries, server.count("m")), (Some(200_000), 1, 1));
        assert!(
            error.message.ends_with("slow; it asked to wait 200 s, and a call waits 30 s at most"),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn the_longest_wait_can_be_set() {
    let server = ModelServer::start().await;
    server.script("m", [Script::status(429, "slow").header("Retry-After-Ms", "21"), Script::answer(TEXT)]);
    let ask = async |longest: u64| {
        let settings = settings(&server, &openai_compatible::KIND);
        let retry = RetryPolicy { longest_wait: Duration::from_millis(longest), ..settings.retry };
        registry(ProviderSettings { retry, ..settings }).chat(&request("m"), &mut NoSink).await
    };
    assert_eq!(ask(20).await.unwrap_err().tries, 1);
    server.script("m", [Script::status(429, "slow").header("Retry-After-Ms", "21"), Script::answer(TEXT)]);
    assert_eq!(ask(21).await.unwrap().tries, 2);
}

#[tokio::test]
async fn a_failure_that_does_not_pass_is_not_tried_again() {
    for status in [402, 409, 425, 501, 505, 520] {
        let script = Script::status(status, "no").header("Retry-After-Ms", "1");
        assert_eq!(failure(script).await.status, Some(status));
    }
}

#[tokio::test]
async fn a_short_retry_after_is_kept_and_then_the_answer_comes() {
    let busy = Script::status(429, "slow").header("Retry-After-Ms", "5");
    let (result, _) = ask([busy.clone(), busy, Script::answer(TEXT)]).await;
    let reply = result.unwrap();
    assert_eq!((reply.text.as_str(), reply.tries), (TEXT, 3));
}

#[tokio::test]
async fn an_error_inside_the_stream_ends_it() {
    let event = r#"{"error":{"code":502,"message":"upstream is gone"}}"#;
    let error = failure(Script::answer("half ").event(event)).await;
    assert_eq!((error.kind, error.status, partial_text(&error)), (ErrorKind::Overloaded, Some(502), "half "));
    assert!(error.message.contains("upstream is gone"));

    let error = failure(Script::answer("half ").finish("error")).await;
    assert_eq!((error.kind, partial_text(&error)), (ErrorKind::Overloaded, "half "));

    let (result, server) = ask([Script::answer("").event(event), Script::answer(TEXT)]).await;
    assert_eq!(
        (result.unwrap().text.as_str(), server.count("m")),
        (TEXT, 2),
        "before the first token: tried again"
    );
}

#[tokio::test]
async fn malformed_pieces_end_the_call() {
    for payload in ["{\"choices\":[{\"del", "<html>", "null", "oops"] {
        let error = failure(Script::answer("half ").event(payload)).await;
        assert_eq!((error.kind, partial_text(&error)), (ErrorKind::BadResponse, "half "), "{payload}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_answer_is_named() {
    for (script, words) in [
        (Script::raw("text/html", "<!doctype html><title>Log in</title>"), "an HTML page, \"Log in\""),
        (Script::raw("text/plain", "the backend is overloaded"), "the backend is overloaded"),
        (Script::raw("text/event-stream", ""), "empty"),
        (Script::raw("text/event-stream", ": keep-alive\n\n"), "no event stream"),
        (Script::raw("application/json", "{\"choices\": ["), "malformed JSON"),
        (Script::raw("application/json", "{}"), "empty answer"),
        (Script::raw("text/event-stream", "data: [DONE]\n\n"), "empty answer"),
        (Script::answer(""), "empty answer"),
    ] {
        let error = failure(script).await;
        assert_eq!(error.kind, ErrorKind::BadResponse, "{error:?}");
        assert!(error.message.contains(words), "{}", error.message);
        assert!(!(error.reached && words.contains("HTML page")), "{words}: nobody charges for it");
    }
}

#[tokio::test]
async fn a_whole_document_is_accepted_where_a_stream_was_asked_for() {
    let got = reply(Script::answer(TEXT).reasoning("hm").whole().in_writes_of(5)).await;
    assert_eq!((got.text.as_str(), got.reasoning.as_deref()), (TEXT, Some("hm")));
    assert_eq!(
        reply(Script::answer(TEXT).whole().header("content-type", "text/event-stream")).await.text,
        TEXT
    );
}

#[tokio::test]
async fn a_provider_without_streaming_is_asked_for_whole_replies() {
    let server = ModelServer::start().await;
    let registry =
        registry(ProviderSettings { stream: false, ..settings(&server, &openai_compatible::KIND) });
    server.script("m", [Script::answer(TEXT)]);
    assert_eq!(registry.chat(&request("m"), &mut NoSink).await.unwrap().text, TEXT);
    let body = &server.records()[0].request.body;
    assert_eq!((&body["stream"], body.get("stream_options")), (&json!(false), None));
    server.script("m", [Script::answer(TEXT).cut()]);
    let error = registry.chat(&request("m"), &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::Overloaded, 3));
}

#[tokio::test]
async fn reasoning_and_tool_calls_arrive_apart() {
    let details = json!([{"type": "reasoning.text", "text": "deep", "index": 0}]);
    let script = Script::answer(TEXT)
        .reasoning("hm, let me see. ")
        .delta(json!({"reasoning_details": details}))
        .tool_call(1, "b", "search_web", "{\"query\":\"ü\"}")
        .tool_call(0, "a", "search_web", "{}")
        .finish("tool_calls");
    let reply = reply(script).await;
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), (TEXT, Some("hm, let me see. deep")));
    assert_eq!(reply.reasoning_details, Some(details));
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("b", "{\"query\":\"ü\"}"), ("a", "{}")], "in the order in which they begin");
}

#[tokio::test]
async fn u0000_and_lone_surrogates_lose_nothing() {
    let event = r#"{"choices":[{"delta":{"content":"a\u0000b\ud800c"}}]}"#;
    assert_eq!(reply(Script::answer("").event(event)).await.text, "a\u{fffd}b\u{fffd}c");
}

#[tokio::test]
async fn a_character_that_was_cut_between_two_pieces_is_whole_again() {
    let piece = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    for bytes in [1, 5, 4096] {
        let script = Script::answer("").event(&piece(r"a\ud83d")).event(&piece(r"\ude00b"));
        assert_eq!(reply(script.in_writes_of(bytes)).await.text, "a😀b");
    }
    assert_eq!(reply(Script::answer("").event(&piece(r"a\ud83d"))).await.text, "a\u{fffd}");
    assert_eq!(reply(Script::answer("").event(&piece(r"\ude00a"))).await.text, "\u{fffd}a");
}

/// The pieces of an answer in words, as chat completions stream them.
const ONE: &str = r#"{"choices":[{"index":0,"delta":{"content":"one "}}]}"#;
const TWO: &str = r#"{"choices":[{"index":0,"delta":{"content":"two"}}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

#[tokio::test]
async fn streams_are_read_in_every_form_in_which_servers_send_them() {
    let usual = format!("data: {ONE}\n\ndata: {TWO}\n\ndata: {STOP}\n\ndata: [DONE]\n\n");
    let parts = TWO.replace("\"two\"", r#"[{"type":"text","text":"t"},{"type":"text","text":"wo"}]"#);
    let empty = r#"{"choices":[],"prompt_filter_results":[]}"#;
    let null = r#"{"choices":[{"index":0,"delta":null,"finish_reason":"null"}],"usage":null}"#;
    let message = r#"{"choices":[{"index":0,"message":{"content":"one two"},"finish_reason":"stop"}]}"#;
    for (what, body) in [
        ("usual", usual.clone()),
        ("CR", usual.replace('\n', "\r")),
        (
            "CRLF, a mark, comments, names",
            format!("\u{feff}: hi\n\nevent: x\nid: 1\n{usual}").replace('\n', "\r\n"),
        ),
        ("no blank", usual.replace("data: ", "data:")),
        ("no empty line", usual.replace("\n\n", "\n")),
        ("two in one line", format!("data: {ONE}{TWO}\n\ndata: {STOP}\n\n")),
        ("the name twice", usual.replace("data: ", "data: data: ")),
        ("the name lost", usual.replace(&format!("data: {STOP}\n\n"), &format!("{STOP}\n"))),
        ("content in parts", usual.replace(TWO, &parts)),
        ("pieces that say nothing", format!("data: {empty}\n\ndata: {null}\n\ndata\n\n{usual}")),
        ("all of it once more at the end", usual.replace(STOP, message)),
        ("a reason to stop beside every piece", usual.replace("}}]}", r#"},"finish_reason":"stop"}]}"#)),
        ("no end mark", usual.replace("data: [DONE]\n\n", "")),
        ("no finish reason", usual.replace(&format!("data: {STOP}\n\n"), "")),
    ] {
        for bytes in [1, 7, 4096] {
            let script = Script::raw("text/event-stream", body.clone()).in_writes_of(bytes);
            assert_eq!(reply(script).await.text, "one two", "{what}, {bytes} bytes at once");
        }
    }
}

#[tokio::test]
async fn a_reason_to_stop_beside_every_piece_does_not_make_a_cut_answer_whole() {
    let stopping = |piece: &str| piece.replace("}}]}", r#"},"finish_reason":"stop"}]}"#);
    let body = format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", stopping(ONE), stopping(TWO));
    let before_the_mark = body.len() - "data: [DONE]\n\n".len();
    let error = failure(Script::raw("text/event-stream", body).cut_at_byte(before_the_mark)).await;
    assert_eq!((error.kind, partial_text(&error)), (ErrorKind::BadResponse, "one two"));
}

#[tokio::test]
async fn an_error_is_told_in_whichever_way_a_server_puts_it_into_its_stream() {
    let error = r#"{"code":400,"message":"the request exceeds the available context size"}"#;
    for (what, line) in [
        ("as every event", format!("data: {{\"error\":{error}}}")),
        ("under a name of its own", format!("error: {error}")),
        ("without a name", format!("{{\"error\":{error}}}")),
        ("in the place of a piece", format!("event: error\ndata: {error}")),
    ] {
        let body = format!("data: {ONE}\n\n{line}\n\n");
        let error = failure(Script::raw("text/event-stream", body)).await;
        assert_eq!((error.kind, partial_text(&error)), (ErrorKind::ContextTooLong, "one "), "{what}");
        assert!(error.message.contains("exceeds the available"), "{what}: {}", error.message);
    }
}

#[tokio::test]
async fn an_answer_that_was_broken_off_is_none_and_one_that_was_cut_is_marked() {
    for reason in ["abort", "insufficient_system_resource"] {
        let error = failure(Script::answer("half ").finish(reason)).await;
        assert_eq!((error.kind, partial_text(&error)), (ErrorKind::Overloaded, "half "), "{reason}");
    }
    let cut = reply(Script::answer(TEXT).finish("model_length")).await;
    assert_eq!(cut.finish_reason.as_deref(), Some("length"));
}

#[tokio::test]
async fn a_huge_answer_is_cut_at_the_bound_and_kept() {
    let server = ModelServer::start().await;
    let registry = registry(ProviderSettings {
        max_answer_bytes: 10_000,
        ..settings(&server, &openai_compatible::KIND)
    });
    server.script("m", [Script::answer(&"word ".repeat(5_000)).stall()]);
    let error = registry.chat(&request("m"), &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, partial_text(&error).len()), (ErrorKind::BadResponse, 10_000));
    server.until(|records| records[0].outcome == Outcome::ClientGone).await;
}

#[tokio::test]
async fn an_endless_line_does_not_fill_the_memory() {
    let error =
        failure(Script::raw("text/event-stream", [b"data: ".to_vec(), vec![b'x'; 5 << 20]].concat()).stall())
            .await;
    assert_eq!(error.kind, ErrorKind::BadResponse);
    assert!(error.message.contains("too long"), "{}", error.message);
}

#[tokio::test]
async fn silence_is_a_timeout_and_the_connection_is_closed() {
    let server = ModelServer::start().await;
    let settings =
        ProviderSettings { retry: RetryPolicy::NEVER, ..settings(&server, &openai_compatible::KIND) };
    let registry = registry(settings);
    let limits = Timeouts { first_token_ms: 300, idle_ms: 300, total_ms: 60_000 };
    server.script("m", [Script::answer("").stall()]);
    let error =
        registry.chat(&ChatRequest { timeouts: limits, ..request("m") }, &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, partial_text(&error), error.reached), (ErrorKind::Timeout, "", true));
    server.until(|records| records[0].outcome == Outcome::ClientGone).await;

    let limits = Timeouts { first_token_ms: 60_000, ..limits };
    server.script("m", [Script::answer("half ").stall()]);
    let error =
        registry.chat(&ChatRequest { timeouts: limits, ..request("m") }, &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, partial_text(&error)), (ErrorKind::Timeout, "half "));
    server.until(|records| records[1].outcome == Outcome::ClientGone).await;
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    struct NotifyingSink<'a>(&'a Notify);
    #[async_trait]
    impl DeltaSink for NotifyingSink<'_> {
        async fn push(&mut self, chunk: &Chunk) {
            if chunk.is_token() {
                self.0.notify_one();
            }
        }
    }
    let server = ModelServer::start().await;
    server.script("m", [Script::answer("half ").stall()]);
    let registry = registry(settings(&server, &openai_compatible::KIND));
    let (told, request) = (Notify::new(), request("m"));
    let mut sink = NotifyingSink(&told);
    tokio::select! {
        result = registry.chat(&request, &mut sink) => panic!("{result:?}"),
        () = told.notified() => {}
    }
    server.until(|records| records[0].outcome == Outcome::ClientGone).await;
}

#[tokio::test]
async fn no_more_calls_are_in_flight_than_allowed() {
    let server = ModelServer::start().await;
    let gate = Gate::new();
    server.script("m", [Script::answer("").hold(&gate).text(TEXT)]);
    let registry =
        registry(ProviderSettings { max_in_flight: 2, ..settings(&server, &openai_compatible::KIND) });
    let request = request("m");
    let most = Mutex::new(0);
    let call = async || registry.chat(&request, &mut NoSink).await.unwrap().text;
    let watch = async {
        server.until(|records| records.len() == 2).await;
        *most.lock().unwrap() = server.count("m");
        gate.open();
    };
    let (a, b, c, ()) = tokio::join!(call(), call(), call(), watch);
    assert_eq!([a, b, c], [TEXT; 3]);
    assert_eq!((most.into_inner().unwrap(), server.count("m")), (2, 3));
}

#[tokio::test]
async fn no_error_holds_the_key_or_the_address() {
    let echo = format!("Incorrect key {KEY} given");
    let error = failure(Script::status(401, &json!({"error": {"message": echo}}).to_string())).await;
    assert!(error.message.ends_with("Incorrect key [redacted] given"), "{}", error.message);

    // A port that nobody listens on any more.
    let server = ModelServer::start().await;
    let settings = ProviderSettings {
        base_url: Some(format!("{}?token={KEY}", server.base_url())),
        ..settings(&server, &openai_compatible::KIND)
    };
    let address = server.base_url();
    drop(server);
    let registry = registry(settings);
    let error = registry.chat(&request("m"), &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, error.tries, error.reached), (ErrorKind::Overloaded, 3, false));
    assert!(error.message.starts_with("gate cannot be reached ("), "{}", error.message);
    let list = registry.models().await;
    for text in [format!("{error:?}"), format!("{list:?}")] {
        assert!(!text.contains(KEY) && !text.contains(&address), "{text}");
    }
}

#[tokio::test]
async fn openrouters_extensions_are_used() {
    let server = ModelServer::start().await;
    let usage = json!({"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6, "cost": 0.125,
                       "completion_tokens_details": {"reasoning_tokens": 1}});
    server.script("x/y", [Script::answer(TEXT).usage(usage)]);
    let headers = BTreeMap::from([("HTTP-Referer".to_owned(), "https://council.example".to_owned())]);
    let registry = registry(ProviderSettings { headers, ..settings(&server, &openrouter::KIND) });
    let reply = registry.chat(&request("x/y"), &mut NoSink).await.unwrap();
    let usage = reply.usage.unwrap();
    assert_eq!((usage.cost_usd, usage.reasoning_tokens), (Some(0.125), 1));
    let records = server.records();
    let sent = &records[0].request;
    assert_eq!(sent.body["usage"], json!({"include": true}));
    assert_eq!(sent.header("http-referer"), Some("https://council.example"), "the configured one wins");
    assert_eq!(sent.header("x-title"), Some("LLM Council"));
}

#[tokio::test]
async fn models_are_listed_with_their_prices_and_price_the_calls() {
    let server = ModelServer::start().await;
    let model = |id: &str, outputs: Value| {
        json!({"id": id, "name": id, "context_length": 8_000, "architecture": {"output_modalities": outputs},
               "pricing": {"prompt": "0.005", "completion": "0.01"}})
    };
    let list = json!({"data": [model("x/y", json!(["text"])), model("x/picture", json!(["image"]))]});
    server.models(Script::raw("application/json", list.to_string()));
    let registry = registry(settings(&server, &openai_compatible::KIND));
    let list = registry.models().await;
    assert_eq!(list.models.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(), ["x/y"]);
    assert_eq!(list.errors, []);
    let reply = registry.chat(&request("x/y"), &mut NoSink).await.unwrap();
    assert_eq!(reply.usage.unwrap().cost_usd, Some(10.0 * 0.005 + 5.0 * 0.01));
    registry.models().await;
    assert_eq!(server.other_records().len(), 1, "asked once");
}

#[tokio::test]
async fn a_list_of_models_that_cannot_be_read_is_reported() {
    for (script, words) in [
        (Script::status(404, "no"), "offers no list"),
        (Script::status(500, "down"), "(HTTP 500): down"),
        (Script::raw("application/json", "{\"data\": "), "malformed"),
        (Script::raw("application/json", "{\"error\": \"no\"}"), "in no known form"),
        (Script::raw("application/json", "{\"data\": []}").cut_at_byte(5), "lost the connection"),
    ] {
        let server = ModelServer::start().await;
        server.models(script);
        let list = registry(settings(&server, &openai_compatible::KIND)).models().await;
        assert_eq!((list.models.len(), list.errors.len()), (0, 1));
        assert!(list.errors[0].message.contains(words), "{}", list.errors[0].message);
    }
}
