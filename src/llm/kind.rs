//! What a kind of provider says of itself: its settings with their defaults and documentation, the environment
//! variables that stand for them, what it cannot do without, and how it is set up. Each kind's file has one
//! [`ProviderKind`]; `kinds.rs` lists them; `config` makes keys, documentation and checks at start from that.

use super::Provider;
use super::retry::RetryPolicy;
use super::settings::ProviderSettings;

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
    /// What is missing or does not go together in settings that are each right.
    pub check: fn(&ProviderSettings) -> Vec<Problem>,
    /// Sets one up.
    pub build: Build,
}

/// How a provider is set up, or every setting that is wrong, in words that begin with its key.
pub type Build = fn(&ProviderSettings, &mut Clients) -> Result<Box<dyn Provider>, SetUpError>;

/// The HTTP client that all providers share, built when the first asks for it.
#[derive(Debug, Default)]
pub struct Clients(Option<reqwest::Client>);

impl Clients {
    /// The client.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn shared(&mut self) -> Result<reqwest::Client, SetUpError> {
        match &self.0 {
            Some(client) => Ok(client.clone()),
            None => {
                let built = super::client::build().map_err(SetUpError::Client)?;
                Ok(self.0.insert(built).clone())
            }
        }
    }
}

/// Why a provider cannot be set up.
#[derive(Debug)]
pub enum SetUpError {
    /// Every wrong setting, each beginning with its key.
    Settings(Vec<String>),
    /// No TLS.
    Client(reqwest::Error),
}

impl From<Vec<String>> for SetUpError {
    fn from(wrong: Vec<String>) -> Self {
        Self::Settings(wrong)
    }
}

/// A setting that only some kinds have: `providers.<name>.<key>`.
#[derive(Debug, Clone, Copy)]
pub struct OwnKey {
    pub name: &'static str,
    pub value: OwnValue,
    /// As it would be written in the environment; empty where there is none.
    pub default: &'static str,
    /// What it does, in Markdown.
    pub doc: &'static str,
    pub example: &'static str,
}

/// What the value of such a setting looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OwnValue {
    Text,
    /// No log, error or `Debug` shows it; may be read from a file.
    Secret,
    Flag,
    /// A whole number, both bounds included.
    Number(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    List,
    /// An `http` or `https` address without user, password or query.
    Url,
}

/// A variable that stands for a key of one provider.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: &'static str,
    /// The provider that it configures.
    pub provider: &'static str,
    pub key: &'static str,
}

/// What is wrong with a key, or missing.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    pub key: &'static str,
    /// For people; goes on after the key's name.
    pub message: String,
    /// Whether to say which variables set it.
    pub by_variable: bool,
}

impl Problem {
    /// What this key must be, or why it cannot be what it is.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into(), by_variable: false }
    }

    /// A key without which nothing works and which is best set by a variable.
    #[must_use]
    pub fn required(key: &'static str) -> Self {
        Self { by_variable: true, ..Self::new(key, "is required") }
    }
}
