//! People at a terminal: one file per subcommand. May import every room.

mod bare_question;
mod bench;
pub mod build;
mod database;
mod doctor;
mod flags;
mod healthcheck;
mod in_process;
mod migrate;
mod output;
mod prompts;
mod serve;
mod terminal;
mod user_names;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use std::io::IsTerminal as _;

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::attachments::{Kind, worker};
use crate::config::ConfigErrors;
use crate::store::SetupError;
use crate::terminal::arguments::{self, Where};
use crate::terminal::lists::{self, List};
use crate::terminal::text::harmless_json;
use crate::terminal::{chat, mcp, own_data, query, tui};
use crate::version;

use flags::Flags;
use output::{print, printed};
use user_names::Undecided;

/// `EX_CONFIG` of sysexits.h: starting again will not help until somebody has changed the configuration, or the database.
const WRONG_CONFIGURATION: u8 = 78;

/// A team's council of language models: they answer, review each other blind, and a chairman writes the answer.
#[derive(Debug, Parser)]
#[command(name = "llm-council", version = version::LINE.as_str(), about, before_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Flags,
}

/// What the help begins with.
const EXAMPLES: &str = "\
Ask:       llm-council \"Why is the sky blue?\"
           llm-council query --debate --rounds 3 \"Tabs or spaces?\"
           git diff | llm-council query -f - \"Review this change\"
Serve:     llm-council serve
A team's:  llm-council login https://council.example.com";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and the web app (what happens without a command where there is no terminal).
    Serve,
    /// Ask one question and watch the deliberation.
    #[command(before_help = QUERY_EXAMPLES)]
    Query(Box<arguments::Query>),
    /// Talk with the council, question after question.
    #[command(before_help = CHAT_EXAMPLES)]
    Chat(Box<chat::Arguments>),
    /// The whole council on one screen: conversations, the deliberation as it goes on, what is asked next.
    #[command(before_help = TUI_EXAMPLES)]
    Tui(Box<tui::Arguments>),
    /// Give the council to another program on this machine by the Model Context Protocol, over standard input and output.
    #[command(before_help = MCP_EXAMPLES)]
    Mcp {
        #[command(flatten)]
        place: Where,
    },
    /// List your runs, the latest first.
    Runs {
        /// At most so many.
        #[arg(long, default_value_t = 20)]
        limit: usize,
        #[command(flatten)]
        listed: Listed,
    },
    /// Print a conversation as Markdown, or as JSON with --json; or save all that is stored of you with --all.
    Export {
        /// The conversation's id.
        #[arg(required_unless_present = "all")]
        conversation: Option<String>,
        /// Saves everything to this file, as a ZIP: conversations, files, settings, usage (docs/own-data.md).
        #[arg(long, value_name = "FILE", conflicts_with_all = ["conversation", "json"])]
        all: Option<PathBuf>,
        #[command(flatten)]
        listed: Listed,
    },
    /// List the models that can be asked, with their prices.
    Models {
        /// Only those whose name has this in it.
        filter: Option<String>,
        #[command(flatten)]
        listed: Listed,
    },
    /// List your presets and everybody's.
    Presets {
        #[command(flatten)]
        listed: Listed,
    },
    /// Keep a server and a token for later.
    Login(terminal::Login),
    /// Make, list and revoke personal access tokens.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Show what everybody used (administrators: on the server's machine, with --here).
    Usage {
        /// By what: user, model, day, …
        #[arg(long, default_value = "user")]
        by: String,
        /// The first day, as 2026-11-01.
        #[arg(long, value_name = "DAY")]
        from: Option<String>,
        /// The last day.
        #[arg(long, value_name = "DAY")]
        to: Option<String>,
        #[command(flatten)]
        listed: Listed,
    },
    /// Print what a shell needs to complete these commands.
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual's pages, one a command, into a folder.
    Man { folder: PathBuf },
    /// Measure councils and models by questions with known answers (docs/bench.md).
    Bench(Box<bench::arguments::Arguments>),
    /// Examine configuration, database, sign-in, providers and each model of the council; exits with 0 where a council
    /// can be held, with 1 where not (docs/providers.md).
    Doctor(doctor::Arguments),
    /// Bring the configured database to this version's schema.
    Migrate(migrate::Decisions),
    /// Ask the running server whether it is ready; exits with 0 or 1.
    Healthcheck,
    /// Print the OpenAPI document.
    Openapi,
    /// Print the configuration reference.
    ConfigReference,
    /// Print a new key for `push.vapid_private_key`, which notifications are signed with.
    VapidKey,
    /// Read a file's text: from standard input to standard output, for a server that starts it.
    #[command(hide = true)]
    Extract {
        /// What it is.
        #[arg(value_parser = read_kind)]
        kind: Kind,
    },
    /// Print the built-in texts that models are asked with, as a section of the configuration (docs/prompts.md).
    Prompts(prompts::Arguments),
}

/// What the help of `query` begins with.
const QUERY_EXAMPLES: &str = "\
llm-council query \"Why is the sky blue?\"
llm-council query --debate --rounds 3 \"Tabs or spaces?\"
llm-council query --models openai/gpt-5.1,anthropic/claude-sonnet-4.5 -f question.md
llm-council query --jsonl \"Why?\" | jq -r 'select(.type == \"stage1_token\") | .content'";

/// What the help of `chat` begins with.
const CHAT_EXAMPLES: &str = "\
llm-council chat
llm-council chat --debate --server https://council.example.com
llm-council chat --conversation 0198c0de-…    goes on with one that is there";

/// What the help of `tui` begins with.
const TUI_EXAMPLES: &str = "\
llm-council tui
llm-council tui --server https://council.example.com
llm-council tui --debate --rounds 3";

/// What the help of `mcp` begins with.
const MCP_EXAMPLES: &str = "\
claude mcp add council -- llm-council mcp
llm-council mcp --server https://council.example.com    with the token of LLM_COUNCIL_TOKEN or of `llm-council login`";

/// Where a list comes from, and how it is printed.
#[derive(Debug, Clone, Args)]
struct Listed {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Where,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token; it is shown this once.
    New {
        /// What it is for.
        name: String,
        /// After how many days it ends.
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// It only reads: it asks nothing and spends nothing.
        #[arg(long)]
        read_only: bool,
        #[command(flatten)]
        place: Where,
    },
    /// List your tokens.
    List {
        #[command(flatten)]
        listed: Listed,
    },
    /// Revoke a token.
    Revoke {
        /// Its id, as `token list` shows it.
        id: String,
        #[command(flatten)]
        place: Where,
    },
}

impl Cli {
    /// The parsed command line; exits with a message where it is not valid.
    #[must_use]
    pub fn read() -> Self {
        let command = Self::command();
        let is_command = |word: &str| word == "help" || command.find_subcommand(word).is_some();
        let query = command.find_subcommand("query").cloned().unwrap_or_default();
        let asks = |name: &str| query.get_arguments().any(|argument| argument.get_long() == Some(name));
        Self::parse_from(bare_question::with_query(std::env::args_os().collect(), is_command, asks))
    }

    /// Does what was asked for.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let flags = &self.settings;
        let list = |listed: &Listed, list: List| {
            terminal::with_session(&listed.place, flags, async |session| {
                print(&lists::read(session.as_ref(), &list, listed.json).await?)
            })
        };
        let result = match self.command {
            None if std::io::stdout().is_terminal() => help(),
            None | Some(Command::Serve) => flags.load().and_then(|config| serve::run(&config)),
            Some(Command::Query(query)) => {
                terminal::with_session(&query.place, flags, async |session| query::run(session, &query).await)
            }
            Some(Command::Chat(chat)) => {
                terminal::with_profiles(&chat.place, flags, async |session, profiles| {
                    chat::run(session, &chat, &profiles).await
                })
            }
            Some(Command::Tui(tui)) => {
                terminal::with_profiles(&tui.place, flags, async |session, profiles| {
                    tui::run(session, &tui, &profiles).await
                })
            }
            Some(Command::Mcp { place }) => terminal::with_http(&place, flags, mcp::run),
            Some(Command::Runs { limit, listed }) => list(&listed, List::Runs { limit }),
            Some(Command::Models { filter, listed }) => list(&listed, List::Models { filter }),
            Some(Command::Presets { listed }) => list(&listed, List::Presets),
            Some(Command::Usage { by, from, to, listed }) => list(&listed, List::Usage { by, from, to }),
            Some(Command::Export { all: Some(file), listed, .. }) => {
                terminal::with_http(&listed.place, flags, async |http, _| own_data::save(http, &file).await)
            }
            Some(Command::Export { conversation, listed, .. }) => {
                let conversation = conversation.unwrap_or_default();
                terminal::with_session(&listed.place, flags, async |session| {
                    let format = if listed.json { "json" } else { "markdown" };
                    let path = format!("/api/conversations/{conversation}/export?format={format}");
                    let text = session.text(&path).await?;
                    print(&if listed.json { harmless_json(&text) } else { query::for_pipe(&text).into() })
                })
            }
            Some(Command::Token { command }) => match command {
                TokenCommand::List { listed } => list(&listed, List::Tokens),
                TokenCommand::New { name, days, read_only, place } => {
                    terminal::with_session(&place, flags, async |session| {
                        print(&lists::new_token(session.as_ref(), &name, days, read_only).await?)
                    })
                }
                TokenCommand::Revoke { id, place } => {
                    terminal::with_session(&place, flags, async |session| {
                        print(&lists::revoke_token(session.as_ref(), &id).await?)
                    })
                }
            },
            Some(Command::Login(login)) => login.run(),
            Some(Command::Completions { shell }) => completions(shell),
            Some(Command::Man { folder }) => man(&folder),
            Some(Command::Bench(arguments)) => {
                flags.load().and_then(|config| bench::run(&config, &arguments))
            }
            Some(Command::Doctor(arguments)) => {
                flags.load().and_then(|config| doctor::run(&config, &arguments))
            }
            Some(Command::Migrate(decisions)) => {
                flags.load().and_then(|config| migrate::run(&config, &decisions))
            }
            Some(Command::Healthcheck) => flags.load().and_then(|config| healthcheck::run(&config)),
            Some(Command::Openapi) => openapi(),
            Some(Command::ConfigReference) => printed(&crate::config::reference()),
            Some(Command::VapidKey) => {
                printed(&format!("{}\n", crate::outbox::push::Vapid::new_private_key()))
            }
            Some(Command::Prompts(arguments)) => prompts::text(&arguments).and_then(|text| printed(&text)),
            Some(Command::Extract { kind }) => Ok(worker::run(kind)),
        };
        result.unwrap_or_else(|error| match error.downcast_ref::<ConfigErrors>() {
            Some(ConfigErrors(errors)) => {
                let lines = errors.iter().map(|error| format!("\n  {error}"));
                eprintln!("llm-council: the configuration is wrong:{}", lines.collect::<String>());
                ExitCode::from(WRONG_CONFIGURATION)
            }
            None => {
                eprintln!("llm-council: {}", describe(&error));
                let lasts = |cause: &(dyn Error + 'static)| {
                    cause.is::<Undecided>()
                        || cause.downcast_ref::<SetupError>().is_some_and(|error| error.passes().is_none())
                };
                if error.chain().any(lasts) { ExitCode::from(WRONG_CONFIGURATION) } else { ExitCode::FAILURE }
            }
        })
    }
}

/// An error with its causes; those whose text the one before ends with already are left out.
fn describe(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn read_kind(word: &str) -> Result<Kind, String> {
    Kind::parse(word).ok_or_else(|| format!("not a kind of file: {word}"))
}

fn help() -> anyhow::Result<ExitCode> {
    Cli::command().print_help()?;
    Ok(ExitCode::SUCCESS)
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "llm-council", &mut script);
    printed(&String::from_utf8(script)?)
}

fn man(folder: &std::path::Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Cli::command(), folder)?;
    Ok(ExitCode::SUCCESS)
}

fn openapi() -> anyhow::Result<ExitCode> {
    printed(&format!("{}\n", crate::server::routes::openapi().to_pretty_json()?))
}
