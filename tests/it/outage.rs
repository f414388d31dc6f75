//! The database goes away in the middle of fifty runs: stopped for a while, restarted, frozen. What
//! must hold: every run completes with everything it had, no call is made twice, streams stay open
//! and tell everything once, and new requests hear clearly that now is not the time.
//!
//! `LLM_COUNCIL_OUTAGE_SECONDS` sets how long the database is away at least (2).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use llm_council::store::local::{Durability, LocalPostgres};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::app::{Answer, User};
use crate::support::db::TestDb;
use crate::support::follower::{Follower, Transcript, assert_same_structure};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Outcome, Record, RecordedRequest, Script};
use crate::support::process::{Process, Program, READY};

const RUNS: usize = 50;
/// Far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A Postgres that may be hurt.
struct Victim {
    running: Option<LocalPostgres>,
    dir: tempfile::TempDir,
}

impl Victim {
    async fn start() -> Self {
        let dir = tempfile::Builder::new().prefix("outage-").tempdir_in("/tmp").unwrap();
        let mut victim = Self { running: None, dir };
        victim.start_again().await;
        victim
    }

    async fn start_again(&mut self) {
        // The lock on the directory goes with the old one.
        self.running = None;
        // Not the fast way of other tests, which forgets the last commits when Postgres is killed.
        self.running = Some(LocalPostgres::start(self.dir.path(), Durability::Safe).await.unwrap());
    }

    fn url(&self) -> String {
        let options = LocalPostgres::connect_options_of(self.dir.path()).unwrap();
        let socket = options.get_socket().unwrap().display().to_string().replace('/', "%2F");
        format!("postgres://{}@localhost/llm_council?host={socket}", options.get_username())
    }

    async fn superuser(&self) -> PgConnection {
        let options = LocalPostgres::connect_options_of(self.dir.path()).unwrap();
        PgConnection::connect_with(&options).await.unwrap()
    }

    /// The postmaster first, then its children.
    fn processes(&self) -> Vec<u32> {
        let pid_file = self.dir.path().join("postgres/cluster/postmaster.pid");
        let text = std::fs::read_to_string(pid_file).unwrap();
        let postmaster: u32 = text.lines().next().unwrap().parse().unwrap();
        let all = std::fs::read_dir("/proc").unwrap();
        let all = all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
        let children = all.filter(|pid| parent(*pid) == Some(postmaster));
        [postmaster].into_iter().chain(children).collect()
    }

    /// Sends a signal to the postmaster, and waits until it is gone.
    fn end(&self, signal: &str) {
        let processes = self.processes();
        send(signal, &processes[..1]);
        let deadline = Instant::now() + TIMEOUT;
        while processes.iter().any(|pid| Path::new(&format!("/proc/{pid}/cmdline")).exists()) {
            assert!(Instant::now() < deadline, "Postgres does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()
}

fn send(signal: &str, pids: &[u32]) {
    for pid in pids {
        // A backend may have ended by itself.
        Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
    }
}

fn case(request: &RecordedRequest) -> usize {
    let prompt = request.prompt();
    let digits = prompt.split("case-").nth(1).unwrap_or_else(|| panic!("a prompt of no case: {prompt}"));
    digits.chars().take(4).collect::<String>().parse().unwrap()
}

fn said(model: &str, case: usize) -> String {
    format!("I, {model}, have looked at case-{case:04} for quite a while and find it good.")
}

/// A third of the runs waits in each stage for the gate.
fn script(request: &RecordedRequest, gate: &Gate) -> Option<Script> {
    let case = case(request);
    let text = said(&request.model, case);
    let (begin, end) = text.split_at(20);
    let waits = match (request.asked_for(), case % 3) {
        (AskedFor::Answer, 0) => request.model == "m/four",
        (AskedFor::Review, 1) => request.model == "m/one",
        (AskedFor::Synthesis, 2) => true,
        (_, _) => false,
    };
    if matches!(request.asked_for(), AskedFor::Answer | AskedFor::Synthesis) {
        return Some(if waits { Script::answer(begin).hold(gate).text(end) } else { Script::answer(&text) });
    }
    (request.asked_for() == AskedFor::Review && waits).then(|| {
        let labels = request.labels();
        let lines = labels.iter().enumerate().map(|(at, label)| format!("{}. {label}", at + 1));
        let ranking = format!("FINAL RANKING:\n{}", lines.collect::<Vec<_>>().join("\n"));
        Script::answer("Let me see. ").hold(gate).text(&ranking)
    })
}

/// How many requests there are when every run waits at the gate.
fn asked_before_the_gate() -> usize {
    (1..=RUNS).map(|case| [5, 9, 10][case % 3]).sum()
}

/// Fifty runs that wait for the gate, each with its reader, and somebody who asks for other things.
struct Scene {
    server: Process,
    models: ModelServer,
    gate: Gate,
    readers: JoinSet<Transcript>,
    _place: watch::Sender<Option<String>>,
    conversation: String,
    postgres: Victim,
}

impl Scene {
    async fn set() -> Self {
        let (postgres, models) = (Victim::start().await, ModelServer::start().await);
        let gate = Gate::new();
        let held = gate.clone();
        models.rule(move |request| script(request, &held));
        let server =
            Program::council_on(&postgres.url(), &models).set("server.heartbeat_seconds", "1").serve().await;
        let place = watch::Sender::new(Some(server.base().to_owned()));
        let mut readers = JoinSet::new();
        for case in 1..=RUNS {
            let question = format!("What about case-{case:04}?");
            readers.spawn(Follower::new(place.subscribe(), &format!("user-{case}"), &question).follow());
        }
        let conversation = server.user("prober").conversation().await;
        let deadline = Instant::now() + TIMEOUT;
        while !all_wait(&models) {
            assert!(Instant::now() < deadline, "the runs do not come to the gate: {}", server.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(server.user("prober").get("/health/ready").await.status, 200);
        Self { server, models, gate, readers, _place: place, conversation, postgres }
    }

    /// Asks for all kinds of things while the database is away, until all of them were refused and
    /// the outage has been long enough. The models go on meanwhile: their answers arrive while
    /// nothing can be stored.
    async fn refuses_everything(&self) {
        let begun = Instant::now();
        let least = std::env::var("LLM_COUNCIL_OUTAGE_SECONDS").ok().map(|text| text.parse().unwrap());
        let least = Duration::from_secs(least.unwrap_or(2));
        self.gate.open();
        let user = self.server.user("prober");
        let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
        while refused.len() < 5 || refused.values().any(|times| *times < 1) || begun.elapsed() < least {
            assert!(begun.elapsed() < TIMEOUT, "not everything was refused: {refused:?}");
            let conversation = format!("/api/conversations/{}", self.conversation);
            let message = format!("{conversation}/message");
            let question = json!({"content": "What about case-9999?"});
            let (ready, list, one, begin, ask) = tokio::join!(
                user.get("/health/ready"),
                user.get("/api/conversations"),
                user.get(&conversation),
                user.post("/api/conversations", json!({})),
                user.post(&message, question),
            );
            let live = user.get("/health/live").await;
            assert_eq!(live.status, 200, "the server itself lives");
            if ready.status == 503 {
                assert_eq!(ready.json()["database"], false, "{}", ready.text);
                *refused.entry("ready").or_default() += 1;
            }
            for (what, answer) in [("list", list), ("one", one), ("begin", begin), ("ask", ask)] {
                if is_refusal(what, &answer) {
                    *refused.entry(what).or_default() += 1;
                }
            }
        }
        eprintln!("refused in {:?}: {refused:?}", begun.elapsed());
    }

    /// Waits until everything is well again, and checks what came of the runs.
    async fn ends_as_if_nothing_had_been(self) -> Vec<Transcript> {
        let Self { server, models, readers, conversation, postgres, .. } = self;
        let prober = server.user("prober");
        let begun = Instant::now();
        while prober.get("/health/ready").await.status != 200 {
            assert!(begun.elapsed() < TIMEOUT, "not ready again: {}", server.log());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        eprintln!("ready after {:?}", begun.elapsed());
        let transcripts = tokio::time::timeout(TIMEOUT, readers.join_all()).await;
        let transcripts = transcripts.unwrap_or_else(|_| panic!("runs do not end: {}", server.log()));
        eprintln!("runs over after {:?}", begun.elapsed());
        for one in &transcripts {
            check(one, &server).await;
        }
        // By the model server's own count.
        let mut asked: BTreeMap<(usize, AskedFor, String), usize> = BTreeMap::new();
        for record in models.records() {
            assert_eq!(record.outcome, Outcome::Finished);
            let request = &record.request;
            *asked.entry((case(request), request.asked_for(), request.model.clone())).or_default() += 1;
        }
        asked.retain(|(case, _, _), _| *case <= RUNS);
        assert!(asked.values().all(|times| *times == 1), "paid twice: {asked:?}");
        assert_eq!(asked.len(), RUNS * 10);

        // No connection has kept anything of it. Others are between two statements at any moment.
        let kept = "SELECT count(*) FROM pg_stat_activity
                    WHERE application_name = 'llm-council' AND state LIKE 'idle in transaction%'
                      AND xact_start < now() - interval '2 seconds'";
        let mut looking = postgres.superuser().await;
        let begun = Instant::now();
        while sqlx::query_scalar::<_, i64>(kept).fetch_one(&mut looking).await.unwrap() > 0 {
            assert!(begun.elapsed() < TIMEOUT, "transactions that nobody ends");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let refused = prober.get(&format!("/api/conversations/{conversation}")).await.ok();
        assert_eq!(refused["messages"], json!([]), "a refused question has left nothing");
        for number in 0..RUNS {
            let user = server.user(&format!("user-{}", number + 1));
            assert_eq!(user.get("/api/conversations").await.ok().as_array().unwrap().len(), 1);
        }
        let path = format!("/api/conversations/{}/message", prober.conversation().await);
        let answer = prober.post(&path, json!({"content": "What about case-8888?"})).await.ok();
        assert_eq!(answer["stage3"]["response"], said("m/chair", 8888));
        assert!(!server.log().contains("panicked"), "{}", server.log());
        transcripts
    }
}

fn all_wait(models: &ModelServer) -> bool {
    let records = models.records();
    let open = records.iter().filter(|record| record.outcome == Outcome::Open).count();
    (records.len(), open) == (asked_before_the_gate(), RUNS)
}

/// Whether it was refused as it should be. Success is as good: a request may have had a connection
/// just before, or have waited until just after.
fn is_refusal(what: &str, answer: &Answer) -> bool {
    if answer.status == 200 {
        return false;
    }
    assert_eq!(answer.status, 503, "{what}: {}", answer.text);
    assert_eq!(answer.header("content-type"), "application/problem+json", "{what}");
    assert!(answer.header("retry-after").parse::<u32>().unwrap() > 0, "{what}");
    let problem = answer.json();
    assert_eq!(problem["type"], "urn:llm-council:problem:unavailable", "{what}: {problem}");
    assert!(problem["detail"].as_str().unwrap().contains("database"), "{what}: {problem}");
    true
}

async fn check(transcript: &Transcript, server: &Process) {
    let run = &transcript.run;
    let case: usize = transcript.user.trim_start_matches("user-").parse().unwrap();
    assert_eq!(transcript.events.last().unwrap().kind(), "complete", "{run}: {:?}", transcript.events.last());
    assert!(transcript.events.windows(2).all(|two| two[0].id < two[1].id), "{run}: numbers ascend");
    assert_eq!(transcript.connections, 1, "{run}: its stream stayed open");
    let user = User::at(server.base(), &transcript.user);
    let log = user.events(run, 0).await.rest().await;
    assert_same_structure(&transcript.events, &log, &format!("{run}: the stream, and the log"));
    let stored = user.get(&format!("/api/conversations/{}", transcript.conversation)).await.ok();
    let answer = &stored["messages"][1];
    assert_eq!(answer["status"], "complete", "{run}");
    assert_eq!(answer["stage2"].as_array().unwrap().len(), 4, "{run}");
    let mut expected = BTreeMap::from([("stage3/m/chair".to_owned(), said("m/chair", case))]);
    for answer in answer["stage1"].as_array().unwrap() {
        let model = answer["model"].as_str().unwrap();
        expected.insert(format!("stage1/{model}"), said(model, case));
        assert_eq!(answer["response"], said(model, case), "{run}");
    }
    assert_eq!(answer["stage3"]["response"], said("m/chair", case), "{run}");
    assert_eq!(transcript.texts(), expected, "{run}: what a reader has joined");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_wait_while_the_database_is_stopped_and_complete_when_it_is_back() {
    let mut scene = Scene::set().await;
    scene.postgres.end("-QUIT");
    scene.refuses_everything().await;
    scene.postgres.start_again().await;
    let transcripts = scene.ends_as_if_nothing_had_been().await;
    assert!(transcripts.iter().all(|one| one.heartbeats > 0), "silent streams had heartbeats");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_the_database_is_hardly_noticed() {
    let mut scene = Scene::set().await;
    // Answers arrive before, while and after it is away.
    scene.gate.open();
    scene.postgres.end("-INT");
    scene.postgres.start_again().await;
    scene.ends_as_if_nothing_had_been().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_wait_while_the_database_is_frozen_and_complete_when_it_thaws() {
    let scene = Scene::set().await;
    let processes = scene.postgres.processes();
    send("-STOP", &processes);
    scene.refuses_everything().await;
    send("-CONT", &processes);
    let transcripts = scene.ends_as_if_nothing_had_been().await;
    assert!(transcripts.iter().all(|one| one.heartbeats > 0), "silent streams had heartbeats");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_started_before_its_database_waits_for_it() {
    let (mut postgres, models) = (Victim::start().await, ModelServer::start().await);
    let url = postgres.url();
    postgres.end("-QUIT");
    let server = Program::council_on(&url, &models).listen().await;
    server.until_logged(|text| text.contains("waiting for the database")).await;
    let ann = server.user("ann");
    assert_eq!(ann.get("/health/live").await.status, 200);
    assert_eq!(ann.get("/health/ready").await.json()["reason"], "the database cannot be reached");
    postgres.start_again().await;
    server.until_logged(|text| text.contains(READY)).await;
    assert_eq!(ann.get("/health/ready").await.status, 200);
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let answer = ann.post(&path, json!({"content": "Why?"})).await.ok();
    assert_eq!(answer["stage3"]["response"].as_str().map(str::is_empty), Some(false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_executed_here_is_stopped_at_once_while_the_database_is_away() {
    let (mut postgres, models) = (Victim::start().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        (request.asked_for() == AskedFor::Answer).then(|| Script::answer("Well, ").hold(&held))
    });
    let server = Program::council_on(&postgres.url(), &models).serve().await;
    let (ann, bob) = (server.user("ann"), server.user("bob"));
    let (mut runs, mut conversations, mut streams) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2 {
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
        let started = stream.until("run_started").await;
        stream.until("stage1_token").await;
        runs.push(started.json["run_id"].as_str().unwrap().to_owned());
        conversations.push(id);
        streams.push(stream);
    }
    let open = |records: &[Record]| records.iter().filter(|record| record.outcome == Outcome::Open).count();
    models.until(|records| open(records) == 8 && records.len() == 10).await;
    postgres.end("-QUIT");

    let by_conversation = format!("/api/conversations/{}/message/cancel", conversations[0]);
    let by_run = format!("/api/runs/{}/cancel", runs[1]);
    assert_eq!(bob.post(&by_conversation, json!({})).await.status, 503, "nothing is known of it for bob");
    assert_eq!(bob.post(&by_run, json!({})).await.status, 404);
    assert_eq!(open(&models.records()), 8, "nobody stops another's run");
    for path in [&by_conversation, &by_run] {
        let stopped = ann.post(path, json!({})).await.ok();
        assert_eq!(stopped, json!({"status": "ok", "cancelled": true, "durable": false}));
    }
    models.until(|records| open(records) == 0).await;
    postgres.start_again().await;
    for mut stream in streams {
        assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    }
    let stored = ann.get(&format!("/api/conversations/{}", conversations[0])).await.ok();
    assert_eq!(stored["messages"][1]["status"], "cancelled");
    assert_eq!(models.records().len(), 10, "nothing more was asked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_waits_while_the_database_refuses_the_login_and_completes_afterwards() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let waits = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
        waits.then(|| Script::answer("Well, ").hold(&held).text("yes."))
    });
    let mut superuser = db.superuser().await;
    let mut run = async |sql: String| {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
    };
    // All databases of the cluster share its roles.
    let options = db.options();
    let role = format!("guest_of_{}", options.get_database().unwrap());
    run(format!("CREATE ROLE {role} LOGIN SUPERUSER")).await;
    let url = db.url().replacen(&format!("//{}@", options.get_username()), &format!("//{role}@"), 1);
    let server = Program::council_on(&url, &models).serve().await;
    let ann = server.user("ann");
    let mut stream = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    run(format!("ALTER ROLE {role} NOLOGIN")).await;
    run(format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'")).await;
    gate.open();
    let is_tried_again = |log: &str| log.matches("the event log cannot be written").count() >= 3;
    server.until_logged(|log| is_tried_again(log) || log.contains("records cannot be stored")).await;
    assert_eq!(ann.get("/api/conversations").await.status, 503);
    run(format!("ALTER ROLE {role} LOGIN")).await;
    assert_eq!(stream.rest().await.last().unwrap().kind(), "complete", "{}", server.log());
    assert_eq!(models.records().len(), 10, "no call was made twice");
}
