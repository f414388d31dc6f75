//! HTTP. The only room that knows actix-web, status codes and JSON shapes of the API. Imports
//! `bench`, `runs`, `council`, `store`, `identity`, `llm`, `config`, `telemetry`, `shutdown`, `id`.
//!
//! Start at [`routes`]; errors are one table in [`problem`].

mod admin;
mod analytics;
pub mod app;
mod asking;
mod assets;
mod attachments;
mod benches;
mod branches;
mod budgets;
mod cache;
mod classify;
pub mod command_line;
mod connection;
mod conversations;
mod corrections;
mod csv;
mod days;
pub mod descriptors;
mod extract;
mod feedback;
mod filter;
mod folders;
mod for_others;
mod health;
mod idempotency;
pub mod in_process;
mod library;
mod markdown;
mod markdown_branches;
mod markdown_formats;
mod markdown_sources;
pub mod mcp;
mod me;
mod messages;
mod metrics;
mod middleware;
pub mod missing;
mod neutral;
mod openapi;
mod options;
mod own_data;
mod page;
mod presets;
pub mod problem;
mod projects;
mod push;
mod query;
mod regions;
mod retry_member;
pub mod reviewers;
pub mod routes;
mod runs;
pub mod schedules;
mod settings;
mod shape;
mod sharing;
mod single_calls;
mod skip;
mod sse;
mod unknown_providers;
pub mod upload_slots;
mod v1;
mod version;
mod webhooks;
mod weights;

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix_cors::Cors;
use actix_http::HttpService;
use actix_http::error::DispatchError;
use actix_service::{IntoServiceFactory as _, ServiceFactoryExt as _, fn_service, map_config};
use actix_web::dev::{AppConfig, Server, ServerHandle};
use actix_web::middleware::{Compress, from_fn};
use actix_web::{HttpServer, web};
use actix_web_lab::middleware::CatchPanic;
use tracing_actix_web::TracingLogger;
use utoipa_swagger_ui::SwaggerUi;

use app::App;
use connection::{Connection, Limits, Unacknowledged};

/// How much of an answer the system holds for a client that does not read it.
const SEND_BUFFER_BYTES: usize = 64 * 1024;
/// How long a client has for the head of its first request, and for the rest of it when it is refused.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// After how long without traffic it is probed whether a connection's client is still there.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRY: Duration = Duration::from_secs(5);
/// What pages of other origins read of an answer's head. A library in a page asks a failed or stopped council again by itself
/// where it cannot see that it should not.
const FOR_OTHER_PAGES: [&str; 10] = [
    "content-disposition",
    "link",
    "location",
    "retry-after",
    "x-ignored-parameters",
    "x-request-id",
    "x-run-id",
    "x-run-joined",
    "x-should-retry",
    "x-total-count",
];
/// How many connections may wait to be taken in: after a restart all pages come back at once, and those that find no place
/// try again only after a second or more. The system may allow fewer.
const BACKLOG: i32 = 4096;

/// Serves the app on a listener until the returned server future ends. The handle stops it.
///
/// One thread does it all: a run, the connections to its models, its readers' and the database's are
/// then woken by the same event loop, and no token is passed from thread to thread. `background` starts
/// the work that belongs on that thread too. To use more of a machine, run several servers on one database.
pub fn serve(
    app: web::Data<App>,
    listener: TcpListener,
    background: impl FnOnce() + Send + 'static,
) -> std::io::Result<(ServerHandle, impl Future<Output = std::io::Result<()>>)> {
    let limits = Limits { idle: app.config.server.idle(), stalled: app.config.server.stalled() };
    bound(&listener, limits)?;
    metrics::begin();
    let metrics_bind = app.config.metrics.bind;
    let shared = app.clone();
    let background = Arc::new(Mutex::new(Some(background)));
    let unacknowledged = Unacknowledged::default();
    let bound_to = listener.local_addr().ok();
    // The work of `HttpServer`, with our own connection type.
    let server = Server::build()
        .workers(1)
        .max_concurrent_connections(app.descriptors.clients())
        .disable_signals()
        .shutdown_timeout(5);
    let draining = server.graceful_shutdown_signal();
    let server = server.listen("http", listener, move || {
        if let Some(background) = background.lock().unwrap_or_else(PoisonError::into_inner).take() {
            background();
            let watch = unacknowledged.clone().watch(shared.shutdown.clone(), bound_to);
            shared.shutdown.tasks().spawn_background(watch);
        }
        let routes = actix_web::App::new()
            .app_data(shared.clone())
            .configure(routes::served)
            .service(routes::serve_document)
            .service(SwaggerUi::new("/docs/{_:.*}").config("/openapi.json".into()))
            .service(web::redirect("/docs", "/docs/"))
            .default_service(web::to(assets::serve))
            .wrap(from_fn(middleware::head::as_get))
            .wrap(Compress::default())
            .wrap(cors(&shared))
            .wrap(from_fn(middleware::headers::add_headers))
            .wrap(TracingLogger::<crate::telemetry::RequestSpan>::new())
            .wrap(CatchPanic::default())
            .wrap(
                // Errors are reported once, where they are logged.
                sentry_actix::Sentry::builder().capture_server_errors(false).start_transaction(true).finish(),
            )
            .wrap(from_fn(connection::count))
            .into_factory()
            .map_err(|error: actix_web::Error| error.error_response());
        let (unacknowledged, draining) = (unacknowledged.clone(), draining.clone());
        let http = HttpService::build()
            .client_request_timeout(HEAD_TIMEOUT)
            .client_disconnect_timeout(CLOSE_TIMEOUT)
            // A client that ends its side may have gone or may wait for its answer: its connection decides.
            .h1_allow_half_closed(true)
            .graceful_shutdown_signal(move || {
                let draining = draining.clone();
                async move { draining.notified().await }
            })
            .on_connect_ext(|connection: &Connection, data| {
                data.insert(connection.requests());
            })
            .h1(map_config(routes, |()| AppConfig::default()));
        fn_service(move |stream| {
            let connection = Connection::new(stream, limits, unacknowledged.clone());
            std::future::ready(connection.map_err(DispatchError::Io).map(|connection| {
                let peer = connection.peer();
                (connection, peer)
            }))
        })
        .and_then(http)
    })?;
    let server = server.run();
    if let Some(bind) = metrics_bind {
        serve_metrics(app, bind)?;
    }
    Ok((server.handle(), server))
}

/// Bounds the cost of a client that has stalled or vanished; each connection inherits these options.
fn bound(listener: &TcpListener, limits: Limits) -> std::io::Result<()> {
    let socket = socket2::SockRef::from(listener);
    // It listens already; this makes its queue longer.
    socket.listen(BACKLOG)?;
    // The system doubles it. A client that reads more slowly than a run writes is behind by no more than this; the rest
    // stays in the log until it is wanted.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(KEEPALIVE_AFTER)
        .with_interval(KEEPALIVE_RETRY)
        .with_retries(2);
    socket.set_tcp_keepalive(&keepalive)?;
    // Limits how long the system keeps data that is unsent when we have closed the connection.
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(limits.stalled))?;
    Ok(())
}

/// Metrics on a port of their own, for a network that only the scraper reaches.
fn serve_metrics(app: web::Data<App>, bind: std::net::SocketAddr) -> std::io::Result<()> {
    let tasks = app.shutdown.tasks();
    let server = HttpServer::new(move || {
        let routes = actix_web::App::new().app_data(app.clone());
        routes.route("/metrics", web::get().to(health::metrics_on_their_port))
    })
    .workers(1)
    .disable_signals()
    .bind(bind)
    .map_err(|error| {
        std::io::Error::new(error.kind(), format!("cannot listen on {bind} for metrics: {error}"))
    })?
    .run();
    tasks.spawn_background(async move {
        if let Err(error) = server.await {
            tracing::error!(%error, "the metrics server has stopped");
        }
    });
    Ok(())
}

fn cors(app: &App) -> Cors {
    let mut cors = Cors::default()
        .allow_any_method()
        .allow_any_header()
        .expose_headers(FOR_OTHER_PAGES)
        .supports_credentials()
        .max_age(3600);
    for origin in &app.config.server.cors_origins {
        cors = cors.allowed_origin(origin);
    }
    cors
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Write as _};
    use std::net::{Ipv4Addr, TcpStream};

    use super::*;

    #[test]
    fn many_clients_that_come_at_once_wait_to_be_taken_in() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let day = Duration::from_secs(86_400);
        bound(&listener, Limits { idle: day, stalled: day }).unwrap();
        let address = listener.local_addr().unwrap();
        // More than the queue that the standard library asks for, as far as the system allows that; nobody takes them in.
        let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
        let many = allowed.trim().parse().map_or(128, |allowed: usize| allowed.min(300));
        for number in 0..many {
            let came = TcpStream::connect_timeout(&address, Duration::from_secs(10));
            assert!(came.is_ok(), "client {number}: {came:?}");
        }
    }

    #[test]
    fn the_system_takes_little_of_an_answer_that_its_client_does_not_read() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let day = Duration::from_secs(86_400);
        bound(&listener, Limits { idle: day, stalled: day }).unwrap();
        let client = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        client.set_recv_buffer_size(4096).unwrap();
        client.connect(&listener.local_addr().unwrap().into()).unwrap();
        let (mut connection, _) = listener.accept().unwrap();
        connection.set_nonblocking(true).unwrap();
        let mut taken = 0;
        let error = loop {
            match connection.write(&[b'.'; 4096]) {
                Ok(count) => taken += count,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        // Twice the buffer at this end, and what fits into the client's.
        assert!(taken <= 3 * SEND_BUFFER_BYTES, "{taken} bytes");
    }
}
