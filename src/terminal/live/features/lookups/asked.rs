//! How a request lets members look things up.

use clap::Args;
use serde_json::{Value, json};

/// On the command line.
#[derive(Debug, Clone, Default, Args)]
#[group(skip)]
pub struct Flags {
    /// Let members search the web themselves.
    #[arg(long)]
    pub tools: bool,
}

impl Flags {
    /// The field of a request that says so.
    #[must_use]
    pub fn field(&self) -> Option<(&'static str, Value)> {
        self.tools.then(|| ("use_tools", json!(true)))
    }
}
