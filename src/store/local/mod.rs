//! The local database: a private Postgres cluster under the data directory, for a server without
//! `database.url` and for the tests.
//!
//! It uses the machine's own `initdb` and `postgres`, listens on a Unix socket in a directory only
//! its user may enter, never runs as root, and stops with the process that started it, also when
//! that one is killed: a small shell holds a pipe from us and stops Postgres when the pipe closes.
//!
//! ```text
//! <data_dir>/postgres.lock     held while a server or a command uses the data directory
//! <data_dir>/postgres.log      what Postgres says
//! <data_dir>/postgres/cluster  PGDATA
//! <data_dir>/postgres/run      the socket (elsewhere when this path would be too long for one)
//! ```

mod binaries;
mod error;
mod launch;
mod leftover;
mod paths;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, Row as _};

use binaries::Binaries;
use error::about;
use launch::{Launcher, POLL, STOP_TIMEOUT};
use leftover::stop_leftover;
use paths::{NAME, Paths};

pub use error::LocalError;

/// Recovery after a crash replays at most a few checkpoints' worth of log.
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// How often it is looked whether Postgres still runs, and the longest pause after it could not be started again.
const LOOK: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long the lock of a server that is about to end is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const LOG_BYTES_KEPT: u64 = 10 * 1024 * 1024;
/// What stands in the lock's file where a command holds it; nothing where a server does.
const OF_A_COMMAND: &str = "command";

/// What a crash of the machine may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was committed.
    Safe,
    /// The whole cluster: no fsync. For tests.
    Fast,
}

/// A running local Postgres. Dropping it asks Postgres to stop; [`LocalPostgres::stop`] waits for it.
#[derive(Debug)]
pub struct LocalPostgres {
    paths: Paths,
    durability: Durability,
    supervisor: Child,
    /// Kept for its pipe, which closes after the supervisor's.
    remover: Option<Child>,
    /// The lock is gone with the process, however that ends.
    lock: File,
}

impl LocalPostgres {
    /// Makes the cluster if there is none, clears what a killed server left (a Postgres that still
    /// runs is stopped cleanly first), starts Postgres and waits until it answers.
    ///
    /// # Errors
    /// [`LocalError`], which says what to do.
    pub async fn start(data_dir: &Path, durability: Durability) -> Result<Self, LocalError> {
        about(fs::create_dir_all(data_dir), || format!("cannot create {}", data_dir.display()))?;
        let data_dir = about(data_dir.canonicalize(), || format!("cannot find {}", data_dir.display()))?;
        let lock = lock(&data_dir).await?;
        let paths = Paths::of(&data_dir);

        about(fs::DirBuilder::new().recursive(true).mode(0o700).create(&paths.root), || {
            format!("cannot create {}", paths.root.display())
        })?;
        let binaries = Binaries::find(&paths.cluster)?;
        let launcher = Launcher::choose(&paths.root, &binaries)?;
        stop_leftover(&paths)?;
        launcher.give_to_user(&paths.root)?;
        private_dir(&paths.socket_dir, &launcher)?;

        if !paths.cluster.join("PG_VERSION").exists() {
            make_cluster(&paths, &launcher, &binaries, durability)?;
        }
        let supervisor = spawn_postgres(&paths, &launcher, &binaries, durability)?;
        let mut started = Self { paths, durability, supervisor, remover: None, lock };
        started.wait_until_ready().await?;
        tracing::info!(
            postgres = %binaries.dir().display(), user = %launcher, directory = %started.paths.root.display(),
            "local database is running"
        );
        Ok(started)
    }

    /// As [`LocalPostgres::start`] with [`Durability::Fast`], in a directory that is removed when
    /// Postgres has stopped, also when this process is killed.
    pub async fn start_throwaway(data_dir: &Path) -> Result<Self, LocalError> {
        let mut started = Self::start(data_dir, Durability::Fast).await?;
        let pid_file = started.paths.cluster.join("postmaster.pid");
        started.remover =
            Some(launch::remover(&pid_file, &started.paths.data_dir, &started.paths.socket_dir)?);
        Ok(started)
    }

    /// Marks the cluster as run by a command: other commands that use it at the same time still need it when this one
    /// has ended ([`LocalPostgres::is_left_by_a_command`]). A server is restarted by whoever runs it.
    ///
    /// # Errors
    /// When the lock's file cannot be written.
    pub fn of_a_command(self) -> Result<Self, LocalError> {
        about((&self.lock).write_all(OF_A_COMMAND.as_bytes()), || {
            format!("cannot write {}", lock_file(&self.paths.data_dir).display())
        })?;
        Ok(self)
    }

    /// Whether a command was the last to run it on this data directory, and nobody does now.
    #[must_use]
    pub fn is_left_by_a_command(data_dir: &Path) -> bool {
        let is_left = || -> io::Result<bool> {
            let mut file = File::options().read(true).write(true).open(lock_file(data_dir))?;
            let mut holder = String::new();
            file.read_to_string(&mut holder)?;
            Ok(holder == OF_A_COMMAND && file.try_lock().is_ok())
        };
        is_left().unwrap_or(false)
    }

    /// How to connect to the database `llm_council` in it, as its superuser.
    #[must_use]
    pub fn connect_options(&self) -> PgConnectOptions {
        self.paths.connect_options()
    }

    /// How to connect to the local database that another process has running on this data directory: for the command
    /// line while a server runs. Only connecting shows whether it runs.
    #[must_use]
    pub fn connect_options_of(data_dir: &Path) -> Option<PgConnectOptions> {
        let paths = Paths::of(&data_dir.canonicalize().ok()?);
        paths.cluster.join("PG_VERSION").exists().then(|| paths.connect_options())
    }

    /// Starts Postgres again whenever it ends by itself, as when the system kills it because memory is short. Goes on until it
    /// is dropped.
    pub async fn keep_running(&mut self) {
        let mut pause = LOOK;
        loop {
            tokio::time::sleep(pause).await;
            let Ok(Some(status)) = self.supervisor.try_wait() else { continue };
            let log = self.paths.log.display();
            tracing::error!(%status, %log, "the local database has ended by itself: starting it again");
            let Err(error) = self.start_again().await else {
                tracing::warn!("the local database is running again");
                pause = LOOK;
                continue;
            };
            // The last words of Postgres stay in its own log: they may hold what people wrote.
            let reason = if let LocalError::Failed { program, status, .. } = &error {
                format!("{program} failed ({status})")
            } else {
                error.to_string()
            };
            tracing::error!(%reason, "the local database cannot be started again yet");
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn start_again(&mut self) -> Result<(), LocalError> {
        // A Postgres whose supervisor alone has ended stops by this.
        drop(self.supervisor.stdin.take());
        let (paths, durability) = (self.paths.clone(), self.durability);
        // This may wait for its end.
        let starting = tokio::task::spawn_blocking(move || {
            let binaries = Binaries::find(&paths.cluster)?;
            let launcher = Launcher::choose(&paths.root, &binaries)?;
            stop_leftover(&paths)?;
            private_dir(&paths.socket_dir, &launcher)?;
            spawn_postgres(&paths, &launcher, &binaries, durability)
        });
        let started =
            about(starting.await.map_err(io::Error::other), || "cannot start PostgreSQL".to_owned());
        self.supervisor = started??;
        self.wait_until_ready().await
    }

    /// Stops Postgres cleanly (open transactions are rolled back) and waits until it has ended.
    ///
    /// # Errors
    /// [`LocalError::StillRunning`] when it has not ended after a minute.
    pub async fn stop(mut self) -> Result<(), LocalError> {
        drop(self.supervisor.stdin.take());
        let deadline = Instant::now() + STOP_TIMEOUT;
        while Instant::now() < deadline {
            let ended = about(self.supervisor.try_wait(), || "cannot wait for PostgreSQL".to_owned())?;
            if ended.is_some() {
                return self.remove_far_socket_dir();
            }
            tokio::time::sleep(POLL).await;
        }
        Err(LocalError::StillRunning { pid: self.supervisor.id(), path: self.paths.cluster.clone() })
    }

    /// A socket directory outside the data directory is not left behind.
    fn remove_far_socket_dir(&self) -> Result<(), LocalError> {
        let dir = &self.paths.socket_dir;
        if dir.starts_with(&self.paths.root) {
            return Ok(());
        }
        match fs::remove_dir(dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LocalError::Io { what: format!("cannot remove {}", dir.display()), source: error })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    async fn wait_until_ready(&mut self) -> Result<(), LocalError> {
        let maintenance = self.connect_options().database("postgres").disable_statement_logging();
        let deadline = Instant::now() + START_TIMEOUT;
        let mut connection = loop {
            let source = match maintenance.connect().await {
                Ok(connection) => break connection,
                Err(error) => error,
            };
            let ended = about(self.supervisor.try_wait(), || "cannot wait for PostgreSQL".to_owned())?;
            if let Some(status) = ended {
                return Err(LocalError::Failed {
                    program: "postgres",
                    status: status.to_string(),
                    output: tail(&self.paths.log),
                });
            }
            if Instant::now() > deadline {
                return Err(LocalError::Silent {
                    waited: START_TIMEOUT,
                    log: self.paths.log.clone(),
                    source,
                });
            }
            tokio::time::sleep(POLL).await;
        };
        create_database(&mut connection).await?;
        connection.close().await?;
        Ok(())
    }
}

impl Drop for LocalPostgres {
    fn drop(&mut self) {
        // The closed pipe is the order to stop. The supervisor outlives us if it must.
        drop(self.supervisor.stdin.take());
        drop(self.remover.take());
    }
}

async fn create_database(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let row = sqlx::query("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1) AS there")
        .bind(NAME)
        .fetch_one(&mut *connection)
        .await?;
    if !row.try_get::<bool, _>("there")? {
        sqlx::query("CREATE DATABASE llm_council").execute(connection).await?;
    }
    Ok(())
}

fn lock_file(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres.lock")
}

/// Locks the directory for this process. The server before this one may be about to end, and a program that it was just
/// starting holds its files open until it runs: so locking is retried for a moment.
async fn lock(data_dir: &Path) -> Result<File, LocalError> {
    let path = lock_file(data_dir);
    let file = about(File::options().create(true).truncate(false).write(true).open(&path), || {
        format!("cannot write {}", path.display())
    })?;
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => {
                about(file.set_len(0), || format!("cannot write {}", path.display()))?;
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => tokio::time::sleep(POLL).await,
            Err(TryLockError::WouldBlock) => {
                return Err(LocalError::InUse { data_dir: data_dir.to_owned() });
            }
            Err(TryLockError::Error(source)) => {
                return Err(LocalError::Io { what: format!("cannot lock {}", path.display()), source });
            }
        }
    }
}

/// Makes a directory that only the cluster's user may enter: everyone who can reach the socket is trusted, so a
/// directory that another user made first is refused.
fn private_dir(path: &Path, launcher: &Launcher) -> Result<(), LocalError> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => {
            return Err(LocalError::Io { what: format!("cannot create {}", path.display()), source });
        }
    }
    let metadata = about(fs::symlink_metadata(path), || format!("cannot read {}", path.display()))?;
    let ours = [launcher.file_owner(), launcher.own_uid()].contains(&metadata.uid());
    if !metadata.is_dir() || !ours {
        return Err(LocalError::NotOurs { path: path.to_owned(), owner: metadata.uid() });
    }
    about(fs::set_permissions(path, fs::Permissions::from_mode(0o700)), || {
        format!("cannot restrict the permissions of {}", path.display())
    })?;
    launcher.give_to_user(path)
}

/// Runs `initdb` next to the final place and renames: a half-made cluster is never taken for one.
fn make_cluster(
    paths: &Paths,
    launcher: &Launcher,
    binaries: &Binaries,
    durability: Durability,
) -> Result<(), LocalError> {
    let unfinished = paths.root.join("cluster.new");
    if unfinished.exists() {
        about(fs::remove_dir_all(&unfinished), || format!("cannot remove {}", unfinished.display()))?;
    }
    let mut command = launcher.command(&binaries.dir().join("initdb"));
    command
        .args(["--username", NAME, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--pgdata"])
        .arg(&unfinished)
        .current_dir(&paths.root)
        .stdin(Stdio::null());
    if durability == Durability::Fast {
        command.arg("--no-sync");
    }
    let output = about(command.output(), || "cannot start initdb".to_owned())?;
    if !output.status.success() {
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        return Err(LocalError::Failed {
            program: "initdb",
            status: output.status.to_string(),
            output: last_lines(&text),
        });
    }
    about(fs::rename(&unfinished, &paths.cluster), || format!("cannot make {}", paths.cluster.display()))
}

fn spawn_postgres(
    paths: &Paths,
    launcher: &Launcher,
    binaries: &Binaries,
    durability: Durability,
) -> Result<Child, LocalError> {
    if fs::metadata(&paths.log).is_ok_and(|log| log.len() > LOG_BYTES_KEPT) {
        let old = paths.log.with_extension("log.1");
        about(fs::rename(&paths.log, &old), || format!("cannot move {}", paths.log.display()))?;
    }
    let log = about(File::options().create(true).append(true).open(&paths.log), || {
        format!("cannot write {}", paths.log.display())
    })?;
    let mut arguments = vec!["-D".into(), paths.cluster.clone().into_os_string()];
    let mut set = |setting: &str| arguments.extend(["-c".into(), setting.into()]);
    set("listen_addresses=");
    set("port=5432");
    set("unix_socket_permissions=0700");
    set(&format!("unix_socket_directories={}", paths.socket_dir.display()));
    set("timezone=UTC");
    set("log_timezone=UTC");
    match durability {
        Durability::Safe => set("fsync=on"),
        Durability::Fast => {
            set("fsync=off");
            set("full_page_writes=off");
            set("synchronous_commit=off");
            set("max_connections=300");
        }
    }
    launcher.supervise(binaries, &arguments, &paths.root, log)
}

/// The last lines of a log, for an error message.
fn tail(path: &Path) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(4096)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    match read() {
        Ok(text) => last_lines(&text),
        Err(error) => format!("(cannot read {}: {error})", path.display()),
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(8)..).unwrap_or_default().join("\n")
}
