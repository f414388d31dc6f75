//! What the configuration says about one provider, and what a kind of provider says of itself: its settings with their
//! defaults and documentation, the environment variables that stand for them, what it cannot do without, and how it is set
//! up. Each kind's file has one [`ProviderKind`]; `kinds.rs` lists them; `config` makes keys, documentation and checks at
//! start from that, and maps onto [`ProviderSettings`]. Nothing is read from the environment here.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Provider;
use super::kind::{Clients, OwnKey, Problem, SetUpError, Variable};
use super::retry::RetryPolicy;

/// One kind of provider.
#[derive(Debug)]
pub struct ProviderKind {
    /// What `providers.<name>.kind` calls it. A provider of this name need not say its kind.
    pub name: &'static str,
    /// Other names of providers that need not say it either.
    pub implied_by: &'static [&'static str],
    /// What it is configured with beyond what all providers have.
    pub keys: &'static [OwnKey],
    /// Usual variables that stand for a key of the provider of that name, and configure it. Of several for one key
    /// the first that is set counts.
    pub variables: &'static [Variable],
    /// Further variables that it looks at: [`ProviderSettings::environment`] has those that are set.
    pub reads: &'static [&'static str],
    /// Tries and pauses.
    pub retry: RetryPolicy,
    /// The section of the built-in models that make a council where this is the default provider.
    pub built_in_council: Option<&'static str>,
    /// What is missing or contradictory in settings that are each valid.
    pub check: fn(&ProviderSettings) -> Vec<Problem>,
    /// Sets one up.
    pub build: Build,
}

/// How a provider is set up, or every setting that is wrong, in words that begin with its key.
pub type Build = fn(&ProviderSettings, &mut Clients) -> Result<Box<dyn Provider>, SetUpError>;

/// One configured provider.
#[derive(Clone)]
pub struct ProviderSettings {
    /// The part before the `:` of a model id.
    pub name: String,
    pub kind: &'static ProviderKind,
    /// The part before `/chat/completions`. OpenRouter has a default, OpenAI-compatible ones
    /// must say it.
    pub base_url: Option<String>,
    /// Sent as a bearer token.
    pub api_key: Option<SecretString>,
    /// Sent with every request, over the provider's own. Their values are treated as secrets.
    pub headers: BTreeMap<String, String>,
    /// Whether answers are asked for as a stream.
    pub stream: bool,
    /// Patterns of the ids of models that see pictures, whatever its list says; `*` stands for anything.
    pub image_models: Vec<String>,
    /// Calls in flight at once; further ones wait.
    pub max_in_flight: usize,
    /// Tries and pauses.
    pub retry: RetryPolicy,
    /// Bound on text, reasoning and tool calls of one answer together.
    pub max_answer_bytes: usize,
    /// Where people reach this server, where that is configured.
    pub public_url: Option<String>,
    /// The keys of its kind alone, as the kind's file reads them. May hold secrets.
    pub own: Map<String, Value>,
    /// Those of [`ProviderKind::reads`] that are set. May hold secrets.
    pub environment: BTreeMap<String, String>,
}

impl ProviderSettings {
    /// The defaults of a kind.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: &'static ProviderKind) -> Self {
        Self {
            name: name.into(),
            kind,
            base_url: None,
            api_key: None,
            headers: BTreeMap::new(),
            stream: true,
            image_models: Vec::new(),
            max_in_flight: 1000,
            retry: kind.retry,
            max_answer_bytes: 1 << 20,
            public_url: None,
            own: Map::new(),
            environment: BTreeMap::new(),
        }
    }

    /// The same with this key of its kind.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.own.insert(key.to_owned(), value.into());
        self
    }

    /// The keys of its kind.
    ///
    /// # Errors
    /// What does not fit, without its value.
    pub(super) fn read_own<T: DeserializeOwned>(&self) -> Result<T, Vec<String>> {
        T::deserialize(&self.own).map_err(|_| {
            let keys = self.own.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            vec![format!("{keys}: not all of these can be read by a provider of kind {}", self.kind.name)]
        })
    }
}

/// Shows no key, no header's value, and no address: a base URL may carry a key in its query.
impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("name", &self.name)
            .field("kind", &self.kind.name)
            .field("has_base_url", &self.base_url.is_some())
            .field("has_api_key", &self.api_key.is_some())
            .field("headers", &self.headers.keys())
            .field("stream", &self.stream)
            .field("max_in_flight", &self.max_in_flight)
            .field("own", &self.own.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::openai_compatible;
    use super::*;

    #[test]
    fn debug_shows_no_secret() {
        let settings = ProviderSettings {
            base_url: Some("https://gate.example/v1?key=hidden-1".into()),
            api_key: Some("hidden-2".to_owned().into()),
            headers: BTreeMap::from([("X-Key".into(), "hidden-3".into())]),
            environment: BTreeMap::from([("SOME_KEY".into(), "hidden-4".into())]),
            ..ProviderSettings::new("gate", &openai_compatible::KIND).with("secret", "hidden-5")
        };
        let shown = format!("{settings:?}");
        assert!(shown.contains("gate") && shown.contains("X-Key"));
        assert!(!shown.contains("hidden"), "{shown}");
    }
}
