//! OpenRouter: chat completions with its extensions (cost in the usage, reasoning blocks).

use async_trait::async_trait;

use super::endpoint::Endpoint;
use super::error::CallError;
use super::openai_compatible::listed;
use super::request::ChatRequest;
use super::settings::ProviderSettings;
use super::{Chunks, ModelInfo, Provider, Schemas};

/// Where it is, unless the configuration says otherwise.
pub const DEFAULT_BASE_URL: &str = "https://openrouter.ai/api/v1";

/// How OpenRouter lists the program among a key's uses; `headers` in the settings override it.
const ATTRIBUTION: &[(&str, &str)] = &[("http-referer", "http://localhost"), ("x-title", "LLM Council")];

/// OpenRouter, or a gateway that is one to its clients.
pub(super) struct OpenRouter {
    name: String,
    endpoint: Endpoint,
}

impl OpenRouter {
    /// # Errors
    /// Every wrong setting.
    pub fn new(settings: &ProviderSettings, client: reqwest::Client) -> Result<Self, Vec<String>> {
        let base_url = settings.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let endpoint = Endpoint::new(settings, client, base_url, ATTRIBUTION, true)?;
        Ok(Self { name: settings.name.clone(), endpoint: endpoint.needing_key() })
    }
}

#[async_trait]
impl Provider for OpenRouter {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.endpoint.open(request).await
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        listed(&self.endpoint, &self.name).await
    }

    fn streams(&self) -> bool {
        self.endpoint.streams()
    }

    fn schemas(&self) -> Schemas {
        Schemas::Listed
    }
}
