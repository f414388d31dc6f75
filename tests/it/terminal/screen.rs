//! In a real terminal: tmux holds it, types, and says what is on it.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::token;
use crate::support::app::TestApp;
use crate::support::model_server::{Gate, Script};

/// How long something that is drawn at once may take, at most.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A terminal of its own, which goes when it is dropped.
pub(super) struct Screen {
    socket: PathBuf,
    folder: tempfile::TempDir,
}

impl Screen {
    /// Runs the program with these arguments in a terminal of this size; afterwards its code is on the screen.
    pub fn run(env: &[(&str, &str)], args: &[&str], columns: u16, rows: u16) -> Self {
        let quoted = |word: &&str| format!("'{}'", word.replace('\'', "'\\''"));
        let words: Vec<String> = args.iter().map(quoted).collect();
        // The shell outlives what is meant for the program.
        let line = format!(
            "trap : INT; {} {}; echo \"ended with $?\"; sleep 600",
            env!("CARGO_BIN_EXE_llm-council"),
            words.join(" ")
        );
        Self::of(env, &["sh", "-c", &line], columns, rows)
    }

    /// A shell that a person could type in.
    pub fn shell(env: &[(&str, &str)], columns: u16, rows: u16) -> Self {
        Self::of(env, &["bash", "--norc", "-i"], columns, rows)
    }

    fn of(env: &[(&str, &str)], command: &[&str], columns: u16, rows: u16) -> Self {
        let home = tempfile::Builder::new().prefix("tmux-").tempdir_in("/tmp").unwrap();
        let socket = home.path().join("socket");
        let screen = Self { socket, folder: home };
        let size = [columns.to_string(), rows.to_string()];
        let mut tmux = screen.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1]]);
        tmux.env_clear().env("PATH", std::env::var("PATH").unwrap()).env("LANG", "C.UTF-8");
        tmux.env("HOME", screen.home()).envs(env.iter().copied()).args(command);
        assert!(tmux.status().expect("tmux is installed by the tests' command").success());
        screen
    }

    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = Command::new(std::env::var("TMUX_PATH").unwrap_or_else(|_| "tmux".to_owned()));
        command.arg("-S").arg(&self.socket).args(args);
        command
    }

    fn text(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p", "-S", "-"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// A folder that goes with the terminal.
    pub fn home(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn keys(&self, keys: &[&str]) {
        assert!(self.tmux(&["send-keys"]).args(keys).status().unwrap().success());
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let size = [columns.to_string(), rows.to_string()];
        let done = self.tmux(&["resize-window", "-x", &size[0], "-y", &size[1]]).status();
        assert!(done.unwrap().success());
    }

    /// Waits until all of this is on the screen: a frame is read while it is drawn.
    pub async fn shows(&self, wanted: &[&str]) {
        self.until(|text| wanted.iter().all(|one| text.contains(one))).await;
    }

    /// Waits until the screen is as wanted.
    pub async fn until(&self, wanted: impl Fn(&str) -> bool) -> String {
        let begun = tokio::time::Instant::now();
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            assert!(begun.elapsed() < TIMEOUT, "the screen stays:\n{text}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.tmux(&["kill-server"]).status());
    }
}

pub(super) async fn ask(app: &TestApp, args: &[&str], columns: u16, rows: u16) -> Screen {
    let (url, token) = (app.url(""), token(app, "ann").await);
    Screen::run(&[("LLM_COUNCIL_SERVER", &url), ("LLM_COUNCIL_TOKEN", &token)], args, columns, rows)
}

#[tokio::test]
async fn members_are_rows_while_they_write_and_panels_when_they_have() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let script = Script::answer("Because **light** scatters.");
        match request.model.as_str() {
            "m/two" => Some(script.hold(&held)),
            "m/chair" => Some(script),
            _ => None,
        }
    });
    let screen = ask(&app, &["Why is the sky blue?"], 80, 40).await;
    let text = screen.until(|text| text.contains("╭─ m/four") && text.contains("m/two")).await;
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("m/")).collect();
    assert_eq!(rows.len(), 1, "only the one that is waited for: {text}");
    assert!(rows[0].starts_with("m/two") && rows[0].contains("answer"), "{rows:?}");
    gate.open();
    let text = screen.until(|text| text.contains("ended with 0")).await;
    assert!(text.contains("Because light scatters."), "Markdown is rendered: {text}");
    assert!(text.contains("Ranking by the reviews"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("m/")), "no row is left: {text}");
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest}");
    app.close().await;
}

#[tokio::test]
async fn one_after_the_other_is_followed_word_by_word_and_narrow_screens_are_enough() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        (request.model == "m/two")
            .then(|| Script::answer("").text("The first half, ").hold(&held).text("and the second."))
    });
    let screen = ask(&app, &["query", "--stream", "Why is the sky blue?"], 80, 30).await;
    screen.until(|text| text.contains("╭─ m/one") && text.contains("The first half,")).await;
    assert!(!screen.text().contains("m/three"), "it has not been asked");
    screen.resize(40, 15);
    screen.resize(80, 30);
    gate.open();
    let text = screen.until(|text| text.contains("ended with 0")).await;
    assert_eq!(text.matches("The first half,").count(), 1, "replaced by what was rendered: {text}");
    app.close().await;
}

#[tokio::test]
async fn a_terminal_that_moves_no_cursor_is_printed_to_line_by_line() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/two").then(|| Script::answer("x").hold(&held)));
    let (url, token) = (app.url(""), token(&app, "ann").await);
    let env = [("LLM_COUNCIL_SERVER", url.as_str()), ("LLM_COUNCIL_TOKEN", token.as_str())];
    // tmux says itself what TERM is.
    let dumb = |command: &str| {
        let program = env!("CARGO_BIN_EXE_llm-council");
        let line = format!("TERM=dumb {program} {command}; echo \"ended with $?\"; sleep 600");
        Screen::of(&env, &["sh", "-c", &line], 80, 40)
    };
    let screen = dumb("query 'Why is the sky blue?'");
    let text = screen.until(|text| text.contains("╭─ m/four")).await;
    assert!(!text.lines().any(|line| line.starts_with("m/two")), "no row is drawn: {text}");
    gate.open();
    let text = screen.until(|text| text.contains("ended with 0")).await;
    assert!(text.contains("╭─ m/two"), "{text}");
    dumb("tui")
        .until(|text| text.contains("tui cannot draw on this terminal") && text.contains("ended with 2"))
        .await;
    app.close().await;
}

#[tokio::test]
async fn a_key_stops_it() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/two").then(|| Script::answer("x").hold(&held)));
    let screen = ask(&app, &["Why is the sky blue?"], 80, 40).await;
    screen.until(|text| text.contains("m/two")).await;
    screen.keys(&["C-c"]);
    let text = screen.until(|text| text.contains("ended with")).await;
    assert!(text.contains("Stopping") && text.contains("ended with 130"), "{text}");
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn an_earlier_answer_is_taken_or_not_by_a_key() {
    let app = TestApp::start().await;
    let question = ["query", "--cache=offer", "Why is the sky blue?"];
    let ended = super::program(&app, "ann").await.run(&question).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for (key, end, calls) in
        [("y", "ended with 0", 1), ("n", "ended with 0", 2), ("C-c", "ended with 130", 2)]
    {
        let screen = ask(&app, &question, 80, 40).await;
        screen.until(|text| text.contains("Take that answer? [Y/n]")).await;
        screen.keys(&[key]);
        screen.until(|text| text.contains(end)).await;
        assert_eq!(app.models.count("m/chair"), calls, "{key}");
    }
    // Nobody is kept waiting for an answer to a question that is not shown.
    let quiet = ["query", "--quiet", "--cache=offer", "Why is the sky blue?"];
    let screen = ask(&app, &quiet, 80, 40).await;
    screen.until(|text| text.contains("ended with 0")).await;
    assert_eq!(app.models.count("m/chair"), 2);
    app.close().await;
}
