//! The local database, with real processes that are really killed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use llm_council::store::local::{Durability, LocalError, LocalPostgres};
use sqlx::{Connection as _, PgConnection, Row as _};

/// A directory of the test's own, removed afterwards.
fn directory() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("local-").tempdir_in("/tmp").unwrap()
}

/// The program, with a local database in a directory that the test knows.
struct Server {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
}

impl Server {
    /// Starts one, as the user `uid` if that is given, and waits until it serves.
    fn start(dir: &Path, uid: Option<u32>) -> Self {
        let mut server = Self::spawn(dir, uid);
        let mut log = String::new();
        while !log.contains("LLM Council: http") {
            assert_ne!(server.log.read_line(&mut log).unwrap(), 0, "the server ended: {log}");
        }
        server
    }

    fn spawn(dir: &Path, uid: Option<u32>) -> Self {
        // The build directory may be closed to other users: they run a copy.
        let mut program = PathBuf::from(env!("CARGO_BIN_EXE_llm-council"));
        if uid.is_some() {
            let copy = dir.parent().unwrap().join("llm-council");
            // By another process: a child that some other test starts meanwhile would inherit the
            // open copy, and "text file busy" would be the answer to starting it.
            assert!(Command::new("cp").args([&program, &copy]).status().unwrap().success());
            program = copy;
        }
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("LLM_COUNCIL__DATA_DIR", dir)
            .env("LLM_COUNCIL__SERVER__PORT", "0")
            .current_dir(dir.parent().unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(uid) = uid {
            command.uid(uid).gid(uid);
        }
        let mut child = command.spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child, log }
    }

    /// Starts one that cannot, and returns what it said.
    fn refused(dir: &Path, uid: Option<u32>) -> String {
        let mut server = Self::spawn(dir, uid);
        let mut log = String::new();
        server.log.read_to_string(&mut log).unwrap();
        assert!(!server.child.wait().unwrap().success(), "{log}");
        log
    }

    fn stop(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        assert!(self.child.wait().unwrap().success(), "{log}");
        // Every connection is closed before Postgres is.
        assert!(!log.contains("terminating connection"), "{log}");
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

async fn connect(dir: &Path) -> PgConnection {
    let options = LocalPostgres::connect_options_of(dir).expect("there is a cluster");
    PgConnection::connect_with(&options).await.unwrap()
}

async fn rows(dir: &Path) -> i64 {
    let row = sqlx::query("SELECT count(*) AS n FROM kept").fetch_one(&mut connect(dir).await).await.unwrap();
    row.get("n")
}

/// The processes whose command line names the directory.
fn processes(dir: &Path) -> Vec<u32> {
    let name = dir.to_str().unwrap();
    let all =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    all.filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(name)
    })
    .collect()
}

fn until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

#[tokio::test]
async fn what_was_committed_outlives_a_killed_server_and_no_process_does() {
    let dir = directory();
    let server = Server::start(dir.path(), None);
    let mut connection = connect(dir.path()).await;
    sqlx::raw_sql("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)")
        .execute(&mut connection)
        .await
        .unwrap();
    server.kill();
    // Not waited for: the next start may meet the old Postgres in the middle of its end.
    let server = Server::start(dir.path(), None);
    assert_eq!(rows(dir.path()).await, 1);
    server.kill();
    until("Postgres stops when its server was killed", || processes(dir.path()).is_empty());
    let server = Server::start(dir.path(), None);
    assert_eq!(rows(dir.path()).await, 1);
    server.stop();
    assert_eq!(processes(dir.path()), Vec::<u32>::new(), "a normal stop waits for Postgres");
}

#[tokio::test]
async fn a_postgres_whose_supervisor_was_killed_too_is_taken_over() {
    let dir = directory();
    let server = Server::start(dir.path(), None);
    sqlx::raw_sql("CREATE TABLE kept (n int)").execute(&mut connect(dir.path()).await).await.unwrap();
    let pid_file = dir.path().join("postgres/cluster/postmaster.pid");
    let first_line = || fs::read_to_string(&pid_file).unwrap().lines().next().unwrap().to_owned();
    let postmaster = first_line();
    // A connection that Postgres has just forked looks like Postgres itself: only the shells are meant.
    let is_shell =
        |pid: &u32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default().starts_with(b"/bin/sh\0");
    for pid in processes(dir.path()).into_iter().filter(is_shell) {
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    }
    server.kill();
    assert!(processes(dir.path()).contains(&postmaster.parse().unwrap()), "it runs on, alone");
    let server = Server::start(dir.path(), None);
    assert_ne!(first_line(), postmaster);
    assert_eq!(rows(dir.path()).await, 0);
    server.stop();
}

#[tokio::test]
async fn a_postmaster_that_was_killed_leaves_a_pid_file_that_does_not_matter() {
    let dir = directory();
    let server = Server::start(dir.path(), None);
    let pid_file = dir.path().join("postgres/cluster/postmaster.pid");
    let text = fs::read_to_string(&pid_file).unwrap();
    let (postmaster, rest) = text.split_once('\n').unwrap();
    assert!(Command::new("kill").args(["-9", postmaster]).status().unwrap().success());
    until("the backends follow their postmaster", || processes(dir.path()).is_empty());
    server.kill();
    // The number now belongs to somebody else: to us.
    fs::write(&pid_file, format!("{}\n{rest}", std::process::id())).unwrap();
    let server = Server::start(dir.path(), None);
    server.stop();
}

#[tokio::test]
async fn a_postgres_that_dies_beside_a_living_server_is_started_again() {
    let dir = directory();
    let mut server = Server::start(dir.path(), None);
    sqlx::raw_sql("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)")
        .execute(&mut connect(dir.path()).await)
        .await
        .unwrap();
    let pid_file = dir.path().join("postgres/cluster/postmaster.pid");
    let first_line = || {
        let text = fs::read_to_string(&pid_file).unwrap_or_default();
        text.lines().next().unwrap_or_default().to_owned()
    };
    let postmaster = first_line();
    assert!(Command::new("kill").args(["-9", &postmaster]).status().unwrap().success());
    until("Postgres is started again", || !["", postmaster.as_str()].contains(&first_line().as_str()));
    let mut log = String::new();
    while !log.contains("the local database is running again") {
        assert_ne!(server.log.read_line(&mut log).unwrap(), 0, "the server ended: {log}");
    }
    assert!(log.contains("the local database has ended by itself"), "{log}");
    assert_eq!(rows(dir.path()).await, 1);
    server.stop();
    assert_eq!(processes(dir.path()), Vec::<u32>::new(), "a stop waits for the new one, too");
}

#[tokio::test]
async fn a_second_server_on_the_same_directory_is_refused_in_words() {
    let dir = directory();
    let server = Server::start(dir.path(), None);
    let error = LocalPostgres::start(dir.path(), Durability::Safe).await.unwrap_err();
    assert!(matches!(error, LocalError::InUse { .. }), "{error}");
    connect(dir.path()).await;
    server.stop();
}

#[tokio::test]
async fn a_cluster_that_was_half_made_is_made_again() {
    let dir = directory();
    fs::create_dir_all(dir.path().join("postgres/cluster.new/base")).unwrap();
    let server = Server::start(dir.path(), None);
    server.stop();
}

#[tokio::test]
async fn a_long_or_odd_path_works_with_a_socket_elsewhere() {
    let dir = directory();
    let odd = dir.path().join(format!("a, b '{}'", "x".repeat(100)));
    let server = Server::start(&odd, None);
    connect(&odd).await;
    server.stop();
}

#[tokio::test]
async fn root_where_no_other_user_can_go_uses_a_user_namespace() {
    if !is_root() {
        return;
    }
    let dir = directory();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let inside = dir.path().join("data");
    let server = Server::start(&inside, None);
    connect(&inside).await;
    assert_eq!(
        fs::metadata(inside.join("postgres/cluster")).unwrap().uid(),
        0,
        "root's own, seen from outside"
    );
    server.kill();
    until("Postgres stops when its server was killed", || processes(&inside).is_empty());
    // The way is open now: the same cluster changes hands.
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start(&inside, None);
    assert_ne!(fs::metadata(inside.join("postgres/cluster")).unwrap().uid(), 0);
    server.stop();
}

#[tokio::test]
async fn an_ordinary_user_needs_nothing_special() {
    if !is_root() {
        return; // Every other test here shows it.
    }
    let nobody = 65534;
    let dir = directory();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let inside = dir.path().join("data");
    fs::create_dir(&inside).unwrap();
    chown(&inside, Some(nobody), Some(nobody)).unwrap();
    let server = Server::start(&inside, Some(nobody));
    server.kill();
    let server = Server::start(&inside, Some(nobody));
    server.stop();
    // And what root left is not theirs.
    chown(inside.join("postgres"), Some(0), Some(0)).unwrap();
    let log = Server::refused(&inside, Some(nobody));
    assert!(log.contains("belongs to user id 0"), "{log}");
}
