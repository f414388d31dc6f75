//! A reply that is to be a vector.

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};

use super::super::breaker::Breaker;
use super::super::error::{CallError, ErrorKind};
use super::super::limit::InFlight;
use super::super::metrics::CallWatch;
use super::super::purpose::ANY;
use super::super::retry::RetryPolicy;
use super::super::schema::Refusals;
use super::super::{ChatRequest, Chunk, Chunks, Embedding, ModelInfo, NoSink, Provider, Reply};
use super::Caller;

/// Answers with these chunks.
struct Gives(Vec<Chunk>);

#[async_trait]
impl Provider for Gives {
    async fn open(&self, _request: &ChatRequest) -> Result<Chunks, CallError> {
        panic!("no words are asked for");
    }

    async fn embed(&self, _request: &ChatRequest) -> Result<Chunks, CallError> {
        Ok(stream::iter(self.0.clone().into_iter().map(Ok)).boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }
}

/// Implements only what every provider must have.
struct Wordy;

#[async_trait]
impl Provider for Wordy {
    async fn open(&self, _request: &ChatRequest) -> Result<Chunks, CallError> {
        panic!("no words are asked for");
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }
}

async fn ask(provider: &dyn Provider) -> Result<Reply, CallError> {
    let caller = Caller {
        name: "gate",
        watch: &CallWatch::begin("gate", "m", "chat"),
        provider,
        places: &InFlight::new(1),
        breaker: &Breaker::new("gate"),
        retry: &RetryPolicy::default(),
        schema_refusals: &Refusals::default(),
        tool_refusals: &Refusals::default(),
        max_answer_bytes: 100,
    };
    caller.call(&ChatRequest::embedding("m", &ANY, "Why?"), &mut NoSink).await
}

#[tokio::test(start_paused = true)]
async fn a_vector_is_a_whole_reply() {
    // Longer than an answer may be: it has a bound of its own.
    let vector = vec![0.5; 1_000];
    let reply = ask(&Gives(vec![Chunk::Embedding(vector.clone())])).await.unwrap();
    let embedding = Some(Embedding::new(vector).unwrap());
    assert_eq!(reply, Reply { embedding, tries: 1, ..Reply::default() });
}

#[tokio::test(start_paused = true)]
async fn words_in_the_place_of_a_vector_are_a_bad_response() {
    let table = [
        (vec![], "gate: `m` gave no embedding"),
        (vec![Chunk::Text("One.".into()), Chunk::Finish("stop".into())], "gate: `m` gave no embedding"),
        (vec![Chunk::Embedding(vec![])], "gate: `m` gave an embedding without a component"),
    ];
    for (chunks, message) in table {
        let error = ask(&Gives(chunks)).await.unwrap_err();
        assert_eq!((error.kind, error.message.as_str(), error.tries), (ErrorKind::BadResponse, message, 1));
        assert!(error.reached);
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_without_embeddings_refuses() {
    let error = ask(&Wordy).await.unwrap_err();
    assert_eq!((error.kind, error.tries, error.reached), (ErrorKind::Refused, 1, false));
    assert_eq!(error.message, "the provider of `m` offers no embeddings");
}
