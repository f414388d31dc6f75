//! The end of a server, and the next one's beginning: real processes, real signals.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::Row as _;

use crate::support::app::{Answer, read};
use crate::support::db::TestDb;
use crate::support::events::{Event, Events};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Outcome, Record, Script};
use crate::support::process::{Process, Program};

/// A run that somebody watches.
struct Watched {
    run: String,
    conversation: String,
    stream: Events,
    seen: Vec<Event>,
}

impl Watched {
    /// Asks in a conversation of its own.
    async fn ask(server: &Process, user: &str, question: &str) -> Self {
        let user = server.user(user);
        let conversation = user.conversation().await;
        let mut stream = user.ask(&conversation, json!({"content": question})).await;
        let started = stream.next().await.expect("a first event");
        assert_eq!(started.kind(), "run_started");
        let run = started.json["run_id"].as_str().unwrap().to_owned();
        Self { run, conversation, stream, seen: vec![started] }
    }

    /// Reads on until there were so many events of a type.
    async fn until(&mut self, kind: &str, count: usize) {
        while self.seen.iter().filter(|event| event.kind() == kind).count() < count {
            self.seen.push(self.stream.next().await.unwrap_or_else(|| panic!("ended without {kind}")));
        }
    }

    /// Reads to the end, checks that it is the server's farewell, and gives the last number.
    async fn farewell(&mut self) -> u64 {
        self.seen.extend(self.stream.rest().await);
        let (farewell, before) = self.seen.split_last().unwrap();
        let last = before.last().and_then(|event| event.id).expect("numbered events");
        assert_eq!(farewell.kind(), "server_shutdown", "{before:?}");
        assert_eq!(farewell.id, None, "it is of this server, not of the run");
        assert_eq!(farewell.json["run_id"], self.run);
        assert_eq!(farewell.json["last_event_id"], last);
        assert!(farewell.json["message"].as_str().unwrap().contains("restarting"));
        last
    }

    /// What came last over the wire, as it came.
    fn last_frame(&self) -> String {
        let all: Vec<u8> = self.stream.reads.iter().flatten().copied().collect();
        let text = String::from_utf8(all).unwrap();
        text.trim_end().rsplit("\n\n").next().unwrap().to_owned()
    }

    /// Goes on reading at another server, and checks against the whole log that nothing that was
    /// shown is missing, nothing comes twice, and nothing was left out. (A number may be: another
    /// server begins a new thousand, so that it never gives one that a reader has seen.)
    async fn follow(&mut self, server: &Process, user: &str) {
        self.seen.retain(|event| event.id.is_some());
        let last = self.seen.last().unwrap().id.unwrap();
        self.seen.extend(server.user(user).events(&self.run, last).await.rest().await);
        let whole = server.user(user).events(&self.run, 0).await.rest().await;
        assert!(whole.iter().zip(&whole[1..]).all(|(event, next)| event.id < next.id));
        assert_eq!(self.seen, whole);
    }

    fn last_kind(&self) -> &str {
        self.seen.last().unwrap().kind()
    }
}

fn silent(gate: &Gate) -> Script {
    Script::answer("").hold(gate).text("At last.\n\nCONFIDENCE: 7")
}

fn is_open(records: &[Record], model: &str, asked: AskedFor) -> bool {
    records.iter().any(|record| {
        record.request.model == model
            && record.request.asked_for() == asked
            && record.outcome == Outcome::Open
    })
}

/// How often each model was asked for each thing, and not in vain.
fn paid(models: &ModelServer) -> BTreeMap<String, usize> {
    let mut paid = BTreeMap::new();
    for record in models.records().iter().filter(|record| record.outcome == Outcome::Finished) {
        let what = format!("{:?} {}", record.request.asked_for(), record.request.model);
        *paid.entry(what).or_default() += 1;
    }
    paid
}

/// One answer and one review of each member, one synthesis, one title, for each of `runs`.
fn each_once(runs: usize) -> BTreeMap<String, usize> {
    let members = ["m/one", "m/two", "m/three", "m/four"];
    let calls = members.iter().flat_map(|member| [format!("Answer {member}"), format!("Review {member}")]);
    calls.chain(["Synthesis m/chair".into(), "Title m/title".into()]).map(|call| (call, runs)).collect()
}

async fn statuses(db: &TestDb) -> BTreeMap<String, i64> {
    let rows = sqlx::query("SELECT status, count(*) AS n FROM runs GROUP BY 1")
        .fetch_all(&mut db.superuser().await)
        .await
        .unwrap();
    rows.iter().map(|row| (row.get("status"), row.get("n"))).collect()
}

#[tokio::test]
async fn every_stream_is_told_while_models_are_silent_and_the_runs_finish() {
    const STREAMS: usize = 20;
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.asked_for() == AskedFor::Answer).then(|| silent(&held)));
    let server = Program::council(&db, &models).set("server.drain_seconds", "3600").serve().await;
    let ann = server.user("ann");
    let mut watched = Vec::new();
    for number in 0..STREAMS {
        watched.push(Watched::ask(&server, "ann", &format!("Why {number}?")).await);
    }
    models.until(|records| records.len() >= 4 * STREAMS).await;
    assert_eq!(ann.get("/health/ready").await.status, 200);

    server.signal("SIGTERM");
    for one in &mut watched {
        // No model has said a word, and none will before the gate opens below.
        one.farewell().await;
        let frame = one.last_frame();
        assert!(frame.starts_with("data: {") && !frame.contains('\n'), "{frame:?}");
    }

    // It drains: not ready, but reached, also by who comes only now.
    let bob = server.user("bob");
    let ready = bob.get("/health/ready").await;
    assert_eq!((ready.status, &ready.json()["draining"]), (503, &json!(true)));
    assert_eq!(bob.get("/health/live").await.status, 200);
    let conversation = bob.conversation().await;
    for path in ["message", "message/stream"] {
        let path = format!("/api/conversations/{conversation}/{path}");
        let refused = bob.post(&path, json!({"content": "Why?"})).await;
        assert_eq!(refused.status, 503, "{}", refused.text);
        assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
        assert_eq!(refused.header("content-type"), "application/problem+json");
    }
    assert_eq!(bob.get(&format!("/api/conversations/{conversation}")).await.ok()["messages"], json!([]));
    let again = ann.events(&watched[0].run, 0).await.rest().await;
    assert_eq!(again.first().unwrap().kind(), "run_started");
    assert_eq!(again.last().unwrap().kind(), "server_shutdown", "it may still be read, and says so");

    gate.open();
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(statuses(&db).await, BTreeMap::from([("complete".to_owned(), STREAMS as i64)]));
    assert_eq!(paid(&models), each_once(STREAMS));
}

#[tokio::test]
async fn what_does_not_finish_in_time_goes_on_at_the_next_server_and_is_not_paid_twice() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let early = request.prompt().contains("early") && request.model == "m/four";
        let late = request.asked_for() == AskedFor::Synthesis;
        (early && request.asked_for() == AskedFor::Answer || late).then(|| silent(&held))
    });
    let program = Program::council(&db, &models).set("server.drain_seconds", "0");
    let server = program.serve().await;
    // One run waits in its first stage, the other in its last.
    let mut early = Watched::ask(&server, "ann", "An early question?").await;
    early.until("stage1_model_complete", 3).await;
    let mut late = Watched::ask(&server, "bob", "The other question?").await;
    late.until("stage2_complete", 1).await;
    models
        .until(|records| {
            is_open(records, "m/four", AskedFor::Answer) && is_open(records, "m/chair", AskedFor::Synthesis)
        })
        .await;

    server.signal("SIGTERM");
    early.farewell().await;
    late.farewell().await;
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(statuses(&db).await, BTreeMap::from([("running".to_owned(), 2)]));
    models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;

    let next = program.serve().await;
    models
        .until(|records| {
            is_open(records, "m/four", AskedFor::Answer) && is_open(records, "m/chair", AskedFor::Synthesis)
        })
        .await;
    gate.open();
    for (watched, user) in [(&mut early, "ann"), (&mut late, "bob")] {
        watched.follow(&next, user).await;
        assert_eq!(watched.last_kind(), "complete");
        assert!(watched.seen.iter().any(|event| event.kind() == "call_restarted"));
        let path = format!("/api/conversations/{}", watched.conversation);
        let stored = next.user(user).get(&path).await.ok();
        assert_eq!(stored["messages"][1]["status"], "complete");
        assert_eq!(stored["messages"][1]["stage1"].as_array().unwrap().len(), 4);
    }
    assert_eq!(paid(&models), each_once(2));
}

#[tokio::test]
async fn what_was_answered_while_the_database_was_slow_is_written_before_others_go_on() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gates = [Gate::new(), Gate::new()];
    let [first, second] = gates.clone();
    models.rule(move |request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Answer, "m/three") => Some(silent(&first)),
        (AskedFor::Answer, "m/four") => Some(silent(&second)),
        _ => None,
    });
    let program = Program::council(&db, &models).set("server.drain_seconds", "0");
    let server = program.serve().await;
    let mut watched = Watched::ask(&server, "ann", "Why?").await;
    watched.until("stage1_model_complete", 2).await;
    let mut slow = db.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE calls IN SHARE MODE").execute(&mut slow).await.unwrap();
    // The first of these answers is being written, the second waits behind it.
    gates[0].open();
    let waits = "SELECT count(*) FROM pg_locks WHERE relation = 'calls'::regclass AND NOT granted";
    while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut slow).await.unwrap() == 0 {
        tokio::task::yield_now().await;
    }
    gates[1].open();
    let said = |event: &Event| event.kind() == "stage1_token" && event.json["model"] == "m/four";
    while !watched.seen.iter().any(said) {
        watched.seen.push(watched.stream.next().await.expect("a piece of it"));
    }
    models
        .until(|records| {
            !is_open(records, "m/four", AskedFor::Answer) && !is_open(records, "m/title", AskedFor::Title)
        })
        .await;

    server.signal("SIGTERM");
    watched.farewell().await;
    sqlx::raw_sql("COMMIT").execute(&mut slow).await.unwrap();
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    let next = program.serve().await;
    watched.follow(&next, "ann").await;
    assert_eq!(watched.last_kind(), "complete");
    assert_eq!(paid(&models), each_once(1));
}

#[tokio::test]
async fn a_run_that_is_being_started_is_waited_for() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = Program::council(&db, &models).set("server.drain_seconds", "3600").serve().await;
    let mut slow = db.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE runs IN SHARE MODE").execute(&mut slow).await.unwrap();
    let meanwhile = async {
        // A connection of its own: within a transaction that view stays as it was looked at first.
        let mut looking = db.superuser().await;
        let starts = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'WITH asked%' AND wait_event_type = 'Lock'";
        while sqlx::query_scalar::<_, i64>(starts).fetch_one(&mut looking).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
        server.signal("SIGTERM");
        server.user("bob").send_until("GET", "/health/ready", None, |answer| answer.status == 503).await;
        sqlx::raw_sql("COMMIT").execute(&mut slow).await.unwrap();
    };
    let (mut watched, ()) = tokio::join!(Watched::ask(&server, "ann", "Why?"), meanwhile);
    watched.farewell().await;
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(statuses(&db).await, BTreeMap::from([("complete".to_owned(), 1)]), "by this very server");
    assert_eq!(paid(&models), each_once(1));
}

#[tokio::test]
async fn sigint_is_as_good_and_a_second_signal_ends_at_once() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.model == "m/one").then(|| silent(&held)));
    let server = Program::council(&db, &models).set("server.drain_seconds", "3600").serve().await;
    let mut watched = Watched::ask(&server, "ann", "Why?").await;
    watched.until("stage1_model_complete", 3).await;

    server.signal("SIGINT");
    watched.farewell().await;
    assert_eq!(server.user("ann").get("/health/ready").await.status, 503, "it drains, for an hour");
    server.signal("SIGINT");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(1), "a run was cut off: {log}");
    assert_eq!(statuses(&db).await, BTreeMap::from([("running".to_owned(), 1)]), "its journal is kept");
}

#[tokio::test]
async fn an_idle_server_ends_at_once_whichever_signal_it_gets() {
    for signal in ["SIGTERM", "SIGINT"] {
        let (db, models) = (TestDb::new().await, ModelServer::start().await);
        let server = Program::council(&db, &models).set("server.drain_seconds", "3600").serve().await;
        server.signal(signal);
        let (code, log) = server.ended().await;
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains(signal), "{log}");
    }
}

#[tokio::test]
async fn a_server_that_gives_notice_takes_questions_until_balancers_have_seen_it() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let server = program.set("server.notice_seconds", "3600").serve().await;
    server.signal("SIGTERM");
    server.user("bob").send_until("GET", "/health/ready", None, |answer| answer.status == 503).await;
    let mut watched = Watched::ask(&server, "ann", "Why?").await;
    watched.until("complete", 1).await;
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(1), "a second signal waits for nothing: {log}");

    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = Program::council(&db, &models).set("server.notice_seconds", "1").serve().await;
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
}

#[tokio::test]
async fn after_a_kill_the_next_server_completes_the_run_and_pays_nothing_twice() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        (request.asked_for() == AskedFor::Review && request.model == "m/four").then(|| silent(&held))
    });
    // Heartbeats keep the reader's patience while the dead server's lease runs out.
    let program = Program::council(&db, &models).set("server.heartbeat_seconds", "1");
    let server = program.serve().await;
    let mut watched = Watched::ask(&server, "ann", "Why?").await;
    watched.until("stage2_model_complete", 3).await;
    models.until(|records| is_open(records, "m/four", AskedFor::Review)).await;
    server.kill();
    models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;

    models.rule(|_| None);
    let next = program.serve().await;
    watched.follow(&next, "ann").await;
    assert_eq!(watched.last_kind(), "complete");
    assert_eq!(paid(&models), each_once(1));
    let asked = models.records().len();
    assert_eq!(asked, 11, "only the lost review was asked for again");
}

/// Asks for the whole answer as JSON, in a task of its own.
fn ask_whole(server: &Process, user: &str, id: &str) -> tokio::task::JoinHandle<Answer> {
    let path = format!("/api/conversations/{id}/message");
    let request = server.user(user).with("content-type", "application/json").request("POST", &path);
    let request = request.body(json!({"content": "Why?"}).to_string());
    #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
    tokio::spawn(read(request))
}

#[tokio::test]
async fn a_question_asked_as_json_is_answered_by_a_server_that_drains() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.asked_for() == AskedFor::Synthesis).then(|| silent(&held)));
    let server = Program::council(&db, &models).set("server.drain_seconds", "3600").serve().await;
    let id = server.user("ann").conversation().await;
    let answer = ask_whole(&server, "ann", &id);
    models.until(|records| is_open(records, "m/chair", AskedFor::Synthesis)).await;
    server.signal("SIGTERM");
    server.until_logged(|log| log.contains("shutting down")).await;
    gate.open();
    let answer = answer.await.unwrap().ok();
    assert_eq!(answer["status"], "complete");
    assert!(answer["stage3"]["response"].as_str().unwrap().starts_with("At last."), "{answer}");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(paid(&models), each_once(1));
}

#[tokio::test]
async fn a_question_asked_as_json_whose_server_goes_away_is_told_where_its_answer_will_be() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.asked_for() == AskedFor::Synthesis).then(|| silent(&held)));
    let program = Program::council(&db, &models).set("server.drain_seconds", "0").set("runs.max_live", "1");
    let server = program.serve().await;
    let mut answers = Vec::new();
    for user in ["ann", "bob"] {
        let id = server.user(user).conversation().await;
        answers.push((user, ask_whole(&server, user, &id)));
        // Ann's is executed, and Bob's waits for a place.
        models.until(|records| is_open(records, "m/chair", AskedFor::Synthesis)).await;
    }
    let begun = std::time::Instant::now();
    while statuses(&db).await.len() < 2 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "Bob's question does not wait");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    server.signal("SIGTERM");
    let mut told = Vec::new();
    for (user, answer) in answers {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, 202, "{}", answer.text);
        assert_eq!(answer.header("retry-after"), "", "nobody is to ask again");
        let location = answer.header("location").to_owned();
        let json = answer.json();
        assert_eq!(location, format!("/api/runs/{}", json["run_id"].as_str().unwrap()));
        assert_eq!(json["location"], location);
        told.push((user, location));
    }
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");

    gate.open();
    let next = program.serve().await;
    for (user, location) in &told {
        let user = next.user(user);
        let end = user.events(location.rsplit('/').next().unwrap(), 0).await.rest().await.pop().unwrap();
        assert_eq!(end.kind(), "complete");
        let answer = user.get(location).await.ok();
        assert!(answer["stage3"]["response"].as_str().unwrap().starts_with("At last."), "{answer}");
    }
    assert_eq!(paid(&models), each_once(2));
}
