//! The most awkward moment to lose the database: it has committed, and its answer does not arrive.
//! Whether it has is unknown then; writing the same once more must be as good as having written it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::db::TestDb;
use crate::support::follower::{Follower, Transcript, assert_same_structure};
use crate::support::model_server::{ModelServer, plausible};
use crate::support::process::Program;

/// One in so many commits of the event log is answered to nobody.
const CUT_EVERY: usize = 3;
const RUNS: usize = 10;
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
/// A batch of the event log tells other servers which logs have grown.
const NOTICE: &[u8] = b"log ";

/// Stands between a server and Postgres.
struct Proxy {
    dir: tempfile::TempDir,
    cuts: Arc<AtomicUsize>,
    _accepting: JoinSet<()>,
}

impl Proxy {
    fn start(db: &TestDb) -> Self {
        let dir = tempfile::Builder::new().prefix("proxy-").tempdir_in("/tmp").unwrap();
        let listener = UnixListener::bind(dir.path().join(".s.PGSQL.5432")).unwrap();
        let postgres = db.options().get_socket().unwrap().join(".s.PGSQL.5432");
        let (commits, cuts) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counted = cuts.clone();
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                connections.spawn(carry(client, postgres.clone(), commits.clone(), counted.clone()));
            }
        });
        Self { dir, cuts, _accepting: accepting }
    }

    /// The database's URL by this way.
    fn url(&self, db: &TestDb) -> String {
        let url = db.url();
        let (place, _socket) = url.rsplit_once('=').unwrap();
        format!("{place}={}", self.dir.path().display().to_string().replace('/', "%2F"))
    }
}

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

/// Carries one connection until either side is done, or a commit's answer is cut.
async fn carry(mut client: UnixStream, postgres: PathBuf, commits: Arc<AtomicUsize>, cuts: Arc<AtomicUsize>) {
    let Ok(mut server) = UnixStream::connect(postgres).await else { return };
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut of_the_log = false;
    loop {
        tokio::select! {
            count = client.read(&mut asked) => {
                let Ok(count @ 1..) = count else { return };
                let bytes = &asked[..count];
                of_the_log |= holds(bytes, NOTICE);
                if server.write_all(bytes).await.is_err() {
                    return;
                }
                if holds(bytes, COMMIT)
                    && std::mem::take(&mut of_the_log)
                    && commits.fetch_add(1, Ordering::Relaxed).is_multiple_of(CUT_EVERY)
                {
                    // It is done, and only this proxy hears of it.
                    if server.read(&mut answered).await.is_ok_and(|count| count > 0) {
                        cuts.fetch_add(1, Ordering::Relaxed);
                    }
                    return;
                }
            }
            count = server.read(&mut answered) => {
                let Ok(count @ 1..) = count else { return };
                if client.write_all(&answered[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_lost_is_written_once_and_nobody_notices() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    // Calls are under way at every moment, so that one which is made again is seen.
    models.rule(|request| {
        let slow = request.model == "m/one" || request.model == "m/chair";
        slow.then(|| plausible(request).paced(std::time::Duration::from_millis(50)))
    });
    let proxy = Proxy::start(&db);
    let server = Program::council_on(&proxy.url(&db), &models)
        .set("server.heartbeat_seconds", "1")
        .set("runs.lease_seconds", "2")
        .serve()
        .await;
    let place = watch::Sender::new(Some(server.base().to_owned()));
    let mut readers = JoinSet::new();
    for number in 0..RUNS {
        let question = format!("Why {number}?");
        readers.spawn(Follower::new(place.subscribe(), &format!("user-{number}"), &question).follow());
    }
    let transcripts: Vec<Transcript> = readers.join_all().await;
    assert!(proxy.cuts.load(Ordering::Relaxed) > RUNS / 2, "{:?}", proxy.cuts);
    for one in &transcripts {
        assert_eq!(one.events.last().unwrap().kind(), "complete", "{}", server.log());
        let log = server.user(&one.user).events(&one.run, 0).await.rest().await;
        assert_same_structure(&one.events, &log, &one.run);
    }
    let refused: Vec<_> = server.log_lines().into_iter().filter(|line| line["level"] == "ERROR").collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(models.records().len(), RUNS * 10, "no call was made twice");
}
