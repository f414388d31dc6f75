//! A provider without a network: made-up, labelled answers at a configurable pace, the same for
//! the same seed. For newcomers without a key, for demonstrations and for tests.
//!
//! Any model id is accepted. Parts of an id make it misbehave: `/fails` fails as if overloaded, `/cut` breaks off in
//! the middle, `/slow` takes ten times as long, `/reasons` reasons first, `/blind` accepts no images.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use serde::Deserialize;
use tokio::time::{Instant, sleep_until};

use super::embedding_call;
use super::error::{CallError, ErrorKind};
use super::kind::{OwnKey, OwnValue};
use super::reply::Usage;
use super::request::ChatRequest;
use super::retry::RetryPolicy;
use super::settings::{ProviderKind, ProviderSettings};
use super::simulated_text as text;
use super::{
    Chunk, Chunks, ModelInfo, Pricing, Provider, Schemas, family, simulated_embedding, simulated_tools,
};

/// The ids on offer, each of a different invented maker.
pub const MODELS: [&str; 5] = ["aurora/large", "boreal/chat", "cedar/pro", "dune/reasons", "ember/mini"];

const CONTEXT_TOKENS: u64 = 128_000;

/// The kind `simulated`.
pub const KIND: ProviderKind = ProviderKind {
    name: "simulated",
    implied_by: &[],
    keys: &[
        OwnKey {
            name: "tokens_per_second",
            value: OwnValue::Number(1, 1_000_000),
            default: "40",
            doc: "How fast a simulated model writes.",
            example: "",
        },
        OwnKey {
            name: "first_token_ms",
            value: OwnValue::Number(0, 600_000),
            default: "400",
            doc: "How long a simulated model thinks before it writes.",
            example: "",
        },
    ],
    variables: &[],
    reads: &[],
    // A simulation gives the same answer when asked again.
    retry: RetryPolicy::NEVER,
    built_in_council: Some("simulated"),
    check: |_| Vec::new(),
    build: |settings, _| Ok(Box::new(Simulated::new(settings)?)),
};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Own {
    /// 0 writes everything at once.
    tokens_per_second: u32,
    first_token_ms: u64,
}

impl Default for Own {
    fn default() -> Self {
        Self { tokens_per_second: 40, first_token_ms: 400 }
    }
}

/// The simulated provider.
pub(super) struct Simulated {
    name: String,
    tokens_per_second: u32,
    first_token: Duration,
}

impl Simulated {
    pub fn new(settings: &ProviderSettings) -> Result<Self, Vec<String>> {
        let Own { tokens_per_second, first_token_ms } = settings.read_own()?;
        let first_token = Duration::from_millis(first_token_ms);
        Ok(Self { name: settings.name.clone(), tokens_per_second, first_token })
    }

    /// When the nth chunk is due; `None` at pace 0, which uses no timers.
    fn schedule(&self, model: &str) -> Option<impl Fn(u32) -> Duration + Send + 'static> {
        if self.tokens_per_second == 0 {
            return None;
        }
        let slowness = if model.contains("/slow") { 10 } else { 1 };
        let first = self.first_token.saturating_mul(slowness);
        let step = Duration::from_secs(1).saturating_mul(slowness) / self.tokens_per_second;
        Some(move |n| first.saturating_add(step.saturating_mul(n)))
    }

    /// The pieces of a reply, each when it is due.
    fn paced(&self, model: &str, items: Vec<Result<Chunk, CallError>>) -> Chunks {
        let Some(due) = self.schedule(model) else {
            return stream::iter(items).boxed();
        };
        let started = Instant::now();
        stream::iter(items)
            .zip(stream::iter(0u32..))
            .then(move |(item, n)| {
                let due = started + due(n);
                async move {
                    sleep_until(due).await;
                    item
                }
            })
            .boxed()
    }

    /// # Errors
    /// An overload, if the model's id asks for one.
    fn admit(&self, model: &str) -> Result<(), CallError> {
        if !model.contains("/fails") {
            return Ok(());
        }
        let message = format!("{}: `{model}` is simulated to be overloaded", self.name);
        Err(CallError::new(ErrorKind::Overloaded, message))
    }
}

#[async_trait]
impl Provider for Simulated {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.admit(&request.model)?;
        Ok(self.paced(&request.model, reply(request, &self.name)))
    }

    async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.admit(&request.model)?;
        let vector = simulated_embedding::vector(&embedding_call::text_of(request)?);
        let usage = usage(request, "", "");
        let chunks = if request.model.contains("/cut") {
            vec![Err(cut(request, &self.name))]
        } else {
            vec![Ok(Chunk::Embedding(vector)), Ok(Chunk::Usage(usage))]
        };
        Ok(self.paced(&request.model, chunks))
    }

    fn offers_embeddings(&self, _model: &str) -> bool {
        true
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(MODELS
            .iter()
            .map(|id| ModelInfo {
                id: (*id).to_owned(),
                name: format!("{id} (simulated)"),
                context_length: Some(CONTEXT_TOKENS),
                pricing: Some(Pricing::default()),
                provider: self.name.clone(),
                family: family(id).to_owned(),
                structured_outputs: true,
                tools: Some(true),
                images: None,
                canonical: None,
                region: None,
            })
            .collect())
    }

    fn sees_images(&self, model: &str) -> bool {
        !model.contains("/blind")
    }

    fn schemas(&self) -> Schemas {
        Schemas::Always
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

/// Everything one reply consists of, in order.
fn reply(request: &ChatRequest, provider: &str) -> Vec<Result<Chunk, CallError>> {
    if let Some(call) = simulated_tools::call(request) {
        let usage = Chunk::Usage(usage(request, "", &call.arguments));
        let call =
            Chunk::ToolCall { index: 0, id: Some(call.id), name: Some(call.name), arguments: call.arguments };
        return [call, Chunk::Finish("tool_calls".into()), usage].into_iter().map(Ok).collect();
    }
    let reasoning = if request.model.contains("/reasons") { text::reasoning(request) } else { String::new() };
    let answer = simulated_tools::citing(text::write(request), request);
    let usage = usage(request, &reasoning, &answer);
    let mut chunks: Vec<Chunk> = words(&reasoning).map(|word| Chunk::Reasoning(word.to_owned())).collect();
    let words: Vec<&str> = words(&answer).collect();
    let is_cut = request.model.contains("/cut");
    let shown = if is_cut { words.len() / 2 } else { words.len() };
    chunks.extend(words.into_iter().take(shown).map(|word| Chunk::Text(word.to_owned())));
    if is_cut {
        return chunks.into_iter().map(Ok).chain([Err(cut(request, provider))]).collect();
    }
    chunks.push(Chunk::Finish("stop".into()));
    chunks.push(Chunk::Usage(usage));
    chunks.into_iter().map(Ok).collect()
}

fn cut(request: &ChatRequest, provider: &str) -> CallError {
    let message = format!("{provider}: the stream of `{}` was cut, as simulated", request.model);
    CallError::new(ErrorKind::BadResponse, message)
}

/// Pieces of a text that give it back when joined: each word with the white space after it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ').flat_map(|piece| piece.split_inclusive('\n'))
}

/// Four bytes a token, as a rough measure.
fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

fn usage(request: &ChatRequest, reasoning: &str, answer: &str) -> Usage {
    let prompt_tokens = tokens(request.messages.iter().map(|message| message.content.len()).sum());
    let reasoning_tokens = tokens(reasoning.len());
    let completion_tokens = reasoning_tokens + tokens(answer.len());
    Usage {
        prompt_tokens,
        completion_tokens,
        reasoning_tokens,
        cached_tokens: 0,
        cache_write_tokens: 0,
        cache_saved_usd: None,
        total_tokens: prompt_tokens + completion_tokens,
        cost_usd: Some(0.0),
        cost_source: None,
    }
}

#[cfg(test)]
#[path = "simulated_tests.rs"]
mod tests;
