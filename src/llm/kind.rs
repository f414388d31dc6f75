//! What the settings of a kind of provider are made of; [`ProviderKind`](super::settings::ProviderKind) puts them together.

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
