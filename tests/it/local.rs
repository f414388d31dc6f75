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

const DIR: &str = "LLM_COUNCIL_TEST_LOCAL_DIR";

/// Not a test: the server that the tests below start and kill. It runs until its input closes.
#[tokio::test]
#[ignore = "started by the tests of this file as a process of its own"]
async fn server_under_test() {
    let dir = PathBuf::from(std::env::var_os(DIR).expect("the directory"));
    match LocalPostgres::start(&dir, Durability::Safe).await {
        Ok(local) => {
            println!("\nready");
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            local.stop().await.unwrap();
            println!("\nstopped");
        }
        Err(error) => println!("\nfailed: {error}"),
    }
}

/// A directory of the test's own, removed afterwards.
fn directory() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("local-").tempdir_in("/tmp").unwrap()
}

struct Server {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Server {
    /// Starts one, as the user `uid` if that is given, and returns its first word.
    fn start(dir: &Path, uid: Option<u32>) -> (Self, String) {
        // The build directory may be closed to other users: they run a copy.
        let mut program = std::env::current_exe().unwrap();
        if uid.is_some() {
            let copy = dir.parent().unwrap().join("server_under_test");
            // By another process: a child that some other test starts meanwhile would inherit the
            // open copy, and "text file busy" would be the answer to starting it.
            assert!(Command::new("cp").args([&program, &copy]).status().unwrap().success());
            program = copy;
        }
        let mut command = Command::new(program);
        command
            .args(["--exact", "local::server_under_test", "--ignored", "--nocapture"])
            .env(DIR, dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(uid) = uid {
            command.uid(uid).gid(uid);
        }
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, output };
        let word = server.word();
        (server, word)
    }

    /// Waits for one of the words it says.
    fn word(&mut self) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                panic!("the server ended without a word: {all}");
            }
            if ["ready", "stopped", "failed"].iter().any(|word| line.starts_with(word)) {
                return line.trim().to_owned();
            }
            all.push_str(&line);
        }
    }

    fn stop(mut self) {
        drop(self.child.stdin.take());
        assert_eq!(self.word(), "stopped");
        assert!(self.child.wait().unwrap().success());
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
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    let mut connection = connect(dir.path()).await;
    sqlx::raw_sql("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)")
        .execute(&mut connection)
        .await
        .unwrap();
    server.kill();
    // Not waited for: the next start may meet the old Postgres in the middle of its end.
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    assert_eq!(rows(dir.path()).await, 1);
    server.kill();
    until("Postgres stops when its server was killed", || processes(dir.path()).is_empty());
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    assert_eq!(rows(dir.path()).await, 1);
    server.stop();
    assert_eq!(processes(dir.path()), Vec::<u32>::new(), "a normal stop waits for Postgres");
}

#[tokio::test]
async fn a_postgres_whose_supervisor_was_killed_too_is_taken_over() {
    let dir = directory();
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    sqlx::raw_sql("CREATE TABLE kept (n int)").execute(&mut connect(dir.path()).await).await.unwrap();
    let pid_file = dir.path().join("postgres/cluster/postmaster.pid");
    let first_line = || fs::read_to_string(&pid_file).unwrap().lines().next().unwrap().to_owned();
    let postmaster = first_line();
    for pid in processes(dir.path()) {
        if pid.to_string() != postmaster {
            assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
        }
    }
    server.kill();
    assert!(processes(dir.path()).contains(&postmaster.parse().unwrap()), "it runs on, alone");
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    assert_ne!(first_line(), postmaster);
    assert_eq!(rows(dir.path()).await, 0);
    server.stop();
}

#[tokio::test]
async fn a_postmaster_that_was_killed_leaves_a_pid_file_that_does_not_matter() {
    let dir = directory();
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    let pid_file = dir.path().join("postgres/cluster/postmaster.pid");
    let text = fs::read_to_string(&pid_file).unwrap();
    let (postmaster, rest) = text.split_once('\n').unwrap();
    assert!(Command::new("kill").args(["-9", postmaster]).status().unwrap().success());
    until("the backends follow their postmaster", || processes(dir.path()).is_empty());
    server.kill();
    // The number now belongs to somebody else: to us.
    fs::write(&pid_file, format!("{}\n{rest}", std::process::id())).unwrap();
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    server.stop();
}

#[tokio::test]
async fn a_second_server_on_the_same_directory_is_refused_in_words() {
    let dir = directory();
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    let error = LocalPostgres::start(dir.path(), Durability::Safe).await.unwrap_err();
    assert!(matches!(error, LocalError::InUse { .. }), "{error}");
    connect(dir.path()).await;
    server.stop();
}

#[tokio::test]
async fn a_cluster_that_was_half_made_is_made_again() {
    let dir = directory();
    fs::create_dir_all(dir.path().join("postgres/cluster.new/base")).unwrap();
    let (server, word) = Server::start(dir.path(), None);
    assert_eq!(word, "ready");
    server.stop();
}

#[tokio::test]
async fn a_long_or_odd_path_works_with_a_socket_elsewhere() {
    let dir = directory();
    let odd = dir.path().join(format!("a, b '{}'", "x".repeat(100)));
    let (server, word) = Server::start(&odd, None);
    assert_eq!(word, "ready");
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
    let (server, word) = Server::start(&inside, None);
    assert_eq!(word, "ready");
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
    let (server, word) = Server::start(&inside, None);
    assert_eq!(word, "ready");
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
    let (server, word) = Server::start(&inside, Some(nobody));
    assert_eq!(word, "ready");
    server.kill();
    let (server, word) = Server::start(&inside, Some(nobody));
    assert_eq!(word, "ready");
    server.stop();
    // And what root left is not theirs.
    chown(inside.join("postgres"), Some(0), Some(0)).unwrap();
    let (mut server, word) = Server::start(&inside, Some(nobody));
    server.output.read_to_end(&mut Vec::new()).unwrap();
    server.child.wait().unwrap();
    assert!(word.contains("belongs to user id 0"), "{word}");
}
