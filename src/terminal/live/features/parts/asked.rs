//! How a request has a question taken apart.

use clap::Args;

use crate::terminal::live::asked::Format;

/// A council on each part.
pub const DECOMPOSITION: Format =
    Format { name: "decomposition", command: None, fields: &[], streams: false };

/// On the command line.
#[derive(Debug, Clone, Default, Args)]
#[group(skip)]
pub struct Flags {
    /// Take the question apart, and have a council on each part.
    #[arg(long, group = "format")]
    pub decompose: bool,
}

impl Flags {
    /// The format that is asked for, if it is.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.decompose.then_some(DECOMPOSITION)
    }
}
