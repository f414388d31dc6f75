//! The arguments of the command line that say where and how to ask.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::live::asked::Format;
use super::live::features::{FORMATS, FormatFlags, OptionFlags};
use super::text::amounts;

/// Where questions go.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where")]
pub struct Where {
    /// Ask this server, with the token of LLM_COUNCIL_TOKEN or of `llm-council login` (or else: LLM_COUNCIL_SERVER).
    #[arg(long, value_name = "URL", conflicts_with = "ephemeral")]
    pub server: Option<String>,
    /// The server and token that `llm-council login --profile NAME` has kept (or else: LLM_COUNCIL_PROFILE).
    #[arg(long, value_name = "NAME", conflicts_with = "ephemeral")]
    pub profile: Option<String>,
    /// Ask here, with the database of this machine, even where a server is known.
    #[arg(long, conflicts_with_all = ["server", "profile"])]
    pub here: bool,
    /// Ask here without a database: nothing is kept.
    #[arg(long, conflicts_with = "here")]
    pub ephemeral: bool,
    /// Whose conversations, where people sign in and the question is asked here.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["server", "profile", "ephemeral"])]
    pub user: Option<String>,
}

impl Where {
    /// Adds the server and the profile of the environment, unless the command line says where to ask: `--here` asks
    /// here even if the environment names a server.
    #[must_use]
    pub fn with_environment(&self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut all = self.clone();
        let is_said = self.server.is_some() || self.profile.is_some();
        if !is_said && !self.here && !self.ephemeral && self.user.is_none() {
            let set = |name| variable(name).filter(|value| !value.is_empty());
            all.server = set("LLM_COUNCIL_SERVER");
            all.profile = set("LLM_COUNCIL_PROFILE");
        }
        all
    }
}

/// How the council deliberates.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Council")]
pub struct Council {
    /// The format: the council, or one of those below.
    #[arg(long, group = "format", value_parser = FORMATS.map(|format| format.name))]
    pub mode: Option<String>,
    #[command(flatten)]
    pub formats: FormatFlags,
    /// A preset, by its name.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Who answers, in the place of your council: names of models, separated by commas.
    #[arg(long, value_name = "MODELS", value_delimiter = ',')]
    pub models: Option<Vec<String>>,
    /// Who writes the final answer.
    #[arg(long, value_name = "MODEL")]
    pub chairman: Option<String>,
    #[command(flatten)]
    pub options: OptionFlags,
    /// Any other field of a request (docs/options.md), as `quorum=3`; may be given many times.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub fields: Vec<String>,
}

impl Council {
    /// The format that is asked for, if one is.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        let named = || FORMATS.into_iter().find(|format| Some(format.name) == self.mode.as_deref());
        self.formats.format().or_else(named)
    }

    /// The fields of a request for these arguments, except the preset: only the server knows its id.
    ///
    /// # Errors
    /// Everything that is wrong with the arguments.
    pub fn fields(&self) -> Result<Map<String, Value>, Vec<String>> {
        let mut fields = Map::new();
        let mut problems = Vec::new();
        let mut say = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        let format = self.format();
        if let Some(format) = format {
            say("mode", json!(format.name));
        }
        match self.formats.fields(format) {
            Ok(fields) => fields.into_iter().for_each(|(name, value)| say(name, value)),
            Err(problem) => problems.push(problem),
        }
        if let Some(models) = &self.models {
            say("models", json!(models.iter().map(|model| model.trim()).collect::<Vec<_>>()));
        }
        if let Some(chairman) = &self.chairman {
            say("chairman_model", json!(chairman));
        }
        self.options.fields().for_each(|(name, value)| say(name, value));
        for field in &self.fields {
            match field.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    // `true`, numbers and lists as they are; everything else is a text.
                    let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
                    say(name.trim(), value);
                }
                _ => problems.push(format!("--set {field:?}: write FIELD=VALUE, as quorum=3")),
            }
        }
        if problems.is_empty() { Ok(fields) } else { Err(problems) }
    }
}

/// `query`: one question.
#[derive(Debug, Clone, Args)]
pub struct Query {
    /// The question; without one it is read from the file of -f, or from what is piped in.
    pub question: Option<String>,
    /// Read the question from this file, or what it is about, where there is a question; `-` is what is piped in.
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// A file that goes with the question, as in the web app: text, code, PDF, DOCX, a picture; may be given many times.
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<PathBuf>,
    #[command(flatten)]
    pub place: Where,
    #[command(flatten)]
    pub council: Council,
    #[command(flatten)]
    pub output: Output,
}

/// What is printed of a deliberation.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Show one member after the other, word by word.
    #[arg(long, overrides_with = "parallel")]
    pub stream: bool,
    /// Ask all members at once (the default).
    #[arg(long, overrides_with = "stream")]
    pub parallel: bool,
    /// Print the final answer alone, as it was written.
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    pub simple: bool,
    /// Show the final answer only, in its frame.
    #[arg(long, conflicts_with_all = ["simple", "json", "jsonl"])]
    pub final_only: bool,
    /// Print the stored message as JSON.
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,
    /// Print the events as they come, one JSON a line.
    #[arg(long)]
    pub jsonl: bool,
    /// Write to this file instead of the terminal.
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No colours.
    #[arg(long)]
    pub no_color: bool,
    /// No frames, no colours, nothing that moves: for screen readers.
    #[arg(long)]
    pub plain: bool,
    /// Show no progress.
    #[arg(short, long)]
    pub quiet: bool,
    /// Ask nothing that will probably cost more than this, in USD.
    #[arg(long, value_name = "USD", value_parser = amounts::read_usd)]
    pub max_cost: Option<f64>,
    /// End with 6 where a member failed.
    #[arg(long)]
    pub strict: bool,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        query: Query,
    }

    fn fields(words: &[&str]) -> Result<Value, Vec<String>> {
        let line = Line::parse_from([&["query", "Why?"], words].concat());
        line.query.council.fields().map(Value::Object)
    }

    #[test]
    fn flags_become_the_fields_of_a_request() {
        assert_eq!(fields(&[]), Ok(json!({})));
        assert_eq!(
            fields(&["--debate", "--rounds", "3"]),
            Ok(json!({"mode": "debate", "debate_style": "rotation", "num_rounds": 3}))
        );
        assert_eq!(
            fields(&["--debate", "--style", "all-to-all", "--rounds", "4"]),
            Ok(json!({"mode": "debate", "debate_style": "all_to_all", "debate_rounds": 4}))
        );
        assert_eq!(fields(&["--arena", "--rounds", "5"]), Ok(json!({"mode": "arena", "arena_rounds": 5})));
        assert_eq!(
            fields(&["--models", "a/b, c/d", "--no-react", "--cache"]),
            Ok(
                json!({"models": ["a/b", "c/d"], "use_react": false, "use_cache": true, "cache_mode": "serve"})
            )
        );
        assert_eq!(
            fields(&["--set", "quorum=2", "--set", "final=select"]),
            Ok(json!({"quorum": 2, "final": "select"}))
        );
    }

    #[test]
    fn a_limit_that_is_no_amount_is_refused() {
        let max_cost = |text: &str| {
            let line = Line::try_parse_from(["query", "Why?", "--max-cost", text]);
            line.map(|line| line.query.output.max_cost).map_err(|error| error.to_string())
        };
        assert_eq!(max_cost("$0.10"), Ok(Some(0.1)));
        for text in ["NaN", "inf", "much"] {
            assert!(max_cost(text).unwrap_err().contains("an amount in US dollars"), "{text}");
        }
    }

    #[test]
    fn one_format_is_asked_for_at_a_time() {
        let all: [&[&str]; 4] = [&["--mode", "arena"], &["--debate"], &["--arena"], &["--decompose"]];
        for (at, one) in all.iter().enumerate() {
            assert!(Line::try_parse_from([&["query"], *one].concat()).is_ok(), "{one:?}");
            for other in &all[at + 1..] {
                let line = [&["query"], *one, *other].concat();
                assert!(Line::try_parse_from(&line).is_err(), "{line:?}");
            }
        }
        assert!(Line::try_parse_from(["query", "--mode", "quarrel"]).is_err());
    }

    #[test]
    fn the_environment_says_where_only_where_the_command_line_does_not() {
        let variable = |name: &str| (name == "LLM_COUNCIL_SERVER").then(|| "https://c".to_owned());
        let server = |place: Where| place.with_environment(variable).server;
        assert_eq!(server(Where::default()).as_deref(), Some("https://c"));
        assert_eq!(server(Where { ephemeral: true, ..Where::default() }), None);
        assert_eq!(server(Where { here: true, ..Where::default() }), None);
        assert_eq!(server(Where { profile: Some("work".to_owned()), ..Where::default() }), None);
        let other = Where { server: Some("https://d".to_owned()), ..Where::default() };
        assert_eq!(server(other).as_deref(), Some("https://d"));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let problems = fields(&["--rounds", "3", "--set", "nonsense"]).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}
