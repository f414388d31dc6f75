//! How something is looked up before anybody answers.

use clap::Args;
use serde_json::{Value, json};

use crate::terminal::live::asked::Switch;

/// Searches topic by topic.
pub const RESEARCH: Switch = Switch {
    word: "research",
    field: "use_research",
    says: "The question is researched first",
    command: "research the question first",
};

/// One search, which every member reads.
pub const SEARCH: Switch = Switch {
    word: "search",
    field: "use_web_search",
    says: "The web is searched for the question first",
    command: "search the web for the question first",
};

/// On the command line.
#[derive(Debug, Clone, Default, Args)]
#[group(skip)]
pub struct Flags {
    /// Research the question before anybody answers.
    #[arg(long)]
    pub research: bool,
    /// Search the web for the question first.
    #[arg(long)]
    pub search: bool,
}

impl Flags {
    /// The fields of a request that say so.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let given = [(self.research, RESEARCH), (self.search, SEARCH)];
        given.into_iter().filter(|(given, _)| *given).map(|(_, switch)| (switch.field, json!(true)))
    }
}
