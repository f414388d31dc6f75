//! What a scenario needs: a database, the scripted models and the real server, each a process
//! of its own, gone when this is dropped.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use llm_council::store::local::{Durability, LocalPostgres};
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;

use super::cli::{Cli, ModelFlags};
use super::http::Connection;
use super::measure::Database;
use super::models::{Counts, HELLO};

const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Longer than any scenario: time-outs of calls are not measured.
const CALL_TIME_MS: &str = "3600000";
/// Whoever reads the servers' metrics shows it.
const METRICS_TOKEN: &str = "load";
/// What the count of connections cut begins with; the reason follows.
const CUT: &str = r#"llm_council_connections_cut_total{reason=""#;

/// See the module.
pub struct TestBed {
    /// All on the same database; at least one.
    servers: Vec<Process>,
    starter: Starter,
    pub models: Process,
    pub database: Database,
    postgres: Option<LocalPostgres>,
    dir: tempfile::TempDir,
}

/// How servers are started here.
struct Starter {
    program: PathBuf,
    settings: Vec<(String, String)>,
    database: String,
    models: SocketAddr,
    /// Of each server that was ever started.
    logs: Vec<PathBuf>,
}

/// A process that listens on a port of 127.0.0.1; killed when dropped.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
}

impl Process {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl TestBed {
    /// Starts everything.
    pub async fn prepare(cli: &Cli, server: &Path, flags: ModelFlags) -> anyhow::Result<Self> {
        let mut dir = tempfile::Builder::new().prefix("council-load-").tempdir_in(&cli.work_dir)?;
        if cli.keep {
            dir.disable_cleanup(true);
            eprintln!("logs and database: {}", dir.path().display());
        }
        let (postgres, url) = match &cli.database_url {
            Some(url) => (None, url.clone()),
            None => {
                let postgres = LocalPostgres::start(dir.path(), Durability::Safe).await?;
                let url = url(&postgres.connect_options());
                (Some(postgres), url)
            }
        };
        let models = start_models(flags)?;
        let mut starter = Starter {
            program: server.to_owned(),
            settings: cli.settings.clone(),
            database: url,
            models: models.address,
            logs: Vec::new(),
        };
        let servers = (0..cli.servers.max(1)).map(|_| starter.start(dir.path())).collect::<Result<_, _>>()?;
        let cluster = postgres.is_some().then(|| dir.path());
        let database = Database::open(&PgConnectOptions::from_str(&starter.database)?, cluster).await?;
        Ok(Self { servers, starter, models, database, postgres, dir })
    }

    /// Where the user of this number asks: the servers take turns.
    pub fn address(&self, user: usize) -> SocketAddr {
        self.servers[user % self.servers.len()].address
    }

    /// The servers' processes.
    pub fn pids(&self) -> Vec<u32> {
        self.servers.iter().map(|server| server.child.id()).collect()
    }

    /// Kills all servers.
    pub fn kill_servers(&mut self) {
        self.servers.clear();
    }

    /// Starts one more server; returns once it is ready.
    pub fn start_server(&mut self) -> anyhow::Result<()> {
        self.servers.push(self.starter.start(self.dir.path())?);
        Ok(())
    }

    /// What the models have counted.
    pub async fn counts(&self) -> anyhow::Result<Counts> {
        Ok(serde_json::from_slice(&self.ask_models("GET").await?)?)
    }

    /// Lets the models count from nothing.
    pub async fn reset_counts(&self) -> anyhow::Result<()> {
        self.ask_models("DELETE").await.map(|_| ())
    }

    async fn ask_models(&self, method: &str) -> anyhow::Result<Vec<u8>> {
        let mut connection = Connection::open(self.models.address, "", None).await?;
        connection.send(method, "/counts", "").await?;
        let mut head = connection.head().await?;
        Ok(connection.body(&mut head).await?)
    }

    /// How many connections the servers have cut, by the reason that they give.
    pub async fn cuts(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let mut cuts = BTreeMap::new();
        for server in &self.servers {
            let mut connection = Connection::open(server.address, "", None).await?;
            connection.get_with_token("/metrics", METRICS_TOKEN).await?;
            let mut head = connection.head().await?;
            let body = connection.body(&mut head).await?;
            anyhow::ensure!(head.status == 200, "HTTP {} to GET /metrics", head.status);
            let page = String::from_utf8_lossy(&body);
            for counted in page.lines().filter_map(|line| line.strip_prefix(CUT)) {
                let (reason, count) = counted.split_once("\"} ").context("a count has no value")?;
                *cuts.entry(reason.to_owned()).or_default() += count.parse::<f64>()?;
            }
        }
        Ok(cuts)
    }

    /// How many warnings and errors the servers have logged, and the first of them.
    pub fn complaints(&self) -> anyhow::Result<(usize, Option<String>)> {
        let log = self.starter.logs.iter().map(std::fs::read_to_string).collect::<Result<String, _>>()?;
        let mut lines = log
            .lines()
            .filter(|line| line.contains(r#""level":"WARN""#) || line.contains(r#""level":"ERROR""#));
        let first = lines.next().map(str::to_owned);
        Ok((usize::from(first.is_some()) + lines.count(), first))
    }

    /// Ends everything in order: a clean stop of Postgres leaves nothing behind.
    pub async fn clear(self) -> anyhow::Result<()> {
        let Self { servers, starter: _, models, database, postgres, dir: _dir } = self;
        drop((servers, models, database));
        if let Some(postgres) = postgres {
            postgres.stop().await?;
        }
        Ok(())
    }
}

fn url(options: &PgConnectOptions) -> String {
    let socket = options.get_socket().map(|path| path.display().to_string()).unwrap_or_default();
    let (user, name) = (options.get_username(), options.get_database().unwrap_or_default());
    format!("postgres://{user}@localhost/{name}?host={}", socket.replace('/', "%2F"))
}

fn start_models(flags: ModelFlags) -> anyhow::Result<Process> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["models", "--call-ms", &flags.call_ms.to_string(), "--tokens", &flags.tokens.to_string()])
        .args(["--padding", &flags.padding.to_string(), "--answers", &flags.answers.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .context("the scripted models do not start")?;
    let mut line = String::new();
    let output = child.stdout.take().context("it is piped")?;
    BufReader::new(output).read_line(&mut line)?;
    let port = line.trim().strip_prefix(HELLO).and_then(|port| port.parse().ok());
    let port: u16 = port.context("the scripted models do not say where they are")?;
    Ok(Process { child, address: SocketAddr::from(([127, 0, 0, 1], port)) })
}

impl Starter {
    fn start(&mut self, dir: &Path) -> anyhow::Result<Process> {
        let log = dir.join(format!("server-{}.log", self.logs.len()));
        self.logs.push(log.clone());
        let mut command = Command::new(&self.program);
        command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let mut set = |key: &str, value: &str| {
            command.env(format!("LLM_COUNCIL__{}", key.replace('.', "__").to_uppercase()), value);
        };
        set("database.url", &self.database);
        set("server.bind", "127.0.0.1");
        set("server.port", "0");
        set("auth.mode", "proxy");
        set("auth.trusted_proxies", "127.0.0.1/32");
        set("log.format", "json");
        set("metrics.token", METRICS_TOKEN);
        set("providers.scripted.kind", "openai_compatible");
        set("providers.scripted.base_url", &format!("http://{}/v1", self.models));
        set("providers.scripted.api_key", "sk-scripted");
        set("providers.scripted.max_in_flight", "10000");
        set("council.models", "m/one, m/two, m/three, m/four");
        set("council.chairman", "m/chair");
        set("council.title_model", "m/title");
        for purpose in ["answer", "review", "ballot_repair", "synthesis", "title"] {
            for part in ["first_token_ms", "idle_ms", "total_ms"] {
                set(&format!("council.timeouts.{purpose}.{part}"), CALL_TIME_MS);
            }
        }
        for (key, value) in &self.settings {
            set(key, value);
        }
        let child = command.spawn().context("the server does not start")?;
        // Killed even if it never reports its address.
        let mut process = Process { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            let said = std::fs::read_to_string(&log)?;
            if let Some(port) = port_in(&said) {
                process.address.set_port(port);
                return Ok(process);
            }
            let ended = process.child.try_wait()?;
            anyhow::ensure!(
                ended.is_none() && Instant::now() < deadline,
                "the server does not start:\n{said}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The port of the address in the line that says that the server is ready, once that line is there.
fn port_in(log: &str) -> Option<u16> {
    let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let ready = lines.find(|line| line["message"] == "LLM Council is ready")?;
    ready["url"].as_str()?.trim_end_matches('/').rsplit_once(':')?.1.parse().ok()
}
