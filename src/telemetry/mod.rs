//! What the program tells its operators: log lines, metrics, error reports. Never what users
//! wrote, never secrets; a user only as a hash that nobody can turn back.
//!
//! A leaf: it reads `config` and `id` and imports no other room. Start reading at
//! [`Telemetry::init`].

mod logs;
mod metrics;
mod reports;
mod request_span;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::metrics::SetRecorderError;
use metrics_exporter_prometheus::{PrometheusHandle, PrometheusRecorder};
use sentry::{Client, Hub};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::config::Config;
use crate::id::UserId;

pub use request_span::RequestSpan;

/// How many hexadecimal digits a user's hash has.
const USER_HASH_DIGITS: usize = 12;

/// Why telemetry could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// Something else in this process writes the log already.
    #[error("logging is set up already: telemetry is started once per process")]
    LogTaken(#[source] tracing_subscriber::util::TryInitError),
    /// The configured filter is wrong, although `config` checks it.
    #[error("log.level is no log filter")]
    LogFilter(#[from] tracing_subscriber::filter::ParseError),
    /// Something else in this process collects the metrics already.
    #[error("metrics are set up already: telemetry is started once per process")]
    MetricsTaken(#[from] Arc<SetRecorderError<PrometheusRecorder>>),
    /// The buckets of the histograms are wrong.
    #[error("the buckets of the metrics are wrong")]
    Buckets(#[from] Arc<metrics_exporter_prometheus::BuildError>),
    /// No HTTPS client for the error reports.
    #[error(
        "error reports (sentry.dsn) need an HTTPS client and none could be made; are the system's CA certificates installed (package ca-certificates)?"
    )]
    HttpClient(#[source] reqwest::Error),
    /// The configured DSN is wrong, although `config` checks it.
    #[error("sentry.dsn is not a Sentry DSN (the value is not shown)")]
    Dsn,
}

/// The handle on everything that is reported. Cheap to clone.
#[derive(Clone)]
pub struct Telemetry {
    inner: Arc<Inner>,
}

struct Inner {
    reports: Option<Arc<Client>>,
    metrics: PrometheusHandle,
    salt: [u8; 32],
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry").field("reports", &self.inner.reports.is_some()).finish_non_exhaustive()
    }
}

impl Telemetry {
    /// Sets up the log, the metrics and the error reports of this process. Call it once, on the
    /// main thread, before other threads start: they take over its reports.
    ///
    /// # Errors
    /// When the process has a log or metrics already, or no client for the reports can be made.
    pub fn init(config: &Config) -> Result<Self, TelemetryError> {
        let telemetry = Self::new(reports::client(&config.sentry)?)?;
        if let Some(client) = &telemetry.inner.reports {
            Hub::main().bind_client(Some(Arc::clone(client)));
            Hub::current().bind_client(Some(Arc::clone(client)));
        }
        logs::install(&config.log)?;
        for notice in &config.notices {
            tracing::warn!("{notice}");
        }
        Ok(telemetry)
    }

    /// Telemetry that leaves the process's log and panics alone and reports nothing. Its metrics
    /// are those of the process: many may live side by side.
    ///
    /// # Errors
    /// When something else collects the process's metrics.
    pub fn for_tests() -> Result<Self, TelemetryError> {
        Self::new(None)
    }

    fn new(reports: Option<Arc<Client>>) -> Result<Self, TelemetryError> {
        let mut salt = [0; 32];
        salt[..16].copy_from_slice(Uuid::new_v4().as_bytes());
        salt[16..].copy_from_slice(Uuid::new_v4().as_bytes());
        Ok(Self { inner: Arc::new(Inner { reports, metrics: metrics::handle()?, salt }) })
    }

    /// The user as logs and reports know them: 12 hexadecimal digits, the same for one user
    /// until the process ends, and of no use to whoever does not hold the process's memory.
    #[must_use]
    pub fn user_hash(&self, user: &UserId) -> String {
        let digest = Sha256::new().chain_update(self.inner.salt).chain_update(user.as_str()).finalize();
        let hex = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        hex.take(USER_HASH_DIGITS).filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
    }

    /// All metrics in the text format of Prometheus.
    #[must_use]
    pub fn render_metrics(&self) -> String {
        self.inner.metrics.render()
    }

    /// Waits until every error report is sent or given up, at most `timeout`; false when some
    /// still wait.
    /// Blocks the thread: call it last, when nothing else needs serving.
    #[must_use]
    pub fn flush(&self, timeout: Duration) -> bool {
        self.inner.reports.as_ref().is_none_or(|client| client.flush(Some(timeout)))
    }
}
