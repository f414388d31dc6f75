//! The tree of settings that the rest of the program reads. A struct's fields are the keys of its section; the table
//! of keys has their defaults.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;
use url::Url;
use uuid::Uuid;

use crate::council::prompts::own::OwnTexts;
use crate::council::settings::Settings;
use crate::llm::ProviderSettings;
use crate::search::SearchSettings;

/// Everything that is configured; `docs/configuration.md` says what each key does.
#[derive(Debug, Clone)]
pub struct Config {
    pub server: Server,
    /// Where files are kept that are not in the database.
    pub data_dir: PathBuf,
    pub database: Database,
    pub runs: Runs,
    pub budgets: Budgets,
    pub auth: Auth,
    pub providers: Providers,
    pub council: Council,
    pub search: SearchSettings,
    /// What models are asked with in the place of this program's own texts.
    pub prompts: OwnTexts,
    pub attachments: Attachments,
    pub cache: Cache,
    pub retention: Retention,
    pub sharing: Sharing,
    pub webhooks: Webhooks,
    pub schedules: Schedules,
    pub push: Push,
    pub programs: Programs,
    pub sentry: Sentry,
    pub telemetry: Telemetry,
    pub log: Log,
    pub metrics: Metrics,
    /// What the operator should know although nothing is wrong: log each once at start.
    pub notices: Vec<String>,
}

/// How the server listens.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub bind: IpAddr,
    /// 0 lets the system choose.
    pub port: u16,
    /// Where users reach this server.
    pub public_url: Option<Url>,
    /// Origins (`https://host[:port]`) whose pages may call the API.
    #[serde(default)]
    pub cors_origins: Vec<String>,
    /// `Host` values to answer, in lower case; empty leaves it to the mode of `auth`.
    #[serde(default)]
    pub allowed_hosts: Vec<String>,
    pub notice_seconds: u64,
    pub drain_seconds: u64,
    pub body_limit_bytes: usize,
    pub body_timeout_seconds: u64,
    pub heartbeat_seconds: u64,
    pub idle_seconds: u64,
    pub stalled_seconds: u64,
}

impl Server {
    /// How long a request's body may take to arrive.
    #[must_use]
    pub fn body_timeout(&self) -> Duration {
        Duration::from_secs(self.body_timeout_seconds)
    }

    /// The pause between heartbeats on a silent event stream.
    #[must_use]
    pub fn heartbeat(&self) -> Duration {
        Duration::from_secs(self.heartbeat_seconds)
    }

    /// How long a connection may be open without a request.
    #[must_use]
    pub fn idle(&self) -> Duration {
        Duration::from_secs(self.idle_seconds)
    }

    /// How long a client may take nothing of its answer.
    #[must_use]
    pub fn stalled(&self) -> Duration {
        Duration::from_secs(self.stalled_seconds)
    }

    /// How long everything goes on as before after SIGTERM, but for readiness.
    #[must_use]
    pub fn notice(&self) -> Duration {
        Duration::from_secs(self.notice_seconds)
    }

    /// How long runs may finish after that.
    #[must_use]
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }
}

/// Where conversations and runs are kept.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// A `postgres://` URL.
    pub url: Option<SecretString>,
    /// The same database without the pooler, as a `postgres://` URL.
    pub listen_url: Option<SecretString>,
    pub pooling: Pooling,
    pub max_connections: u32,
}

/// What is known of a pooler between the server and the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Found out at start.
    Auto,
    /// None, or one in session mode.
    Session,
    /// One in transaction mode.
    Transaction,
}

/// How many runs there may be, and how they are kept.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// At once in this process.
    pub max_live: usize,
    /// At once of one user, over all servers.
    pub max_per_user: u32,
    /// Waiting, over all servers.
    pub max_queued: u32,
    /// Waiting, of one user.
    pub max_queued_per_user: u32,
    /// How long a server that has vanished keeps its runs.
    pub lease_seconds: u64,
    pub on_disconnect: OnDisconnect,
    pub disconnect_grace_seconds: u64,
    /// What the random choices of every run are made from; each run's own id where absent.
    pub seed: Option<Uuid>,
}

/// Limits in USD for everybody, where no admin has set another; none where absent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budgets {
    pub per_run_usd: Option<f64>,
    pub user_per_day_usd: Option<f64>,
    pub user_per_month_usd: Option<f64>,
    pub instance_per_day_usd: Option<f64>,
    pub instance_per_month_usd: Option<f64>,
    pub unknown_prices: UnknownPrices,
}

/// Whether a budget lets calls through whose price is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownPrices {
    Allow,
    Refuse,
}

/// The semantic cache.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Cache {
    /// Of one user.
    pub max_entries: u32,
    pub sharing: CacheSharing,
}

/// How long conversations are kept that nothing happens in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// 0: for as long as their owners want.
    pub days: u32,
}

/// Files that come with questions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachments {
    /// Of one file; 0: no files are taken.
    pub max_bytes: usize,
    /// Of one picture; 0: none are taken.
    pub max_image_bytes: usize,
    /// Of one question; 0: no files are taken.
    pub max_per_question: usize,
    /// Of all files of one user; 0: no files are taken.
    pub max_bytes_per_user: u64,
    /// Of one project; 0: projects have no files.
    pub max_per_project: usize,
    /// Of all files of one project; 0: projects have no files.
    pub max_bytes_per_project: u64,
    pub s3: S3,
}

/// The object store that large files are kept in, where there is one: then it has everything that is needed for that.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    pub endpoint: Option<Url>,
    pub bucket: Option<String>,
    pub region: String,
    #[serde(default)]
    pub prefix: String,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<SecretString>,
    pub path_style: bool,
    /// Smaller files stay in the database.
    pub from_bytes: usize,
}

impl Attachments {
    /// Whether files are taken at all.
    #[must_use]
    pub fn are_taken(&self) -> bool {
        self.max_bytes > 0 && self.max_per_question > 0 && self.max_bytes_per_user > 0
    }

    /// How many files one project may have, and how much they may take up, in bytes; none where projects have no files.
    #[must_use]
    pub fn room_in_projects(&self) -> Option<(usize, u64)> {
        let are_taken = self.are_taken() && self.max_per_project > 0 && self.max_bytes_per_project > 0;
        are_taken.then_some((self.max_per_project, self.max_bytes_per_project))
    }
}

/// Conversations that are shared by a link.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sharing {
    /// For how many days a link may work; 0 means that nobody may share one.
    pub max_days: u32,
}

/// Questions that are asked again and again.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedules {
    /// Of one user; 0 means that nobody may make one, and that none asks anything.
    pub max_per_user: u32,
    /// The shortest pause between two times.
    pub min_interval_minutes: u32,
}

/// Programs that are told when runs end.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    /// Of one user, and of the instance; 0 means that nobody may make one.
    pub max_per_user: u32,
    /// Networks beside the public internet, as they were written.
    #[serde(default)]
    pub allowed_networks: Vec<String>,
}

/// People's devices that are told when their runs end or wait.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// What this server signs with before push services; without it there are no notifications from here.
    pub vapid_private_key: Option<SecretString>,
    /// Whom push services may write to about it. Set where the key is.
    pub subject: Option<String>,
    /// Networks beside the public internet, as they were written.
    #[serde(default)]
    pub allowed_networks: Vec<String>,
}

/// Other programs that ask by the APIs they know (`/v1`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    /// How long a run goes on without any reader once the program that waits for it has gone.
    pub disconnect_grace_seconds: u64,
    /// How long after its end a run is given to the same request again.
    pub join_seconds: u64,
    /// Whether single seats of the council are offered as models.
    pub single_seats: bool,
    /// What prompts of chores begin with, besides those that are known.
    #[serde(default)]
    pub chores: Vec<String>,
}

impl Programs {
    /// See [`Programs::disconnect_grace_seconds`].
    #[must_use]
    pub fn disconnect_grace(&self) -> Duration {
        Duration::from_secs(self.disconnect_grace_seconds)
    }

    /// See [`Programs::join_seconds`].
    #[must_use]
    pub fn joins_ended(&self) -> Duration {
        Duration::from_secs(self.join_seconds)
    }
}

/// Whose questions an answer may be given to besides its owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheSharing {
    Off,
    /// Of members of a group that its owner is in.
    Groups,
    Everyone,
}

/// What becomes of a run that nobody watches any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDisconnect {
    Continue,
    Cancel,
}

/// Who says who the user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMode {
    /// The headers of an authenticating proxy.
    Proxy,
    /// Nobody: there is one local user.
    None,
}

/// The proxy whose header names are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeaderPreset {
    Authelia,
    Oauth2Proxy,
    Authentik,
}

/// Header names that replace the preset's. Each is a valid header name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderNames {
    pub user: Option<String>,
    pub email: Option<String>,
    pub name: Option<String>,
    pub groups: Option<String>,
}

/// How users are known.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    pub mode: AuthMode,
    /// Networks as they were written: `identity` parses them.
    #[serde(default)]
    pub trusted_proxies: Vec<String>,
    pub headers: HeaderPreset,
    #[serde(default)]
    pub header: HeaderNames,
    /// Replaces the preset's separator between groups.
    pub group_separator: Option<char>,
    #[serde(default)]
    pub admin_groups: Vec<String>,
    #[serde(default)]
    pub admin_users: Vec<String>,
    pub proxy_secret: Option<SecretString>,
    pub proxy_secret_header: String,
    /// The routes that a token opens to peers outside of `trusted_proxies`, as prefixes of paths.
    #[serde(default)]
    pub token_routes: Vec<String>,
    /// Lets mode `none` listen where others can reach it.
    pub allow_insecure: bool,
}

/// The backends of models.
#[derive(Debug, Clone)]
pub struct Providers {
    /// The name of the provider for models that name none; always one of `list`.
    pub default: String,
    /// In the order of their names; never empty.
    pub list: Vec<ProviderSettings>,
}

/// The council before anybody edits it.
#[derive(Debug, Clone)]
pub struct Council {
    pub settings: Settings,
    /// The keys whose models nobody has configured: they are the built-in ones.
    pub built_in: BTreeSet<String>,
}

/// Error reports.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentry {
    /// A valid DSN; nothing is reported without one.
    pub dsn: Option<SecretString>,
    pub environment: String,
    /// 0.0 to 1.0.
    pub traces_sample_rate: f32,
}

/// Traces and metrics for collectors.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    pub otlp: Otlp,
}

/// A collector of OpenTelemetry's.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Otlp {
    /// Nothing is sent without one.
    pub endpoint: Option<String>,
    pub headers: Option<SecretString>,
    pub service_name: String,
    pub timeout_ms: u64,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    Pretty,
    Json,
}

/// Logging.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub format: LogFormat,
    /// A valid filter of `tracing_subscriber::EnvFilter`.
    pub level: String,
}

/// Prometheus metrics.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    pub bind: Option<SocketAddr>,
    pub token: Option<SecretString>,
}
