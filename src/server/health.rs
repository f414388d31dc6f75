//! Whether this server lives, and whether it takes work; and its metrics.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use serde_json::json;
use subtle::ConstantTimeEq;

use super::app::App;
use super::problem::Problem;

/// Lives: the process answers.
#[utoipa::path(tag = "health", responses((status = 200, body = Object)))]
#[get("/health/live")]
pub(super) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// Ready: takes new work. Not while it shuts down, nor while the database is away.
#[utoipa::path(tag = "health", responses((status = 200, body = Object), (status = 503, body = Object)))]
#[get("/health/ready")]
pub(super) async fn ready(app: web::Data<App>) -> HttpResponse {
    let database = app.db.ping().await.is_ok();
    let draining = app.runs.is_closed();
    let mut response =
        if database && !draining { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    response.json(json!({
        "status": if database && !draining { "ok" } else { "unavailable" },
        "database": database,
        "draining": draining,
    }))
}

/// Metrics in Prometheus' text form, for whoever has the configured token.
#[utoipa::path(tag = "health", responses((status = 200, content_type = "text/plain", body = String), (status = 404)))]
#[get("/metrics")]
pub(super) async fn metrics(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    use secrecy::ExposeSecret;
    let expected = app.config.metrics.token.as_ref().ok_or_else(|| Problem::not_found("Page"))?;
    let given =
        request.headers().get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes).unwrap_or_default();
    let expected = format!("Bearer {}", expected.expose_secret());
    if !bool::from(given.ct_eq(expected.as_bytes())) {
        return Err(Problem::not_found("Page"));
    }
    Ok(render(&app))
}

/// The metrics page.
pub(super) fn render(app: &App) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; version=0.0.4"))
        .body(app.telemetry.render_metrics())
}
