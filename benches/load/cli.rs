//! The flags.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Loads a real server of this build with scripted models and counts what comes out.
#[derive(Debug, Clone, Parser)]
pub struct Cli {
    #[command(subcommand)]
    pub scenario: Scenario,
    /// The database to use, as a superuser; without it a Postgres of its own, on the disk, with fsync.
    #[arg(long, global = true)]
    pub database_url: Option<String>,
    /// The server to measure; by default the one of this build.
    #[arg(long, global = true, default_value = env!("CARGO_BIN_EXE_llm-council"))]
    pub server: PathBuf,
    /// A second server to measure as well: both in turn, with what differs between them and how sure that is.
    #[arg(long, global = true, value_name = "PATH")]
    pub against: Option<PathBuf>,
    /// How often each of the two is measured.
    #[arg(long, global = true, default_value_t = 5)]
    pub rounds: usize,
    /// How many servers share the database; users are spread over them.
    #[arg(long, global = true, default_value_t = 1)]
    pub servers: usize,
    /// Where that Postgres keeps its files, to have it on a certain disk.
    #[arg(long, global = true, default_value_os_t = std::env::temp_dir())]
    pub work_dir: PathBuf,
    /// A configuration key of the server (`database.max_connections=20`); may be repeated.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub settings: Vec<(String, String)>,
    /// Also writes the figures to this file, as JSON.
    #[arg(long, global = true)]
    pub json: Option<PathBuf>,
    /// Records where the server spends its time with `perf record` into this file, during the measured part.
    #[arg(long, global = true)]
    pub perf: Option<PathBuf>,
    /// Leaves the directory with the logs and the database where it was, and says where that is.
    #[arg(long, global = true)]
    pub keep: bool,
    /// Given by `cargo bench`; means nothing here.
    #[arg(long, global = true, hide = true)]
    pub bench: bool,
}

/// What to do to the server.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum Scenario {
    /// Whole runs one after the other by a number of users at once.
    Runs(RunsFlags),
    /// What a team does in a day, all of it at once: questions in several ways, readers that come and go, slow ones, lists, old
    /// conversations, analytics.
    Mixed(MixedFlags),
    /// Servers that are killed in the middle of many runs, and how long it takes until all of those go on.
    Restart(RestartFlags),
    /// Long runs that all stream at the same time.
    Live(LiveFlags),
    /// Many streams on which nothing happens.
    Idle(IdleFlags),
    /// Readers far slower than what they read.
    SlowReader(SlowFlags),
    /// Runs with very long answers, one after the other, and what they take in memory.
    LongAnswers(LongFlags),
    /// What people wait for in a database of this size, and in one of a hundredth of it.
    Growth(GrowthFlags),
    /// Analytics over a ledger that has grown; needs neither server nor models.
    Analytics(AnalyticsFlags),
    /// The scripted models; started by the others.
    #[command(hide = true)]
    Models(ModelFlags),
}

#[derive(Debug, Clone, Copy, Args)]
pub struct RunsFlags {
    /// How many users ask at once, each for one run after the other.
    #[arg(long, default_value_t = 1)]
    pub concurrency: usize,
    /// How many runs are measured; by default four per user, 50 to 1000.
    #[arg(long)]
    pub runs: Option<usize>,
    /// Instead of one after the other, so many runs a second, by these users in turn, whether or not earlier ones have
    /// ended; times count from when a question was due.
    #[arg(long, value_name = "RUNS")]
    pub rate: Option<f64>,
    /// How the questions are asked.
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// How long a model takes for one answer, in milliseconds.
    #[arg(long, default_value_t = 200)]
    pub call_ms: u64,
    /// How many tokens an answer has.
    #[arg(long, default_value_t = 20)]
    pub tokens: u32,
}

/// How a question is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// As a follow-up is: in a conversation that is there.
    #[default]
    Conversation,
    /// As the web app asks a first question: it begins its conversation.
    FirstQuestion,
    /// As programs ask, by `/v1/chat/completions`: it begins its conversation, too.
    V1,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct MixedFlags {
    /// How many people are active, each doing one thing after the other.
    #[arg(long, default_value_t = 50)]
    pub users: usize,
    /// For how many seconds they begin something new.
    #[arg(long, default_value_t = 60)]
    pub seconds: u64,
    /// How long a model takes for one answer, in milliseconds.
    #[arg(long, default_value_t = 500)]
    pub call_ms: u64,
    /// How many tokens an answer has.
    #[arg(long, default_value_t = 50)]
    pub tokens: u32,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct RestartFlags {
    /// How many runs are under way when the servers are killed.
    #[arg(long, default_value_t = 1_000)]
    pub runs: usize,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct LiveFlags {
    /// How many runs stream at the same time.
    #[arg(long, default_value_t = 200)]
    pub runs: usize,
    /// How long a model takes for one answer, in seconds; a run has three such stages.
    #[arg(long, default_value_t = 20)]
    pub seconds: u64,
    /// Tokens per second and call.
    #[arg(long, default_value_t = 50)]
    pub pace: u32,
    /// Over how many seconds the runs are started.
    #[arg(long, default_value_t = 5)]
    pub ramp: u64,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct IdleFlags {
    /// How many streams are open.
    #[arg(long, default_value_t = 5_000)]
    pub streams: usize,
    /// How many runs they watch; each has five silent calls.
    #[arg(long, default_value_t = 500)]
    pub runs: usize,
    /// How long they are watched, in seconds; at least one heartbeat.
    #[arg(long, default_value_t = 40)]
    pub seconds: u64,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct SlowFlags {
    /// For how many minutes they read.
    #[arg(long, default_value_t = 10)]
    pub minutes: u64,
    /// How many slow readers; each has a run of its own.
    #[arg(long, default_value_t = 10)]
    pub readers: usize,
    /// How many bytes each reads in a second.
    #[arg(long, default_value_t = 1_024)]
    pub bytes: usize,
    /// Tokens per second and call.
    #[arg(long, default_value_t = 50)]
    pub pace: u32,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct LongFlags {
    /// How many members answer, and review all answers.
    #[arg(long, default_value_t = 7)]
    pub members: usize,
    /// How long each answer is, in KiB. A server keeps 1 MiB unless it is set otherwise.
    #[arg(long, default_value_t = 1_000)]
    pub kib: u32,
    /// How many runs there are.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct GrowthFlags {
    /// How many calls the database holds in the end, ten for each conversation; half of them are of one user. A million
    /// take about 4 GB.
    #[arg(long, default_value_t = 1_000_000)]
    pub calls: usize,
    /// How often each thing is done; the median is shown.
    #[arg(long, default_value_t = 11)]
    pub times: usize,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct AnalyticsFlags {
    /// How many calls the ledger holds. A database that is not empty is measured as it is.
    #[arg(long, default_value_t = 1_000_000)]
    pub calls: usize,
    /// How often each statement is asked; the median is shown.
    #[arg(long, default_value_t = 5)]
    pub times: usize,
    /// Also prints the plan of each statement.
    #[arg(long)]
    pub plans: bool,
}

/// What every scripted model does.
#[derive(Debug, Clone, Copy, Args)]
pub struct ModelFlags {
    /// How long a call takes, in milliseconds; a title never takes more than half a second.
    #[arg(long)]
    pub call_ms: u64,
    /// How many tokens it has, spread evenly over that time.
    #[arg(long)]
    pub tokens: u32,
    /// How many bytes of other text follow each token of an answer.
    #[arg(long, default_value_t = 0)]
    pub padding: usize,
    /// How many answers a review ranks.
    #[arg(long, default_value_t = 4)]
    pub answers: usize,
}

impl ModelFlags {
    /// Models of a council of four, with tokens and nothing else.
    pub const fn new(call_ms: u64, tokens: u32) -> Self {
        Self { call_ms, tokens, padding: 0, answers: 4 }
    }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}
