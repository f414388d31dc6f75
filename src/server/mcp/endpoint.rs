//! `POST /mcp`: the council, as far as the caller may use it. The gate decides who the caller is, the headers which
//! hosts are answered (`middleware`).

use actix_web::{HttpRequest, HttpResponse, post, web};

use super::adapter::{self, Edge};
use super::asker::Asker;
use super::council::Council;
use crate::server::app::App;
use crate::server::extract::{Caller, asked_by};
use crate::server::problem::{Problem, ProblemBody};

/// The Model Context Protocol (streamable HTTP, without sessions): the revisions of 2025 with their handshake, and that of
/// 2026-07-28. One JSON-RPC message a request; the answer is JSON, or a stream of events where progress is told.
#[utoipa::path(tag = "mcp", request_body = Object, responses(
    (status = 200, body = Object, description = "A JSON-RPC response, or a stream of events that ends with it"),
    (status = 202, description = "A notification was taken"),
    (status = 400, body = Object, description = "A JSON-RPC error: the message is none, or of no known revision"),
    (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = Object, description = "A JSON-RPC error: the method is not known"),
    (status = 413, body = ProblemBody)))]
#[post("")]
pub(in crate::server) async fn speak(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let edge = Edge { gate: &app.gate, server: &app.config.server, shutdown: &app.shutdown };
    let asker = Asker { app: app.clone(), caller, asked_by: asked_by(&request) };
    adapter::answer(edge, &request, payload.into_inner(), move || Council::new(asker.clone())).await
}
