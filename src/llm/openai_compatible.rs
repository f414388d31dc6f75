//! Any server that speaks chat completions: Ollama, vLLM, LM Studio, llama.cpp, LiteLLM, gateways.

use async_trait::async_trait;
use jiff::Timestamp;

use super::endpoint::Endpoint;
use super::error::CallError;
use super::request::ChatRequest;
use super::settings::ProviderSettings;
use super::{Chunks, ModelInfo, Provider, Schemas, model_list};

/// One such server.
pub(super) struct OpenAiCompatible {
    name: String,
    endpoint: Endpoint,
    /// Few such servers say it themselves, so the operator does.
    structured_outputs: bool,
}

impl OpenAiCompatible {
    /// # Errors
    /// Every wrong setting.
    pub fn new(settings: &ProviderSettings, client: reqwest::Client) -> Result<Self, Vec<String>> {
        let Some(base_url) = settings.base_url.as_deref() else {
            return Err(vec!["base_url: is missing (the part before /chat/completions)".into()]);
        };
        let endpoint = Endpoint::new(settings, client, base_url, &[], false)?;
        let structured_outputs = settings.structured_outputs;
        Ok(Self { name: settings.name.clone(), endpoint, structured_outputs })
    }
}

#[async_trait]
impl Provider for OpenAiCompatible {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.endpoint.open(request).await
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        let structured_outputs = self.structured_outputs;
        let models = listed(&self.endpoint, &self.name).await?;
        Ok(models.into_iter().map(|model| ModelInfo { structured_outputs, ..model }).collect())
    }

    fn streams(&self) -> bool {
        self.endpoint.streams()
    }

    fn schemas(&self) -> Schemas {
        if self.structured_outputs { Schemas::Always } else { Schemas::Never }
    }
}

/// What a server with `/models` offers.
pub(super) async fn listed(endpoint: &Endpoint, provider: &str) -> Result<Vec<ModelInfo>, CallError> {
    let document = endpoint.list().await?;
    model_list::read(&document, provider, Timestamp::now()).ok_or_else(|| {
        CallError::new(
            super::ErrorKind::BadResponse,
            format!("{provider}: the list of models is in no known form"),
        )
    })
}
