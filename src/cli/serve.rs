//! `llm-council serve`: builds the parts, serves until a signal, drains, and leaves.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use anyhow::Context;
use futures_util::future::OptionFuture;
use secrecy::ExposeSecret;

use super::{build, database, user_names};
use crate::config::{Config, LogFormat};
use crate::llm::simulated;
use crate::runs::log::WRITER_CONNECTIONS;
use crate::server::descriptors;
use crate::server::{self, app::App};
use crate::shutdown::{Shutdown, Signals, restart_after_panic};
use crate::store::{self, Db, Sessions, journal};
use crate::telemetry::Telemetry;

/// How long handing over the leases may take after a second signal.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(2);

/// How long streams may take to end, and leases to be handed over, after the drain time.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the last error reports and traces may take.
const REPORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves until it is told to stop.
///
/// # Errors
/// When a part cannot be built; the message says which and what to do.
pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let descriptors = descriptors::raise(config.database.max_connections)?;
    let telemetry = Arc::new(Telemetry::init(config)?);
    tracing::info!(descriptors, "the limit of open files and connections of this process");
    let code = actix_web::rt::System::new().block_on(serve(config, telemetry.clone()));
    if !telemetry.flush(REPORT_TIMEOUT) {
        eprintln!("llm-council: the last error reports or traces could not be sent in time");
    }
    code
}

async fn serve(config: &Config, telemetry: Arc<Telemetry>) -> anyhow::Result<ExitCode> {
    // Listening comes first: a second server on the same port must not touch the first one's data.
    let address = SocketAddr::new(config.server.bind, config.server.port);
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    // The one that the system chose, where the configured one is 0.
    let port = listener.local_addr()?.port();
    let mut signals = Signals::listen()?;
    let (options, local) = database::open(config).await?;
    let mut db = Db::lazy(options.clone(), config.database.max_connections);
    if let Some(url) = &config.database.listen_url {
        db = db.listening_at(Db::options(url.expose_secret())?);
    }
    db.hold("the database is being prepared");
    let shutdown = Shutdown::new();
    let app = web::Data::new(build::app(config, db.clone(), shutdown.clone(), telemetry)?);

    let tasks = shutdown.tasks();
    let local = Arc::new(tokio::sync::Mutex::new(local));
    let kept = local.clone();
    tasks.spawn_background(async move {
        // Nobody else wants it until the background tasks have ended.
        if let Some(local) = kept.lock().await.as_mut() {
            local.keep_running().await;
        }
    });
    let (background, work) = (app.clone(), tasks.clone());
    let (handle, server) = server::serve(app.clone(), listener, move || {
        let (db, runs) = (background.db.clone(), background.runs.clone());
        let (webhooks, push) = (background.webhooks.clone(), background.push.clone());
        let objects = background.objects.clone();
        let retention_days = background.config.retention.days;
        work.spawn_background(async move {
            db.opened().await;
            let deliver = restart_after_panic("webhooks", || webhooks.clone().work(db.clone()));
            let notify = OptionFuture::from(push.as_ref().map(|push| {
                let db = &db;
                restart_after_panic("notifications", move || push.clone().work(db.clone()))
            }));
            let keep =
                restart_after_panic("housekeeping", || store::run_housekeeping(db.clone(), retention_days));
            let erase = restart_after_panic("erasures", || store::erasure::finish_all(db.clone()));
            let sweep = restart_after_panic("objects", || objects.clone().work(db.clone()));
            tokio::join!(runs.work(), keep, erase, deliver, notify, sweep);
        });
        let app = background.clone();
        work.spawn_background(restart_after_panic("schedules", move || {
            server::schedules::ask_what_is_due(app.clone())
        }));
        let (missing, db) = (server::missing::log_missing_models(background.clone()), background.db.clone());
        work.spawn_background(async move {
            db.opened().await;
            missing.await;
        });
        let app = background.clone();
        work.spawn_background(async move {
            restart_after_panic("reviewers", || app.reviewers.keep_fresh(&app.db)).await;
        });
        let models = background.models.clone();
        // Prices come from the providers' lists: known before the first call is paid, and as they are now.
        work.spawn_background(async move {
            restart_after_panic("models", || models.keep_lists_fresh()).await;
        });
        let search = background.search.clone();
        work.spawn_background(async move { search.check().await });
    })?;
    tracing::info!(%address, port, "listening");
    let writer = journal::database(options.clone(), WRITER_CONNECTIONS);
    let begin = async {
        // Until then requests are answered with 503 and the reason for waiting.
        let sessions = store::prepare(&options, database::pooling(config), user_names::is_taken, |reason| {
            db.hold(reason);
        })
        .await
        .map_err(user_names::explained)?;
        writer.open(sessions);
        let writing = tasks.spawn_needed(app.runs.clone().write(writer.clone()));
        db.open(sessions);
        if sessions == Sessions::Shared {
            log_pooling(&db);
        }
        announce(config, port);
        // After a panic of the writer nothing that runs do here would become durable, nor could anybody take them over.
        writing.cancelled().await;
        Err::<Infallible, _>(anyhow::anyhow!("a fault of this server ended its writer"))
    };

    let mut server = std::pin::pin!(server);
    let signal = tokio::select! {
        ended = &mut server => {
            ended.context("the server ended by itself")?;
            anyhow::bail!("the server ended by itself");
        }
        Err(failed) = begin => return Err(failed),
        signal = signals.next() => signal,
    };
    tracing::info!(signal, "no longer ready");
    shutdown.announce();
    let code = tokio::select! {
        () = drain(&app, &shutdown) => ExitCode::SUCCESS,
        // Anything under way is taken over from its journal, so leaving at once loses nothing paid.
        signal = signals.next() => {
            tracing::warn!(signal, "a second signal: leaving at once");
            app.runs.close();
            shutdown.begin();
            // Others need not wait for the leases to run out, if the database answers in time.
            drop(tokio::time::timeout(HAND_OVER_TIMEOUT, app.runs.hand_over()).await);
            ExitCode::FAILURE
        }
        ended = &mut server => {
            ended.context("the server ended while it was shutting down")?;
            ExitCode::FAILURE
        }
    };
    tasks.end_background();
    let stopping = handle.stop(code == ExitCode::SUCCESS);
    drop(tokio::time::timeout(LEAVE_TIMEOUT, async { tokio::join!(stopping, server) }).await);
    let closing = async { tokio::join!(db.close(), writer.close()) };
    drop(tokio::time::timeout(LEAVE_TIMEOUT, closing).await);
    let local = local.lock().await.take();
    if let Some(local) = local {
        local.stop().await?;
    }
    tracing::info!("stopped");
    Ok(code)
}

/// Takes requests until load balancers send them elsewhere; then lets runs finish, and leaves the others to another server.
async fn drain(app: &App, shutdown: &Shutdown) {
    tokio::time::sleep(app.config.server.notice()).await;
    tracing::info!("shutting down: no new runs; clients are notified, runs may finish");
    app.runs.close();
    shutdown.begin();
    if shutdown.drain(app.config.server.drain()).await.is_clean() {
        return;
    }
    match app.runs.hand_over().await {
        Ok(runs) => tracing::warn!(runs, "runs are left to another server, or to the next start"),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases could not be released; they will expire"
            );
        }
    }
    drop(tokio::time::timeout(LEAVE_TIMEOUT, app.runs.idle()).await);
}

fn log_pooling(db: &Db) {
    tracing::info!(
        "the database is behind a pooler in transaction mode: statements are prepared anew each time"
    );
    if !db.can_listen() {
        tracing::warn!(
            "database.listen_url is not set: this server polls for changes by other servers four times a second, and \
             a queued or stopped run may wait a few seconds more"
        );
    }
}

fn announce(config: &Config, port: u16) {
    let host = if config.server.bind.is_unspecified() {
        "localhost".to_owned()
    } else {
        config.server.bind.to_string()
    };
    let own = format!("http://{}:{port}/", if host.contains(':') { format!("[{host}]") } else { host },);
    let url = config.server.public_url.as_ref().map_or(own, ToString::to_string);
    tracing::info!(url, "LLM Council is ready");
    let is_simulated =
        config.providers.list.iter().all(|provider| provider.kind.name == simulated::KIND.name);
    if config.log.format == LogFormat::Json {
        // Programs that read a JSON log expect JSON in every line.
        if is_simulated {
            tracing::warn!("no provider key is configured: the council is simulated");
        }
        return;
    }
    eprintln!("\n  LLM Council: {url}");
    if is_simulated {
        eprintln!("  No provider key is configured: the council is simulated, and says so in every answer.");
        eprintln!("  Set OPENROUTER_API_KEY, or see docs/configuration.md, to ask real models.");
    }
    eprintln!();
}
