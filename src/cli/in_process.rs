//! The parts of a server without HTTP, for commands that ask models themselves. Its runs are durable: what it leaves
//! undone, a server or the next command goes on with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix_web::web;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{build, database, user_names};
use crate::config::Config;
use crate::runs::log::WRITER_CONNECTIONS;
use crate::server::app::App;
use crate::shutdown::{Shutdown, restart_after_panic};
use crate::store::local::{Durability, LocalPostgres};
use crate::store::{self, Db, journal};
use crate::telemetry::Telemetry;

/// How long the database may take at the end.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often it is looked whether the command has ended whose local database is used.
const LOOK: Duration = Duration::from_millis(500);

/// See the module. Ended by [`InProcess::stop`].
pub(super) struct InProcess {
    pub app: web::Data<App>,
    /// The connections that its runs are written with.
    writer: Db,
    /// The local database, where this process runs it.
    local: Arc<Mutex<Option<LocalPostgres>>>,
    /// Changes with the first reading of the providers' lists.
    lists: watch::Receiver<()>,
    /// Cancelled when nothing that runs do here becomes durable any more.
    writing: CancellationToken,
}

impl InProcess {
    /// Opens the database, whether or not a server uses it, and starts what runs need in the background.
    ///
    /// # Errors
    /// When a part cannot be built; the message says which and what to do.
    pub async fn start(config: &Config, telemetry: Arc<Telemetry>) -> anyhow::Result<Self> {
        let process = Self::start_for(config, telemetry, |_| {}).await?;
        process.listed().await;
        Ok(process)
    }

    /// Like [`InProcess::start`], after a change to the app, and without waiting for the providers' lists.
    ///
    /// # Errors
    /// As [`InProcess::start`].
    pub async fn start_for(
        config: &Config,
        telemetry: Arc<Telemetry>,
        change: impl FnOnce(&mut App),
    ) -> anyhow::Result<Self> {
        let (options, local) = database::open_beside(config).await?;
        let mut db = Db::lazy(options.clone(), config.database.max_connections);
        if let Some(url) = &config.database.listen_url {
            db = db.listening_at(Db::options(secrecy::ExposeSecret::expose_secret(url))?);
        }
        let shutdown = Shutdown::new();
        let mut app = build::app(config, db.clone(), shutdown.clone(), telemetry)?;
        change(&mut app);
        let app = web::Data::new(app);
        let mut logged = None;
        let sessions = store::prepare(&options, database::pooling(config), user_names::is_taken, |reason| {
            if logged.replace(reason) != Some(reason) {
                eprintln!("llm-council: {reason}");
            }
        })
        .await
        .map_err(user_names::explained)?;
        let writer = journal::database(options, WRITER_CONNECTIONS);
        writer.open(sessions);
        db.open(sessions);
        let tasks = shutdown.tasks();
        let writing = tasks.spawn_needed(app.runs.clone().write(writer.clone()));
        tasks.spawn_background(app.runs.clone().work());
        let lists = app.models.list_reads();
        let models = app.models.clone();
        tasks.spawn_background(async move {
            restart_after_panic("models", || models.keep_lists_fresh()).await;
        });
        let is_anothers = config.database.url.is_none() && local.is_none();
        let local = Arc::new(Mutex::new(local));
        if is_anothers {
            tasks.spawn_background(take_over(config.data_dir.clone(), local.clone()));
        }
        Ok(Self { app, writer, local, lists, writing })
    }

    /// Comes once prices and which models there are have been read from the providers' lists, or could not be.
    pub fn listed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut lists = self.lists.clone();
        async move {
            let _read = lists.changed().await;
        }
    }

    /// Comes when the runs here cannot go on, and says why.
    pub async fn failed(&self) -> anyhow::Error {
        self.writing.cancelled().await;
        anyhow::anyhow!(
            "a fault of this program ended its writer; the next command goes on with what is stored"
        )
    }

    /// Drops the runs that are under way, which keep what they have, and waits at most so long for single calls that
    /// were sent already.
    pub async fn hand_over(&self, patience: Duration) {
        match self.app.runs.hand_over().await {
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "leases could not be released; they will expire"
                );
            }
        }
        self.app.shutdown.drain(patience).await;
    }

    /// Ends the background work and the local database.
    ///
    /// # Errors
    /// When the local database does not stop.
    pub async fn stop(self) -> anyhow::Result<()> {
        // It may have taken runs of others that nobody executed: they go on elsewhere at once.
        drop(tokio::time::timeout(LEAVE_TIMEOUT, self.app.runs.hand_over()).await);
        self.app.shutdown.tasks().end_background();
        // Only open connections are lost if it does not answer in time.
        let closing = async { tokio::join!(self.app.db.close(), self.writer.close()) };
        drop(tokio::time::timeout(LEAVE_TIMEOUT, closing).await);
        let local = self.local.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(local) = local {
            local.stop().await?;
        }
        Ok(())
    }
}

/// Starts the local database again once the command that ran it has ended: what is under way here needs it.
async fn take_over(data_dir: PathBuf, local: Arc<Mutex<Option<LocalPostgres>>>) {
    loop {
        tokio::time::sleep(LOOK).await;
        if !LocalPostgres::is_left_by_a_command(&data_dir) {
            continue;
        }
        let started = LocalPostgres::start(&data_dir, Durability::Safe).await;
        match started.and_then(LocalPostgres::of_a_command) {
            Ok(started) => {
                *local.lock().unwrap_or_else(PoisonError::into_inner) = Some(started);
                return;
            }
            // Another command may have been faster.
            Err(error) => tracing::warn!(%error, "the local database cannot be taken over yet"),
        }
    }
}
