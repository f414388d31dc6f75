//! Any server that speaks chat completions: services with a preset, Ollama, vLLM, LM Studio, llama.cpp, LiteLLM,
//! gateways.

use async_trait::async_trait;
use jiff::Timestamp;

use serde::Deserialize;
use url::Url;

use super::chat_completions::{Dialect, begins_with};
use super::embedding_call;
use super::endpoint::{Endpoint, Paths, Server};
use super::error::CallError;
use super::kind::{OwnKey, OwnValue, Problem, Variable};
use super::pattern;
use super::presets::{self, Addresses, KeyHeader, Preset};
use super::request::ChatRequest;
use super::retry::RetryPolicy;
use super::settings::{ProviderKind, ProviderSettings};
use super::{Chunks, ModelInfo, Provider, Schemas, family, model_list};

/// The kind `openai_compatible`.
pub const KIND: ProviderKind = ProviderKind {
    name: "openai_compatible",
    implied_by: presets::NAMES,
    keys: &[
        OwnKey {
            name: "preset",
            value: OwnValue::Choice(presets::WORDS),
            default: "",
            doc: "The service it is: its address, what it cannot do, and the variable that has its key (docs/providers.md). A \
                  provider named like one has it without saying so; `none` takes it away. With it, `kind` may be left \
                  out.",
            example: "groq",
        },
        OwnKey {
            name: "models",
            value: OwnValue::List,
            default: "",
            doc: "The ids of its models, in the place of its own list: where it has none, or lists more than there is.",
            example: "sonar, sonar-pro",
        },
        OwnKey {
            name: "api_version",
            value: OwnValue::Text,
            default: "",
            doc: "A dated version of Azure's API; then the model is a deployment in the path. Without it the v1 API is asked.",
            example: "2024-10-21",
        },
        OwnKey {
            name: "structured_outputs",
            value: OwnValue::Flag,
            default: "",
            doc: "Whether the server can hold a reply to a JSON schema (`response_format` with `json_schema`). By default as \
                  its preset says, else not. OpenRouter says it itself for each of its models. Where it is not offered, \
                  models are asked for plain text in a given form.",
            example: "true",
        },
    ],
    variables: presets::ALONE,
    reads: &[],
    retry: RetryPolicy::DEFAULT,
    built_in_council: None,
    check,
    build: |settings, clients| Ok(Box::new(OpenAiCompatible::new(settings, clients.shared()?)?)),
};

/// The key that says which service it is; only this kind has it.
pub const PRESET: &str = "preset";

/// Environment variables that set a key of a provider, if other settings configure that provider.
pub fn variables_beside() -> impl Iterator<Item = Variable> {
    presets::PRESETS.iter().flat_map(|preset| {
        let keys = preset.key_variables.iter().map(|name| (*name, "api_key"));
        let address = preset.base_url_variable.map(|name| (name, "base_url"));
        keys.chain(address).map(|(name, key)| Variable { name, provider: preset.name, key })
    })
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Own {
    preset: Option<String>,
    models: Vec<String>,
    api_version: Option<String>,
    structured_outputs: Option<bool>,
}

impl Own {
    /// The preset of the service: the configured one, else the one of the provider's name.
    fn preset(&self, provider: &str) -> &'static Preset {
        static NONE: Preset = Preset::PLAIN;
        presets::named(self.preset.as_deref().unwrap_or(provider)).unwrap_or(&NONE)
    }
}

fn check(settings: &ProviderSettings) -> Vec<Problem> {
    // Values that cannot be read are reported when the provider is set up.
    let own: Own = settings.read_own().unwrap_or_default();
    let preset = own.preset(&settings.name);
    let mut problems = Vec::new();
    if settings.base_url.is_none() && preset.base_url.is_none() {
        problems.push(if preset.addresses == Addresses::Azure {
            Problem::new(
                "base_url",
                "is required: the resource's address, as in https://our-name.openai.azure.com",
            )
        } else {
            Problem::new(
                "base_url",
                "is required: the part of the provider's address before /chat/completions",
            )
        });
    }
    // Another base URL may be a private gateway that needs no key.
    if preset.needs_key && settings.api_key.is_none() && settings.base_url.is_none() {
        problems.push(Problem::required("api_key"));
    }
    if own.api_version.is_some() && preset.addresses != Addresses::Azure {
        problems.push(Problem::new("api_version", "goes with preset = \"azure\""));
    }
    problems
}

/// A server that speaks chat completions.
pub(super) struct OpenAiCompatible {
    name: String,
    endpoint: Endpoint,
    preset: &'static Preset,
    /// Whether it can hold a reply to a schema. Few servers say so themselves, so the preset or the operator does.
    structured_outputs: bool,
    /// Its models, if they are configured or it has no list.
    models: Option<Vec<String>>,
}

impl OpenAiCompatible {
    /// # Errors
    /// Every wrong setting.
    pub fn new(settings: &ProviderSettings, client: reqwest::Client) -> Result<Self, Vec<String>> {
        let own: Own = settings.read_own()?;
        let preset = own.preset(&settings.name);
        let Some(base_url) = settings.base_url.as_deref().or(preset.base_url) else {
            return Err(vec!["base_url: is missing (the part before /chat/completions)".into()]);
        };
        let (base_url, paths) = match (preset.addresses, own.api_version) {
            (Addresses::Plain, _) => (base_url.to_owned(), Paths::Plain),
            (Addresses::Azure, Some(version)) => (base_url.to_owned(), Paths::Deployments { version }),
            (Addresses::Azure, None) => (v1_of_azure(base_url), Paths::Plain),
        };
        let server = Server {
            key_header: match preset.key_header {
                KeyHeader::Bearer => None,
                KeyHeader::Named(name) => Some(name),
            },
            paths,
            dialect: Dialect {
                max_completion_tokens: preset.max_completion_tokens,
                stream_options: preset.stream_options,
                without_temperature: preset.without_temperature,
                ..Dialect::PLAIN
            },
            streams: preset.streams,
            ..Server::PLAIN
        };
        let endpoint = Endpoint::new(settings, client, &base_url, server)?;
        let listed = || preset.models.iter().map(|id| (*id).to_owned()).collect();
        let models = match own.models {
            configured if !configured.is_empty() => Some(configured),
            _ => (!preset.lists_models).then(listed),
        };
        Ok(Self {
            name: settings.name.clone(),
            endpoint: if preset.needs_key && settings.base_url.is_none() {
                endpoint.needing_key()
            } else {
                endpoint
            },
            preset,
            structured_outputs: own.structured_outputs.unwrap_or(preset.structured_outputs),
            models,
        })
    }
}

/// The base of Azure's v1 API, whether the address of a resource is given with it or without.
fn v1_of_azure(base_url: &str) -> String {
    let base = base_url.trim().trim_end_matches('/');
    if base.ends_with("/openai/v1") { base.to_owned() } else { format!("{base}/openai/v1") }
}

#[async_trait]
impl Provider for OpenAiCompatible {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.endpoint.open(request).await
    }

    async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        if !self.preset.embeddings {
            return Err(embedding_call::offered_by_none(&self.name));
        }
        self.endpoint.embed(request).await
    }

    fn offers_embeddings(&self, _model: &str) -> bool {
        self.preset.embeddings
    }

    fn address(&self, _model: &str) -> Option<Url> {
        Some(self.endpoint.base())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        let structured_outputs = self.structured_outputs;
        let models = match &self.models {
            Some(ids) => ids.iter().map(|id| self.model(id)).collect(),
            None => listed(&self.endpoint, &self.name).await?,
        };
        Ok(models.into_iter().map(|model| ModelInfo { structured_outputs, ..model }).collect())
    }

    fn streams(&self) -> bool {
        self.endpoint.streams()
    }

    fn lists_all(&self) -> bool {
        self.models.is_none()
    }

    fn takes_unlisted(&self, model: &str) -> bool {
        self.endpoint.base().host_str() == Some("openrouter.ai") && model_list::is_router(model)
    }

    fn takes_tools(&self) -> bool {
        self.preset.tools
    }

    fn is_fit_for_utility(&self, model: &str) -> bool {
        !begins_with(model, self.preset.unfit_for_utility)
    }

    fn sees_images(&self, model: &str) -> bool {
        self.preset.image_models.iter().any(|pattern| pattern::fits(pattern, model))
    }

    fn schemas(&self) -> Schemas {
        if self.structured_outputs { Schemas::Always } else { Schemas::Never }
    }
}

impl OpenAiCompatible {
    /// A model of which only the id is known.
    fn model(&self, id: &str) -> ModelInfo {
        ModelInfo {
            id: id.to_owned(),
            name: id.to_owned(),
            context_length: None,
            pricing: None,
            provider: self.name.clone(),
            family: family(id).to_owned(),
            structured_outputs: self.structured_outputs,
            tools: None,
            images: None,
            region: None,
            canonical: None,
        }
    }
}

/// The models of a server with `/models`.
pub(super) async fn listed(endpoint: &Endpoint, provider: &str) -> Result<Vec<ModelInfo>, CallError> {
    let document = endpoint.list().await?;
    model_list::read(&document, provider, Timestamp::now()).ok_or_else(|| {
        CallError::new(
            super::ErrorKind::BadResponse,
            format!("{provider}: the list of models is in no known form"),
        )
    })
}
