//! The local database: a private Postgres cluster under the data directory, for a server without
//! `database.url` and for the tests.
//!
//! It uses the machine's own `initdb` and `postgres`, listens on a Unix socket in a directory only
//! its user may enter, never runs as root, and stops with the process that started it, also when
//! that one is killed: a small shell holds a pipe from us and stops Postgres when the pipe closes.
//!
//! ```text
//! <data_dir>/postgres.lock     held while a server uses the data directory
//! <data_dir>/postgres.log      what Postgres says
//! <data_dir>/postgres/cluster  PGDATA
//! <data_dir>/postgres/run      the socket (elsewhere when this path would be too long for one)
//! ```

mod binaries;
mod launch;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, lchown,
};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, Row as _};

use binaries::Binaries;
use launch::Launcher;

/// The cluster's superuser and the database in it.
const NAME: &str = "llm_council";
/// A Unix socket's path holds at most 107 bytes; this is what Postgres appends to the directory.
const SOCKET_FILE: &str = "/.s.PGSQL.5432";
const SOCKET_PATH_BYTES: usize = 107;
/// Recovery after a crash replays at most a few checkpoints' worth of log.
const START_PATIENCE: Duration = Duration::from_secs(300);
const STOP_PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);
const LOG_BYTES_KEPT: u64 = 10 * 1024 * 1024;

/// What a crash of the machine may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was committed.
    Safe,
    /// The whole cluster: no fsync. For tests.
    Fast,
}

/// Why there is no local database.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// Neither `initdb` nor `postgres` (15 or newer) was found.
    #[error(
        "no PostgreSQL {needed} was found on this machine. Install it (apt-get install postgresql), or start with \
         `make run`, which does; or set database.url to use a database elsewhere. LLM_COUNCIL_PG_BIN may name \
         the directory of initdb and postgres. Looked in: {looked_in}"
    )]
    NoBinaries {
        /// "15 or newer", or the version of the cluster that is there.
        needed: String,
        /// Every directory that was tried.
        looked_in: String,
    },
    /// Another live process uses this data directory.
    #[error(
        "another server is using the data directory {data_dir}: stop it, or give this one another data_dir"
    )]
    InUse {
        /// The directory.
        data_dir: PathBuf,
    },
    /// Started by root, and no unprivileged way to run Postgres works here.
    #[error(
        "PostgreSQL does not run as root, and no other way works here: {tried}. Start the server as an ordinary \
         user, move data_dir to where the user postgres can reach it, or set database.url"
    )]
    NoUser {
        /// What was tried, and what came of it.
        tried: String,
    },
    /// The cluster belongs to somebody else.
    #[error("{path} belongs to user id {owner}: start the server as that user or as root")]
    NotOurs {
        /// What belongs to somebody else.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// A Postgres that is not ours to stop runs on the cluster.
    #[error("process {pid} runs PostgreSQL on {path} and did not stop: stop it by hand, then start again")]
    StillRunning {
        /// The postmaster.
        pid: u32,
        /// The cluster.
        path: PathBuf,
    },
    /// `initdb` or `postgres` gave up.
    #[error("{program} failed ({status}). Its last words:\n{output}")]
    Failed {
        /// Which one.
        program: &'static str,
        /// How it ended.
        status: String,
        /// The end of its output.
        output: String,
    },
    /// Postgres did not answer in time.
    #[error("PostgreSQL did not answer within {} s; see {log}", START_PATIENCE.as_secs())]
    Silent {
        /// Its log.
        log: PathBuf,
        /// The last connection attempt.
        #[source]
        source: sqlx::Error,
    },
    /// A file or a process could not be handled.
    #[error("{what}: {source}")]
    Io {
        /// What was being done, to what.
        what: String,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// The new cluster's database could not be made.
    #[error("the local database could not be prepared")]
    Sql(#[from] sqlx::Error),
}

/// Says what an I/O error was about.
fn about<T>(result: io::Result<T>, what: impl FnOnce() -> String) -> Result<T, LocalError> {
    result.map_err(|source| LocalError::Io { what: what(), source })
}

/// Where everything of one cluster is.
#[derive(Debug, Clone)]
struct Places {
    data_dir: PathBuf,
    root: PathBuf,
    cluster: PathBuf,
    socket_dir: PathBuf,
    log: PathBuf,
}

impl Places {
    fn of(data_dir: &Path) -> Self {
        let root = data_dir.join("postgres");
        let inside = root.join("run");
        // Postgres reads a list here, so only plain characters go into it unquoted.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        let fits = inside.as_os_str().len() + SOCKET_FILE.len() <= SOCKET_PATH_BYTES;
        let socket_dir = if fits && inside.to_str().is_some_and(|path| path.chars().all(plain)) {
            inside
        } else {
            // The same name at every start, so that what a killed server left is found again.
            let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
            let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            PathBuf::from("/tmp").join(format!("llm-council-{name}"))
        };
        Self {
            data_dir: data_dir.to_owned(),
            cluster: root.join("cluster"),
            log: data_dir.join("postgres.log"),
            root,
            socket_dir,
        }
    }

    fn connect_options(&self) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host("localhost")
            .port(5432)
            .socket(&self.socket_dir)
            .username(NAME)
            .database(NAME)
    }
}

/// A running local Postgres. Dropping it asks Postgres to stop; [`LocalPostgres::stop`] waits for it.
#[derive(Debug)]
pub struct LocalPostgres {
    places: Places,
    supervisor: Child,
    /// Kept for its pipe, which closes after the supervisor's.
    remover: Option<Child>,
    /// Gone with the process, however that ends.
    _lock: File,
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
        let lock = lock(&data_dir)?;
        let places = Places::of(&data_dir);

        about(fs::DirBuilder::new().recursive(true).mode(0o700).create(&places.root), || {
            format!("cannot create {}", places.root.display())
        })?;
        let binaries = Binaries::find(&places.cluster)?;
        let launcher = Launcher::choose(&places.root, &binaries)?;
        stop_leftover(&places)?;
        launcher.own(&places.root)?;
        private_dir(&places.socket_dir, &launcher)?;

        if !places.cluster.join("PG_VERSION").exists() {
            make_cluster(&places, &launcher, &binaries, durability)?;
        }
        let supervisor = spawn_postgres(&places, &launcher, &binaries, durability)?;
        let mut started = Self { places, supervisor, remover: None, _lock: lock };
        started.wait_until_ready().await?;
        tracing::info!(
            postgres = %binaries.dir().display(), user = %launcher, directory = %started.places.root.display(),
            "local database is running"
        );
        Ok(started)
    }

    /// As [`LocalPostgres::start`] with [`Durability::Fast`], in a directory that is removed when
    /// Postgres has stopped, also when this process is killed.
    ///
    /// # Errors
    /// [`LocalError`].
    pub async fn start_throwaway(data_dir: &Path) -> Result<Self, LocalError> {
        let mut started = Self::start(data_dir, Durability::Fast).await?;
        let pid_file = started.places.cluster.join("postmaster.pid");
        started.remover =
            Some(launch::remover(&pid_file, &started.places.data_dir, &started.places.socket_dir)?);
        Ok(started)
    }

    /// How to connect to the database `llm_council` in it, as its superuser.
    #[must_use]
    pub fn connect_options(&self) -> PgConnectOptions {
        self.places.connect_options()
    }

    /// How to connect to the local database that another process has running on this data
    /// directory: for the command line beside a server. Whether it runs, connecting shows.
    #[must_use]
    pub fn connect_options_of(data_dir: &Path) -> Option<PgConnectOptions> {
        let places = Places::of(&data_dir.canonicalize().ok()?);
        places.cluster.join("PG_VERSION").exists().then(|| places.connect_options())
    }

    /// Stops Postgres cleanly (open transactions are rolled back) and waits until it has ended.
    ///
    /// # Errors
    /// [`LocalError::StillRunning`] when it has not ended after a minute.
    pub async fn stop(mut self) -> Result<(), LocalError> {
        drop(self.supervisor.stdin.take());
        let deadline = Instant::now() + STOP_PATIENCE;
        while Instant::now() < deadline {
            let ended = about(self.supervisor.try_wait(), || "cannot wait for PostgreSQL".to_owned())?;
            if ended.is_some() {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
        Err(LocalError::StillRunning { pid: self.supervisor.id(), path: self.places.cluster.clone() })
    }

    async fn wait_until_ready(&mut self) -> Result<(), LocalError> {
        let maintenance = self.connect_options().database("postgres").disable_statement_logging();
        let deadline = Instant::now() + START_PATIENCE;
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
                    output: tail(&self.places.log),
                });
            }
            if Instant::now() > deadline {
                return Err(LocalError::Silent { log: self.places.log.clone(), source });
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

fn lock(data_dir: &Path) -> Result<File, LocalError> {
    let path = data_dir.join("postgres.lock");
    let file = about(File::options().create(true).truncate(false).write(true).open(&path), || {
        format!("cannot write {}", path.display())
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LocalError::InUse { data_dir: data_dir.to_owned() }),
        Err(TryLockError::Error(source)) => {
            Err(LocalError::Io { what: format!("cannot lock {}", path.display()), source })
        }
    }
}

/// Makes a directory that only the cluster's user may enter: everyone who can reach the socket is
/// trusted, so a directory that somebody else made first is refused.
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
        format!("cannot close {} to others", path.display())
    })?;
    launcher.own(path)
}

/// `initdb` beside the final place, then a rename: a half-made cluster is never taken for one.
fn make_cluster(
    places: &Places,
    launcher: &Launcher,
    binaries: &Binaries,
    durability: Durability,
) -> Result<(), LocalError> {
    let unfinished = places.root.join("cluster.new");
    if unfinished.exists() {
        about(fs::remove_dir_all(&unfinished), || format!("cannot remove {}", unfinished.display()))?;
    }
    let mut command = launcher.command(&binaries.dir().join("initdb"));
    command
        .args(["--username", NAME, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--pgdata"])
        .arg(&unfinished)
        .current_dir(&places.root)
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
    about(fs::rename(&unfinished, &places.cluster), || format!("cannot make {}", places.cluster.display()))
}

fn spawn_postgres(
    places: &Places,
    launcher: &Launcher,
    binaries: &Binaries,
    durability: Durability,
) -> Result<Child, LocalError> {
    if fs::metadata(&places.log).is_ok_and(|log| log.len() > LOG_BYTES_KEPT) {
        let old = places.log.with_extension("log.1");
        about(fs::rename(&places.log, &old), || format!("cannot move {}", places.log.display()))?;
    }
    let log = about(File::options().create(true).append(true).open(&places.log), || {
        format!("cannot write {}", places.log.display())
    })?;
    let mut arguments = vec!["-D".into(), places.cluster.clone().into_os_string()];
    let mut set = |setting: &str| arguments.extend(["-c".into(), setting.into()]);
    set("listen_addresses=");
    set("port=5432");
    set("unix_socket_permissions=0700");
    set(&format!("unix_socket_directories={}", places.socket_dir.display()));
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
    launcher.supervise(binaries, &arguments, &places.root, log)
}

/// Stops a Postgres that a killed server left running on the cluster, and clears a pid file that
/// names a process of another kind.
///
/// The pid alone proves nothing: after a crash or in a new container it belongs to anyone.
fn stop_leftover(places: &Places) -> Result<(), LocalError> {
    let path = places.cluster.join("postmaster.pid");
    let deadline = Instant::now() + STOP_PATIENCE;
    let mut asked = false;
    loop {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => {
                return Err(LocalError::Io { what: format!("cannot read {}", path.display()), source });
            }
        };
        let (pid, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let Ok(pid) = pid.trim().parse::<u32>() else {
            // Cut off while it was written: Postgres itself refuses to start over such a file.
            return about(fs::remove_file(&path), || format!("cannot remove {}", path.display()));
        };
        if !is_postgres_on(pid, &places.cluster) {
            if process_exists(pid) {
                // Postgres would take that process for its predecessor. The rest of the file stays:
                // by it Postgres finds backends that have outlived their postmaster.
                tracing::warn!(
                    pid,
                    "clearing a stale postmaster.pid, its number now belongs to another process"
                );
                let no_such_pid = i32::MAX;
                about(replace(&path, &format!("{no_such_pid}\n{rest}")), || {
                    format!("cannot write {}", path.display())
                })?;
            }
            return Ok(());
        }
        if !asked {
            tracing::warn!(pid, "stopping the local database that a killed server left running");
            launch::signal(pid, "INT")?;
            asked = true;
        }
        if Instant::now() > deadline {
            return Err(LocalError::StillRunning { pid, path: places.cluster.clone() });
        }
        std::thread::sleep(POLL);
    }
}

fn process_exists(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Whether that process is a postmaster on this very cluster (the kernel says so, not the pid file).
fn is_postgres_on(pid: u32, cluster: &Path) -> bool {
    let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else { return false };
    let mut words = line.split(|byte| *byte == 0);
    let program = words.next().unwrap_or_default();
    program.ends_with(b"postgres") && words.any(|word| word == cluster.as_os_str().as_encoded_bytes())
}

/// Puts a new file in the place of an old one, for the same owner. We may be root in a directory of
/// another user's, so nothing here follows a symbolic link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let old = fs::symlink_metadata(path)?;
    let new = path.with_extension("pid.new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    lchown(&new, Some(old.uid()), Some(old.gid()))?;
    fs::rename(&new, path)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_too_long_or_too_odd_for_a_socket_gets_one_in_the_temporary_directory() {
        let short = Places::of(Path::new("/srv/data"));
        assert_eq!(short.socket_dir, Path::new("/srv/data/postgres/run"));
        for odd in [format!("/srv/{}", "x".repeat(100)), "/srv/a,b".to_owned(), "/srv/a b".to_owned()] {
            let places = Places::of(Path::new(&odd));
            assert!(places.socket_dir.starts_with("/tmp"), "{odd}");
            assert!(places.socket_dir.as_os_str().len() + SOCKET_FILE.len() <= SOCKET_PATH_BYTES);
            assert_eq!(places.socket_dir, Places::of(Path::new(&odd)).socket_dir);
        }
    }

    #[test]
    fn a_living_process_that_is_not_postgres_is_not_taken_for_it() {
        assert!(process_exists(std::process::id()));
        assert!(!is_postgres_on(std::process::id(), Path::new("/srv/data/postgres/cluster")));
    }
}
