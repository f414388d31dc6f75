//! The API for a program of this process: on a Unix socket that only its user can reach, without the web app.

use std::os::unix::net::UnixListener;

use actix_web::dev::ServerHandle;
use actix_web::{App as Service, HttpServer, web};

use super::app::App;
use super::routes;

/// Serves the API on the socket until the returned future ends. The handle stops it.
///
/// # Errors
/// When the socket cannot be listened on.
pub fn serve_in_process(
    app: web::Data<App>,
    listener: UnixListener,
) -> std::io::Result<(ServerHandle, impl Future<Output = std::io::Result<()>>)> {
    let server = HttpServer::new(move || Service::new().app_data(app.clone()).configure(routes::served))
        .workers(1)
        .disable_signals()
        .listen_uds(listener)?
        .run();
    Ok((server.handle(), server))
}
