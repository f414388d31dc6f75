//! The most awkward moment to lose the database: it has committed, and its answer does not arrive.
//! Whether it has is unknown then; writing the same once more must be as good as having written it. And where the
//! answer is only late, what was committed must not be taken for somebody's who is gone.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgConnection;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::db::TestDb;
use crate::support::follower::{Follower, Transcript, assert_same_structure};
use crate::support::model_server::{Gate, ModelServer, Script, plausible};
use crate::support::process::Program;

/// One in so many commits of the event log is answered to nobody.
const CUT_EVERY: usize = 3;
const RUNS: usize = 10;
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
/// Without it, a statement is a transaction of its own.
const BEGIN: &[u8] = b"BEGIN;";
/// A batch of the event log tells other servers which logs have grown.
const NOTICE: &[u8] = b"log ";
/// Begins a run.
const START: &[u8] = b"INSERT INTO runs (id,";
/// Takes runs over from servers that are gone.
const CLAIM: &[u8] = b"crashes = crashes + (owner IS NOT NULL)";
/// A server looks whether there are runs that nobody executes.
const LOOK: &[u8] = b"WITH elsewhere AS";
/// Far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What becomes of the database's answers to commits.
#[derive(Clone)]
enum Way {
    /// Some to the event log's reach nobody.
    Lose,
    /// Those after a statement with these words arrive once this is open.
    Delay(&'static [u8], Gate),
    /// The one after a statement with these words arrives, and nothing more does.
    Leave(&'static [u8]),
}

/// What has passed.
#[derive(Default)]
struct Seen {
    commits: AtomicUsize,
    cuts: AtomicUsize,
    delays: AtomicUsize,
    looks: AtomicUsize,
    is_away: AtomicBool,
}

/// Stands between a server and Postgres.
struct Proxy {
    dir: tempfile::TempDir,
    seen: Arc<Seen>,
    _accepting: JoinSet<()>,
}

impl Proxy {
    fn start(db: &TestDb, way: Way) -> Self {
        let dir = tempfile::Builder::new().prefix("proxy-").tempdir_in("/tmp").unwrap();
        let listener = UnixListener::bind(dir.path().join(".s.PGSQL.5432")).unwrap();
        let postgres = db.options().get_socket().unwrap().join(".s.PGSQL.5432");
        let seen = Arc::<Seen>::default();
        let counted = seen.clone();
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                connections.spawn(carry(client, postgres.clone(), way.clone(), counted.clone()));
            }
        });
        Self { dir, seen, _accepting: accepting }
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
async fn carry(mut client: UnixStream, postgres: PathBuf, way: Way, seen: Arc<Seen>) {
    let Ok(mut server) = UnixStream::connect(postgres).await else { return };
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let (mut of_the_log, mut is_delayed, mut is_begun) = (false, false, false);
    loop {
        tokio::select! {
            count = client.read(&mut asked) => {
                let Ok(count @ 1..) = count else { return };
                if seen.is_away.load(Ordering::Relaxed) {
                    return;
                }
                let bytes = &asked[..count];
                is_begun |= holds(bytes, BEGIN);
                of_the_log |= holds(bytes, NOTICE);
                is_delayed |= matches!(&way, Way::Delay(words, _) | Way::Leave(words) if holds(bytes, words));
                seen.looks.fetch_add(usize::from(holds(bytes, LOOK)), Ordering::Relaxed);
                if server.write_all(bytes).await.is_err() {
                    return;
                }
                if !holds(bytes, COMMIT) && (is_begun || !of_the_log) {
                    continue;
                }
                is_begun = false;
                let (log, delayed) = (std::mem::take(&mut of_the_log), std::mem::take(&mut is_delayed));
                match &way {
                    Way::Lose if log && seen.commits.fetch_add(1, Ordering::Relaxed).is_multiple_of(CUT_EVERY) => {
                        // It is done, and only this proxy hears of it.
                        if server.read(&mut answered).await.is_ok_and(|count| count > 0) {
                            seen.cuts.fetch_add(1, Ordering::Relaxed);
                        }
                        return;
                    }
                    Way::Delay(_, gate) if delayed => {
                        let Ok(count @ 1..) = server.read(&mut answered).await else { return };
                        seen.delays.fetch_add(1, Ordering::Relaxed);
                        gate.opened().await;
                        if client.write_all(&answered[..count]).await.is_err() {
                            return;
                        }
                    }
                    Way::Leave(_) if delayed => {
                        let Ok(count @ 1..) = server.read(&mut answered).await else { return };
                        seen.is_away.store(true, Ordering::Relaxed);
                        drop(client.write_all(&answered[..count]).await);
                    }
                    Way::Lose | Way::Delay(..) | Way::Leave(_) => {}
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
        slow.then(|| plausible(request).paced(Duration::from_millis(50)))
    });
    let proxy = Proxy::start(&db, Way::Lose);
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
    assert!(proxy.seen.cuts.load(Ordering::Relaxed) > RUNS / 2, "{:?}", proxy.seen.cuts);
    for one in &transcripts {
        assert_eq!(one.events.last().unwrap().kind(), "complete", "{}", server.log());
        let log = server.user(&one.user).events(&one.run, 0).await.rest().await;
        assert_same_structure(&one.events, &log, &one.run);
    }
    let refused: Vec<_> = server.log_lines().into_iter().filter(|line| line["level"] == "ERROR").collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(models.records().len(), RUNS * 10, "no call was made twice");
}

/// Looks again and again until it is so.
async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < TIMEOUT, "what was waited for does not come");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_does_not_take_a_run_from_itself_whose_start_is_confirmed_late() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let proxy = Proxy::start(&db, Way::Delay(START, gate.clone()));
    let server = Program::council_on(&proxy.url(&db), &models)
        .set("runs.lease_seconds", "1")
        // Every statement comes with its text then, by which the proxy knows it.
        .set("database.pooling", "transaction")
        .serve()
        .await;
    let ann = server.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let mut database = db.superuser().await;
    let delaying = async {
        // The run is there, and its lease runs out before the server hears of it.
        let run_out = "SELECT count(*) FROM runs WHERE lease_until < now()";
        until(async || sqlx::query_scalar::<_, i64>(run_out).fetch_one(&mut database).await.unwrap() == 1)
            .await;
        // The first look after that may have begun before; the second is over when there is a third.
        let looks = || proxy.seen.looks.load(Ordering::Relaxed);
        let before = looks();
        until(async || looks() >= before + 3).await;
        gate.open();
    };
    let (answer, ()) = tokio::join!(ann.post(&path, json!({"content": "Why?"})), delaying);
    answer.ok();
    assert_eq!(proxy.seen.delays.load(Ordering::Relaxed), 1);
    let attempts =
        sqlx::query_scalar::<_, i32>("SELECT attempt FROM runs").fetch_all(&mut database).await.unwrap();
    assert_eq!(attempts, [1], "{}", server.log());
    assert_eq!(models.records().len(), 10, "no call was made twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_taken_over_before_its_start_was_confirmed_is_left_to_the_other_server() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let proxy = Proxy::start(&db, Way::Delay(START, gate.clone()));
    let on = |url: &str| Program::council_on(url, &models).set("runs.lease_seconds", "3");
    let (late, other) = (on(&proxy.url(&db)), on(&db.url()));
    let (late, _other) = tokio::join!(late.serve(), other.serve());
    let ann = late.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let mut database = db.superuser().await;
    let delaying = async {
        let taken = "SELECT count(*) FROM runs WHERE attempt = 2";
        until(async || sqlx::query_scalar::<_, i64>(taken).fetch_one(&mut database).await.unwrap() == 1)
            .await;
        gate.open();
    };
    let (answer, ()) = tokio::join!(ann.post(&path, json!({"content": "Why?"})), delaying);
    assert!(answer.ok()["stage3"]["response"].is_string());
    assert_eq!(models.records().len(), 10, "no call was made twice: {}", late.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_was_taken_is_named_where_the_database_leaves_right_after() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Well.").hold(&held)));
    let on = |url: &str| Program::council_on(url, &models).set("runs.max_per_user", "1");
    let near = on(&db.url()).serve().await;
    let ann = near.user("ann");
    let mut first = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    first.until("run_started").await;
    let mut database = db.superuser().await;
    // What comes while the first one is under way waits, and so is read from the database.
    for route in ["message", "message/stream"] {
        let proxy = Proxy::start(&db, Way::Leave(START));
        let far = on(&proxy.url(&db)).serve().await;
        let path = format!("/api/conversations/{}/{route}", ann.conversation().await);
        let refused = far.user("ann").post(&path, json!({"content": "Why not?"})).await;
        assert_eq!(refused.status, 503, "{route}: {}", refused.text);
        let taken = "SELECT id::text FROM runs WHERE status = 'queued' ORDER BY created_at DESC LIMIT 1";
        let taken: String = sqlx::query_scalar(taken).fetch_one(&mut database).await.unwrap();
        assert_eq!(refused.json()["run_id"], taken.as_str(), "{route}: {}", refused.text);
    }
    gate.open();
}

/// The same question as that of the only run, of somebody whose server is gone.
async fn leave_behind(database: &mut PgConnection) {
    let left = "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, attempt, owner, lease_until)
                SELECT gen_random_uuid(), 'left', gen_random_uuid(), gen_random_uuid(), format, 'running', plan, 1, 'gone',
                       now() - interval '1 s' FROM runs";
    sqlx::raw_sql(left).execute(database).await.unwrap();
}

async fn attempt_of_left(database: &mut PgConnection) -> i32 {
    let attempt = "SELECT attempt FROM runs WHERE user_id = 'left'";
    sqlx::query_scalar(attempt).fetch_one(database).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_taken_again_before_its_claim_was_confirmed_is_left_to_the_other_server() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let proxy = Proxy::start(&db, Way::Delay(CLAIM, gate.clone()));
    let on = |url: &str, key: &str| {
        Program::council_on(url, &models)
            .set("runs.lease_seconds", "3")
            .set("providers.scripted.api_key", key)
    };
    let late = on(&proxy.url(&db), "sk-late").serve().await;
    let ann = late.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    ann.post(&path, json!({"content": "Why?"})).await.ok();
    let mut database = db.superuser().await;
    leave_behind(&mut database).await;
    until(async || attempt_of_left(&mut database).await == 2).await;
    let _other = on(&db.url(), "sk-other").serve().await;
    until(async || attempt_of_left(&mut database).await == 3).await;
    assert_eq!(proxy.seen.delays.load(Ordering::Relaxed), 1);
    gate.open();
    late.until_logged(|log| log.contains("another owner")).await;
    let over = "SELECT count(*) FROM runs WHERE user_id = 'left' AND status = 'complete'";
    until(async || sqlx::query_scalar::<_, i64>(over).fetch_one(&mut database).await.unwrap() == 1).await;
    let records = models.records();
    let by_late =
        records.iter().filter(|record| record.request.header("authorization") == Some("Bearer sk-late"));
    assert_eq!(by_late.count(), 10, "no call was made twice: {}", late.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_shuts_down_waits_for_a_run_that_it_is_claiming() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let proxy = Proxy::start(&db, Way::Delay(CLAIM, gate.clone()));
    let server = Program::council_on(&proxy.url(&db), &models).serve().await;
    let ann = server.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    ann.post(&path, json!({"content": "Why?"})).await.ok();
    let mut database = db.superuser().await;
    leave_behind(&mut database).await;
    until(async || attempt_of_left(&mut database).await == 2).await;
    server.signal("SIGTERM");
    server.until_logged(|log| log.contains("shutting down: no new runs")).await;
    gate.open();
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    let status = "SELECT status FROM runs WHERE user_id = 'left'";
    let status: String = sqlx::query_scalar(status).fetch_one(&mut database).await.unwrap();
    assert_eq!(status, "complete", "{log}");
}
