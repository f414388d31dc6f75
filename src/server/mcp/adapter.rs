//! Translates requests of this server to the library's service and back, for any provider of tools: the council in the
//! product ([`super::endpoint`]), and a fixture for the protocol's own test suite in `tests/mcp_fixture`. Nothing is
//! remembered between two requests.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http_body_util::{BodyExt as _, Full};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};

use crate::config::Server;
use crate::identity::Gate;
use crate::server::extract::read_json;
use crate::server::middleware::gate;
use crate::server::problem::Problem;
use crate::shutdown::Shutdown;

/// JSON-RPC's codes for bodies that are not a message.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;

/// Whether the library reads this header: the protocol's own, some of which carry a tool's arguments, and the content
/// types.
fn is_read(name: &HeaderName) -> bool {
    let name = name.as_str();
    name == "accept" || name == "content-type" || name.starts_with("mcp-")
}

/// The surrounding server's rules for requests.
pub struct Edge<'a> {
    /// Which pages may send requests. The host is checked before.
    pub gate: &'a Gate,
    /// The limits on a body's size and time, and the heartbeat of a silent stream.
    pub server: &'a Server,
    /// Counts the streams that are open.
    pub shutdown: &'a Shutdown,
}

/// Answers one message; `handler` makes the service for it.
///
/// # Errors
/// What is wrong with the HTTP request: another site's page, a body that is too long, too slow, or not declared as
/// JSON. Errors in the message are answered as the protocol wants it.
pub async fn answer<H: ServerHandler>(
    edge: Edge<'_>,
    request: &HttpRequest,
    payload: Payload,
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> Result<HttpResponse, Problem> {
    // A token does not make another site's page one of ours.
    gate::check_origin(edge.gate, request)?;
    let (limit, timeout) = (edge.server.body_limit_bytes, edge.server.body_timeout());
    let message = match read_json(request, payload, limit, timeout).await {
        Ok(message) => message,
        Err(problem) if problem.status_code() == StatusCode::UNPROCESSABLE_ENTITY => {
            let why = format!("the {}", problem.sentences().join("; "));
            return Ok(error(StatusCode::BAD_REQUEST, PARSE_ERROR, &why, &Value::Null));
        }
        Err(problem) => return Err(problem),
    };
    if !message.is_object() {
        let what = "the body must be one JSON-RPC message; batches are not supported";
        return Ok(error(StatusCode::BAD_REQUEST, INVALID_REQUEST, what, &Value::Null));
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(Some(edge.server.heartbeat()))
        .with_sse_retry(None)
        .with_max_request_body_bytes(edge.server.body_limit_bytes)
        // They were checked before.
        .disable_allowed_hosts();
    let handler = move || Ok(handler());
    let service = StreamableHttpService::new(handler, Arc::new(NeverSessionManager::default()), config);
    let answer = service.handle(read(request, &message)?).await;
    into_response(edge.shutdown, answer, &message["id"]).await
}

/// The request as the library takes it.
fn read(request: &HttpRequest, message: &Value) -> Result<http::Request<Full<Bytes>>, Problem> {
    // The library wants a host; the real one was checked before.
    let mut read = http::Request::post("/mcp").header("host", "localhost");
    if takes_anything(request) {
        read = read.header("accept", "application/json, text/event-stream");
    }
    for (name, value) in request.headers().iter().filter(|(name, _)| is_read(name)) {
        read = read.header(name.as_str(), value.as_bytes());
    }
    read.body(Full::new(message.to_string().into()))
        .map_err(|_| Problem::bad_request("the request's headers cannot be read"))
}

/// Whether the client does not ask for a particular content type; the library wants both to be accepted.
fn takes_anything(request: &HttpRequest) -> bool {
    let mut wishes = request.headers().get_all(header::ACCEPT).peekable();
    let is_anything = |kind: &str| kind.split(';').next().is_some_and(|kind| kind.trim() == "*/*");
    wishes.peek().is_none()
        || wishes.any(|wish| wish.to_str().is_ok_and(|wish| wish.split(',').any(is_anything)))
}

/// The library's answer to the message with this id, as a response of this server.
async fn into_response<B>(
    shutdown: &Shutdown,
    answer: http::Response<B>,
    id: &Value,
) -> Result<HttpResponse, Problem>
where
    B: http_body::Body<Data = Bytes, Error = std::convert::Infallible> + Send + 'static,
{
    let (head, body) = answer.into_parts();
    let status = StatusCode::from_u16(head.status.as_u16()).map_err(|_| Problem::internal())?;
    let kind = head.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let mut response = HttpResponse::build(status);
    response.insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store")));
    match kind {
        Some("text/event-stream") => {
            let counted = shutdown.register_stream();
            let stream = body.into_data_stream().map(move |part| {
                let _open = &counted;
                part
            });
            Ok(response
                .content_type("text/event-stream")
                // nginx would buffer the stream, and a compressor would hold it back.
                .insert_header(("x-accel-buffering", "no"))
                .insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("identity")))
                .streaming(stream))
        }
        Some("application/json") => {
            let Ok(body) = body.collect().await;
            Ok(response.content_type("application/json").body(body.to_bytes()))
        }
        _ if status == StatusCode::ACCEPTED => Ok(response.finish()),
        // Whatever the library answers in plain text.
        _ if status.is_server_error() => {
            tracing::error!(%status, "a message of the Model Context Protocol was not answered");
            let what = "something went wrong on this server; it has been recorded";
            Ok(error(status, INTERNAL_ERROR, what, id))
        }
        _ => {
            let Ok(body) = body.collect().await;
            let why = String::from_utf8_lossy(&body.to_bytes()).into_owned();
            let status =
                if status == StatusCode::UNSUPPORTED_MEDIA_TYPE { StatusCode::BAD_REQUEST } else { status };
            Ok(error(status, INVALID_REQUEST, &why, id))
        }
    }
}

/// An error for the request with this id; anything that cannot be an id becomes null.
fn error(status: StatusCode, code: i32, message: &str, id: &Value) -> HttpResponse {
    let id = Some(id).filter(|id| id.is_string() || id.is_number());
    HttpResponse::build(status)
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .json(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}
