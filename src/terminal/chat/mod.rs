//! `chat`: one question after another in a conversation, and commands that say how the next one is asked.
//!
//! A line becomes a [`command`], which changes the [`settings`] or asks the server ([`commands`]); a question is asked
//! and shown as by `query`.

pub(in crate::terminal) mod command;
mod commands;
mod completion;
mod editor;
mod input;
pub(in crate::terminal) mod settings;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use clap::Args;
use serde_json::{Value, json};

use super::arguments::{Council, Output, Where};
use super::live::LiveRun;
use super::profile::Profiles;
use super::query::{self, Interrupts, Watched};
use super::session::{Method, Place, Question, Session, Trouble};
use super::text::{Depth, is_dumb, one_line};
use super::{exit, text};
use command::{Command, Line};
use completion::Known;
use editor::Editor;
use input::{Input, InputEvent, Plain};
use settings::{Preset, Settings};

/// `chat`: one question after another.
#[derive(Debug, Clone, Default, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub place: Where,
    #[command(flatten)]
    pub council: Council,
    /// Show one member after the other, word by word.
    #[arg(long, help_heading = "Output")]
    pub stream: bool,
    /// No colours.
    #[arg(long, help_heading = "Output")]
    pub no_color: bool,
    /// No frames, no colours, nothing that moves, and no line editor: for screen readers.
    #[arg(long, help_heading = "Output")]
    pub plain: bool,
    /// Go on with this conversation.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
}

/// Runs a chat until the person leaves; returns the exit code.
///
/// # Errors
/// Why there was no chat.
pub async fn run(
    session: Arc<dyn Session>,
    arguments: &Arguments,
    profiles: &Profiles,
) -> Result<u8, Trouble> {
    let stdin = io::stdin().is_terminal();
    let alone = !(stdin && io::stdout().is_terminal());
    let output = Output {
        no_color: arguments.no_color,
        // Frames are for those who type at a terminal.
        plain: arguments.plain || alone,
        ..Output::default()
    };
    let settings = begin_chat(session.as_ref(), arguments, profiles).await?;
    let printer = Printer { output: Box::new(io::stdout()), errors: Box::new(io::stderr()), alone };
    let ephemeral = *session.place() == Place::Ephemeral;
    let mut chat = Chat::new(session.clone(), settings, output, printer);
    if let Some(id) = &arguments.conversation {
        let said = chat.enter(id.clone()).await?;
        if !alone {
            chat.printer.print(&said).map_err(|error| broken(&error))?;
        }
    }
    if alone {
        return chat.run(&mut Plain::new(stdin, alone)).await;
    }
    chat.greet().await?;
    if arguments.plain || is_dumb(|name| std::env::var(name).ok()) {
        return chat.run(&mut Plain::new(stdin, alone)).await;
    }
    let known = Arc::new(RwLock::new(Known::default()));
    let learning = learn(session, known.clone());
    let colors = Depth::detect(|name| std::env::var(name).ok(), true) != Depth::None;
    let path = editor::history_path(|name| std::env::var_os(name).map(PathBuf::from));
    // Where nothing is kept, the questions are not kept either.
    let path = path.filter(|_| !ephemeral);
    let (mut editor, problem) = Editor::new(path.as_deref(), known, colors && !arguments.no_color);
    if let Some(problem) = problem {
        chat.printer.print_error(&problem);
    }
    tokio::select! {
        ended = chat.run(&mut editor) => ended,
        never = async { learning.await; std::future::pending().await } => never,
    }
}

/// The initial settings: those of the user's file, which the command line overrides.
///
/// # Errors
/// Everything that is wrong with either, or a preset that does not exist.
pub(in crate::terminal) async fn begin(
    session: &dyn Session,
    council: &Council,
    profiles: &Profiles,
) -> Result<Settings, Trouble> {
    let (mut settings, preset) = Settings::of_file(&profiles.chat).map_err(Trouble::Wrong)?;
    settings.take(council.fields().map_err(Trouble::Wrong)?);
    if let Some(name) = council.preset.as_ref().or(preset.as_ref()) {
        settings.preset = Some(Preset { id: query::preset(session, name).await?, name: name.clone() });
    }
    Ok(settings)
}

/// The initial settings of a chat, which may also stream.
async fn begin_chat(
    session: &dyn Session,
    arguments: &Arguments,
    profiles: &Profiles,
) -> Result<Settings, Trouble> {
    let mut settings = begin(session, &arguments.council, profiles).await?;
    settings.stream |= arguments.stream || arguments.council.format().is_some_and(|format| format.streams);
    Ok(settings)
}

/// Loads the names that can be completed, while the person is already typing.
async fn learn(session: Arc<dyn Session>, known: Arc<RwLock<Known>>) {
    for (path, list, name) in [("/api/settings/presets", "presets", "name"), ("/api/models", "models", "id")]
    {
        match session.get(path).await {
            Ok(answer) => {
                let items = answer.get(list).and_then(Value::as_array).into_iter().flatten();
                let names = items.filter_map(|item| item.get(name)?.as_str().map(str::to_owned)).collect();
                let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
                *(if list == "models" { &mut known.models } else { &mut known.presets }) = names;
            }
            // Names can still be typed in full.
            Err(trouble) => tracing::debug!(%trouble, path, "names cannot be completed"),
        }
    }
}

/// Where messages are printed.
struct Printer {
    output: Box<dyn Write + Send>,
    errors: Box<dyn Write + Send>,
    /// Nobody is at a terminal: only answers are wanted.
    alone: bool,
}

impl Printer {
    fn print(&mut self, sentence: &str) -> io::Result<()> {
        self.output.write_all(format!("{}\n", sentence.trim_end()).as_bytes())?;
        self.output.flush()
    }

    fn print_error(&mut self, sentence: &str) {
        let who = if self.alone { "llm-council: " } else { "" };
        // If not even this can be written, there is nobody to tell.
        drop(writeln!(self.errors, "{who}{sentence}"));
    }
}

fn broken(error: &io::Error) -> Trouble {
    Trouble::Failed(format!("the output cannot be written: {error}"))
}

/// The cost of a run.
struct Spent {
    /// The question, or a name for what else was asked.
    what: String,
    /// In USD; `None` if unknown.
    usd: Option<f64>,
    tokens: u64,
    unknown_calls: u64,
}

/// The state of a chat.
struct Chat {
    session: Arc<dyn Session>,
    settings: Settings,
    /// How answers are printed; whether word by word is up to the settings.
    output: Output,
    printer: Printer,
    /// The conversation of the next question; `None` if that begins one.
    conversation: Option<String>,
    last: Option<LiveRun>,
    spent: Vec<Spent>,
    /// The conversations of the last `/history`, by their numbers.
    listed: Vec<String>,
}

impl Chat {
    fn new(session: Arc<dyn Session>, settings: Settings, output: Output, printer: Printer) -> Self {
        Self {
            session,
            settings,
            output,
            printer,
            conversation: None,
            last: None,
            spent: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// Says where questions go, and who answers them.
    async fn greet(&mut self) -> Result<(), Trouble> {
        let council = self.council().await?;
        let place = self.session.place().to_string();
        let said = format!("Asking {}. {council} /help lists the commands.", one_line(&place));
        self.printer.print(&said).map_err(|error| broken(&error))
    }

    /// Handles one line after another until the end. If nobody is there to see failures, the exit code is that of the
    /// first.
    async fn run(&mut self, input: &mut dyn Input) -> Result<u8, Trouble> {
        let mut code = exit::ANSWERED;
        loop {
            let prompt = self.settings.prompt();
            let event = input.next(&prompt).await;
            let event =
                event.map_err(|error| Trouble::Failed(format!("the input cannot be read: {error}")))?;
            let line = match event {
                InputEvent::Line(line) => line,
                InputEvent::Interrupt { idle } => {
                    if idle {
                        self.printer.print_error("Ctrl-D or /exit leaves.");
                    }
                    continue;
                }
                InputEvent::End => return Ok(code),
                InputEvent::Terminated => return Ok(exit::CANCELLED),
            };
            let result = match command::parse(&line) {
                Ok(Line::Empty) => Ok(exit::ANSWERED),
                Ok(Line::Command(Command::Exit)) => return Ok(code),
                Ok(Line::Question(question)) => self.ask(question).await,
                Ok(Line::Command(command)) => self.execute(command).await,
                Err(problem) => {
                    self.printer.print_error(&problem);
                    Ok(exit::WRONG_USAGE)
                }
            };
            let status = result.unwrap_or_else(|trouble| {
                self.printer.print_error(&trouble.to_string());
                trouble.exit_code()
            });
            if status == exit::PIPE_CLOSED || (status == exit::CANCELLED && self.printer.alone) {
                return Ok(status);
            }
            if status == exit::CANCELLED {
                self.printer.print_error("Stopped.");
            }
            if code == exit::ANSWERED && self.printer.alone {
                code = status;
            }
        }
    }

    /// Executes a command and prints its result, unless Ctrl-C is pressed before that.
    async fn execute(&mut self, command: Command) -> Result<u8, Trouble> {
        if command == Command::Retry {
            return self.retry().await;
        }
        // Confirmations are only for people; requested output is for programs too.
        let only_confirms = matches!(
            command,
            Command::Set(_)
                | Command::New
                | Command::Preset(_)
                | Command::Attach(_)
                | Command::Use(_)
                | Command::Save(_)
        );
        let mut interrupts = Interrupts::listen();
        let said = tokio::select! {
            said = self.answer(command) => said?,
            () = interrupts.next() => return Ok(exit::CANCELLED),
        };
        if only_confirms && self.printer.alone {
            return Ok(exit::ANSWERED);
        }
        match self.printer.print(&said) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(exit::PIPE_CLOSED),
            said => said.map(|()| exit::ANSWERED).map_err(|error| broken(&error)),
        }
    }

    fn output(&self) -> Output {
        Output { stream: self.settings.stream, ..self.output.clone() }
    }

    async fn ask(&mut self, question: String) -> Result<u8, Trouble> {
        let body = query::with_question(self.settings.fields(), &question, self.printer.alone);
        let asked = match &self.conversation {
            Some(conversation) => Question::in_conversation(conversation.clone(), body),
            None => Question::first(body),
        };
        let conversation = asked.conversation.clone();
        let watched = query::ask(self.session.clone(), asked, &self.output()).await;
        self.record(question, conversation, watched)
    }

    /// Asks again what failed in the last run.
    async fn retry(&mut self) -> Result<u8, Trouble> {
        let last = self.last.as_ref().and_then(|run| run.run_id.clone()).zip(self.conversation.clone());
        let Some((run, conversation)) = last else {
            return Err(Trouble::Failed("there is no run yet to try again".to_owned()));
        };
        let run = again(self.session.as_ref(), &run).await?;
        let watched = query::follow(self.session.clone(), &run, &self.output()).await;
        self.record("(tried again)".to_owned(), conversation, watched)
    }

    fn record(&mut self, what: String, conversation: String, watched: Watched) -> Result<u8, Trouble> {
        let Watched { run, ended } = watched;
        // Without a run the question had no effect, and there is no conversation either.
        if run.run_id.is_some() {
            self.conversation = Some(conversation);
            let costs = run.costs.as_ref();
            self.spent.push(Spent {
                what,
                usd: costs.and_then(|costs| costs.total),
                tokens: costs.map_or(0, |costs| costs.tokens),
                unknown_calls: costs.map_or(0, |costs| costs.unknown_calls),
            });
            self.last = Some(run);
        }
        ended
    }
}

/// Writes a text to a new file (`~/` is the home directory); returns a sentence that says so.
///
/// # Errors
/// If the file exists already, or cannot be written.
pub(in crate::terminal) fn save_new(path: &str, text: &str) -> Result<String, Trouble> {
    let file = at_home(path);
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&file)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    let path = one_line(path);
    match written {
        Ok(()) => Ok(format!("Saved: {path}")),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Trouble::Failed(format!("{path} is there already, and stays as it is")))
        }
        Err(error) => Err(Trouble::Failed(format!("{path} cannot be written: {error}"))),
    }
}

/// Starts the run that asks again what failed in this one; returns its id.
///
/// # Errors
/// When there is nothing to ask again, or the server refuses.
pub(in crate::terminal) async fn again(session: &dyn Session, run: &str) -> Result<String, Trouble> {
    let path = format!("/api/runs/{}/retry", escaped(run));
    let retried = session.request(Method::POST, &path, Some(&json!({}))).await?;
    let run = retried.get("run_id").and_then(Value::as_str).map(str::to_owned);
    run.ok_or_else(|| Trouble::Failed("the server names no run".to_owned()))
}

/// Escapes a part of a path or a query of the API.
pub(in crate::terminal) fn escaped(part: &str) -> String {
    url::form_urlencoded::byte_serialize(part.as_bytes()).collect()
}

/// The path for a file name that was typed; `~/` is expanded here, since no shell has read it.
pub(in crate::terminal) fn at_home(path: &str) -> PathBuf {
    let home = path.strip_prefix("~/").zip(std::env::var_os("HOME"));
    home.map_or_else(|| PathBuf::from(path), |(rest, home)| PathBuf::from(home).join(rest))
}

/// A text of at most this many columns, in one line.
fn short(text: &str, columns: usize) -> String {
    text::truncate(&one_line(text), columns).to_string()
}
