//! What can stand between the program and its log, metrics and reports.

use std::sync::Arc;

use metrics::SetRecorderError;
use metrics_exporter_prometheus::PrometheusRecorder;

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
