//! Any server that speaks chat completions: Ollama, vLLM, LM Studio, llama.cpp, LiteLLM, gateways.

use async_trait::async_trait;
use jiff::Timestamp;

use serde::Deserialize;

use super::chat_completions::Dialect;
use super::endpoint::Endpoint;
use super::error::CallError;
use super::kind::{OwnKey, OwnValue, Problem, ProviderKind};
use super::request::ChatRequest;
use super::retry::RetryPolicy;
use super::settings::ProviderSettings;
use super::{Chunks, ModelInfo, Provider, Schemas, model_list};

/// See the file's head.
pub const KIND: ProviderKind = ProviderKind {
    name: "openai_compatible",
    implied_by: &[],
    keys: &[OwnKey {
        name: "structured_outputs",
        value: OwnValue::Flag,
        default: "false",
        doc: "Whether the server can hold a reply to a JSON schema (`response_format` with `json_schema`). OpenRouter says \
              it itself for each of its models. Where it is not offered, models are asked for plain text in a given form.",
        example: "",
    }],
    variables: &[],
    reads: &[],
    retry: RetryPolicy::DEFAULT,
    built_in_council: None,
    check: |settings| {
        let missing = settings.base_url.is_none();
        let what = "is required: the part of the provider's address before /chat/completions";
        missing.then(|| Problem::new("base_url", what)).into_iter().collect()
    },
    build: |settings, clients| Ok(Box::new(OpenAiCompatible::new(settings, clients.shared()?)?)),
};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Own {
    structured_outputs: bool,
}

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
        let endpoint = Endpoint::new(settings, client, base_url, &[], Dialect::PLAIN)?;
        let Own { structured_outputs } = settings.read_own()?;
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
