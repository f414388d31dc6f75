//! Spans and figures for a collector of OpenTelemetry's, over HTTP. Two threads of the SDK gather and send them: a
//! collector that is slow or unavailable holds nothing up. What it does not take in time is dropped, and the log says
//! so once.

mod spans;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{
    MetricExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};

use super::TelemetryError;
use crate::config;
use crate::trace;
use spans::Collecting;
use wire::Wire;

/// The name of the instrumentation scope.
const SCOPE: &str = "llm-council";

/// The exporters of spans and metrics. Dropping it sends nothing more.
pub(super) struct Otlp {
    spans: SdkTracerProvider,
    figures: SdkMeterProvider,
}

/// Begins to send what this process traces; nothing without an endpoint.
///
/// # Errors
/// [`TelemetryError`] when there can be no client for the endpoint, or something else collects the spans.
pub(super) fn start(settings: &config::Otlp) -> Result<Option<Otlp>, TelemetryError> {
    let Some(endpoint) = &settings.endpoint else { return Ok(None) };
    let endpoint = endpoint.trim_end_matches('/');
    let timeout = Duration::from_millis(settings.timeout_ms);
    let wire = Arc::new(Wire::new(endpoint, settings.headers.as_ref(), timeout)?);
    // Attributes of its environment come from the usual variable, OTEL_RESOURCE_ATTRIBUTES, which the SDK reads.
    let resource = Resource::builder()
        .with_service_name(settings.service_name.clone())
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let exporter = SpanExporter::builder()
        .with_http()
        .with_shared_http_client(wire.clone())
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{endpoint}/v1/traces"))
        .with_timeout(timeout)
        .build()
        .map_err(|error| TelemetryError::Otlp(Box::new(error)))?;
    let spans = SdkTracerProvider::builder()
        .with_resource(resource.clone())
        // A proxy that does not want a request traced says so in its header; runs are always traced.
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
        .with_batch_exporter(exporter)
        .build();
    let exporter = MetricExporter::builder()
        .with_http()
        .with_shared_http_client(wire)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{endpoint}/v1/metrics"))
        .with_timeout(timeout)
        .build()
        .map_err(|error| TelemetryError::Otlp(Box::new(error)))?;
    let figures =
        SdkMeterProvider::builder().with_resource(resource).with_periodic_exporter(exporter).build();
    let collecting = Collecting::new(spans.tracer(SCOPE), &figures.meter(SCOPE));
    if !trace::install(Box::new(collecting)) {
        return Err(TelemetryError::TracesTaken);
    }
    Ok(Some(Otlp { spans, figures }))
}

impl Otlp {
    /// Sends what still waits; false when that could not be done. It may take longer than `timeout`.
    pub(super) fn flush(&self, timeout: Duration) -> bool {
        let spans = self.spans.shutdown_with_timeout(timeout);
        let figures = self.figures.shutdown_with_timeout(timeout);
        spans.is_ok() && figures.is_ok()
    }
}
