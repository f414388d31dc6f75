//! The line editor at a terminal: history, completion, hints, and questions of several lines.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use reedline::{
    Color, ColumnarMenu, Completer, CompletionResult, EditCommand, EditMode, Emacs, FileBackedHistory,
    Highlighter, Hinter, History, KeyCode, KeyModifiers, MenuBuilder as _, Prompt, PromptEditMode,
    PromptHistorySearch, Reedline, ReedlineEvent, ReedlineMenu, ReedlineRawEvent, Signal, Span, StyledText,
    Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};

use super::completion::{Known, completions, hint};
use super::input::{Input, InputEvent, Termination};
use crate::terminal::text::harmless;

/// How many lines are remembered.
const HISTORY: usize = 1000;
const MENU: &str = "completions";
/// Stands in the editor between a backslash and the line break after it where both were pasted: they are the question's
/// own. It is invisible, and `harmless` leaves none in what is pasted.
const PASTED: char = '\u{2060}';

/// The line editor.
pub struct Editor {
    /// `None` while a line is being read, which blocks a thread.
    lines: Option<Reedline>,
    /// Ends the reading of a line.
    stop: Arc<AtomicBool>,
    /// Nothing is typed.
    idle: Arc<AtomicBool>,
    termination: Termination,
}

impl Editor {
    /// An editor with this history, if there is one, and a warning if that cannot be used.
    #[must_use]
    pub fn new(history: Option<&Path>, known: Arc<RwLock<Known>>, colored: bool) -> (Self, Option<String>) {
        let stop = Arc::new(AtomicBool::new(false));
        let idle = Arc::new(AtomicBool::new(true));
        let mut keys = default_emacs_keybindings();
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]),
        );
        let menu = Box::new(ColumnarMenu::default().with_name(MENU));
        let mut lines = Reedline::create()
            .with_ansi_colors(colored)
            .use_bracketed_paste(true)
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_edit_mode(Box::new(Keys(Emacs::new(keys))))
            .with_completer(Box::new(Completions(known)))
            .with_menu(ReedlineMenu::EngineCompleter(menu))
            .with_hinter(Box::new(Hints::default()))
            .with_highlighter(Box::new(Watching(idle.clone())))
            .with_validator(Box::new(Lines))
            .with_break_signal(stop.clone());
        let mut problem = None;
        if let Some(path) = history {
            match remembered(path) {
                Ok(history) => lines = lines.with_history(Box::new(history)),
                Err(why) => problem = Some(format!("{}: {why}; this chat is not remembered", path.display())),
            }
        }
        (Self { lines: Some(lines), stop, idle, termination: Termination::listen() }, problem)
    }
}

#[async_trait]
impl Input for Editor {
    async fn next(&mut self, prompt: &str) -> io::Result<InputEvent> {
        let Some(mut lines) = self.lines.take() else { return Ok(InputEvent::End) };
        let shown = Shown(prompt.to_owned());
        self.idle.store(true, Ordering::Relaxed);
        let mut reading = tokio::task::spawn_blocking(move || {
            let signal = lines.read_line(&shown);
            (lines, signal)
        });
        let read = tokio::select! {
            read = &mut reading => read,
            () = self.termination.asked() => {
                // The editor restores the terminal.
                self.stop.store(true, Ordering::Relaxed);
                drop(reading.await);
                return Ok(InputEvent::Terminated);
            }
        };
        let (lines, signal) = read.map_err(io::Error::other)?;
        self.lines = Some(lines);
        Ok(match signal.map_err(io::Error::other)? {
            Signal::Success(text) => InputEvent::Line(as_meant(&text)),
            Signal::CtrlC => InputEvent::Interrupt { idle: self.idle.load(Ordering::Relaxed) },
            Signal::ExternalBreak(_) => InputEvent::Terminated,
            // No input here runs a command of the host.
            Signal::CtrlD | Signal::HostCommand(_) | _ => InputEvent::End,
        })
    }
}

/// What was typed or pasted, without the backslashes that only began another line.
fn as_meant(text: &str) -> String {
    text.replace("\\\n", "\n").replace(&format!("\\{PASTED}\n"), "\\\n")
}

/// The path of the file in which a person's lines are remembered; `None` without a home directory.
#[must_use]
pub fn history_path(env: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let data = env("XDG_DATA_HOME").and_then(absolute);
    let data = data.or_else(|| env("HOME").and_then(absolute).map(|home| home.join(".local/share")))?;
    Some(data.join("llm-council").join("chat_history"))
}

/// The history in this file, which only its owner can read.
fn remembered(path: &Path) -> io::Result<FileBackedHistory> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    FileBackedHistory::with_file(HISTORY, path.to_owned()).map_err(io::Error::other)
}

struct Shown(String);

impl Prompt for Shown {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!(" (earlier lines: {}) ", search.term))
    }
}

/// The usual keys. The editor writes a line to the terminal as it is, so what is pasted is made harmless first.
struct Keys(Emacs);

impl EditMode for Keys {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what pastes nothing is left as it is")]
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let pasted = |command| match command {
            EditCommand::InsertString(text) => {
                EditCommand::InsertString(harmless(&text).replace("\\\n", &format!("\\{PASTED}\n")))
            }
            command => command,
        };
        match self.0.parse_event(event) {
            ReedlineEvent::Edit(commands) => ReedlineEvent::Edit(commands.into_iter().map(pasted).collect()),
            event => event,
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.0.edit_mode()
    }
}

/// A line that ends with a backslash goes on.
struct Lines;

impl Validator for Lines {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.ends_with('\\') { ValidationResult::Incomplete } else { ValidationResult::Complete }
    }
}

/// Shows the line unchanged, and records whether anything is typed.
struct Watching(Arc<AtomicBool>);

impl Highlighter for Watching {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        self.0.store(line.is_empty(), Ordering::Relaxed);
        let mut text = StyledText::new();
        text.push((Color::Default.normal(), line.to_owned()));
        text
    }
}

struct Completions(Arc<RwLock<Known>>);

impl Completer for Completions {
    fn complete(&mut self, line: &str, at: usize) -> CompletionResult {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = completions(line, at, &known).into_iter().map(|one| Suggestion {
            span: Span::new(one.start, at.min(line.len())),
            description: (!one.says.is_empty()).then(|| one.says.to_owned()),
            append_whitespace: one.goes_on,
            value: one.value,
            ..Suggestion::default()
        });
        CompletionResult::fresh(found.collect::<Vec<_>>())
    }
}

/// The rest of the command, shown after what is typed.
#[derive(Default)]
struct Hints(String);

impl Hinter for Hints {
    fn handle(&mut self, line: &str, at: usize, _: &dyn History, colored: bool, _: &str) -> String {
        // Without colours nobody could tell it from what is typed.
        let (shown, rest) = if colored && at == line.len() { hint(line) } else { Default::default() };
        self.0 = rest;
        Color::DarkGray.paint(shown).to_string()
    }

    fn complete_hint(&self) -> String {
        self.0.clone()
    }

    fn next_hint_token(&self) -> String {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::Event;

    use super::*;

    #[test]
    fn what_is_pasted_steers_nothing() {
        let pasted = Event::Paste("two\r\nlines\u{1b}[2J\u{7}".to_owned());
        let raw = ReedlineRawEvent::try_from(pasted).unwrap();
        let ReedlineEvent::Edit(commands) = Keys(Emacs::default()).parse_event(raw) else {
            panic!("nothing is pasted");
        };
        assert_eq!(commands, [EditCommand::InsertString("two\nlines".to_owned())]);
    }

    #[test]
    fn a_backslash_that_was_pasted_before_a_line_break_stays() {
        let pasted = Event::Paste("docker run \\\r\n  -v x:/y \\\\\n  z".to_owned());
        let raw = ReedlineRawEvent::try_from(pasted).unwrap();
        let ReedlineEvent::Edit(commands) = Keys(Emacs::default()).parse_event(raw) else {
            panic!("nothing is pasted");
        };
        let [EditCommand::InsertString(text)] = commands.as_slice() else { panic!("{commands:?}") };
        let line = format!("What is wrong here?\\\n{text}");
        assert_eq!(as_meant(&line), "What is wrong here?\ndocker run \\\n  -v x:/y \\\\\n  z");
    }

    #[test]
    fn only_its_owner_can_read_the_history() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_owned();
        let path = history_path(|name| (name == "XDG_DATA_HOME").then(|| data.clone())).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "Why?\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        remembered(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&path).unwrap(), "Why?\n");
        assert_eq!(history_path(|_| Some("relative".into())), None);
    }
}
