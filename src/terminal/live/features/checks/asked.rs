//! How a request lets the chairman look things up.

use clap::Args;
use serde_json::{Value, json};

use crate::terminal::live::asked::Switch;

/// A search, a thought, and again, before the final answer.
pub const REACT: Switch = Switch {
    word: "react",
    field: "use_react",
    says: "The chairman looks up facts before it writes",
    command: "let the chairman look up facts before it writes",
};

/// On the command line.
#[derive(Debug, Clone, Default, Args)]
#[group(skip)]
pub struct Flags {
    /// Let the chairman look up facts before it writes.
    #[arg(long, overrides_with = "no_react")]
    pub react: bool,
    /// Let it write at once, even where your settings say otherwise.
    #[arg(long, overrides_with = "react")]
    pub no_react: bool,
}

impl Flags {
    /// The field of a request that says so.
    #[must_use]
    pub fn field(&self) -> Option<(&'static str, Value)> {
        (self.react || self.no_react).then(|| (REACT.field, json!(self.react)))
    }
}
