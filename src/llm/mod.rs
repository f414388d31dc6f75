//! Calls to language models: providers behind one small trait, and what every call gets whichever provider serves it:
//! timeouts, retries before the first token, a limit on calls in flight, a circuit breaker, a size limit on the answer,
//! and a clear error kind.
//!
//! Imports only the leaves `invisible`, `sigv4`, `sse` and `trace`. Start at [`Models::chat`]. A new kind of provider
//! is one file, with its [`ProviderKind`] and its [`Provider`], and one line in `kinds.rs`.

mod assemble;
pub mod bedrock;
#[doc(hidden)]
pub mod bench;
mod breaker;
pub mod budget;
mod chat_completions;
mod citation;
mod citations_json;
pub mod clean;
pub mod client;
pub mod embedding;
mod embedding_call;
mod embeddings_json;
mod endpoint;
pub mod error;
pub mod exchange;
pub mod fact;
mod headers;
pub mod image;
mod incoming;
mod json_body;
pub mod kind;
pub mod kinds;
mod known;
mod limit;
mod messages_json;
pub mod metrics;
mod model_id;
mod model_list;
mod nearest;
mod offers;
pub mod openai_compatible;
pub mod openrouter;
mod pattern;
mod plain_piece;
pub mod presets;
pub mod pricing;
pub mod purpose;
mod reasoning_details;
mod refused;
pub mod regional;
pub mod registry;
mod registry_lists;
mod registry_regions;
pub mod reply;
pub mod request;
mod retry;
mod schema;
pub mod seeded_rng;
pub mod settings;
pub mod simulated;
pub mod simulated_embedding;
mod simulated_json;
pub mod simulated_prompt;
pub mod simulated_text;
mod simulated_tools;
mod surrogate_halves;
mod text;
mod thoughts;
mod tool_deltas;
mod tool_extras;
pub mod tools;
pub mod upstream_error;
mod usage_json;
mod without_tools;

use async_trait::async_trait;
use futures_util::stream::BoxStream;

pub use citation::Citation;
pub use embedding::Embedding;
pub use error::{CallError, ErrorKind, Reason};
pub use fact::CallFact;
pub use image::Image;
pub use kind::Variable;
pub use model_id::unknown_provider;
pub use model_list::{counted_as, family, floats};
pub use offers::{ListError, ListRead, ModelList};
pub use purpose::Purpose;
pub use regional::{Moved, Region, Regional};
pub use registry::{Registry, RegistryError};
pub use registry_regions::Regions;
pub use reply::{CostSource, Reply, ToolCall, Usage};
pub use request::{ChatMessage, ChatRequest, Role, Sampling, Timeouts};
pub use retry::RetryPolicy;
pub use schema::{Schema, Schemas};
pub use settings::{ProviderKind, ProviderSettings};
pub use text::{Text, TextBuilder};
pub use tools::Tool;

/// One piece of a model's reply as it arrives.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text of the answer.
    Text(String),
    /// Text of the model's reasoning, shown apart from the answer. Some providers leave it in the text instead, between
    /// tags.
    Reasoning(String),
    /// All text so far was reasoning, not the answer, and this is the rest of it: a closing tag came without an opening
    /// one. Occurs only in replies without any other reasoning.
    TextWasReasoning(String),
    /// Provider-specific reasoning blocks (string, object or array), kept as they came.
    ReasoningDetails(serde_json::Value),
    /// A part of a tool call; parts with the same `index` belong together.
    ToolCall {
        /// Position of the call in the reply.
        index: u32,
        /// The provider's id, in the first part.
        id: Option<String>,
        /// The function's name, in the first part.
        name: Option<String>,
        /// A piece of the JSON arguments.
        arguments: String,
    },
    /// Token counts and, if the provider reports it, the cost. The last one wins.
    Usage(Usage),
    /// Why the model stopped (`stop`, `length`, `tool_calls`, `content_filter`, …).
    Finish(String),
    /// The model that actually answered, if the provider says so.
    ServedBy(String),
    /// What the reply cites, or what a search found. May come several times, and repeat what came before.
    Citations(Vec<Citation>),
    /// The whole requested vector. One that is not a valid [`Embedding`] is refused when the reply is assembled.
    Embedding(Vec<f32>),
}

impl Chunk {
    /// Whether it is part of what the model writes (text, reasoning, a tool call), rather than a vector or metadata.
    #[must_use]
    pub fn is_token(&self) -> bool {
        match self {
            Self::Text(_)
            | Self::Reasoning(_)
            | Self::TextWasReasoning(_)
            | Self::ReasoningDetails(_)
            | Self::ToolCall { .. } => true,
            Self::Usage(_)
            | Self::Finish(_)
            | Self::ServedBy(_)
            | Self::Citations(_)
            | Self::Embedding(_) => false,
        }
    }
}

/// The chunks of one reply. The stream ends after the provider's own end marker; without one it ends with an `Err`
/// item, so that a truncated stream never looks complete.
pub type Chunks = BoxStream<'static, Result<Chunk, CallError>>;

/// A backend that can answer chat requests. It only translates: timeouts, retries, limits and assembly are left to the
/// caller.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Sends the request and opens the reply. `request.model` comes without the provider's prefix.
    ///
    /// # Errors
    /// If the provider refuses the request, or the connection fails before the first chunk.
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError>;

    /// Asks for the vector of a text; the reply is one [`Chunk::Embedding`] and its metadata. [`ChatRequest::embeds`]
    /// is set, and `request.model` comes without the provider's prefix.
    ///
    /// # Errors
    /// As for [`Self::open`]. A provider without embeddings ([`Self::offers_embeddings`]) refuses without sending
    /// anything.
    async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let message = format!("the provider of `{}` offers no embeddings", request.model);
        Err(CallError::new(ErrorKind::Refused, message))
    }

    /// Whether it can embed texts with this model, as far as is known without a request.
    fn offers_embeddings(&self, _model: &str) -> bool {
        false
    }

    /// The base URL of all requests to this model; `None` if no network is used.
    fn address(&self, _model: &str) -> Option<url::Url> {
        None
    }

    /// The models that the provider offers.
    async fn models(&self) -> Result<Vec<ModelInfo>, CallError>;

    /// Whether replies arrive token by token. If not, the whole answer is the first chunk, and the first-token limit
    /// does not apply.
    fn streams(&self) -> bool {
        true
    }

    /// Whether its list of models is complete. If not, a model that is missing from the list is assumed to exist.
    fn lists_all(&self) -> bool {
        true
    }

    /// Whether it may have this model although its list, complete otherwise, does not.
    fn takes_unlisted(&self, _model: &str) -> bool {
        false
    }

    /// Whether its models accept tools, unless its list says otherwise for one of them.
    fn takes_tools(&self) -> bool {
        true
    }

    /// Whether this model is suitable for small tasks, such as a title: one that searches the web for every request is
    /// not.
    fn is_fit_for_utility(&self, _model: &str) -> bool {
        true
    }

    /// Whether this model accepts images; asked only if neither the configuration nor the provider's list says so.
    fn sees_images(&self, _model: &str) -> bool {
        false
    }

    /// Which of its models accept a JSON schema for the reply.
    fn schemas(&self) -> Schemas {
        Schemas::Never
    }

    /// Whether its answers are made up by this program, and must be labelled as such.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Whether an empty reply is valid: a search may find nothing.
    fn may_be_empty(&self) -> bool {
        false
    }

    /// Its regions, if it has any.
    fn regional(&self) -> Option<&dyn Regional> {
        None
    }

    /// The model's price, if it is known without a list of models: from the configuration, or from built-in prices.
    fn price(&self, _model: &str) -> Option<Pricing> {
        None
    }
}

/// Receives the chunks of a reply as they arrive. Awaiting it is backpressure: a slow sink slows down reading from the
/// provider.
#[async_trait]
pub trait DeltaSink: Send {
    /// The request is about to be sent; called once per try. Before the first of them the call has cost nothing.
    fn sent(&mut self) {}

    /// Takes one chunk.
    async fn push(&mut self, chunk: &Chunk);
}

/// A sink for callers that only want the whole reply.
pub struct NoSink;

#[async_trait]
impl DeltaSink for NoSink {
    async fn push(&mut self, _chunk: &Chunk) {}
}

/// All configured models, as the council calls them. Implemented by `registry::Registry`, and by scripted stand-ins in
/// tests.
#[async_trait]
pub trait Models: Send + Sync {
    /// Asks `request.model` (`provider:model`, or a bare id for the default provider) and returns
    /// the whole reply; pieces go to `sink` as they arrive.
    ///
    /// # Errors
    /// The last [`CallError`] once no retry is left; it keeps what had arrived.
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError>;

    /// Whether this model's answers are made up by the simulated provider.
    fn is_simulated(&self, model: &str) -> bool;

    /// The name of the provider that serves this model, for operators.
    fn provider_of(&self, _model: &str) -> &str {
        "unknown"
    }

    /// Whether this model is sent [`ChatRequest::schema`], as far as is known now.
    fn offers_schema(&self, _model: &str) -> bool {
        false
    }

    /// Whether this model is sent [`ChatRequest::tools`], as far as is known now.
    fn offers_tools(&self, _model: &str) -> bool {
        false
    }

    /// Whether this model accepts images ([`ChatMessage::images`]); `false` if that is unknown.
    fn sees_images(&self, _model: &str) -> bool {
        false
    }

    /// Whether this model is on offer, as far as is known without a request: if the provider's list is unknown, its
    /// models are assumed to be.
    fn is_available(&self, _model: &str) -> bool {
        true
    }

    /// How many tokens this model can read and write in one call, where known.
    fn context_tokens(&self, _model: &str) -> Option<u64> {
        None
    }

    /// The search backend, if one is configured.
    fn search_backend(&self) -> Option<SearchBackend> {
        None
    }

    /// This model's prices for a call with a prompt of this length, if known: for estimates before the call.
    fn price(&self, _model: &str, _prompt_tokens: u64) -> Option<Pricing> {
        None
    }
}

/// What answers searches: a search engine, or a model that cites what it read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchBackend {
    /// The id to call: `search:<backend>`, whose reply is what was found for the last user message, or that of a model
    /// that answers with citations.
    pub model: String,
    /// `tavily`, `searxng`, `model` or `simulated`.
    pub name: &'static str,
    /// Whether what it finds is made up.
    pub simulated: bool,
}

/// Prefix of the ids of searches. No model on a council may have such an id.
pub const SEARCH_PREFIX: &str = "search:";

/// One model on offer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct ModelInfo {
    /// The id to put into a council: bare for the default provider, else `provider:model`.
    pub id: String,
    /// The name to display.
    pub name: String,
    /// Context window in tokens, where known.
    pub context_length: Option<u64>,
    /// Prices, where known.
    pub pricing: Option<Pricing>,
    /// The configured provider that offers it.
    pub provider: String,
    /// The maker, from the id (`openai/gpt-5.1` → `openai`), to group by.
    pub family: String,
    /// Whether its replies can be held to a JSON schema.
    #[serde(default)]
    pub structured_outputs: bool,
    /// Whether it accepts tools; absent if the provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// Whether it accepts images; absent if the provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// The name that replies give for it, if that differs: OpenRouter's include a date.
    #[serde(skip)]
    pub canonical: Option<String>,
    /// The region that serves it, at providers that have regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

/// List prices in USD.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct Pricing {
    /// USD per prompt token.
    pub prompt: f64,
    /// USD per completion token.
    pub completion: f64,
    /// USD per request, whatever its tokens. Left out when it is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub request: f64,
    /// USD per prompt token read from the provider's cache, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// USD per prompt token written to the provider's cache, if that differs from `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(usd: &f64) -> bool {
    *usd == 0.0
}
