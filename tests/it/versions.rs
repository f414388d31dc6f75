//! Servers of several versions on one database: each takes the runs that it can read, and no other.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::events::Events;
use crate::support::model_server::{AskedFor, Gate, plausible};

/// A version that no server has yet.
const UNKNOWN: &str = "plan_version = 1000";

async fn set(db: &TestDb, what: &str, run: &str) {
    let sql = format!("UPDATE runs SET {what} WHERE id = '{run}'");
    let done = sqlx::query(AssertSqlSafe(sql)).execute(&mut db.superuser().await).await.unwrap();
    assert_eq!(done.rows_affected(), 1);
}

async fn state(db: &TestDb, run: &str) -> Value {
    let sql = format!(
        "SELECT jsonb_build_object('status', status, 'attempt', attempt, 'owner', owner, 'crashes', crashes)
         FROM runs WHERE id = '{run}'"
    );
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut db.superuser().await).await.unwrap()
}

/// Asks in a new conversation; gives the run and its stream.
async fn ask(user: &User<'_>) -> (String, Events) {
    let id = user.conversation().await;
    let mut events = user.ask(&id, json!({"content": "Why?"})).await;
    let run = events.next().await.unwrap().json["run_id"].as_str().unwrap().to_owned();
    (run, events)
}

async fn completes(mut events: Events) {
    assert_eq!(events.rest().await.last().unwrap().kind(), "complete");
}

/// An app whose models wait at the answers.
async fn held(toml: &str) -> (TestApp, Gate) {
    let (app, gate) = (TestApp::with(toml).await, Gate::new());
    let held = gate.clone();
    app.models.rule(move |request| {
        let script = plausible(request);
        Some(if request.asked_for() == AskedFor::Answer { script.hold(&held) } else { script })
    });
    (app, gate)
}

#[tokio::test]
async fn a_queued_run_that_cannot_be_read_waits_for_a_server_that_can_and_keeps_nobody_waiting() {
    let (app, gate) = held("[runs]\nmax_live = 1\nmax_per_user = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (_, first) = ask(&ann).await;
    let (newer, second) = ask(&ann).await;
    let (foreign, of_bob) = ask(&bob).await;
    let (_, third) = ask(&ann).await;
    set(&app.db, UNKNOWN, &newer).await;
    set(&app.db, "format = 'unheard_of'", &foreign).await;
    gate.open();
    completes(first).await;
    completes(third).await;
    for run in [&newer, &foreign] {
        let left = json!({"status": "queued", "attempt": 0, "owner": null, "crashes": 0});
        assert_eq!(state(&app.db, run).await, left);
    }
    // A new question begins at once: the line is empty for this server.
    let (_, mut fourth) = ask(&app.user("carol")).await;
    fourth.until("stage1_start").await;
    completes(fourth).await;

    set(&app.db, "plan_version = 1", &newer).await;
    set(&app.db, "format = 'council'", &foreign).await;
    completes(second).await;
    completes(of_bob).await;
    app.close().await;
}

#[tokio::test]
async fn an_abandoned_run_that_cannot_be_read_is_neither_taken_nor_ended() {
    let (app, gate) = held("[runs]\nmax_per_user = 1\nlease_seconds = 1\n").await;
    let mut runs = Vec::new();
    for name in ["ann", "bob"] {
        let user = app.user(name);
        let (_, first) = ask(&user).await;
        runs.push((ask(&user).await, first));
    }
    let [(newer, first), (known, second)] = <[_; 2]>::try_from(runs).ok().unwrap();
    // Both as a server leaves them that was killed, the one that cannot be read longer ago.
    let gone = |ago: u32| {
        format!(
            "status = 'running', owner = 'gone', attempt = 1, lease_until = now() - interval '{ago} hours'"
        )
    };
    set(&app.db, &format!("{UNKNOWN}, {}", gone(2)), &newer.0).await;
    let before = state(&app.db, &newer.0).await;
    set(&app.db, &gone(1), &known.0).await;
    gate.open();
    completes(known.1).await;
    completes(second).await;
    completes(first).await;
    assert_eq!(state(&app.db, &newer.0).await, before);
    set(&app.db, "plan_version = 1", &newer.0).await;
    completes(newer.1).await;
    assert_eq!(state(&app.db, &newer.0).await["attempt"], 2);
    app.close().await;
}

#[tokio::test]
async fn a_plan_of_a_known_version_that_cannot_be_read_ends_its_run_as_failed() {
    let (app, gate) = held("[runs]\nmax_per_user = 1\n").await;
    let ann = app.user("ann");
    let (_, first) = ask(&ann).await;
    let (broken, mut second) = ask(&ann).await;
    set(&app.db, "plan = '{\"question\": 1}'", &broken).await;
    gate.open();
    completes(first).await;
    let last = second.rest().await.pop().unwrap();
    assert_eq!(last.kind(), "error");
    let stored = ann.get(&format!("/api/runs/{broken}")).await.ok();
    assert_eq!(stored["status"], "failed");
    assert!(stored.to_string().contains("cannot read what the run was to do"), "{stored}");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_cannot_be_read_is_not_asked_for_again() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let (run, events) = ask(&ann).await;
    completes(events).await;
    set(&app.db, UNKNOWN, &run).await;
    let refused = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": "stage1"})).await;
    assert_eq!(refused.status, 409);
    assert!(refused.json()["detail"].as_str().unwrap().contains("another version"), "{}", refused.text);
    app.close().await;
}

/// The version before versions were looked at takes whatever has lost its server, by these very statements.
#[tokio::test]
async fn a_server_that_knows_no_versions_can_take_none_but_the_first() {
    let (app, gate) = held("[runs]\nmax_per_user = 1\n").await;
    let mut asked = Vec::new();
    for name in ["ann", "bob", "carol"] {
        let user = app.user(name);
        asked.push((ask(&user).await.1, ask(&user).await));
    }
    let waiting: Vec<String> = asked.iter().map(|(_, (run, _))| run.clone()).collect();
    set(&app.db, "plan_version = 2", &waiting[0]).await;
    set(&app.db, "plan_version = 1, format = 'debate'", &waiting[1]).await;
    set(&app.db, "plan_version = 1", &waiting[2]).await;
    let mut connection = app.db.superuser().await;
    sqlx::raw_sql("BEGIN; SELECT set_config('role', 'llm_council_engine', true)")
        .execute(&mut connection)
        .await
        .unwrap();
    let taken: Vec<String> = sqlx::query_scalar(
        "UPDATE runs SET status = 'running', attempt = attempt + 1, owner = 'old'
         WHERE id IN (SELECT id FROM runs WHERE status = 'queued' FOR UPDATE SKIP LOCKED) RETURNING id::text",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    sqlx::raw_sql("ROLLBACK").execute(&mut connection).await.unwrap();
    assert_eq!(taken, waiting[2..]);
    set(&app.db, "plan_version = 1", &waiting[0]).await;
    set(&app.db, "format = 'council'", &waiting[1]).await;
    gate.open();
    for (first, (_, second)) in asked {
        completes(first).await;
        completes(second).await;
    }
    app.close().await;
}
