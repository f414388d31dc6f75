//! Whether this server lives, and whether it takes work; and its metrics.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use subtle::ConstantTimeEq;

use super::app::App;
use super::metrics::rendered;
use super::problem::Problem;

/// Says that the process answers.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Alive {
    pub status: &'static str,
}

/// Whether it takes work, and if not, why.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Readiness {
    /// `ok` or `unavailable`.
    pub status: &'static str,
    /// Whether the database answers and takes writes.
    pub database: bool,
    /// Whether the server is shutting down, or is about to.
    pub draining: bool,
    /// Why it takes no work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Liveness: the process answers.
#[utoipa::path(tag = "health", responses((status = 200, body = Alive)))]
#[get("/health/live")]
pub(super) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(Alive { status: "ok" })
}

/// Readiness: takes new work. Not while it shuts down, nor while the database is unavailable or read-only.
#[utoipa::path(tag = "health", responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
#[get("/health/ready")]
pub(super) async fn ready(app: web::Data<App>) -> HttpResponse {
    let database = app.db.ready().await;
    let draining = app.shutdown.is_announced();
    let reason = if draining { Some("the server is shutting down") } else { database.err() };
    let mut response = if reason.is_none() { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    let status = if reason.is_none() { "ok" } else { "unavailable" };
    response.json(Readiness { status, database: database.is_ok(), draining, reason })
}

/// Metrics in Prometheus' text form, for requests with the configured token.
#[utoipa::path(tag = "health", responses((status = 200, content_type = "text/plain", body = String), (status = 404)))]
#[get("/metrics")]
pub(super) async fn metrics(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let token = app.config.metrics.token.as_ref().ok_or_else(|| Problem::not_found("Page"))?;
    if !shows(&request, token) {
        return Err(Problem::not_found("Page"));
    }
    Ok(render(&app))
}

/// Metrics on a port of their own: the token is asked for only if there is one.
pub(super) async fn metrics_on_their_port(
    app: web::Data<App>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    if app.config.metrics.token.as_ref().is_some_and(|token| !shows(&request, token)) {
        return Err(Problem::not_found("Page"));
    }
    Ok(render(&app))
}

fn shows(request: &HttpRequest, token: &SecretString) -> bool {
    let given = request.headers().get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes);
    let expected = format!("Bearer {}", token.expose_secret());
    given.unwrap_or_default().ct_eq(expected.as_bytes()).into()
}

/// The metrics page.
fn render(app: &App) -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "text/plain; version=0.0.4")).body(rendered(app))
}
