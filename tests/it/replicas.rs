//! Two servers on one database: nobody notices which one answers, nor that one of them dies, sleeps
//! or leaves.

use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::postgres::PgListener;
use tokio::sync::{broadcast, watch};

use crate::support::db::TestDb;
use crate::support::events::Event;
use crate::support::follower::{Follower, Transcript, assert_same_structure};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Outcome, Record, Script};
use crate::support::replicas::{NO_POLLING, Replicas, TIMEOUT, by, under_way, waiting_for_locks};

/// Checks that a stream is the log's, whole and in order, and that the run is complete.
fn check(events: &[Event], log: &[Event], what: &str) {
    assert!(events.windows(2).all(|two| two[0].id < two[1].id), "{what}: numbers ascend");
    assert_eq!(events.last().unwrap().kind(), "complete", "{what}");
    assert_same_structure(events, log, what);
}

#[tokio::test]
async fn a_run_that_is_read_at_another_server_is_not_cancelled_when_its_reader_here_goes() {
    let settings = [("runs.on_disconnect", "cancel"), ("runs.disconnect_grace_seconds", "0")];
    let servers = Replicas::with(&settings).await;
    let (run, id, stream) = under_way(&servers).await;
    let there = servers.other.user("ann");
    let mut followed = there.events(&run, 0).await;
    followed.until("stage1_model_complete").await;
    let mut heard = PgListener::connect(&servers.db.url()).await.unwrap();
    heard.listen("llm_council").await.unwrap();
    drop(stream);
    // Its server asks, and hears this answer too.
    let hears = async { while heard.recv().await.unwrap().payload().split(' ').next() != Some("read") {} };
    tokio::time::timeout(TIMEOUT, hears).await.expect("nobody says that it is read");
    servers.gate.open();
    assert_eq!(followed.rest().await.last().unwrap().kind(), "complete");
    let path = format!("/api/conversations/{id}");
    assert_eq!(there.get(&path).await.ok()["messages"][1]["status"], "complete");
}

#[tokio::test]
async fn a_run_that_nobody_reads_at_any_server_is_cancelled() {
    let settings = [("runs.on_disconnect", "cancel"), ("runs.disconnect_grace_seconds", "0")];
    let servers = Replicas::with(&settings).await;
    let (run, _, stream) = under_way(&servers).await;
    drop(stream);
    let status = "SELECT status FROM runs WHERE id = $1::uuid";
    let mut database = servers.db.superuser().await;
    let begun = Instant::now();
    while sqlx::query_scalar::<_, String>(status).bind(&run).fetch_one(&mut database).await.unwrap()
        != "cancelled"
    {
        assert!(begun.elapsed() < TIMEOUT, "it goes on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_run_is_followed_live_from_another_server() {
    let servers = Replicas::start().await;
    let (here, there) = (servers.one.user("ann"), servers.other.user("ann"));
    let id = here.conversation().await;
    let mut stream = here.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let mut followed = there.events(&run, 0).await;
    // What only the run's own server can know, while the run is under way.
    let word = followed.until("stage1_token").await;
    assert!(word.id.is_some());
    followed.until("stage1_model_complete").await;
    servers.gate.open();
    let rest = followed.rest().await;
    assert_eq!(rest.last().unwrap().kind(), "complete");
    let own = here.events(&run, 0).await.rest().await;
    assert_eq!(there.events(&run, 0).await.rest().await, own, "every server has the whole of it");
    let stored = there.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["status"], "complete");
    assert_eq!(servers.other.user("bob").get(&format!("/api/runs/{run}/events")).await.status, 404);
}

#[tokio::test]
async fn a_run_is_stopped_from_another_server_as_soon_as_it_is_told() {
    let servers = Replicas::with(&[NO_POLLING]).await;
    let (here, there) = (servers.one.user("ann"), servers.other.user("ann"));
    let id = here.conversation().await;
    let mut stream = here.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage1_token").await;
    let begun = Instant::now();
    assert_eq!(there.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok()["cancelled"], true);
    servers
        .models
        .until(|records| {
            records.iter().any(|record| record.outcome == Outcome::ClientGone)
                && records.iter().all(|record| record.outcome != Outcome::Open)
        })
        .await;
    eprintln!("upstream requests were closed {:?} after the order", begun.elapsed());
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    assert_eq!(there.events(&run, 0).await.rest().await.last().unwrap().kind(), "cancelled");
    let kept = there.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(kept["messages"][1]["stage1"].as_array().unwrap().len(), 4, "what had arrived is kept");
}

#[tokio::test]
async fn one_conversation_has_one_run_and_one_key_is_one_run_on_all_servers() {
    let servers = Replicas::start().await;
    let (here, there) = (servers.one.user("ann"), servers.other.user("ann"));
    let id = here.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let question = json!({"content": "Why?"});
    let mut stream = here.clone().with("idempotency-key", "k-1").ask(&id, question.clone()).await;
    let run = stream.until("run_started").await.json["run_id"].clone();
    let busy = there.post(&path, question.clone()).await;
    assert_eq!((busy.status, &busy.json()["run_id"]), (409, &run));
    let mut same = there.clone().with("idempotency-key", "k-1").ask(&id, question.clone()).await;
    assert_eq!(same.until("run_started").await.json["run_id"], run);
    servers.gate.open();
    same.until("complete").await;
    stream.until("complete").await;
    assert_eq!(servers.models.records().len(), 10, "paid once");
    there.post(&path, question).await.ok();
}

#[tokio::test]
async fn the_run_of_a_killed_server_is_finished_by_the_other() {
    // As it is delivered: nothing is hastened.
    let servers = Replicas::start().await;
    let there = servers.other.user("ann");
    let id = there.conversation().await;
    let mut stream = servers.one.user("ann").ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let mut followed = there.events(&run, 0).await;
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    let mut seen = Vec::new();
    while seen.iter().filter(|event: &&Event| event.kind() == "stage1_model_complete").count() < 3 {
        seen.push(followed.next().await.unwrap());
    }
    servers.gate.open();
    // The answer may be on its way, or stored: all is well in any case.
    let Replicas { one, other, models, db: _db, .. } = servers;
    let begun = Instant::now();
    one.kill();
    seen.extend(followed.rest().await);
    eprintln!("the run was complete {:?} after the kill", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(60));
    let there = other.user("ann");
    check(&seen, &there.events(&run, 0).await.rest().await, "the stream at the other server");
    let stored = there.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["stage1"].as_array().unwrap().len(), 4);
    let again: Vec<String> = models
        .records()
        .iter()
        .filter(|record| by(record, "sk-other") && record.request.asked_for() == AskedFor::Answer)
        .map(|record| record.request.model.clone())
        .collect();
    assert!(again.iter().all(|model| model == "m/one"), "the finished three are not paid again: {again:?}");
}

#[tokio::test]
async fn a_server_that_slept_while_its_runs_were_taken_over_writes_nothing() {
    const RUNS: usize = 5;
    // A lease is short, so that the test is; not so short that a busy machine takes one from a server that is awake.
    let servers = Replicas::with(&[("runs.lease_seconds", "3")]).await;
    let mut streams = Vec::new();
    for number in 0..RUNS {
        let user = servers.one.user(&format!("user-{number}"));
        let id = user.conversation().await;
        let mut stream = user.ask(&id, json!({"content": format!("Why {number}?")})).await;
        let started = stream.until("run_started").await;
        let run = started.json["run_id"].as_str().unwrap().to_owned();
        streams.push((run, vec![started], stream));
    }
    for (_, seen, stream) in &mut streams {
        while seen.iter().filter(|event| event.kind() == "stage1_model_complete").count() < 3 {
            seen.push(stream.next().await.unwrap());
        }
    }
    servers.one.signal("SIGSTOP");
    servers.other_asks(RUNS).await;
    // The other has every run, and waits. The sleeper's models have their say while it sleeps, and
    // it will find their words when it wakes.
    let second = Gate::new();
    let held = second.clone();
    servers.models.rule(move |request| {
        (request.asked_for() == AskedFor::Review).then(|| Script::answer("Hm. ").hold(&held))
    });
    servers.gate.open();
    let at_the_gate = |records: &[Record]| {
        let waits = |record: &&Record| record.request.asked_for() == AskedFor::Review;
        records.iter().filter(waits).filter(|record| record.outcome == Outcome::Open).count() == 4 * RUNS
    };
    servers.models.until(at_the_gate).await;
    let asked = servers.models.records().len();
    let before = servers.stored().await;

    servers.one.signal("SIGCONT");
    servers.one.until_logged(|log| log.matches("another owner").count() >= RUNS).await;
    assert_eq!(servers.stored().await, before);
    second.open();
    for (number, (run, seen, stream)) in streams.iter_mut().enumerate() {
        let what = format!("run {number}, read from the server that slept");
        seen.extend(stream.rest().await);
        let user = servers.other.user(&format!("user-{number}"));
        check(seen, &user.events(run, 0).await.rest().await, &what);
    }
    assert!(servers.one.log_lines().iter().all(|line| line["level"] != "ERROR"), "{}", servers.one.log());
    let records = servers.models.records();
    assert!(!records[asked..].iter().any(|record| by(record, "sk-one")), "it asks for nothing any more");
}

#[tokio::test]
async fn a_server_that_slept_alone_goes_on_where_it_was() {
    let servers = Replicas::with(&[("runs.lease_seconds", "1")]).await;
    let Replicas { one, other, models, gate, db } = servers;
    other.kill();
    let user = one.user("ann");
    let id = user.conversation().await;
    let mut stream = user.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    models
        .until(|records| records.iter().filter(|record| record.outcome == Outcome::Open).count() == 1)
        .await;
    one.signal("SIGSTOP");
    let begun = Instant::now();
    let mut database = db.superuser().await;
    let run_out = "SELECT bool_and(lease_until < now()) FROM runs";
    while !sqlx::query_scalar::<_, bool>(run_out).fetch_one(&mut database).await.unwrap() {
        assert!(begun.elapsed() < TIMEOUT, "the lease does not run out");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    one.signal("SIGCONT");
    // A sign of life: the lease holds again.
    while sqlx::query_scalar::<_, bool>(run_out).fetch_one(&mut database).await.unwrap() {
        assert!(begun.elapsed() < TIMEOUT, "the lease is not prolonged");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    gate.open();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "complete");
    assert_eq!(user.events(&run, 0).await.rest().await.last().unwrap().kind(), "complete");
    assert_eq!(models.records().len(), 10, "nothing was paid twice: {}", one.log());
}

#[tokio::test]
async fn a_server_that_leaves_hands_its_runs_to_the_other_at_once() {
    let servers = Replicas::with(&[NO_POLLING, ("server.drain_seconds", "0")]).await;
    let place = watch::Sender::new(Some(servers.one.base().to_owned()));
    let mut readers = tokio::task::JoinSet::new();
    let (told, mut shown) = broadcast::channel(1024);
    for number in 0..5 {
        let question = format!("Why {number}?");
        let reader = Follower::new(place.subscribe(), &format!("user-{number}"), &question);
        readers.spawn(reader.reporting_to(told.clone()).follow());
    }
    for _ in 0..15 {
        while shown.recv().await.unwrap() != "stage1_model_complete" {}
    }
    servers
        .models
        .until(|records| {
            let open = records.iter().filter(|record| record.outcome == Outcome::Open).count();
            (records.len(), open) == (25, 5)
        })
        .await;
    place.send_replace(Some(servers.other.base().to_owned()));
    servers.one.signal("SIGTERM");
    let begun = Instant::now();
    servers.other_asks(5).await;
    eprintln!("all runs were taken up {:?} after the signal", begun.elapsed());
    let Replicas { one, other, models, gate, .. } = servers;
    let (code, log) = one.ended().await;
    assert_eq!(code, Some(0), "{log}");
    gate.open();
    let transcripts: Vec<Transcript> = readers.join_all().await;
    for one in &transcripts {
        let log = other.user(&one.user).events(&one.run, 0).await.rest().await;
        check(&one.events, &log, &one.run);
        assert_eq!(one.connections, 2);
        assert_eq!(one.texts()["stage1/m/one"], "Well, yes.");
    }
    assert_eq!(models.records().len(), 50 + 5, "only the calls that were under way are made again");
}

/// The leases of all runs have run out, and everybody looks.
async fn abandon(db: &TestDb) {
    let sql = "UPDATE runs SET lease_until = now() WHERE status = 'running'; SELECT pg_notify('llm_council', 'work')";
    sqlx::raw_sql(sql).execute(&mut db.superuser().await).await.unwrap();
}

async fn nothing_is_asked(models: &ModelServer) {
    models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;
}

#[tokio::test]
async fn a_stop_that_was_answered_holds_when_its_server_is_killed_right_after() {
    let servers = Replicas::with(&[NO_POLLING]).await;
    let (run, id, _stream) = under_way(&servers).await;
    // The log cannot be written, so the run cannot end here: somebody else's tokens are in the way.
    let gate = Gate::new();
    let held = gate.clone();
    servers.models.rule(move |request| {
        let is_bobs = request.prompt().contains("And Bob?") && request.asked_for() == AskedFor::Answer;
        is_bobs.then(|| Script::answer("").hold(&held).text("So much. ").stall())
    });
    let bob = servers.one.user("bob");
    let bobs = bob.conversation().await;
    let mut bobs_stream = bob.ask(&bobs, json!({"content": "And Bob?"})).await;
    bobs_stream.until("stage1_start").await;
    let asked = |records: &[Record]| records.iter().filter(|record| record.outcome == Outcome::Open).count();
    servers.models.until(|records| asked(records) == 5).await;
    let (mut database, mut look) = (servers.db.superuser().await, servers.db.superuser().await);
    sqlx::raw_sql("BEGIN; LOCK TABLE run_events IN SHARE MODE").execute(&mut database).await.unwrap();
    gate.open();
    let begun = Instant::now();
    while waiting_for_locks(&mut look).await == 0 {
        assert!(begun.elapsed() < TIMEOUT, "nothing is written");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let calls = servers.models.records().len();

    let path = format!("/api/conversations/{id}/message/cancel");
    let stopped = servers.one.user("ann").post(&path, json!({})).await.ok();
    assert_eq!(stopped, json!({"status": "ok", "cancelled": true, "durable": true}));
    let Replicas { one, other, models, db, .. } = servers;
    one.kill();
    let status = "SELECT status FROM runs WHERE id = $1::uuid";
    let status: String = sqlx::query_scalar(status).bind(&run).fetch_one(&mut look).await.unwrap();
    assert_eq!(status, "running", "only the request was recorded");
    drop(database);
    abandon(&db).await;
    let there = other.user("ann");
    assert_eq!(there.events(&run, 0).await.rest().await.last().unwrap().kind(), "cancelled");
    let stored = there.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["status"], "cancelled");
    assert_eq!(stored["messages"][1]["stage1"].as_array().unwrap().len(), 3, "what had arrived is kept");
    let anns = |record: &&Record| !record.request.prompt().contains("And Bob?");
    assert_eq!(models.records()[calls..].iter().filter(anns).count(), 0, "nothing more was asked");
}

#[tokio::test]
async fn a_stop_that_cannot_be_recorded_yet_stops_the_calls_and_says_so() {
    let servers = Replicas::with(&[NO_POLLING]).await;
    let (run, _, mut stream) = under_way(&servers).await;
    let mut database = servers.db.superuser().await;
    sqlx::raw_sql("BEGIN; SELECT FROM runs FOR UPDATE").execute(&mut database).await.unwrap();
    let ann = servers.one.user("ann");
    let path = format!("/api/runs/{run}/cancel");
    let (answer, ()) = tokio::join!(ann.post(&path, json!({})), nothing_is_asked(&servers.models));
    assert_eq!(answer.ok(), json!({"status": "ok", "cancelled": true, "durable": false}));
    drop(database);
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let recorded = "SELECT cancel_requested_at IS NOT NULL FROM runs";
    let begun = Instant::now();
    while !sqlx::query_scalar::<_, bool>(recorded).fetch_one(&mut servers.db.superuser().await).await.unwrap()
    {
        assert!(begun.elapsed() < TIMEOUT, "the request is not recorded");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let again = ann.post(&path, json!({})).await.ok();
    assert_eq!(again["cancelled"], false, "there is nothing left to stop");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_whose_sessions_are_shared_follow_each_other_by_looking() {
    let replicas = Replicas::with(&[("database.pooling", "transaction")]).await;
    let Replicas { one, other, gate, .. } = &replicas;
    for server in [one, other] {
        assert!(server.log().contains("database.listen_url is not set"), "{}", server.log());
    }
    let (ann, elsewhere) = (one.user("ann"), other.user("ann"));
    let mut stream = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let mut there = elsewhere.events(&run, 0).await;
    there.until("stage1_start").await;
    gate.open();
    assert_eq!(there.rest().await.last().unwrap().kind(), "complete");
    assert_eq!(stream.rest().await.last().unwrap().kind(), "complete");
}
