//! OpenRouter: chat completions with its extensions (cost in the usage, reasoning blocks).

use async_trait::async_trait;
use url::Url;

use super::chat_completions::Dialect;
use super::endpoint::{Endpoint, Server};
use super::error::CallError;
use super::kind::{Problem, Variable};
use super::model_list::is_router;
use super::openai_compatible::listed;
use super::request::ChatRequest;
use super::retry::RetryPolicy;
use super::settings::{ProviderKind, ProviderSettings};
use super::{Chunks, ModelInfo, Provider, Schemas};

/// OpenRouter's base URL, unless the configuration says otherwise.
pub const DEFAULT_BASE_URL: &str = "https://openrouter.ai/api/v1";

/// The kind `openrouter`.
pub const KIND: ProviderKind = ProviderKind {
    name: "openrouter",
    implied_by: &[],
    keys: &[],
    variables: &[Variable { name: "OPENROUTER_API_KEY", provider: "openrouter", key: "api_key" }],
    reads: &[],
    retry: RetryPolicy::DEFAULT,
    built_in_council: Some("council"),
    check: |settings| {
        // Another base URL may be a private gateway that needs no key.
        let missing = settings.base_url.is_none() && settings.api_key.is_none();
        missing.then(|| Problem::required("api_key")).into_iter().collect()
    },
    build: |settings, clients| Ok(Box::new(OpenRouter::new(settings, clients.shared()?)?)),
};

/// Prompts are marked for caching only for makers that cache on request, since writing may cost more than reading saves
/// (<https://openrouter.ai/docs/guides/best-practices/prompt-caching>, November 2026). Other makers cache on their own.
const DIALECT: Dialect = Dialect {
    usage_include: true,
    marks_prompts: |model| matches!(super::family(model), "anthropic" | "qwen"),
    ..Dialect::PLAIN
};

/// How OpenRouter lists the program among a key's uses; `headers` in the settings override it.
const ATTRIBUTION: &[(&str, &str)] = &[("http-referer", "http://localhost"), ("x-title", "LLM Council")];

/// OpenRouter, or a gateway that behaves like it.
pub(super) struct OpenRouter {
    name: String,
    endpoint: Endpoint,
}

impl OpenRouter {
    /// # Errors
    /// Every wrong setting.
    pub fn new(settings: &ProviderSettings, client: reqwest::Client) -> Result<Self, Vec<String>> {
        let base_url = settings.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let mut settings = settings.clone();
        // OpenRouter shows apps by the address they name.
        if let Some(url) = &settings.public_url
            && !settings.headers.keys().any(|name| name.eq_ignore_ascii_case("http-referer"))
        {
            settings.headers.insert("HTTP-Referer".to_owned(), url.clone());
        }
        let endpoint = Endpoint::new(
            &settings,
            client,
            base_url,
            Server { headers: ATTRIBUTION, dialect: DIALECT, ..Server::PLAIN },
        )?;
        Ok(Self { name: settings.name, endpoint: endpoint.needing_key() })
    }
}

#[async_trait]
impl Provider for OpenRouter {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.endpoint.open(request).await
    }

    async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.endpoint.embed(request).await
    }

    fn offers_embeddings(&self, _model: &str) -> bool {
        true
    }

    fn address(&self, _model: &str) -> Option<Url> {
        Some(self.endpoint.base())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        listed(&self.endpoint, &self.name).await
    }

    fn takes_unlisted(&self, model: &str) -> bool {
        is_router(model)
    }

    fn streams(&self) -> bool {
        self.endpoint.streams()
    }

    fn schemas(&self) -> Schemas {
        Schemas::Listed
    }
}
