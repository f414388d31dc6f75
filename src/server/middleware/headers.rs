//! Headers that every page, answer and error carries.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::uri::Authority;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, web};
use tracing_actix_web::RequestId;

use crate::identity::hosts::WrongHost;
use crate::server::app::App;
use crate::server::problem::Problem;

/// Scripts, styles and connections only of our own; nothing may frame us. Inline style attributes
/// are allowed through scripts only (CSSOM), which the policy does not concern. Where the browser knows
/// Trusted Types, no string becomes markup or script, not even by mistake in our own code; the one policy that there may be
/// names the service worker's file (static/src/features/installed/worker.ts).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types service-worker";

/// The API's page writes its styles inline and loads nothing from outside.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Refuses requests for another host, and adds the headers to every response.
pub async fn add_headers(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let docs = request.path().starts_with("/docs");
    let for_us = check_host(&request);
    // The id in the log, for people who report a fault.
    let request_id = request.extensions().get::<RequestId>().copied();
    let mut response = match for_us {
        Ok(()) => next.call(request).await?.map_into_left_body(),
        Err(problem) => request.into_response(problem.response()).map_into_right_body(),
    };
    let headers = response.headers_mut();
    // An uploaded file has a stricter policy.
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        set(headers, header::CONTENT_SECURITY_POLICY, if docs { DOCS_POLICY } else { POLICY });
    }
    set(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(headers, header::REFERRER_POLICY, "no-referrer");
    set(headers, header::X_FRAME_OPTIONS, "DENY");
    set(headers, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(
        headers,
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(self)",
    );
    if let Some(id) = request_id.and_then(|id| HeaderValue::from_str(&id.to_string()).ok()) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
    // Not by the path: routes know it in other spellings too (`/%61pi/…`).
    if !headers.contains_key(header::CACHE_CONTROL) {
        set(headers, header::CACHE_CONTROL, "no-store");
    }
    // Responses with a user's own data. Another site's page could embed them, and learn from whether that works what
    // the user has. Pages of `server.cors_origins` do not embed them but fetch them, for which CORS decides.
    let cache = headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
    if cache.is_some_and(|cache| cache.contains("no-store")) {
        set(headers, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    }
    Ok(response)
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}

/// Refuses requests sent to another server's name. Health probes may use any address.
fn check_host(request: &ServiceRequest) -> Result<(), Problem> {
    let Some(app) = request.app_data::<web::Data<App>>() else { return Ok(()) };
    if request.path().starts_with("/health/") {
        return Ok(());
    }
    let values = request.headers().get_all(header::HOST).map(HeaderValue::as_bytes);
    let target = request.uri().authority().map(Authority::as_str);
    app.gate.hosts.check(values, target).map_err(|wrong| {
        metrics::counter!("llm_council_refused_total", "reason" => "host").increment(1);
        match wrong {
            WrongHost::Malformed => Problem::bad_request("the request does not say which host it is for"),
            WrongHost::Unknown => Problem::misdirected(),
        }
    })
}
