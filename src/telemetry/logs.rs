//! Log lines on standard error, and which of them become reports or breadcrumbs of reports.

use std::io::IsTerminal as _;

use sentry::integrations::tracing::{BreadcrumbLayer, ErrorLayer};
use tracing::Subscriber;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use super::TelemetryError;
use crate::config::{Log, LogFormat};

/// Makes this process log as configured.
pub(super) fn install(log: &Log) -> Result<(), TelemetryError> {
    let filter = EnvFilter::builder().parse(&log.level)?;
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match log.format {
        LogFormat::Pretty => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .with(reporting())
        .try_init()
        .map_err(TelemetryError::LogTaken)
}

/// Reports what is logged as an error, with what was logged before it. Does nothing where the
/// current hub has no client.
pub(super) fn reporting<S>() -> Vec<Box<dyn Layer<S> + Send + Sync>>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    // Not `and_then`: of two filtered layers joined that way, the second is never called.
    vec![
        // Without its filter ErrorLayer would report every line.
        ErrorLayer::new().with_filter(LevelFilter::ERROR).boxed(),
        // After the other layer, so that an error is not a breadcrumb of its own report.
        BreadcrumbLayer::new().with_filter(LevelFilter::INFO).boxed(),
    ]
}
