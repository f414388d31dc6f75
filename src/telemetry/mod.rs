//! What the program tells its operators: log lines, metrics, error reports. Never what users
//! wrote, never secrets; a user only as a hash that nobody can turn back.
//!
//! A leaf: it reads `config` and `id` and imports no other room. Start reading at
//! [`Telemetry::init`].

mod error;
mod logs;
mod metrics;
mod reports;
mod request_span;
#[cfg(test)]
mod tests;
mod user_hash;

use std::fmt;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use sentry::{Client, Hub};
use uuid::Uuid;

use crate::config::Config;
use crate::id::UserId;

pub use error::TelemetryError;
pub use request_span::RequestSpan;

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
        user_hash::of(&self.inner.salt, user)
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
        let Some(client) = &self.inner.reports else { return true };
        // The last one to let go of the client waits for what is being sent, however long that takes. So
        // nobody is the last: the process ends with it.
        std::mem::forget(client.clone());
        let (client, (done, flushed)) = (client.clone(), mpsc::channel());
        // On a thread of its own: while its queue is full, the client waits longer than it was told to.
        std::thread::spawn(move || done.send(client.flush(Some(timeout))));
        flushed.recv_timeout(timeout).unwrap_or(false)
    }
}
