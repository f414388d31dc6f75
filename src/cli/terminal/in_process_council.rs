//! A council in this process: the parts of a server over the local database, and the API on a socket that only this
//! process knows.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use anyhow::Context as _;

use crate::cli::in_process::InProcess;
use crate::config::Config;
use crate::id::UserId;
use crate::identity::Mode;
use crate::server::in_process::serve_in_process;
use crate::telemetry::Telemetry;
use crate::terminal::session::http::Http;

/// How long calls that were sent already may take when the command is over.
const PATIENCE: Duration = Duration::from_millis(200);

/// See the module. Ended by [`InProcessCouncil::stop`].
pub(super) struct InProcessCouncil {
    pub session: Http,
    process: InProcess,
    server: ServerHandle,
    folder: PathBuf,
}

impl InProcessCouncil {
    /// Opens the database and the socket; everything that is asked for is this user's.
    ///
    /// # Errors
    /// When a part cannot be built.
    pub async fn start(config: &Config, user: UserId) -> anyhow::Result<Self> {
        let telemetry = Arc::new(Telemetry::init(config)?);
        let process =
            InProcess::start_for(config, telemetry, |app| app.gate.mode = Mode::Local(user)).await?;
        let folder = std::env::temp_dir().join(format!("llm-council-{}", uuid::Uuid::new_v4()));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        let socket = folder.join("api");
        let listener =
            UnixListener::bind(&socket).with_context(|| format!("cannot listen on {}", socket.display()))?;
        let (handle, server) = serve_in_process(process.app.clone(), listener)?;
        process.app.shutdown.tasks().spawn_background(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "the API server of this process has stopped");
            }
        });
        let session = Http::over_socket(&socket)?;
        Ok(Self { session, process, server: handle, folder })
    }

    /// Comes once the models and their prices are known.
    pub fn listed(&self) -> impl Future<Output = ()> + Send + use<> {
        self.process.listed()
    }

    /// Comes when the runs here cannot go on, and says why.
    pub async fn failed(&self) -> anyhow::Error {
        self.process.failed().await
    }

    /// Ends what was started; a run under way is left for the next command or server.
    ///
    /// # Errors
    /// When the local database does not stop.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.process.hand_over(PATIENCE).await;
        self.server.stop(false).await;
        // At worst an empty temporary folder is left behind.
        drop(fs::remove_dir_all(&self.folder));
        self.process.stop().await
    }
}
