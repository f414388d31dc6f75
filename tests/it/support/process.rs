//! The built program as a process of its own: started, listened to, sent signals, and never left
//! behind.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::sync::watch;

use super::app::User;
use super::db::TestDb;
use super::model_server::ModelServer;

/// How long a test waits for something that the process does at once; far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What it logs once it takes requests, with its address.
pub const READY: &str = "LLM Council is ready";

const SIGNALS: [(&str, &str); 4] =
    [("SIGTERM", "-TERM"), ("SIGINT", "-INT"), ("SIGSTOP", "-STOP"), ("SIGCONT", "-CONT")];

/// How to start the program: with no environment but this one, in a directory of its own.
#[derive(Clone)]
pub struct Program {
    path: String,
    env: Vec<(String, String)>,
    home: Arc<tempfile::TempDir>,
    /// The soft and the hard limit of open files.
    limits: Option<(u32, u32)>,
}

/// How a program ended that ends by itself.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

fn variable(key: &str) -> String {
    format!("LLM_COUNCIL__{}", key.replace('.', "__").to_uppercase())
}

impl Program {
    /// The program as a newcomer starts it.
    pub fn plain() -> Self {
        let home = tempfile::Builder::new().prefix("home-").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        let path = env!("CARGO_BIN_EXE_llm-council").to_owned();
        Self { path, env: Vec::new(), home: Arc::new(home.expect("a directory")), limits: None }
            .env("PATH", &std::env::var("PATH").expect("a path"))
    }

    /// A server on this database that asks these models, with people named by a proxy on 127.0.0.1,
    /// on a port that the system chooses.
    pub fn council(db: &TestDb, models: &ModelServer) -> Self {
        Self::council_on(&db.url(), models)
    }

    /// The same on a database that is not this kit's.
    pub fn council_on(database: &str, models: &ModelServer) -> Self {
        Self::plain()
            .env("DATABASE_URL", database)
            .set("database.max_connections", "4")
            .set("server.bind", "127.0.0.1")
            .set("server.port", "0")
            .set("runs.max_per_user", "1000")
            .set("auth.mode", "proxy")
            .set("auth.trusted_proxies", "127.0.0.1/32")
            .set("auth.admin_groups", "admins")
            .set("log.format", "json")
            .set("providers.scripted.kind", "openai_compatible")
            .set("providers.scripted.base_url", &models.base_url())
            .set("providers.scripted.api_key", "sk-secret-of-the-test")
            .set("providers.scripted.max_in_flight", "200")
            .set("council.models", "m/one, m/two, m/three, m/four")
            .set("council.chairman", "m/chair")
            .set("council.title_model", "m/title")
    }

    /// Another build of it.
    #[allow(dead_code, reason = "only drills take another build")]
    pub fn built_at(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// With an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a configuration key, set by its environment variable.
    pub fn set(self, key: &str, value: &str) -> Self {
        self.env(&variable(key), value)
    }

    /// Without a configuration key that was set.
    pub fn without(mut self, key: &str) -> Self {
        let name = variable(key);
        self.env.retain(|(known, _)| *known != name);
        self
    }

    /// With so many files and connections it may open, and so many it may allow itself.
    pub fn limited(mut self, soft: u32, hard: u32) -> Self {
        self.limits = Some((soft, hard));
        self
    }

    /// With a file in its directory.
    pub fn file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.home().join(name), text).expect("a file");
        self
    }

    /// The directory it is started in.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = match self.limits {
            None => Command::new(&self.path),
            Some((soft, hard)) => {
                let mut shell = Command::new("sh");
                shell.args([
                    "-c",
                    &format!("ulimit -Sn {soft}; ulimit -Hn {hard}; exec \"$0\" \"$@\""),
                    &self.path,
                ]);
                shell
            }
        };
        command.args(args).env_clear().envs(self.env.iter().cloned()).current_dir(self.home());
        command.stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub async fn run(&self, args: &[&str]) -> Ended {
        let mut command = tokio::process::Command::from(self.command(args));
        let output = tokio::time::timeout(TIMEOUT, command.kill_on_drop(true).output());
        let output = output.await.expect("an end in time").expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs it to its end with something piped in.
    pub async fn run_with_input(&self, args: &[&str], input: &str) -> Ended {
        let mut command = tokio::process::Command::from(self.command(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(input.as_bytes()).await.expect("it reads");
        drop(stdin);
        ended(child).await
    }

    /// Begins it, to be ended later.
    pub fn begin(&self, args: &[&str]) -> Begun {
        let mut command = tokio::process::Command::from(self.command(args));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        Begun(command.spawn().expect("the program starts"))
    }

    /// Begins it, to be spoken with line by line.
    pub fn talk(&self, args: &[&str]) -> Talk {
        let mut command = tokio::process::Command::from(self.command(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take().expect("it is piped");
        let output = tokio::io::BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Talk { child, input, output }
    }

    /// Starts it as a server and waits until it says where it is.
    pub async fn serve(&self) -> Process {
        self.serve_with(&[]).await
    }

    /// The same with flags.
    pub async fn serve_with(&self, args: &[&str]) -> Process {
        let mut process = self.start(args);
        process.until_logged(|text| text.contains(READY)).await;
        let text = process.log();
        // In the same line, whichever format it logs in.
        let url = text
            .split_once(READY)
            .and_then(|(_, rest)| rest.split('"').find(|part| part.starts_with("http")));
        process.base = url.expect("its address").trim_end_matches('/').to_owned();
        process
    }

    /// Starts it as a server and waits until it listens, whether it is ready or not. It has to log JSON.
    pub async fn listen(&self) -> Process {
        let mut process = self.start(&[]);
        process.until_logged(|text| text.contains("\"listening\"")).await;
        let lines = process.log_lines();
        let port = &lines.iter().find(|line| line["message"] == "listening").expect("the line")["port"];
        process.base = format!("http://127.0.0.1:{port}");
        process
    }

    /// Starts it, whatever it does.
    pub fn start(&self, args: &[&str]) -> Process {
        let mut child = self
            .command(args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
        let (writer, log) = watch::channel(Log::default());
        std::thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                writer.send_modify(|log| log.text.push_str(&line));
                line.clear();
            }
            writer.send_modify(|log| log.is_over = true);
        });
        Process { child, log, base: String::new(), _program: self.clone() }
    }
}

async fn ended(child: tokio::process::Child) -> Ended {
    let output = tokio::time::timeout(TIMEOUT, child.wait_with_output()).await;
    let output = output.expect("an end in time").expect("its output");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A program that reads and writes JSON, a line each. Killed when it is dropped.
pub struct Talk {
    child: tokio::process::Child,
    input: tokio::process::ChildStdin,
    output: tokio::io::Lines<tokio::io::BufReader<tokio::process::ChildStdout>>,
}

impl Talk {
    /// Sends a line.
    pub async fn say(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.input.write_all(line.as_bytes()).await.expect("it reads");
    }

    /// The next line; everything on the standard output has to be JSON.
    pub async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(TIMEOUT, self.output.next_line()).await.expect("a line in time");
        let line = line.expect("text").expect("a line more");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends `SIGTERM` or `SIGINT`.
    pub fn signal(&self, name: &str) {
        send(name, self.child.id().expect("it is under way"));
    }

    /// Sends a line when nobody reads its output any more, and waits for its end.
    pub async fn say_unread(self, line: &str) -> Ended {
        let Self { child, mut input, output } = self;
        drop(output);
        input.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
        drop(input);
        ended(child).await
    }

    /// Sends nothing more, and waits for its end: what it still says, and how it ended.
    pub async fn hang_up(self) -> Ended {
        drop(self.input);
        Self::end(self.child, self.output).await
    }

    /// Waits for its end.
    pub async fn ended(self) -> Ended {
        let Self { child, input: _input, output } = self;
        Self::end(child, output).await
    }

    async fn end(
        child: tokio::process::Child,
        mut output: tokio::io::Lines<tokio::io::BufReader<tokio::process::ChildStdout>>,
    ) -> Ended {
        let rest = async {
            let mut rest = String::new();
            while let Some(line) = output.next_line().await.expect("text") {
                rest.push_str(&line);
                rest.push('\n');
            }
            rest
        };
        let (stdout, ended) = tokio::join!(tokio::time::timeout(TIMEOUT, rest), ended(child));
        Ended { stdout: stdout.expect("an end of its output in time"), ..ended }
    }
}

/// A program under way that ends by itself. Killed when it is dropped.
pub struct Begun(tokio::process::Child);

impl Begun {
    /// Sends `SIGTERM` or `SIGINT`.
    pub fn signal(&self, name: &str) {
        send(name, self.0.id().expect("it is under way"));
    }

    /// Nobody reads its output any more.
    pub fn close_output(&mut self) {
        drop(self.0.stdout.take());
    }

    /// Sends `SIGINT` again and again, because two that come at once are one, and waits for its end.
    pub async fn interrupted_until_it_ends(mut self) -> Ended {
        for _ in 0..50 {
            self.signal("SIGINT");
            if tokio::time::timeout(Duration::from_millis(200), self.0.wait()).await.is_ok() {
                break;
            }
        }
        self.ended_with_output().await
    }

    /// Waits for its end.
    pub async fn ended_with_output(self) -> Ended {
        ended(self.0).await
    }
}

fn send(signal: &str, process: u32) {
    let (_, flag) = SIGNALS.iter().find(|(known, _)| *known == signal).expect("a known signal");
    let sent = Command::new("kill").arg(flag).arg(process.to_string()).status();
    assert!(sent.expect("the command kill").success(), "the process is gone");
}

#[derive(Debug, Default)]
struct Log {
    text: String,
    /// Nobody writes any more: the process has ended, and all its children.
    is_over: bool,
}

/// A server of its own. Killed when it is dropped.
pub struct Process {
    child: Child,
    log: watch::Receiver<Log>,
    base: String,
    /// Keeps its directory.
    _program: Program,
}

impl Process {
    /// Its address, without a slash at the end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Somebody who comes through the proxy.
    pub fn user(&self, name: &str) -> User<'_> {
        User::at(&self.base, name)
    }

    /// An administrator.
    pub fn admin(&self) -> User<'_> {
        self.user("root").with("remote-groups", "admins")
    }

    /// Everything it has logged.
    pub fn log(&self) -> String {
        self.log.borrow().text.clone()
    }

    /// The log lines that are JSON.
    pub fn log_lines(&self) -> Vec<Value> {
        self.log().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits until the log is as wanted.
    ///
    /// # Panics
    /// When the process ends before, or after a minute, showing the log.
    pub async fn until_logged(&self, wanted: impl Fn(&str) -> bool) {
        let mut log = self.log.clone();
        let found = log.wait_for(|log| log.is_over || wanted(&log.text));
        let found = tokio::time::timeout(TIMEOUT, found).await;
        let good = matches!(&found, Ok(Ok(log)) if wanted(&log.text));
        drop(found);
        assert!(good, "the process did not log what was expected: {}", self.log());
    }

    /// Sends `SIGTERM` or `SIGINT`, or freezes it by `SIGSTOP` until a `SIGCONT`.
    pub fn signal(&self, name: &str) {
        send(name, self.child.id());
    }

    /// Waits until it has ended by itself, with everything it started, and gives its exit code and
    /// its whole log.
    pub async fn ended(mut self) -> (Option<i32>, String) {
        let mut log = self.log.clone();
        let over = log.wait_for(|log| log.is_over);
        let in_time = tokio::time::timeout(TIMEOUT, over).await.is_ok();
        assert!(in_time, "the process does not end: {}", self.log());
        let status: ExitStatus = self.child.wait().expect("an exit status");
        (status.code(), self.log())
    }

    /// Kills it in the middle of whatever it does.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("an exit status");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
