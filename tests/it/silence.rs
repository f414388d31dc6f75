//! The way to the database goes dead without a word, as when the machine of a proxy or of the primary loses power:
//! nothing on the open connections is answered any more, none of them is closed, and new ones work.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::db::TestDb;
use crate::support::follower::{Follower, Transcript, assert_same_structure};
use crate::support::model_server::{ModelServer, Outcome, plausible};
use crate::support::process::Program;

const RUNS: usize = 20;
/// Far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(120);
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// Stands between a server and Postgres.
struct Proxy {
    dir: tempfile::TempDir,
    way: Arc<Way>,
    _accepting: JoinSet<()>,
}

#[derive(Default)]
struct Way {
    accepted: AtomicUsize,
    /// The connections with a lower number are dead.
    dead_before: watch::Sender<usize>,
    dies_at_a_commit: AtomicBool,
}

impl Proxy {
    fn start(db: &TestDb) -> Self {
        let dir = tempfile::Builder::new().prefix("proxy-").tempdir_in("/tmp").unwrap();
        let listener = UnixListener::bind(dir.path().join(".s.PGSQL.5432")).unwrap();
        let postgres = db.options().get_socket().unwrap().join(".s.PGSQL.5432");
        let way = Arc::new(Way::default());
        let carrying = way.clone();
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let number = carrying.accepted.fetch_add(1, Ordering::Relaxed);
                connections.spawn(carry(number, client, postgres.clone(), carrying.clone()));
            }
        });
        Self { dir, way, _accepting: accepting }
    }

    /// The database's URL by this way.
    fn url(&self, db: &TestDb) -> String {
        let url = db.url();
        let (place, _socket) = url.rsplit_once('=').unwrap();
        format!("{place}={}", self.dir.path().display().to_string().replace('/', "%2F"))
    }

    /// The next commit does not arrive, and nothing that is sent over the connections of now.
    async fn goes_dead_at_a_commit(&self) {
        let mut dead = self.way.dead_before.subscribe();
        self.way.dies_at_a_commit.store(true, Ordering::Relaxed);
        let died = tokio::time::timeout(TIMEOUT, dead.wait_for(|dead| *dead > 0)).await;
        assert!(died.is_ok(), "nothing is committed");
    }
}

async fn died(dead_before: &mut watch::Receiver<usize>, number: usize) {
    drop(dead_before.wait_for(|dead| number < *dead).await);
}

/// Carries one connection until either side is done. One that is dead stays open.
async fn carry(number: usize, mut client: UnixStream, postgres: PathBuf, way: Arc<Way>) {
    let Ok(mut server) = UnixStream::connect(postgres).await else { return };
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut dead = way.dead_before.subscribe();
    loop {
        tokio::select! {
            biased;
            () = died(&mut dead, number) => std::future::pending().await,
            count = client.read(&mut asked) => {
                let Ok(count @ 1..) = count else { return };
                let bytes = &asked[..count];
                let commits = bytes.windows(COMMIT.len()).any(|window| window == COMMIT);
                if commits && way.dies_at_a_commit.swap(false, Ordering::Relaxed) {
                    way.dead_before.send_replace(way.accepted.load(Ordering::Relaxed));
                } else if server.write_all(bytes).await.is_err() {
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
async fn a_server_whose_connections_go_dead_opens_new_ones_and_its_runs_go_on() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    // Something is written at every moment.
    models.rule(|request| Some(plausible(request).paced(Duration::from_millis(50))));
    let proxy = Proxy::start(&db);
    let server =
        Program::council_on(&proxy.url(&db), &models).set("server.heartbeat_seconds", "1").serve().await;
    // Takes over whatever is not held any more.
    let other = Program::council(&db, &models).serve().await;
    let place = watch::Sender::new(Some(server.base().to_owned()));
    let mut readers = JoinSet::new();
    for number in 0..RUNS {
        let question = format!("Why {number}?");
        readers.spawn(Follower::new(place.subscribe(), &format!("user-{number}"), &question).follow());
    }
    models.until(|records| records.len() > RUNS).await;
    proxy.goes_dead_at_a_commit().await;
    let since = sqlx::query_scalar::<_, String>("SELECT now()::text");
    let since = since.fetch_one(&mut db.superuser().await).await.unwrap();

    let begun = Instant::now();
    let transcripts: Vec<Transcript> =
        tokio::time::timeout(TIMEOUT, readers.join_all()).await.expect("the runs end");
    eprintln!("runs over after {:?}", begun.elapsed());
    for one in &transcripts {
        assert_eq!(one.events.last().unwrap().kind(), "complete", "{}", server.log());
        let log = other.user(&one.user).events(&one.run, 0).await.rest().await;
        assert_same_structure(&one.events, &log, &one.run);
    }
    let records = models.records();
    assert!(records.iter().all(|record| record.outcome == Outcome::Finished));
    assert_eq!(records.len(), RUNS * 10, "no call was made twice");

    // It hears of other servers again, and no connection is kept that leads nowhere.
    server.until_logged(|text| text.contains("notices of the other servers cannot be received")).await;
    // What it says last: that it listens, or later that it is still there.
    let listening = "SELECT count(*) FROM pg_stat_activity
                     WHERE (query LIKE 'LISTEN%' OR query = 'SELECT') AND datname = current_database() AND backend_start > $1::timestamptz";
    let begun = Instant::now();
    loop {
        let listening = sqlx::query_scalar::<_, i64>(listening).bind(&since);
        if listening.fetch_one(&mut db.superuser().await).await.unwrap() > 0 {
            break;
        }
        assert!(begun.elapsed() < TIMEOUT, "nobody listens: {}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let ann = server.user("ann");
    let (mut asked, mut conversations) = (JoinSet::new(), Vec::new());
    for _ in 0..10 {
        conversations.push(ann.conversation().await);
    }
    for id in conversations {
        let base = server.base().to_owned();
        asked.spawn(async move {
            let ann = crate::support::app::User::at(&base, "ann");
            ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "And now?"})).await.ok()
        });
    }
    for answer in asked.join_all().await {
        assert_eq!(answer["status"], "complete");
    }
}
