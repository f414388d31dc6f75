//! HTTP. The only room that knows actix-web, status codes and JSON shapes of the API. Imports
//! `runs`, `council`, `store`, `identity`, `llm`, `config`, `telemetry`, `shutdown`, `id`.
//!
//! Start at [`routes::table`]; errors are one table in [`problem`].

mod admin;
mod admin_budgets;
mod admin_settings;
mod analytics;
pub mod app;
mod assets;
mod budgets;
mod conversations;
mod days;
mod extract;
mod feedback;
mod health;
mod markdown;
mod me;
mod messages;
mod middleware;
mod polish;
mod presets;
pub mod problem;
mod roster;
pub mod routes;
mod runs;
mod settings;
mod shape;
mod sse;
mod weights;

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix_cors::Cors;
use actix_web::dev::ServerHandle;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{HttpServer, web};
use actix_web_lab::middleware::CatchPanic;
use tracing_actix_web::TracingLogger;
use utoipa_actix_web::AppExt;
use utoipa_swagger_ui::SwaggerUi;

use app::App;
use problem::Problem;

/// How much of an answer the system holds for a client that does not read it.
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// How long a client may take nothing of what is sent before its connection is closed. It comes back
/// to where it was. Long enough for one that reads a kilobyte a second through a window of 64 KiB.
#[cfg(target_os = "linux")]
const STALLED: Duration = Duration::from_secs(180);

/// Serves the app on a listener until the returned server future ends. The handle stops it.
///
/// One thread does it all: a run, the connections to its models, its readers' and the database's are
/// then woken by the same event loop, and no token is passed from thread to thread. `beside` starts
/// what belongs on that thread too. A machine with more to give runs more servers on one database.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve(
    app: web::Data<App>,
    listener: TcpListener,
    beside: impl FnOnce() + Send + 'static,
) -> std::io::Result<(ServerHandle, impl Future<Output = std::io::Result<()>>)> {
    bound(&listener)?;
    let document = routes::openapi();
    let metrics_bind = app.config.metrics.bind;
    let shared = app.clone();
    let beside = Arc::new(Mutex::new(Some(beside)));
    let server = HttpServer::new(move || {
        if let Some(beside) = beside.lock().unwrap_or_else(PoisonError::into_inner).take() {
            beside();
        }
        let query = web::QueryConfig::default()
            .error_handler(|error, _| Problem::field("query", &format!("cannot be read: {error}")).into());
        let (routes, _) = actix_web::App::new()
            .into_utoipa_app()
            .app_data(shared.clone())
            .app_data(query)
            .configure(routes::table)
            .split_for_parts();
        routes
            .service(SwaggerUi::new("/docs/{_:.*}").url("/openapi.json", document.clone()))
            .service(web::redirect("/docs", "/docs/"))
            .default_service(web::to(assets::serve))
            .wrap(Compress::default())
            .wrap(cors(&shared))
            .wrap(from_fn(middleware::headers::dress))
            .wrap(TracingLogger::<crate::telemetry::RequestSpan>::new())
            .wrap(CatchPanic::default())
            .wrap(
                // What went wrong is reported where it is logged, once.
                sentry_actix::Sentry::builder().capture_server_errors(false).start_transaction(true).finish(),
            )
    })
    .workers(1)
    .disable_signals()
    // A client that leaves is noticed at once, also on a silent stream.
    .h1_allow_half_closed(false)
    // Without it the second event of an answer waits for the client to acknowledge the first: 40 ms.
    .tcp_nodelay(true)
    .client_request_timeout(Duration::from_secs(10))
    .shutdown_timeout(5)
    .listen(listener)?
    .run();
    if let Some(bind) = metrics_bind {
        serve_metrics(app, bind)?;
    }
    Ok((server.handle(), server))
}

/// What a client that stands still, or has vanished, may cost; each connection inherits it.
fn bound(listener: &TcpListener) -> std::io::Result<()> {
    let socket = socket2::SockRef::from(listener);
    // The system doubles it. Whoever reads more slowly than a run writes is behind by no more than
    // this; the rest stays in the log until it is wanted.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.set_tcp_keepalive(&socket2::TcpKeepalive::new().with_time(Duration::from_secs(15)))?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(STALLED))?;
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
            tracing::error!(%error, "the metrics port is gone");
        }
    });
    Ok(())
}

fn cors(app: &App) -> Cors {
    let mut cors = Cors::default()
        .allow_any_method()
        .allow_any_header()
        .expose_headers(["x-total-count", "link", "x-run-id", "x-request-id"])
        .supports_credentials()
        .max_age(3600);
    for origin in &app.config.server.cors_origins {
        cors = cors.allowed_origin(origin);
    }
    cors
}
