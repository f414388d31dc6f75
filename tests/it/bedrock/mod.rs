//! Amazon Bedrock: what is asked and how it is let in, every way in which it can go wrong, its regions, and whole runs.

mod credentials;
mod embeddings;
mod faults;
mod regions;
mod runs;
mod signature;

use std::time::Duration;

use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::{
    CallError, ChatMessage, ChatRequest, Models as _, NoSink, ProviderSettings, Registry, Reply, RetryPolicy,
    bedrock,
};

use crate::support::model_server::{ModelServer, Script};

const KEY: &str = "bedrock-key-hidden-0123456789";
const MODEL: &str = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

/// A provider `aws` that asks this server with a bearer key.
fn settings(server: &ModelServer) -> ProviderSettings {
    ProviderSettings {
        base_url: Some(server.base_url()),
        api_key: Some(KEY.to_owned().into()),
        retry: RetryPolicy { base: Duration::from_millis(1), ..RetryPolicy::default() },
        ..ProviderSettings::new("aws", &bedrock::KIND)
    }
    .with("control_url", server.base_url())
}

fn registry(settings: ProviderSettings) -> Registry {
    let name = settings.name.clone();
    Registry::new(vec![settings], &name).expect("good settings")
}

fn request(model: &str) -> ChatRequest {
    ChatRequest { seed: 1, ..ChatRequest::new(model, &ANSWER, vec![ChatMessage::user("Why?")]) }
}

/// Asks a server with these scripts.
async fn ask(scripts: impl IntoIterator<Item = Script>) -> (Result<Reply, CallError>, ModelServer) {
    let server = ModelServer::start().await;
    server.script(MODEL, scripts);
    let registry = registry(settings(&server));
    (registry.chat(&request(MODEL), &mut NoSink).await, server)
}

/// The error of a script that must fail, at the first try.
async fn failure(script: Script) -> CallError {
    let (result, server) = ask([script]).await;
    let error = result.expect_err("a failure");
    assert_eq!((error.tries, server.count(MODEL)), (1, 1), "{error:?}");
    assert!(!error.message.contains(KEY), "{}", error.message);
    error
}

fn partial_text(error: &CallError) -> &str {
    error.partial.as_ref().map_or("", |partial| partial.text.as_str())
}
