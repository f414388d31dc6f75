//! What administrators end: who is blocked does nothing here any more, wherever they ask, until they are let in again; and a run
//! can be stopped that is somebody else's.

use llm_council::server::schedules::round;
use serde_json::json;

use crate::schedules::{act, results, schedule};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Script};
use crate::support::process::Program;

/// Lets `m/one` say a word and then nothing until the gate is open.
fn hold(models: &ModelServer) -> Gate {
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let waits = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
        waits.then(|| Script::answer("Well, ").hold(&held).text("yes."))
    });
    gate
}

const QUESTION: &str = "Why do herons stand on one leg?";

#[tokio::test]
async fn a_block_stops_what_is_under_way_and_keeps_what_is_there() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    ann.get("/api/user").await.ok();
    let done = ann.conversation().await;
    ann.post(&format!("/api/conversations/{done}/message"), json!({"content": QUESTION})).await.ok();
    let gate = hold(&app.models);
    let live = ann.conversation().await;
    let mut events = ann.ask(&live, json!({"content": QUESTION})).await;
    events.until("stage1_token").await;

    let wrong = root.post("/api/admin/blocks", json!({"user": "an", "reason": ""})).await;
    assert_eq!(wrong.wrong_fields(), ["user", "reason"]);
    let block = json!({"user": "Ann", "reason": "Case 12"});
    assert_eq!(ann.post("/api/admin/blocks", block.clone()).await.status, 403);
    let placed = root.post("/api/admin/blocks", block.clone()).await.ok();
    assert_eq!((&placed["user"], &placed["stopped_runs"]), (&json!("ann"), &json!(1)));
    let rest = events.rest().await;
    assert_eq!(rest.last().unwrap().kind(), "cancelled", "who reads along sees the end");
    drop(gate);

    let refused = ann.get(&format!("/api/conversations/{done}")).await;
    assert_eq!((refused.status, &refused.json()["type"]), (403, &json!("urn:llm-council:problem:blocked")));
    assert!(!refused.text.contains("Case 12"), "why is for administrators: {}", refused.text);
    assert_eq!(root.post("/api/admin/blocks", block).await.status, 409);
    let listed = root.get("/api/admin/blocks").await.ok();
    assert_eq!(listed["blocks"][0]["reason"], "Case 12");
    assert_eq!(listed["blocks"][0]["blocked_by"], "root");

    assert_eq!(root.send("DELETE", "/api/admin/blocks?user=ann", None).await.ok()["user"], "ann");
    assert_eq!(root.send("DELETE", "/api/admin/blocks?user=ann", None).await.status, 404);
    for (id, status) in [(done, "complete"), (live, "cancelled")] {
        let conversation = ann.get(&format!("/api/conversations/{id}")).await.ok();
        assert_eq!(conversation["messages"][1]["status"], status);
    }
    let log = root.get("/api/admin/audit").await.ok();
    let actions: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert!(actions.contains(&"user.block") && actions.contains(&"user.unblock"), "{actions:?}");
    app.close().await;
}

#[tokio::test]
async fn nobody_blocks_themselves() {
    let app = TestApp::start().await;
    let root = app.admin();
    root.get("/api/user").await.ok();
    let answer = root.post("/api/admin/blocks", json!({"user": "root", "reason": "A slip"})).await;
    assert_eq!(answer.wrong_fields(), ["user"]);
    root.get("/api/admin/blocks").await.ok();
    app.close().await;
}

/// A server that has long been running on the same database refuses the very next request.
#[tokio::test]
async fn a_block_holds_on_every_server_at_once() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = hold(&models);
    let program = Program::council(&db, &models);
    let (here, there) = (program.clone(), program);
    let (one, other) = tokio::join!(here.serve(), there.serve());
    let ann = other.user("ann");
    ann.get("/api/user").await.ok();
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": QUESTION})).await;
    events.until("stage1_token").await;
    let root = one.admin();
    let placed = root.post("/api/admin/blocks", json!({"user": "ann", "reason": "Case 12"})).await.ok();
    assert_eq!(placed["stopped_runs"], 1);
    assert_eq!(ann.get("/api/conversations").await.status, 403);
    assert_eq!(events.rest().await.last().unwrap().kind(), "cancelled");
    drop(gate);
}

#[tokio::test]
async fn what_a_blocked_user_scheduled_waits_and_is_asked_once_afterwards() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    ann.get("/api/user").await.ok();
    let id = schedule(&ann, json!({})).await;
    root.post("/api/admin/blocks", json!({"user": "ann", "reason": "Case 12"})).await.ok();
    act(&app, "UPDATE schedules SET next_at = now() - interval '3 days'").await;
    let pause = round(&app.app).await.unwrap();
    assert!(pause.as_secs() > 10, "nothing is due for anybody: {pause:?}");
    assert!(app.models.records().is_empty());
    root.send("DELETE", "/api/admin/blocks?user=ann", None).await.ok();
    round(&app.app).await.unwrap();
    round(&app.app).await.unwrap();
    assert_eq!(results(&ann, &id).await.len(), 1);
    app.close().await;
}

#[tokio::test]
async fn nobody_is_blocked_while_their_data_is_being_erased_and_nobody_blocked_erases_theirs() {
    let app = TestApp::start().await;
    let (ann, bob, root) = (app.user("ann"), app.user("bob"), app.admin());
    ann.get("/api/user").await.ok();
    bob.get("/api/user").await.ok();
    act(&app, "INSERT INTO erasures (user_id) VALUES ('ann')").await;
    assert_eq!(root.post("/api/admin/blocks", json!({"user": "ann", "reason": "Late"})).await.status, 409);
    root.post("/api/admin/blocks", json!({"user": "bob", "reason": "Case 12"})).await.ok();
    assert_eq!(bob.send("DELETE", "/api/me", Some(&json!({"confirm": "bob"}))).await.status, 403);
    root.send("DELETE", "/api/admin/blocks?user=bob", None).await.ok();
    bob.get("/api/user").await.ok();
    app.close().await;
}

#[tokio::test]
async fn an_administrator_stops_anybodys_run() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let gate = hold(&app.models);
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": QUESTION})).await;
    events.until("stage1_token").await;
    let run = root.get("/api/admin/runs").await.ok()["runs"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/admin/runs/{run}/cancel");
    assert_eq!(app.user("bob").post(&path, json!({})).await.status, 403);
    assert_eq!(root.post(&path, json!({})).await.ok(), json!({"cancelled": true}));
    let end = json!({
        "type": "cancelled", "message": "An administrator stopped the run.",
        "error_kind": "stopped_by_administrator",
    });
    assert_eq!(events.rest().await.last().unwrap().json, end, "who asked is told that it was not themselves");
    drop(gate);
    assert_eq!(root.post(&path, json!({})).await.ok(), json!({"cancelled": false}), "it is over");
    let conversation = ann.get(&format!("/api/conversations/{id}")).await.ok();
    for told in [&conversation["messages"][1], &ann.get(&format!("/api/runs/{run}")).await.ok()] {
        assert_eq!((&told["status"], &told["error_kind"]), (&json!("cancelled"), &end["error_kind"]));
        assert_eq!(told["error"], end["message"]);
    }
    let listed = root.get("/api/admin/runs").await.ok();
    assert_eq!(listed["runs"][0]["error_kind"], end["error_kind"]);
    let markdown = ann.get(&format!("/api/conversations/{id}/export?format=md")).await.text;
    assert!(markdown.contains("\n> An administrator stopped the run.\n"), "{markdown}");
    assert_eq!(ann.get("/api/conversations").await.status, 200, "who asked it goes on");
    let missing = format!("/api/admin/runs/{}/cancel", uuid::Uuid::new_v4());
    assert_eq!(root.post(&missing, json!({})).await.status, 404);
    let log = root.get("/api/admin/audit").await.ok();
    let stops: Vec<_> =
        log["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "run.stop").collect();
    assert_eq!(stops.len(), 1);
    assert_eq!(stops[0]["target"], json!(run));
    app.close().await;
}

#[tokio::test]
async fn a_blocked_persons_requests_cost_no_connection() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    ann.get("/api/user").await.ok();
    root.post("/api/admin/blocks", json!({"user": "ann", "reason": "Case 12"})).await.ok();
    let mut superuser = app.db.superuser().await;
    let mut connections = async || -> Vec<i32> {
        let of_the_app = "SELECT pid FROM pg_stat_activity
                          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
        sqlx::query_scalar(of_the_app).fetch_all(&mut superuser).await.unwrap()
    };
    let before = connections().await;
    for _ in 0..20 {
        assert_eq!(ann.get("/api/conversations").await.status, 403);
    }
    let after = connections().await;
    assert!(before.iter().all(|pid| after.contains(pid)), "{before:?} became {after:?}");
    root.get("/api/admin/blocks").await.ok();
    app.close().await;
}
