//! The tree of settings that the rest of the program reads.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

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
    pub search: Search,
    pub sentry: Sentry,
    pub log: Log,
    pub metrics: Metrics,
    /// What the operator should know although nothing is wrong: log each once at start.
    pub notices: Vec<String>,
}

/// How the server listens.
#[derive(Debug, Clone)]
pub struct Server {
    pub bind: IpAddr,
    /// 0 lets the system choose.
    pub port: u16,
    /// Where users reach this server.
    pub public_url: Option<Url>,
    /// Origins (`https://host[:port]`) whose pages may call the API.
    pub cors_origins: Vec<String>,
    /// `Host` values to answer, in lower case; empty answers any.
    pub allowed_hosts: Vec<String>,
    pub drain_seconds: u64,
    pub body_limit_bytes: usize,
    pub body_timeout_seconds: u64,
    pub heartbeat_seconds: u64,
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

    /// How long runs may finish after SIGTERM.
    #[must_use]
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }
}

/// Where conversations and runs are kept.
#[derive(Debug, Clone)]
pub struct Database {
    /// A `postgres://` URL.
    pub url: Option<SecretString>,
    pub max_connections: u32,
}

/// How many runs there may be, and how they are kept.
#[derive(Debug, Clone)]
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
}

/// Limits in USD for everybody, where no admin has set another; none where absent.
#[derive(Debug, Clone)]
pub struct Budgets {
    pub per_run_usd: Option<f64>,
    pub user_per_day_usd: Option<f64>,
    pub user_per_month_usd: Option<f64>,
    pub instance_per_day_usd: Option<f64>,
    pub instance_per_month_usd: Option<f64>,
    pub unknown_prices: UnknownPrices,
}

/// Whether a budget lets calls through whose price is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownPrices {
    Allow,
    Refuse,
}

/// What becomes of a run that nobody watches any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisconnect {
    Continue,
    Cancel,
}

/// Who says who the user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMode {
    /// The headers of an authenticating proxy.
    Proxy,
    /// Nobody: there is one local user.
    None,
}

/// The proxy whose header names are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderPreset {
    Authelia,
    Oauth2Proxy,
    Authentik,
}

/// Header names that replace the preset's. Each is a valid header name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderNames {
    pub user: Option<String>,
    pub email: Option<String>,
    pub name: Option<String>,
    pub groups: Option<String>,
}

/// How users are known.
#[derive(Debug, Clone)]
pub struct Auth {
    pub mode: AuthMode,
    /// Networks as they were written: `identity` parses them.
    pub trusted_proxies: Vec<String>,
    pub headers: HeaderPreset,
    pub header: HeaderNames,
    /// Replaces the preset's separator between groups.
    pub group_separator: Option<char>,
    pub admin_groups: Vec<String>,
    pub admin_users: Vec<String>,
    pub proxy_secret: Option<SecretString>,
    pub proxy_secret_header: String,
    /// Lets mode `none` listen where others can reach it.
    pub allow_insecure: bool,
}

/// The backends of models.
#[derive(Debug, Clone)]
pub struct Providers {
    /// The name of the provider for models that name none; always one of `list`.
    pub default: String,
    /// In the order of their names; never empty.
    pub list: Vec<Provider>,
}

/// How a provider is talked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    Openrouter,
    OpenaiCompatible,
    Simulated,
}

/// One backend of models.
#[derive(Clone)]
pub struct Provider {
    pub name: String,
    pub kind: ProviderKind,
    /// An http or https URL without a trailing slash; always there for `OpenaiCompatible`.
    pub base_url: Option<String>,
    pub api_key: Option<SecretString>,
    /// Sent with every call. The values may be secrets.
    pub headers: BTreeMap<String, String>,
    /// Whether replies are asked for token by token.
    pub stream: bool,
    pub max_in_flight: usize,
    /// Whether an `OpenaiCompatible` one can hold a reply to a JSON schema.
    pub structured_outputs: bool,
    /// How fast a simulated model writes.
    pub tokens_per_second: u32,
    /// How long a simulated model thinks first.
    pub first_token_ms: u64,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("base_url", &self.base_url)
            .field("api_key", &self.api_key)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("stream", &self.stream)
            .field("max_in_flight", &self.max_in_flight)
            .field("structured_outputs", &self.structured_outputs)
            .field("tokens_per_second", &self.tokens_per_second)
            .field("first_token_ms", &self.first_token_ms)
            .finish()
    }
}

/// A member of the council.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    pub model: String,
    pub alias: Option<String>,
    pub system_prompt: Option<String>,
}

impl Seat {
    /// A member with nothing but its model.
    #[must_use]
    pub fn of(model: String) -> Self {
        Self { model, alias: None, system_prompt: None }
    }

    /// The name the member goes by: its alias, else its model. No two members share one.
    #[must_use]
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.model)
    }
}

/// The council before anybody edits it.
#[derive(Debug, Clone)]
pub struct Council {
    /// 2 to 7 members.
    pub models: Vec<Seat>,
    pub chairman: String,
    pub chairman_alias: Option<String>,
    pub chairman_fallbacks: Vec<String>,
    pub title_model: String,
    pub utility_model: String,
    pub use_system_prompt_stage2: bool,
    pub use_system_prompt_stage3: bool,
    pub count_self_votes: bool,
    pub options: CouncilOptions,
    /// By purpose (`answer`, `review`, …), every one there.
    pub sampling: BTreeMap<String, Sampling>,
    /// By purpose, every one there.
    pub timeouts: BTreeMap<String, Timeouts>,
    /// Model calls of one run at once.
    pub calls_in_flight: usize,
}

/// What the options of a run are set to before anybody edits it.
#[derive(Debug, Clone)]
pub struct CouncilOptions {
    pub multi_chairman_models: Vec<String>,
    /// By category (`coding`, …), every one there.
    pub routing_pools: BTreeMap<String, Vec<String>>,
    pub tier1_models: Vec<String>,
    pub tier2_models: Vec<String>,
    pub escalation_confidence_threshold: f64,
    pub escalation_min_confidence_threshold: u8,
    pub escalation_agreement_threshold: f64,
    pub adversary_model: Option<String>,
}

/// Sampling settings; absent means the provider's own.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sampling {
    /// 0.0 to 2.0.
    pub temperature: Option<f64>,
    pub max_tokens: Option<u32>,
}

/// Time limits of one call, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub first_token_ms: u64,
    pub idle_ms: u64,
    /// Not shorter than either of the others.
    pub total_ms: u64,
}

/// Web search.
#[derive(Debug, Clone)]
pub struct Search {
    pub tavily: Tavily,
}

/// Tavily's web search; not asked without a key.
#[derive(Debug, Clone)]
pub struct Tavily {
    /// Without a trailing slash.
    pub base_url: String,
    pub api_key: Option<SecretString>,
}

/// Error reports.
#[derive(Debug, Clone)]
pub struct Sentry {
    /// A valid DSN; nothing is reported without one.
    pub dsn: Option<SecretString>,
    pub environment: Option<String>,
    /// 0.0 to 1.0.
    pub traces_sample_rate: f32,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Pretty,
    Json,
}

/// Logging.
#[derive(Debug, Clone)]
pub struct Log {
    pub format: LogFormat,
    /// A valid filter of `tracing_subscriber::EnvFilter`.
    pub level: String,
}

/// Prometheus metrics.
#[derive(Debug, Clone)]
pub struct Metrics {
    pub bind: Option<SocketAddr>,
    pub token: Option<SecretString>,
}
