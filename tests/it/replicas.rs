//! Two servers on one database: nobody notices which one answers.

use serde_json::json;

use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Outcome, Script};
use crate::support::process::{Process, Program};

struct Replicas {
    /// Before the servers, which are gone before it is dropped.
    one: Process,
    other: Process,
    models: ModelServer,
    gate: Gate,
    _db: TestDb,
}

impl Replicas {
    /// Two servers; the member `m/one` says a few words and then nothing before the gate is open.
    async fn start() -> Self {
        let (db, models) = (TestDb::new().await, ModelServer::start().await);
        let gate = Gate::new();
        let held = gate.clone();
        models.rule(move |request| {
            (request.model == "m/one").then(|| Script::answer("Well, ").hold(&held).text("yes."))
        });
        let program = Program::council(&db, &models);
        let (one, other) = tokio::join!(program.serve(), program.serve());
        assert_ne!(one.base(), other.base());
        Self { one, other, models, gate, _db: db }
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
async fn a_run_is_stopped_from_another_server() {
    let servers = Replicas::start().await;
    let (here, there) = (servers.one.user("ann"), servers.other.user("ann"));
    let id = here.conversation().await;
    let mut stream = here.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage1_token").await;
    assert_eq!(there.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok()["cancelled"], true);
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    assert_eq!(there.events(&run, 0).await.rest().await.last().unwrap().kind(), "cancelled");
    servers
        .models
        .until(|records| {
            records.iter().any(|record| record.outcome == Outcome::ClientGone)
                && records.iter().all(|record| record.outcome != Outcome::Open)
        })
        .await;
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
