//! Log lines on standard error, and which of them become reports or breadcrumbs of reports.

use std::error::Error;
use std::io::IsTerminal as _;

use sentry::integrations::tracing::{BreadcrumbLayer, ErrorLayer};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use super::TelemetryError;
use crate::config::{Log, LogFormat};

/// Makes this process log as configured.
pub(super) fn install(log: &Log) -> Result<(), TelemetryError> {
    let filter = EnvFilter::builder().parse(&log.level)?;
    let lines = match log.format {
        LogFormat::Pretty => {
            let lines = fmt::layer().with_writer(std::io::stderr);
            lines.with_ansi(std::io::stderr().is_terminal()).boxed()
        }
        LogFormat::Json => json(std::io::stderr),
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

/// Writes lines for programs.
pub(super) fn json<S, W>(writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = fmt::layer().with_writer(writer).json().flatten_event(true).with_span_list(false);
    lines.map_event_format(WithCauses).boxed()
}

/// JSON lines that have the causes of an error next to it, like the lines for people. By itself an error often says
/// only what could not be done; what the database or the network said is its cause.
struct WithCauses<F>(F);

impl<S, N, F> FormatEvent<S, N> for WithCauses<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        let mut causes = Causes::default();
        event.record(&mut causes);
        if causes.0.is_empty() {
            return self.0.format_event(context, writer, event);
        }
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        let open = line.trim_end().strip_suffix('}').ok_or(std::fmt::Error)?;
        let causes = serde_json::to_string(&causes.0).map_err(|_| std::fmt::Error)?;
        writeln!(writer, "{open},{}", causes.trim_start_matches('{'))
    }
}

/// The causes of each error in an event, from the outermost to the innermost.
#[derive(Default)]
struct Causes(Map<String, Value>);

impl Visit for Causes {
    fn record_error(&mut self, field: &Field, error: &(dyn Error + 'static)) {
        let mut causes = Vec::new();
        let mut next = error.source();
        while let Some(cause) = next {
            causes.push(Value::from(cause.to_string()));
            next = cause.source();
        }
        if !causes.is_empty() {
            self.0.insert(format!("{}.sources", field.name()), causes.into());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
