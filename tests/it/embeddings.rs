//! Vectors are asked for like answers: the same limits, retries and prices, and no fault of a server becomes a vector.

use std::time::Duration;

use llm_council::council::pricing;
use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::presets::{self, Addresses, KeyHeader, PRESETS};
use llm_council::llm::{
    CallError, ChatRequest, CostSource, ErrorKind, Models as _, NoSink, ProviderKind, ProviderSettings,
    Registry, Reply, RetryPolicy, Sampling, Schema, Timeouts, Tool, openai_compatible, openrouter, simulated,
    simulated_embedding,
};
use serde_json::{Value, json};

use crate::support::model_server::{ModelServer, Script};

const KEY: &str = "sk-hidden-0123456789";
const TEXT: &str = "Why does the tide turn twice a day?";

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
    ChatRequest { seed: 1, ..ChatRequest::embedding(model, &ANSWER, TEXT) }
}

/// Asks the model `m` of a server with these scripts.
async fn ask(scripts: impl IntoIterator<Item = Script>) -> (Result<Reply, CallError>, ModelServer) {
    let server = ModelServer::start().await;
    server.script("m", scripts);
    let registry = registry(settings(&server, &openai_compatible::KIND));
    (registry.chat(&request("m"), &mut NoSink).await, server)
}

/// The error of a script that must fail, at the first try.
async fn failure(script: Script) -> CallError {
    let (result, server) = ask([script]).await;
    let error = result.expect_err("a failure");
    assert_eq!((error.tries, server.embedding_records().len()), (1, 1), "{error:?}");
    assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    error
}

fn components(reply: &Reply) -> &[f32] {
    reply.embedding.as_ref().expect("a vector").components()
}

fn json_script(document: &Value) -> Script {
    Script::raw("application/json", document.to_string())
}

#[tokio::test]
async fn a_vector_comes_in_the_place_of_words() {
    let server = ModelServer::start().await;
    let registry = registry(settings(&server, &openai_compatible::KIND));
    // What is for words plays no part.
    let mut request = request("gate:m");
    request.sampling = Sampling { temperature: Some(0.5), max_tokens: Some(9) };
    request.schema = Some(Schema::new("word", json!({"type": "object"})));
    request.tools = vec![Tool { name: "f".into(), description: "Does.".into(), parameters: json!({}) }];
    let reply = registry.chat(&request, &mut NoSink).await.unwrap();
    assert_eq!(components(&reply), simulated_embedding::vector(TEXT));
    assert_eq!((reply.text.as_str(), reply.tries, reply.tools_refused, reply.ttft_ms), ("", 1, false, None));
    assert_eq!((reply.served_by.as_deref(), reply.usage.unwrap().prompt_tokens), (Some("m"), 10));
    let sent = &server.embedding_records()[0].request;
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/v1/embeddings"));
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(sent.body, json!({"model": "m", "input": TEXT}));
    assert!(server.records().is_empty(), "no words are asked for");
    // Kept in a journal, it is the same again.
    let stored = serde_json::to_string(&reply).unwrap();
    assert_eq!(serde_json::from_str::<Reply>(&stored).unwrap(), reply);
}

#[tokio::test]
async fn the_server_decides_by_request_what_a_vector_is() {
    let server = ModelServer::start().await;
    server.embeddings(|request| {
        request.embedded().contains("tide").then(|| Script::embedding([0.0, 1.0]).served_by("m-2"))
    });
    let registry = registry(settings(&server, &openai_compatible::KIND));
    let reply = registry.chat(&request("m"), &mut NoSink).await.unwrap();
    assert_eq!((components(&reply), reply.served_by.as_deref()), ([0.0, 1.0].as_slice(), Some("m-2")));
    let other = ChatRequest::embedding("m", &ANSWER, "Which database?");
    let reply = registry.chat(&other, &mut NoSink).await.unwrap();
    assert_eq!(components(&reply), simulated_embedding::vector("Which database?"));
}

#[tokio::test]
async fn base64_is_read_as_well() {
    let document = json!({"data": [{"embedding": "AACAPwAAIMA="}]});
    let (result, _) = ask([json_script(&document)]).await;
    assert_eq!(components(&result.unwrap()), [1.0, -2.5]);
}

#[tokio::test]
async fn passing_failures_are_tried_again() {
    for (status, kind) in [
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Overloaded),
        (503, ErrorKind::Overloaded),
        (504, ErrorKind::Timeout),
    ] {
        let down = Script::status(status, "down").header("Retry-After-Ms", "1");
        let (result, server) = ask([down.clone(), down.clone(), Script::embedding([1.0])]).await;
        assert_eq!((result.unwrap().tries, server.embedding_records().len()), (3, 3), "{status}");
        let error = ask([down]).await.0.unwrap_err();
        assert_eq!((error.kind, error.tries), (kind, 3), "{status}");
    }
    let (result, _) = ask([Script::embedding([1.0]).cut_at_byte(9), Script::embedding([1.0])]).await;
    assert_eq!(result.unwrap().tries, 2, "a connection that broke");
}

#[tokio::test]
async fn refusals_have_their_kinds_and_hide_the_key() {
    for (status, words, kind) in [
        (400, "bad input", ErrorKind::Refused),
        (400, "maximum context length is 8192 tokens", ErrorKind::ContextTooLong),
        (401, "Incorrect API key provided: {key}", ErrorKind::Auth),
        (402, "no credit", ErrorKind::RateLimited),
        (404, "No such model.", ErrorKind::Refused),
        (413, "too large", ErrorKind::ContextTooLong),
    ] {
        let body = json!({"error": {"message": words.replace("{key}", KEY)}}).to_string();
        let error = failure(Script::status(status, &body)).await;
        assert_eq!((error.kind, error.status, error.reached), (kind, Some(status), false), "{error:?}");
    }
    let within =
        failure(json_script(&json!({"error": {"message": "Bad key sk-hidden-0123456789", "code": 401}})));
    assert_eq!(within.await.kind, ErrorKind::Auth);
}

#[tokio::test]
async fn what_is_no_vector_is_a_bad_response() {
    let with = |vector: Value| json!({"data": [{"embedding": vector}], "usage": {"prompt_tokens": 7}});
    let page = Script::raw("text/html", "<html><title>Busy</title></html>");
    for (script, words) in [
        (Script::status(204, ""), "an empty answer (HTTP 204)"),
        (Script::raw("application/json", ""), "malformed JSON"),
        (Script::raw("application/json", "{\"data\": ["), "malformed JSON"),
        (Script::raw("application/json", "[[[[".repeat(100_000)), "malformed JSON"),
        (Script::raw("application/json", "{\"data\":[{\"embedding\":[NaN]}]}"), "malformed JSON"),
        (Script::raw("application/json", vec![0xff; 200]), "malformed JSON"),
        (page, "malformed JSON"),
        (Script::raw("application/json", " ".repeat(5 << 20)), "is too long"),
        (json_script(&json!({})), "no embedding in a known form"),
        (json_script(&json!({"data": []})), "no embedding in a known form"),
        (json_script(&with(json!("not base64"))), "no embedding in a known form"),
        (json_script(&with(json!([1, "2"]))), "no embedding in a known form"),
        (json_script(&with(json!([]))), "an embedding without a component"),
        (json_script(&with(json!([0, 0.0]))), "whose components are all 0"),
        (json_script(&with(json!([1, 1e39]))), "a component that is not a finite number"),
        (json_script(&with(json!("AADAfw=="))), "a component that is not a finite number"),
        (json_script(&with(json!(vec![1; 4097]))), "of 4097 components"),
        (Script::answer("I am a model of words."), "no embedding in a known form"),
    ] {
        let error = failure(script).await;
        assert_eq!((error.kind, error.reached), (ErrorKind::BadResponse, true), "{words}: {error:?}");
        assert!(error.message.contains(words), "{words}: {}", error.message);
    }
    let paid = failure(json_script(&with(json!([0])))).await;
    assert_eq!(paid.partial.unwrap().usage.unwrap().prompt_tokens, 7, "it is charged all the same");
}

#[tokio::test]
async fn only_the_whole_time_of_a_call_is_limited() {
    let server = ModelServer::start().await;
    server.script("m", [Script::embedding([1.0]).pause(Duration::from_millis(60))]);
    server.script("silent", [Script::embedding([1.0]).stall()]);
    let registry = registry(settings(&server, &openai_compatible::KIND));
    let timeouts = Timeouts { first_token_ms: 1, idle_ms: 1, total_ms: 60_000 };
    registry.chat(&ChatRequest { timeouts, ..request("m") }, &mut NoSink).await.unwrap();
    let timeouts = Timeouts { total_ms: 50, ..timeouts };
    let error = registry.chat(&ChatRequest { timeouts, ..request("silent") }, &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, error.reached), (ErrorKind::Timeout, true));
    assert!(error.message.ends_with("`silent` did not finish within 50 ms"), "{}", error.message);
}

#[tokio::test]
async fn nothing_is_asked_for_nothing() {
    let server = ModelServer::start().await;
    let simulated = ProviderSettings::new("sim", &simulated::KIND);
    let providers = vec![settings(&server, &openai_compatible::KIND), simulated];
    let registry = Registry::new(providers, "gate").unwrap();
    for model in ["m", "sim:aurora/large"] {
        let empty = ChatRequest::embedding(model, &ANSWER, " \n");
        let error = registry.chat(&empty, &mut NoSink).await.unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Refused, "there is no text to embed"));
    }
    assert!(server.embedding_records().is_empty());
}

#[tokio::test]
async fn openrouter_says_what_it_cost() {
    let server = ModelServer::start().await;
    let model = "openai/text-embedding-3-small";
    let usage = json!({"prompt_tokens": 8, "total_tokens": 8, "cost": 0.000_000_16});
    server.script(model, [Script::embedding([1.0]).usage(usage)]);
    server.models(json_script(&json!({"data": [{"id": "openai/gpt-5.1"}]})));
    let registry = registry(settings(&server, &openrouter::KIND));
    registry.refresh_models().await;
    // It is on no list of models that write, and asked all the same.
    let usage = registry.chat(&request(model), &mut NoSink).await.unwrap().usage.unwrap();
    assert_eq!((usage.cost_usd, usage.cost_source), (Some(0.000_000_16), Some(CostSource::Reported)));
    assert_eq!(server.embedding_records()[0].request.header("x-title"), Some("LLM Council"));
}

#[tokio::test]
async fn a_vector_costs_what_its_prompt_costs() {
    let server = ModelServer::start().await;
    let registry = registry(settings(&server, &openai_compatible::KIND));
    for (model, per_million) in [("text-embedding-3-small", 0.02), ("text-embedding-3-large", 0.13)] {
        let usage = json!({"prompt_tokens": 1_000, "completion_tokens": 50, "total_tokens": 1_000});
        server.script(model, [Script::embedding([1.0]).usage(usage)]);
        let usage = registry.chat(&request(model), &mut NoSink).await.unwrap().usage.unwrap();
        let near = |usd: f64, expected: f64| (usd - expected).abs() < 1e-15;
        assert!(near(usage.cost_usd.unwrap(), per_million / 1e3), "{usage:?}");
        assert_eq!((usage.cost_source, usage.completion_tokens), (Some(CostSource::BuiltIn), 0));
        // 35 characters are 9 tokens, and nothing is written.
        let expected = pricing::of_request(&request(model), &registry).unwrap();
        assert!(near(expected, 9.0 * per_million / 1e6), "{expected}");
    }
}

#[tokio::test]
async fn presets_are_asked_at_their_address_or_refuse() {
    for preset in PRESETS {
        let server = ModelServer::start().await;
        let base = server.base_url();
        let (base, path) = match preset.addresses {
            Addresses::Plain => (base.as_str(), "/v1/embeddings"),
            Addresses::Azure => (base.trim_end_matches("/v1"), "/openai/v1/embeddings"),
        };
        let settings = settings(&server, &openai_compatible::KIND).with("preset", preset.name);
        let registry = registry(ProviderSettings { base_url: Some(base.to_owned()), ..settings });
        let result = registry.chat(&request("m"), &mut NoSink).await;
        let asked = server.embedding_records();
        if !preset.embeddings {
            let error = result.expect_err(preset.name);
            assert_eq!((error.kind, error.tries, error.reached), (ErrorKind::Refused, 1, false));
            assert_eq!(error.message, "gate offers no embeddings");
            assert!(asked.is_empty(), "{}", preset.name);
            continue;
        }
        result.expect(preset.name);
        let sent = &asked[0].request;
        let key = match preset.key_header {
            KeyHeader::Bearer => sent.header("authorization").and_then(|value| value.strip_prefix("Bearer ")),
            KeyHeader::Named(name) => sent.header(name),
        };
        assert_eq!((sent.path.as_str(), key), (path, Some(KEY)), "{}", preset.name);
    }
    let without: Vec<&str> = PRESETS.iter().filter(|it| !it.embeddings).map(|it| it.name).collect();
    assert_eq!(without, ["anthropic", "deepseek", "groq", "perplexity", "straico", "xai"]);
}

#[tokio::test]
async fn a_dated_version_of_azure_has_the_deployment_in_its_path() {
    let server = ModelServer::start().await;
    let azure = presets::named("azure").unwrap().name;
    let base_url = Some(server.base_url().trim_end_matches("/v1").to_owned());
    let settings = ProviderSettings { base_url, ..settings(&server, &openai_compatible::KIND) };
    let settings = settings.with("preset", azure).with("api_version", "2024-10-21");
    registry(settings).chat(&request("our vectors"), &mut NoSink).await.unwrap();
    let sent = &server.embedding_records()[0].request;
    assert_eq!(sent.path, "/openai/deployments/our%20vectors/embeddings?api-version=2024-10-21");
    assert_eq!((sent.header("api-key"), sent.header("authorization")), (Some(KEY), None));
}

#[tokio::test]
async fn simulated_vectors_are_the_same_again_and_cost_nothing() {
    let fast = ProviderSettings::new("sim", &simulated::KIND).with("first_token_ms", 0);
    let registry = registry(fast);
    let vector = async |text: &str, seed: u64| {
        let request = ChatRequest { seed, ..ChatRequest::embedding("aurora/large", &ANSWER, text) };
        let reply = registry.chat(&request, &mut NoSink).await.unwrap();
        let usage = reply.usage.unwrap();
        assert_eq!((usage.cost_usd, usage.completion_tokens), (Some(0.0), 0));
        reply.embedding.unwrap()
    };
    let one = vector(TEXT, 1).await;
    assert_eq!((one.dimension(), vector(TEXT, 2).await == one), (256, true));
    assert_ne!(vector("Which database?", 1).await, one);
    assert!(registry.is_simulated("aurora/large"), "which is how they are labelled");
    for (model, kind) in [("x/fails", ErrorKind::Overloaded), ("x/cut", ErrorKind::BadResponse)] {
        assert_eq!(registry.chat(&request(model), &mut NoSink).await.unwrap_err().kind, kind);
    }
}
