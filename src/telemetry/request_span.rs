//! The span around every request and the one line when it is answered.

use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpMessage as _};
use tracing::Span;
use tracing::field::Empty;
use tracing_actix_web::{RequestId, RootSpanBuilder};

use crate::trace::{self, Kind, NewSpan, TraceContext};

/// For `tracing_actix_web::TracingLogger::<RequestSpan>::new()`.
///
/// The span has the request's id, method and route (the pattern, so neither ids nor queries),
/// later its status, and `user`, which the code that knows the user records:
/// `Span::current().record("user", hash)`. A stream counts as answered when it begins.
pub struct RequestSpan;

#[derive(Clone, Copy)]
struct Began(Instant);

impl RootSpanBuilder for RequestSpan {
    fn on_request_start(request: &ServiceRequest) -> Span {
        request.extensions_mut().insert(Began(Instant::now()));
        let request_id = request.extensions().get::<RequestId>().map(ToString::to_string);
        let (method, route) = (method(request.method().as_str()), route(request.match_pattern()));
        if trace::is_on() && !is_health(&route) {
            let span = trace_of(request, method, &route, request_id.as_deref());
            request.extensions_mut().insert(span);
        }
        // The one name of the request in reports: its address holds ids.
        sentry::configure_scope(|scope| scope.set_transaction(Some(&format!("{method} {route}"))));
        tracing::info_span!("request", request_id, method, route, status = Empty, user = Empty,)
    }

    fn on_request_end<B: MessageBody>(span: Span, outcome: &Result<ServiceResponse<B>, Error>) {
        let status = match outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        }
        .as_u16();
        span.record("status", status);

        // An error that no handler turned into a response no longer has its request.
        let Ok(response) = outcome else {
            tracing::info!(status, "request refused");
            return;
        };
        let request = response.request();
        let (method, route) = (method(request.method().as_str()), route(request.match_pattern()));
        let began = request.extensions().get::<Began>().copied();
        let duration = began.map(|Began(began)| began.elapsed()).unwrap_or_default();
        let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        if let Some(span) = request.extensions_mut().remove::<trace::Span>() {
            span.set("http.response.status_code", u32::from(status));
            if status >= 500 {
                span.fail("server_error");
            }
            span.end();
        }
        if is_health(&route) {
            tracing::debug!(status, duration_ms, "request answered");
        } else {
            tracing::info!(status, duration_ms, "request answered");
        }
        let labels = [("method", method.to_owned()), ("route", route), ("status", status.to_string())];
        metrics::histogram!("http_request_duration_seconds", &labels).record(duration.as_secs_f64());
    }
}

fn is_health(route: &str) -> bool {
    route.starts_with("/health") || route == "/api/health" || route == "/metrics"
}

/// The span of the request, within the trace that a proxy began.
fn trace_of(request: &ServiceRequest, method: &'static str, route: &str, id: Option<&str>) -> trace::Span {
    let parent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    let parent = parent.and_then(TraceContext::from_traceparent);
    let span = trace::Span::begin(|| NewSpan {
        name: format!("{method} {route}"),
        kind: Kind::Server,
        parent,
        link: None,
    });
    span.set("http.request.method", method);
    span.set("http.route", route);
    if let Some(id) = id {
        span.set("llm_council.request.id", id);
    }
    span
}

fn route(pattern: Option<String>) -> String {
    pattern.unwrap_or_else(|| "unmatched".to_owned())
}

/// Anybody may make up methods: unknown ones count as one, or metrics would grow without bound.
fn method(name: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == name).unwrap_or("OTHER")
}
