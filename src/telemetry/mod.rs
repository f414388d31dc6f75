//! What the program tells its operators: log lines, metrics, error reports. Never what users
//! wrote, never secrets; a user only as a hash that nobody can reverse.
//!
//! It reads `config`, `id` and `trace` and imports no other room. Start reading at
//! [`Telemetry::init`].

mod error;
mod logs;
mod metrics;
#[cfg(feature = "otel")]
mod otlp;
mod process;
mod reports;
mod request_span;
#[cfg(test)]
mod tests;
mod user_hash;

use std::fmt;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

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
    #[cfg(feature = "otel")]
    otlp: Option<otlp::Otlp>,
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
        #[cfg(not(feature = "otel"))]
        if config.telemetry.otlp.endpoint.is_some() {
            return Err(TelemetryError::NoOtlp);
        }
        let telemetry = Self::new(
            reports::client(&config.sentry)?,
            #[cfg(feature = "otel")]
            otlp::start(&config.telemetry.otlp)?,
        )?;
        if let Some(client) = &telemetry.inner.reports {
            Hub::main().bind_client(Some(Arc::clone(client)));
            Hub::current().bind_client(Some(Arc::clone(client)));
        }
        logs::install(&config.log)?;
        metrics::count_panics();
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
        Self::new(
            None,
            #[cfg(feature = "otel")]
            None,
        )
    }

    fn new(
        reports: Option<Arc<Client>>,
        #[cfg(feature = "otel")] otlp: Option<otlp::Otlp>,
    ) -> Result<Self, TelemetryError> {
        let mut salt = [0; 32];
        salt[..16].copy_from_slice(Uuid::new_v4().as_bytes());
        salt[16..].copy_from_slice(Uuid::new_v4().as_bytes());
        let inner = Inner {
            reports,
            metrics: metrics::handle()?,
            #[cfg(feature = "otel")]
            otlp,
            salt,
        };
        let telemetry = Self { inner: Arc::new(inner) };
        reports::begin_metrics();
        Ok(telemetry)
    }

    /// The user as logs and reports know them: 12 hexadecimal digits, the same for one user
    /// until the process ends, and useless without access to the process's memory.
    #[must_use]
    pub fn user_hash(&self, user: &UserId) -> String {
        user_hash::of(&self.inner.salt, user)
    }

    /// All metrics in the text format of Prometheus, with those of the process as they are now.
    #[must_use]
    pub fn render_metrics(&self) -> String {
        process::measure();
        metrics::render(&self.inner.metrics)
    }

    /// Waits until every error report and every span is sent or given up, at most `timeout`; false when some
    /// still wait.
    /// Blocks the thread: call it last, when nothing else needs serving.
    #[must_use]
    pub fn flush(&self, timeout: Duration) -> bool {
        let until = Instant::now() + timeout;
        let traced = self.flush_traces(timeout);
        let Some(client) = &self.inner.reports else { return traced };
        // Dropping the last handle to the client waits for reports in flight, however long that takes. So one handle is
        // leaked: the process ends with it.
        std::mem::forget(client.clone());
        let (client, (done, flushed)) = (client.clone(), mpsc::channel());
        // On a thread of its own: while its queue is full, the client exceeds its timeout.
        std::thread::spawn(move || done.send(client.flush(Some(timeout))));
        let left = until.saturating_duration_since(Instant::now());
        flushed.recv_timeout(left).unwrap_or(false) && traced
    }

    #[cfg(feature = "otel")]
    fn flush_traces(&self, timeout: Duration) -> bool {
        if self.inner.otlp.is_none() {
            return true;
        }
        let (inner, (done, flushed)) = (self.inner.clone(), mpsc::channel());
        // On a thread of its own: stopping the exporter of metrics takes as long as the collector does.
        std::thread::spawn(move || done.send(inner.otlp.as_ref().is_none_or(|otlp| otlp.flush(timeout))));
        flushed.recv_timeout(timeout).unwrap_or(false)
    }

    #[cfg(not(feature = "otel"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn flush_traces(&self, _timeout: Duration) -> bool {
        true
    }
}
