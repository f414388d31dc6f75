//! The settings of one provider, and the description of a kind of provider: its keys with their defaults and
//! documentation, the environment variables that set them, what is required, and how a provider is set up. Each kind's
//! file has one [`ProviderKind`], and `kinds.rs` lists them; `config` makes keys, documentation and startup checks from
//! that, and fills in [`ProviderSettings`]. Nothing is read from the environment here.

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
    /// The value of `providers.<name>.kind`. A provider of this name need not state its kind.
    pub name: &'static str,
    /// Other names of providers that imply this kind.
    pub implied_by: &'static [&'static str],
    /// The keys that it has beyond those of all providers.
    pub keys: &'static [OwnKey],
    /// Well-known environment variables that set a key of a provider, and by themselves configure that provider. Of
    /// several for one key, the first that is set counts.
    pub variables: &'static [Variable],
    /// Further environment variables that it reads: [`ProviderSettings::environment`] has those that are set.
    pub reads: &'static [&'static str],
    /// Tries and pauses.
    pub retry: RetryPolicy,
    /// The section of the built-in configuration with the council to use if this is the default provider.
    pub built_in_council: Option<&'static str>,
    /// What is missing or contradictory in settings that are each valid.
    pub check: fn(&ProviderSettings) -> Vec<Problem>,
    /// Sets up a provider of this kind.
    pub build: Build,
}

/// Sets up a provider; an error lists every wrong setting, each beginning with its key.
pub type Build = fn(&ProviderSettings, &mut Clients) -> Result<Box<dyn Provider>, SetUpError>;

/// One configured provider.
#[derive(Clone)]
pub struct ProviderSettings {
    /// The part before the `:` of a model id.
    pub name: String,
    pub kind: &'static ProviderKind,
    /// The part of the address before `/chat/completions`; `None` for the default of the kind or the preset.
    pub base_url: Option<String>,
    /// The API key, sent as a bearer token unless the service wants it in a header of its own.
    pub api_key: Option<SecretString>,
    /// Headers of every request, which override the provider's own. Their values are treated as secrets.
    pub headers: BTreeMap<String, String>,
    /// Whether answers are asked for as a stream.
    pub stream: bool,
    /// Patterns of the ids of models that accept images, whatever the provider's list says; `*` stands for anything.
    pub image_models: Vec<String>,
    /// Calls in flight at once; further ones wait.
    pub max_in_flight: usize,
    /// Tries and pauses.
    pub retry: RetryPolicy,
    /// Size limit on text, reasoning and tool calls of one answer together.
    pub max_answer_bytes: usize,
    /// The address at which people reach this server, if configured.
    pub public_url: Option<String>,
    /// The keys that only its kind has, which the kind's file reads. May hold secrets.
    pub own: Map<String, Value>,
    /// Those of [`ProviderKind::reads`] that are set. May hold secrets.
    pub environment: BTreeMap<String, String>,
}

impl ProviderSettings {
    /// The default settings of a provider of this kind.
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

    /// Sets a key that only its kind has.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.own.insert(key.to_owned(), value.into());
        self
    }

    /// Reads the keys that only its kind has.
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
