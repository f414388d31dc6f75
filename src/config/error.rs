//! What is wrong with a configuration, all of it at once.

use std::fmt;

/// One problem: which key, where it was set, and what to do.
///
/// Never holds the value of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The dotted key (`server.port`), or the file's path when the file itself cannot be read.
    pub key: String,
    /// Who set it: a file's path, the name of an environment variable, or a flag. Empty when it is not set and must be.
    pub source: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.source.is_empty() || self.source == self.key {
            write!(f, "{}: {}", self.key, self.message)
        } else {
            write!(f, "{} (from {}): {}", self.key, self.source, self.message)
        }
    }
}

/// Every problem found, in the order of the keys. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}
