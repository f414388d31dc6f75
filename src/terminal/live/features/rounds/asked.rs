//! How a request lets members debate, or compete in an arena.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::terminal::live::asked::{Format, Own};

/// Members criticise each other.
pub const DEBATE: Format = Format {
    name: "debate",
    command: Some("let the members debate"),
    fields: &[STYLE, BY_STYLE[0], BY_STYLE[1], "include_rebuttal"],
    streams: true,
};

/// Members compete.
pub const ARENA: Format = Format {
    name: "arena",
    command: Some("let them compete in an arena"),
    fields: &[OF_ARENA],
    streams: false,
};

/// Another field that means the same as the format.
pub const USE_DEBATE: Own =
    Own { field: "use_debate", in_chat: "use /debate on", of_file: "write mode = \"debate\"" };

/// The field for the kind of a debate.
pub const STYLE: &str = "debate_style";
/// The fields that say how many rounds it has, by its kind.
pub const BY_STYLE: [&str; 2] = ["num_rounds", "debate_rounds"];
const OF_ARENA: &str = "arena_rounds";

/// The command that says how many rounds there are: its name, what follows it, and what it does.
pub const COMMAND: (&str, &str, &str) = ("rounds", "N", "how many rounds the debate or arena has");
/// Why rounds cannot be set.
pub const NO_ROUNDS: &str = "rounds belong to a debate or an arena: /debate on or /arena on first";

/// The field for how many rounds this format has, if it has any.
#[must_use]
pub fn field_of_rounds(format: &str, style: Option<&str>) -> Option<&'static str> {
    let kind = usize::from(style == Some("all_to_all"));
    match format {
        "debate" => Some(BY_STYLE[kind]),
        "arena" => Some(OF_ARENA),
        _ => None,
    }
}

/// The kind of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Everybody criticises the next one.
    Rotation,
    /// Everybody criticises everybody.
    AllToAll,
}

/// On the command line.
#[derive(Debug, Clone, Default, Args)]
#[group(skip)]
pub struct Flags {
    /// Let the members debate.
    #[arg(long, group = "format")]
    pub debate: bool,
    /// Let them compete in an arena.
    #[arg(long, group = "format")]
    pub arena: bool,
    /// How many rounds a debate or an arena has.
    #[arg(long, value_name = "N")]
    pub rounds: Option<u8>,
    /// The kind of debate.
    #[arg(long, value_enum)]
    pub style: Option<Style>,
}

impl Flags {
    /// The format that is asked for, if one is.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        let given = [(self.debate, DEBATE), (self.arena, ARENA)];
        given.into_iter().find_map(|(given, format)| given.then_some(format))
    }

    /// The fields of a request that say the kind and the rounds.
    ///
    /// # Errors
    /// If this format has neither.
    pub fn fields(&self, format: Option<Format>) -> Result<Vec<(&'static str, Value)>, String> {
        if self.style.is_none() && self.rounds.is_none() {
            return Ok(Vec::new());
        }
        let name = format.map_or("", |format| format.name);
        let style = (format == Some(DEBATE)).then_some(match self.style {
            Some(Style::AllToAll) => "all_to_all",
            Some(Style::Rotation) | None => "rotation",
        });
        if self.style.is_some() && style.is_none() {
            return Err("--style belongs to a debate: add --debate".to_owned());
        }
        let Some(field) = field_of_rounds(name, style) else {
            return Err("--rounds belongs to a debate or an arena: add --debate or --arena".to_owned());
        };
        let style = style.map(|style| (STYLE, json!(style)));
        Ok(style.into_iter().chain(self.rounds.map(|rounds| (field, json!(rounds)))).collect())
    }
}
