//! What the configuration says about searching. `config` reads it; nothing is read from the environment here.

use secrecy::SecretString;
use serde::Deserialize;

use crate::llm::RetryPolicy;

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// The first that is configured: Tavily, `SearXNG`, a model; the simulated one beside simulated models.
    Auto,
    Tavily,
    Searxng,
    /// A model that answers with citations.
    Model,
    /// Made-up documents, no network.
    Simulated,
    /// Nobody.
    None,
}

/// Where Tavily's key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyIn {
    /// As a bearer token, as its documentation has it.
    Header,
    /// As `api_key`, as older gateways read it.
    Body,
    Both,
}

/// `search.tavily`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TavilySettings {
    /// Without a trailing slash.
    pub base_url: String,
    pub api_key: Option<SecretString>,
    pub key_in: KeyIn,
    /// What a search costs, in USD.
    pub price_usd: f64,
}

/// `search.searxng`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearxngSettings {
    /// Without a trailing slash.
    pub base_url: Option<String>,
    /// What a search costs, in USD.
    pub price_usd: f64,
}

/// `search`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    pub backend: Backend,
    /// The id of a model that answers with citations.
    pub model: Option<String>,
    /// Results of one search, 1 to 20.
    pub max_results: usize,
    /// Searches in flight at once; further ones wait.
    pub max_in_flight: usize,
    /// How long one try may take, in milliseconds.
    pub timeout_ms: u64,
    pub tavily: TavilySettings,
    pub searxng: SearxngSettings,
    /// Tries and pauses.
    #[serde(skip)]
    pub retry: RetryPolicy,
}

impl SearchSettings {
    /// The backend that answers searches: never [`Backend::Auto`].
    #[must_use]
    pub fn chosen(&self, beside_simulated_models: bool) -> Backend {
        if self.backend != Backend::Auto {
            self.backend
        } else if self.tavily.api_key.is_some() {
            Backend::Tavily
        } else if self.searxng.base_url.is_some() {
            Backend::Searxng
        } else if self.model.is_some() {
            Backend::Model
        } else if beside_simulated_models {
            Backend::Simulated
        } else {
            Backend::None
        }
    }
}
