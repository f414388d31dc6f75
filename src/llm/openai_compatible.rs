//! Any server that speaks chat completions: Ollama, vLLM, LM Studio, llama.cpp, LiteLLM, gateways.

use async_trait::async_trait;
use jiff::Timestamp;

use super::endpoint::Endpoint;
use super::error::CallError;
use super::request::ChatRequest;
use super::settings::ProviderSettings;
use super::{Chunks, ModelInfo, Provider, model_list};

/// One such server.
pub(super) struct OpenAiCompatible {
    name: String,
    endpoint: Endpoint,
}

impl OpenAiCompatible {
    /// # Errors
    /// Every wrong setting.
    pub fn new(settings: &ProviderSettings, client: reqwest::Client) -> Result<Self, Vec<String>> {
        let Some(base_url) = settings.base_url.as_deref() else {
            return Err(vec!["base_url: is missing (the part before /chat/completions)".into()]);
        };
        let endpoint = Endpoint::new(settings, client, base_url, &[], false)?;
        Ok(Self { name: settings.name.clone(), endpoint })
    }
}

#[async_trait]
impl Provider for OpenAiCompatible {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.endpoint.open(request).await
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        listed(&self.endpoint, &self.name).await
    }

    fn streams(&self) -> bool {
        self.endpoint.streams()
    }
}

/// What a server with `/models` offers.
///
/// # Errors
/// As [`Provider::models`].
pub(super) async fn listed(endpoint: &Endpoint, provider: &str) -> Result<Vec<ModelInfo>, CallError> {
    let document = endpoint.list().await?;
    model_list::read(&document, provider, Timestamp::now()).ok_or_else(|| {
        CallError::new(
            super::ErrorKind::BadResponse,
            format!("{provider}: the list of models is in no known form"),
        )
    })
}
