//! What the configuration says about one provider. `config` maps onto it; nothing is read from
//! the environment here.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::SecretString;
use serde::Deserialize;

use super::retry::RetryPolicy;

/// Which protocol a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum ProviderKind {
    /// OpenRouter, or a gateway with its extensions.
    #[serde(rename = "openrouter")]
    OpenRouter,
    /// Any server with `/chat/completions`.
    #[serde(rename = "openai_compatible")]
    OpenAiCompatible,
    /// Made-up answers, no network.
    #[serde(rename = "simulated")]
    Simulated,
}

/// One configured provider.
#[derive(Clone)]
pub struct ProviderSettings {
    /// The part before the `:` of a model id.
    pub name: String,
    pub kind: ProviderKind,
    /// The part before `/chat/completions`. OpenRouter has a default, OpenAI-compatible ones
    /// must say it.
    pub base_url: Option<String>,
    /// Sent as a bearer token.
    pub api_key: Option<SecretString>,
    /// Sent with every request, over the provider's own. Their values are treated as secrets.
    pub headers: BTreeMap<String, String>,
    /// Whether answers are asked for as a stream.
    pub stream: bool,
    /// Calls in flight at once; further ones wait.
    pub max_in_flight: usize,
    /// Tries and pauses.
    pub retry: RetryPolicy,
    /// Bound on text, reasoning and tool calls of one answer together.
    pub max_answer_bytes: usize,
    /// OpenAI-compatible only: whether its models take a JSON schema for their replies.
    pub structured_outputs: bool,
    /// Simulated only: pace of an answer in tokens per second, 0 for instantly.
    pub tokens_per_second: u32,
    /// Simulated only: pause before the first token, in milliseconds; ignored at pace 0.
    pub first_token_ms: u64,
}

impl ProviderSettings {
    /// The defaults of a kind.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: ProviderKind) -> Self {
        let retry = match kind {
            ProviderKind::OpenRouter | ProviderKind::OpenAiCompatible => RetryPolicy::default(),
            // A simulation gives the same answer when asked again.
            ProviderKind::Simulated => RetryPolicy::NEVER,
        };
        Self {
            name: name.into(),
            kind,
            base_url: None,
            api_key: None,
            headers: BTreeMap::new(),
            stream: true,
            max_in_flight: 1000,
            retry,
            max_answer_bytes: 1 << 20,
            structured_outputs: false,
            tokens_per_second: 40,
            first_token_ms: 400,
        }
    }
}

/// Shows no key, no header's value, and no address: a base URL may carry a key in its query.
impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("has_base_url", &self.base_url.is_some())
            .field("has_api_key", &self.api_key.is_some())
            .field("headers", &self.headers.keys())
            .field("stream", &self.stream)
            .field("max_in_flight", &self.max_in_flight)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_secret() {
        let settings = ProviderSettings {
            base_url: Some("https://gate.example/v1?key=hidden-1".into()),
            api_key: Some("hidden-2".to_owned().into()),
            headers: BTreeMap::from([("X-Key".into(), "hidden-3".into())]),
            ..ProviderSettings::new("gate", ProviderKind::OpenAiCompatible)
        };
        let shown = format!("{settings:?}");
        assert!(shown.contains("gate") && shown.contains("X-Key"));
        assert!(!shown.contains("hidden"), "{shown}");
    }
}
