//! Vectors of Bedrock's models, each asked in its own form.

use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::{
    CallError, ChatRequest, CostSource, ErrorKind, Models as _, NoSink, Registry, Reply, simulated_embedding,
};
use serde_json::{Value, json};

use super::credentials::signing;
use super::signature::{ACCESS_KEY, SECRET, region_of};
use super::{KEY, registry, settings};
use crate::support::model_server::{ModelServer, Script};

const TEXT: &str = "Why does the tide turn?";
const TITAN: &str = "amazon.titan-embed-text-v2:0";

async fn ask(registry: &Registry, model: &str) -> Result<Reply, CallError> {
    let request = ChatRequest { seed: 1, ..ChatRequest::embedding(model, &ANSWER, TEXT) };
    registry.chat(&request, &mut NoSink).await
}

/// Each model, what it is sent, and what a million tokens cost.
fn models() -> [(&'static str, Value, f64); 4] {
    let cohere = || json!({"texts": [TEXT], "input_type": "search_query"});
    [
        (TITAN, json!({ "inputText": TEXT }), 0.02),
        ("cohere.embed-english-v3", cohere(), 0.1),
        ("cohere.embed-multilingual-v3", cohere(), 0.1),
        ("eu.cohere.embed-v4:0", cohere(), 0.12),
    ]
}

#[tokio::test]
async fn each_model_is_asked_in_its_own_form_with_a_bearer_key() {
    let server = ModelServer::start().await;
    let registry = registry(settings(&server));
    // On no list of models that write, and asked all the same.
    registry.refresh_models().await;
    for (at, (model, body, per_million)) in models().into_iter().enumerate() {
        let reply = ask(&registry, model).await.unwrap();
        assert_eq!(reply.embedding.unwrap().components(), simulated_embedding::vector(TEXT), "{model}");
        let usage = reply.usage.unwrap();
        assert_eq!((usage.prompt_tokens, usage.cost_source), (10, Some(CostSource::BuiltIn)), "{model}");
        assert!((usage.cost_usd.unwrap() - per_million / 1e5).abs() < 1e-15, "{model}: {usage:?}");
        let price = registry.price(model, 10).unwrap();
        assert!((price.prompt * 1e6 - per_million).abs() < 1e-9 && price.completion == 0.0, "{model}");
        let sent = &server.embedding_records()[at].request;
        assert_eq!(sent.body, body, "{model}");
        assert_eq!(sent.path, format!("/v1/model/{}/invoke", model.replace(':', "%3A")));
        assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert_eq!(sent.header("accept"), Some("application/json"));
    }
    assert!(server.records().is_empty());
}

#[tokio::test]
async fn requests_are_signed_for_the_region_of_the_model() {
    let server = ModelServer::start().await;
    let env =
        [("AWS_ACCESS_KEY_ID", ACCESS_KEY), ("AWS_SECRET_ACCESS_KEY", SECRET), ("AWS_REGION", "eu-west-1")];
    let registry = registry(signing(&server, "environment", &env));
    for (model, _, per_million) in models() {
        for (id, region) in [(model.to_owned(), "eu-west-1"), (format!("ap-south-1/{model}"), "ap-south-1")] {
            let usage = ask(&registry, &id).await.unwrap().usage.unwrap();
            assert!((usage.cost_usd.unwrap() - per_million / 1e5).abs() < 1e-15, "{id}: {usage:?}");
            let sent = server.embedding_records().pop().unwrap().request;
            assert_eq!((region_of(&sent, SECRET).as_str(), sent.model.as_str()), (region, model), "{id}");
        }
    }
}

#[tokio::test]
async fn a_model_whose_form_nobody_knows_is_not_asked() {
    let server = ModelServer::start().await;
    let registry = registry(settings(&server));
    let arn = "arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/abc";
    for model in ["anthropic.claude-sonnet-4-6", "amazon.titan-embed-image-v1", arn] {
        let error = ask(&registry, model).await.unwrap_err();
        assert_eq!((error.kind, error.tries, error.reached), (ErrorKind::Refused, 1, false), "{model}");
        assert!(error.message.contains("for embeddings is not known"), "{}", error.message);
    }
    assert!(server.embedding_records().is_empty());
}

#[tokio::test]
async fn faults_have_their_kinds_and_passing_ones_are_tried_again() {
    let raw = |body: &str| Script::raw("application/json", body);
    for (script, kind, tries) in [
        (Script::refusal(429, "ThrottlingException", "Slow down."), ErrorKind::RateLimited, 3),
        (Script::refusal(500, "InternalServerException", "x"), ErrorKind::Overloaded, 3),
        (Script::refusal(403, "AccessDeniedException", &format!("No, {KEY}.")), ErrorKind::Auth, 1),
        (Script::refusal(400, "ValidationException", "Too many input tokens."), ErrorKind::ContextTooLong, 1),
        (Script::status(404, "<html>"), ErrorKind::Refused, 1),
        (raw("{}"), ErrorKind::BadResponse, 1),
        (raw("{\"embedding\": [0, 0]}"), ErrorKind::BadResponse, 1),
        (raw("{\"embedding\": [1"), ErrorKind::BadResponse, 1),
        (raw(&" ".repeat(5 << 20)), ErrorKind::BadResponse, 1),
        (Script::embedding(vec![1.0; 4097]), ErrorKind::BadResponse, 1),
    ] {
        let server = ModelServer::start().await;
        server.script(TITAN, [script]);
        let error = ask(&registry(settings(&server)), TITAN).await.unwrap_err();
        assert_eq!((error.kind, error.tries), (kind, tries), "{error:?}");
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    }
    let server = ModelServer::start().await;
    let down = Script::refusal(503, "ServiceUnavailableException", "x");
    server.script(TITAN, [down, Script::embedding([1.0])]);
    assert_eq!(ask(&registry(settings(&server)), TITAN).await.unwrap().tries, 2);
}
