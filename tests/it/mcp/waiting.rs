//! Long answers: handles, progress, giving up, stopping, asking again, and a server that goes away.

use serde_json::{Value, json};

use super::speaking::{Client, text};
use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Outcome, Script};
use crate::support::process::Program;

/// A council whose chairman waits for the gate.
async fn held() -> (TestApp, Gate) {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    (app, gate)
}

#[tokio::test]
async fn a_long_answer_is_a_handle_first_and_is_waited_for_with_it() {
    let (app, gate) = held().await;
    let client = Client::modern(&app, "ann");
    let handle = client.call("ask_council", json!({"question": "Why?", "wait_seconds": 0})).await;
    assert!(text(&handle).contains("wait_run") && text(&handle).contains("do not ask again"), "{handle}");
    let handle = &handle["structuredContent"];
    assert_eq!(handle["status"], "running");
    assert!(handle["next"].is_string() && handle.get("answer").is_none());
    let run = json!({"run_id": handle["run_id"], "wait_seconds": 0});
    assert_eq!(client.told("wait_run", run).await["status"], "running");
    assert_eq!(client.told("get_run", json!({"run_id": handle["run_id"]})).await["status"], "running");
    let waiting = client.told("wait_run", json!({"run_id": handle["run_id"]}));
    let (answer, ()) = tokio::join!(waiting, async { gate.open() });
    assert_eq!((&answer["status"], &answer["answer"]), (&json!("complete"), &json!("At last.")));
    app.close().await;
}

#[tokio::test]
async fn progress_is_told_in_short_sentences_to_who_wants_it() {
    let (app, gate) = held().await;
    let client = Client::modern(&app, "ann");
    let mut stream = client.call_with_progress("ask_council", json!({"question": "Why?"})).await;
    let mut last = -1.0;
    let (mut told, mut answers) = (Vec::new(), 0);
    while let Some(message) = stream.next().await {
        let message = message.json;
        if message["method"] == "notifications/progress" {
            let params = &message["params"];
            assert_eq!(params["progressToken"], "p-1");
            let progress = params["progress"].as_f64().unwrap();
            assert!(progress > last, "it only grows");
            last = progress;
            let sentence = params["message"].as_str().unwrap().to_owned();
            assert!(sentence.chars().count() <= 200);
            told.push(sentence);
            // The chairman has been asked by then.
            if app.models.count("m/chair") > 0 {
                gate.open();
            }
        } else {
            assert_eq!(message["id"], 7);
            assert_eq!(message["result"]["structuredContent"]["answer"], "At last.");
            answers += 1;
        }
    }
    assert_eq!(answers, 1);
    assert!(told.len() >= 2, "{told:?}");
    app.close().await;
}

#[tokio::test]
async fn a_run_goes_on_without_its_program_also_where_runs_without_readers_are_cancelled() {
    let app = TestApp::with("[runs]\non_disconnect = \"cancel\"\ndisconnect_grace_seconds = 0\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let client = Client::modern(&app, "ann");
    let handle = client.told("ask_council", json!({"question": "Why?", "wait_seconds": 0})).await;
    let run = handle["run_id"].clone();
    let looked = client.told("wait_run", json!({"run_id": run, "wait_seconds": 0})).await;
    assert_eq!(looked["status"], "running");

    // A later one that its reader leaves is cancelled.
    let bob = app.user("bob");
    let mut stream = bob.ask(&bob.conversation().await, json!({"content": "Why?"})).await;
    let other = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    drop(stream);
    bob.until_cancelled(&other).await;
    gate.open();
    let answer = client.told("wait_run", json!({"run_id": run})).await;
    assert_eq!((&answer["status"], &answer["answer"]), (&json!("complete"), &json!("At last.")));
    app.close().await;
}

#[tokio::test]
async fn who_gives_up_waiting_stops_nothing() {
    let (app, gate) = held().await;
    let client = Client::modern(&app, "ann");
    let mut stream = client.call_with_progress("ask_council", json!({"question": "Why?"})).await;
    stream.next().await.unwrap();
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    drop(stream);
    gate.open();
    let list = client.told("list_conversations", json!({})).await;
    let conversation = list["conversations"][0]["conversation_id"].clone();
    let read = client.told("read_conversation", json!({"conversation_id": conversation})).await;
    let run = read["messages"][1]["run_id"].clone();
    assert_eq!(client.told("wait_run", json!({"run_id": run})).await["answer"], "At last.");
    app.close().await;
}

#[tokio::test]
async fn a_run_is_stopped_and_says_so_to_who_waits() {
    let (app, gate) = held().await;
    let client = Client::modern(&app, "ann");
    let handle = client.told("ask_council", json!({"question": "Why?", "wait_seconds": 0})).await;
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    let run = json!({"run_id": handle["run_id"]});
    let (waited, stopped) =
        tokio::join!(client.told("wait_run", run.clone()), client.told("cancel_run", run));
    assert_eq!((&stopped["cancelled"], &stopped["durable"]), (&json!(true), &json!(true)));
    assert_eq!(waited["status"], "cancelled");
    app.models.until(|records| records.iter().any(|record| record.outcome == Outcome::ClientGone)).await;
    drop(gate);
    app.close().await;
}

#[tokio::test]
async fn the_same_question_under_the_same_key_is_asked_and_paid_once() {
    let (app, gate) = held().await;
    let client = Client::modern(&app, "ann");
    let question = json!({"question": "Why?", "idempotency_key": "k-1", "wait_seconds": 0});
    let first = client.told("ask_council", question.clone()).await;
    let second = client.told("ask_council", question).await;
    assert_eq!(
        (&first["run_id"], &first["conversation_id"]),
        (&second["run_id"], &second["conversation_id"])
    );
    gate.open();
    let patient = json!({"question": "Why?", "idempotency_key": "k-1"});
    assert_eq!(client.told("ask_council", patient).await["answer"], "At last.");
    assert_eq!((app.models.count("m/chair"), app.models.count("m/one")), (1, 2));
    assert_eq!(client.told("list_conversations", json!({})).await["total"], 1);
    let other = client.refused("ask_council", json!({"question": "Who?", "idempotency_key": "k-1"})).await;
    assert!(other.contains("stands for another request"), "{other}");
    let bobs = Client::modern(&app, "bob")
        .told("ask_council", json!({"question": "Who?", "idempotency_key": "k-1"}))
        .await;
    assert_ne!(bobs["run_id"], first["run_id"]);
    let bad = client.refused("ask_council", json!({"question": "Who?", "idempotency_key": "ü"})).await;
    assert!(bad.contains("idempotency_key"), "{bad}");
    app.close().await;
}

#[tokio::test]
async fn a_question_that_was_taken_names_its_run_where_the_run_cannot_be_read() {
    let (app, gate) = held().await;
    let client = Client::modern(&app, "ann");
    let mut superuser = app.db.superuser().await;
    // A first question begins without this table; what there is of its run is not read without it.
    sqlx::query("ALTER TABLE message_versions RENAME TO away").execute(&mut superuser).await.unwrap();
    let said = client.refused("ask_council", json!({"question": "Why?", "wait_seconds": 0})).await;
    sqlx::query("ALTER TABLE away RENAME TO message_versions").execute(&mut superuser).await.unwrap();
    assert!(said.contains("Do not ask again"), "{said}");
    let (_, named) = said.split_once("the run is ").unwrap();
    let run = named.split(',').next().unwrap();
    gate.open();
    let answer = client.told("wait_run", json!({"run_id": run})).await;
    assert_eq!((&answer["status"], &answer["answer"]), (&json!("complete"), &json!("At last.")));
    app.close().await;
}

#[tokio::test]
async fn a_server_that_goes_away_gives_the_handle_and_the_next_one_the_answer() {
    let db = TestDb::new().await;
    let models = ModelServer::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let program = Program::council(&db, &models).set("server.drain_seconds", "1");
    let first = program.serve().await;
    let call = |user: User<'_>, tool: &str, arguments: Value| {
        let client = Client::of(user, super::speaking::MODERN);
        let request = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        crate::support::app::read(request)
    };
    let (answer, ()) =
        tokio::join!(call(first.user("ann"), "ask_council", json!({"question": "Why?"})), async {
            models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
            first.signal("SIGTERM");
        });
    let handle = answer.ok()["result"]["structuredContent"].clone();
    assert!(["running", "queued"].contains(&handle["status"].as_str().unwrap()), "{handle}");
    first.ended().await;
    gate.open();
    let second = program.serve().await;
    let run = json!({"run_id": handle["run_id"]});
    let answer = call(second.user("ann"), "wait_run", run).await.ok();
    assert_eq!(answer["result"]["structuredContent"]["answer"], "At last.", "{answer}");
}
