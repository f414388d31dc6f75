//! The building blocks of a [`ProviderKind`](super::settings::ProviderKind): its settings, their variables and their
//! problems.

/// The HTTP client that all providers share, built when the first asks for it.
#[derive(Debug, Default)]
pub struct Clients(Option<reqwest::Client>);

impl Clients {
    /// The shared client, built on first use.
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
    /// TLS could not be set up.
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
    /// As it would be written in the environment; empty if there is none.
    pub default: &'static str,
    /// What it does, in Markdown.
    pub doc: &'static str,
    pub example: &'static str,
}

/// The type of an [`OwnKey`]'s value.
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

/// An environment variable that sets a key of one provider.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: &'static str,
    /// The provider that it configures.
    pub provider: &'static str,
    pub key: &'static str,
}

/// A configuration key that is missing or has a wrong value.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    pub key: &'static str,
    /// For people; continues a sentence that begins with the key's name.
    pub message: String,
    /// Whether to name the environment variables that set it.
    pub by_variable: bool,
}

impl Problem {
    /// A problem with this key: what it must be, or why its value is wrong.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into(), by_variable: false }
    }

    /// A missing key that is best set by an environment variable.
    #[must_use]
    pub fn required(key: &'static str) -> Self {
        Self { by_variable: true, ..Self::new(key, "is required") }
    }
}
