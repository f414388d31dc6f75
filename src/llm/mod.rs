//! Asking one model: providers behind one small trait, and what every call gets whatever the
//! provider: timeouts, retries before the first token, a limit on calls in flight, a circuit
//! breaker, a bound on the answer, and a clear error kind.
//!
//! Imports only `id`. Start at [`Models::chat`]; a new kind of provider is one file, with
//! its [`ProviderKind`] and its [`Provider`], and one line in `kinds.rs`.

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
mod halves;
mod headers;
pub mod image;
mod incoming;
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
mod thoughts;
mod tool_deltas;
mod tool_extras;
pub mod tools;
pub mod upstream_error;
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
pub use tools::Tool;

/// One piece of a model's reply as it arrives.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text of the answer.
    Text(String),
    /// Text of the model's reasoning, shown apart from the answer. A provider may leave it in the text between tags.
    Reasoning(String),
    /// The text so far was reasoning and no answer, and this is the rest of it: a tag that ends it came, and none that
    /// begins it. Only in a reply without any other reasoning.
    TextWasReasoning(String),
    /// Provider-specific reasoning blocks (string, object or array), kept as they came.
    ReasoningDetails(serde_json::Value),
    /// A part of a tool call; parts with one `index` belong together.
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
    /// Token counts and, where the provider says it, the cost. The last one wins.
    Usage(Usage),
    /// Why the model stopped (`stop`, `length`, `tool_calls`, `content_filter`, …).
    Finish(String),
    /// The model that really answered, where the provider says so.
    ServedBy(String),
    /// What the reply cites, or what a search found. May come again, also with what came before.
    Citations(Vec<Citation>),
    /// The vector that was asked for, whole. What is no [`Embedding`] is refused where the reply is put together.
    Embedding(Vec<f32>),
}

impl Chunk {
    /// Whether it is part of what the model says (text, reasoning, a tool call), not about it.
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

/// The chunks of one reply. It ends after the provider's own end mark; an end without one is an
/// `Err` item, so that a cut stream never looks complete.
pub type Chunks = BoxStream<'static, Result<Chunk, CallError>>;

/// A backend that can answer chat requests. It translates, nothing more: timeouts, retries,
/// limits and assembly are the caller's.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Opens the reply. `request.model` is without the provider's prefix.
    ///
    /// # Errors
    /// What the provider refused or the transport lost before the first chunk.
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError>;

    /// The vector of a text, as a reply of one [`Chunk::Embedding`] and what is said about it. `request` has
    /// [`ChatRequest::embeds`], and `request.model` is without the provider's prefix.
    ///
    /// # Errors
    /// As [`Self::open`]. A provider without embeddings ([`Self::offers_embeddings`]) refuses, and asks nobody.
    async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let message = format!("the provider of `{}` offers no embeddings", request.model);
        Err(CallError::new(ErrorKind::Refused, message))
    }

    /// Whether it makes vectors of texts with this model, as far as that is known without asking.
    fn offers_embeddings(&self, _model: &str) -> bool {
        false
    }

    /// The part of its address that all requests about this model have; none where nobody is asked.
    fn address(&self, _model: &str) -> Option<url::Url> {
        None
    }

    /// What the provider offers.
    async fn models(&self) -> Result<Vec<ModelInfo>, CallError>;

    /// Whether pieces come as they are made. If not, the whole answer is the first piece, and
    /// the first-token limit does not apply.
    fn streams(&self) -> bool {
        true
    }

    /// Whether its list of models has all that can be asked. If not, models that are missing on the list are believed
    /// to exist.
    fn lists_all(&self) -> bool {
        true
    }

    /// Whether its models may be offered tools, unless its list says otherwise of one.
    fn takes_tools(&self) -> bool {
        true
    }

    /// Whether this model is fit for small tasks, such as a title: one that searches the web whatever it is asked is
    /// not.
    fn is_fit_for_utility(&self, _model: &str) -> bool {
        true
    }

    /// Whether this model sees pictures, where nobody lists it among those that do and the provider's list does not say.
    fn sees_images(&self, _model: &str) -> bool {
        false
    }

    /// Which of its models take a schema.
    fn schemas(&self) -> Schemas {
        Schemas::Never
    }

    /// Whether its answers are made up here, to be labelled as such.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Whether an empty reply is valid: a search may find nothing.
    fn may_be_empty(&self) -> bool {
        false
    }

    /// Its regions, where its models are asked in regions.
    fn regional(&self) -> Option<&dyn Regional> {
        None
    }

    /// What it costs, where the configuration says so and no list of models does.
    fn price(&self, _model: &str) -> Option<Pricing> {
        None
    }
}

/// Where the pieces of a reply go while it arrives. Awaiting is backpressure: a sink that waits
/// slows the upstream read.
#[async_trait]
pub trait DeltaSink: Send {
    /// The request goes out now; comes again with each try. Until then the call has cost nothing.
    fn sent(&mut self) {}

    /// Takes one piece.
    async fn push(&mut self, chunk: &Chunk);
}

/// A sink for callers that only want the whole reply.
pub struct NoSink;

#[async_trait]
impl DeltaSink for NoSink {
    async fn push(&mut self, _chunk: &Chunk) {}
}

/// All configured models: what the council asks. Implemented by `registry::Registry`, and by
/// scripted stand-ins in tests.
#[async_trait]
pub trait Models: Send + Sync {
    /// Asks `request.model` (`provider:model`, or a bare id for the default provider) and returns
    /// the whole reply; pieces go to `sink` as they arrive.
    ///
    /// # Errors
    /// One [`CallError`] after retries, with what had arrived kept in it.
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError>;

    /// Whether this model's answers are made up by the simulated provider.
    fn is_simulated(&self, model: &str) -> bool;

    /// The name of the provider that is asked for this model, for operators.
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

    /// Whether this model sees pictures ([`ChatMessage::images`]). A model of which that is not known does not count.
    fn sees_images(&self, _model: &str) -> bool {
        false
    }

    /// Whether this model is on offer, as far as is known now: where a provider's list is not known,
    /// its models are believed to be. Asks nobody.
    fn is_available(&self, _model: &str) -> bool {
        true
    }

    /// How many tokens this model can read and write in one call, where known.
    fn context_tokens(&self, _model: &str) -> Option<u64> {
        None
    }

    /// What answers searches now, if anything does.
    fn search_backend(&self) -> Option<SearchBackend> {
        None
    }

    /// What this model costs a token in a call with a prompt of this length, where known: to expect
    /// costs before they arise.
    fn price(&self, _model: &str, _prompt_tokens: u64) -> Option<Pricing> {
        None
    }
}

/// What answers searches: a search engine, or a model that cites what it read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchBackend {
    /// What to ask: `search:<backend>`, whose reply is what was found for the last message of the user, or the id
    /// of a model that answers with citations.
    pub model: String,
    /// `tavily`, `searxng`, `model` or `simulated`.
    pub name: &'static str,
    /// Whether what it finds is made up.
    pub simulated: bool,
}

/// What the ids of searches begin with. No model on a council may have such a name.
pub const SEARCH_PREFIX: &str = "search:";

/// One model on offer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct ModelInfo {
    /// The id to put into a council: bare for the default provider, else `provider:model`.
    pub id: String,
    /// A name for people.
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
    /// Whether it may be offered tools, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// Whether it sees pictures, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// What replies call it, where that is another name: OpenRouter's are dated.
    #[serde(skip)]
    pub canonical: Option<String>,
    /// Where it is asked, at providers that have regions.
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
    /// USD per prompt token that is read from the provider's cache, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// USD per prompt token that is written to it, where that is not the price of any prompt token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(usd: &f64) -> bool {
    *usd == 0.0
}
