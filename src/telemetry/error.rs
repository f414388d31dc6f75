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
    #[error("log.level is not a valid log filter")]
    LogFilter(#[from] tracing_subscriber::filter::ParseError),
    /// Something else in this process collects the metrics already.
    #[error("metrics are set up already: telemetry is started once per process")]
    MetricsTaken(#[from] Arc<SetRecorderError<PrometheusRecorder>>),
    /// The buckets of the histograms are wrong.
    #[error("the buckets of the metrics are wrong")]
    Buckets(#[from] Arc<metrics_exporter_prometheus::BuildError>),
    /// No HTTPS client for the error reports.
    #[error(
        "error reports (sentry.dsn) and traces (telemetry.otlp) need an HTTPS client and none could be made; are the system's CA certificates installed (package ca-certificates)?"
    )]
    HttpClient(#[source] reqwest::Error),
    /// The headers for the collector are not valid.
    #[error(
        "telemetry.otlp.headers is not a list of headers as name=value,name=value (the value is not shown)"
    )]
    OtlpHeaders,
    /// The exporter for the collector cannot be built.
    #[error("traces and metrics cannot be sent to telemetry.otlp.endpoint")]
    Otlp(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Something else collects the traces of this process.
    #[error("traces are collected already: telemetry is started once per process")]
    TracesTaken,
    /// The system provides no event loop for the exporter.
    #[error("the sender of traces cannot be started")]
    Runtime(#[source] std::io::Error),
    /// The endpoint is configured for a program that has nothing to send to it.
    #[error("telemetry.otlp.endpoint is set, but this program was built without the feature otel")]
    NoOtlp,
    /// The configured DSN is wrong, although `config` checks it.
    #[error("sentry.dsn is not a Sentry DSN (the value is not shown)")]
    Dsn,
}
