//! The same request again, conversations that go on, and programs that leave.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, asks, asks_with, count, program, program_of, refused, runs, stream, wants};
use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Gate, Outcome, Script};

/// Lets every model wait for the gate.
fn hold(app: &TestApp) -> Gate {
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    gate
}

async fn everybody_is_asked(app: &TestApp) {
    app.models.until(|records| records.iter().filter(|one| one.outcome == Outcome::Open).count() >= 4).await;
}

/// Asks, and leaves before the answer, as soon as everybody is asked.
async fn ask_and_leave(app: &TestApp, tool: &User<'_>, body: &Value) {
    tokio::select! {
        answer = tool.post(CHAT, body.clone()) => panic!("it was answered: {}", answer.text),
        () = everybody_is_asked(app) => {}
    }
}

fn text(answer: &Value) -> String {
    answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_same_request_at_once_and_afterwards_is_one_run() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let all: Vec<_> = (0..5).map(|_| tool.post(CHAT, asks("Why?"))).collect();
    let answers = futures_util::future::join_all(all).await;
    let first = answers[0].ok();
    assert!(answers.iter().all(|answer| answer.ok()["id"] == first["id"]));
    assert_eq!(answers.iter().filter(|answer| answer.header("x-run-joined") == "true").count(), 4);
    assert_eq!(runs(&app).await, 1);
    assert_eq!(count(&app, "SELECT count(*) FROM conversations").await, 1, "nothing is left of the others");
    let again = tool.post(CHAT, asks("Why?")).await;
    assert_eq!((again.ok()["id"].clone(), again.header("x-run-joined")), (first["id"].clone(), "true"));
    assert_eq!(app.models.records().len(), 10, "one council, one payment");

    tool.post(CHAT, asks_with("Why?", &json!({"user": "b"}))).await.ok();
    let other = program_of(&app, "ann", &["ask"]).await;
    other.post(CHAT, asks("Why?")).await.ok();
    assert_eq!(runs(&app).await, 3, "another body and another token are other requests");
    app.close().await;
}

#[tokio::test]
async fn an_answer_is_given_again_for_as_long_as_the_configuration_says() {
    let app = TestApp::with("[programs]\njoin_seconds = 0\n").await;
    let tool = program(&app).await;
    tool.post(CHAT, asks("Why?")).await.ok();
    tool.post(CHAT, asks("Why?")).await.ok();
    assert_eq!(runs(&app).await, 2);
    app.close().await;
}

#[tokio::test]
async fn a_request_under_a_key_is_the_run_of_that_key() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let (one, two) =
        (tool.clone().with("idempotency-key", "one"), tool.clone().with("idempotency-key", "two"));
    let first = one.post(CHAT, asks("Why?")).await.ok();
    assert_eq!(one.post(CHAT, asks("Why?")).await.ok()["id"], first["id"]);
    let streamed = stream(&one, CHAT, &asks_with("Why?", &json!({"stream": true}))).await.rest().await;
    assert_eq!(streamed[0].json()["id"], first["id"], "streamed or not");
    assert_ne!(two.post(CHAT, asks("Why?")).await.ok()["id"], first["id"]);
    assert_ne!(tool.post(CHAT, asks("Why?")).await.ok()["id"], first["id"]);
    let answer = one.post(CHAT, asks("Why not?")).await;
    assert_eq!(refused(&answer), (400, "invalid_value".into(), json!("Idempotency-Key")));
    one.post(RESPONSES, wants("Why?", &json!({}))).await.ok();
    assert_eq!(runs(&app).await, 4);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_was_there_before_somebody_stopped_it_is_given_again() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let first = tool.post(CHAT, asks("Why?")).await;
    app.app.runs.idle().await;
    // As the server itself does when the program that left is away for longer than the grace.
    let path = format!("/api/runs/{}/cancel", first.header("x-run-id"));
    assert_eq!(app.user("ann").post(&path, json!({})).await.ok()["cancelled"], false);
    let again = tool.post(CHAT, asks("Why?")).await;
    assert_eq!((again.ok()["id"].clone(), again.header("x-run-joined")), (first.ok()["id"].clone(), "true"));
    assert_eq!((runs(&app).await, app.models.records().len()), (1, 10), "one council, one payment");
    app.close().await;
}

#[tokio::test]
async fn a_failed_run_is_no_answer_to_the_same_request() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|_| Some(Script::status(400, "{\"error\": {\"message\": \"no\"}}")));
    assert_eq!(tool.post(CHAT, asks("Why?")).await.status, 500);
    app.models.rule(|_| None);
    tool.post(CHAT, asks("Why?")).await.ok();
    assert_eq!(runs(&app).await, 2);
    app.close().await;
}

#[tokio::test]
async fn members_that_have_answered_are_not_paid_again_where_nobody_could_write_the_answer() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis)
            .then(|| Script::status(400, "{\"error\": {\"message\": \"no\"}}"))
    });
    let answer = tool.post(CHAT, asks("Why?")).await;
    assert_eq!(refused(&answer), (500, "no_answer".into(), Value::Null));
    let paid = app.models.records().len();
    // As libraries do that pass over the header.
    assert_eq!(tool.post(CHAT, asks("Why?")).await.status, 500);
    assert_eq!((runs(&app).await, app.models.records().len()), (1, paid));
    app.close().await;
}

#[tokio::test]
async fn a_run_that_somebody_stopped_is_not_asked_for_again_by_any_library() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    hold(&app);
    let stop = async {
        everybody_is_asked(&app).await;
        let run = app.admin().get("/api/admin/runs").await.ok()["runs"][0]["id"].clone();
        let path = format!("/api/runs/{}/cancel", run.as_str().unwrap());
        app.user("ann").post(&path, json!({})).await.ok();
    };
    let (answer, ()) = tokio::join!(tool.post(CHAT, asks("Why?")), stop);
    // Not all of them read the header, and 408, 409, 429 and 5xx are sent again by those.
    assert_eq!(refused(&answer), (400, "cancelled".into(), Value::Null));
    assert_eq!(answer.header("x-should-retry"), "false");
    app.close().await;
}

/// What a program that keeps the conversation sends next.
fn next(history: &mut Vec<Value>, answer: &Value, question: &str) -> Value {
    history.push(json!({"role": "assistant", "content": text(answer)}));
    history.push(json!({"role": "user", "content": question}));
    json!({"model": "council", "messages": history})
}

async fn lengths(ann: &User<'_>) -> Vec<i64> {
    let list = ann.get("/api/conversations").await.ok();
    list.as_array().unwrap().iter().map(|one| one["message_count"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a_list_of_messages_goes_on_in_the_conversation_that_ends_with_it() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let ann = app.user("ann");
    let mut history = vec![json!({"role": "user", "content": "One?"})];
    let first = tool.post(CHAT, json!({"model": "council", "messages": history})).await.ok();
    let second = tool.post(CHAT, next(&mut history, &first, "Two?")).await.ok();
    assert_eq!(lengths(&ann).await, [4]);
    let body = next(&mut history, &second, "Three?");
    let with_system = json!({"model": "debate", "messages": [
        {"role": "system", "content": "It is Monday."}, history[2], history[3], history[4]
    ]});
    tool.post(CHAT, with_system).await.ok();
    assert_eq!(lengths(&ann).await, [6], "another model, a system prompt, and what is long ago left out");
    // An edited question is another conversation.
    tool.post(CHAT, body).await.ok();
    let mut lengths_now = lengths(&ann).await;
    lengths_now.sort_unstable();
    assert_eq!(lengths_now, [2, 6], "that one has gone on since");
    app.close().await;
}

#[tokio::test]
async fn another_users_conversation_is_never_gone_on_with() {
    let app = TestApp::start().await;
    let ann = program(&app).await;
    let bob = program_of(&app, "bob", &["ask"]).await;
    let mut history = vec![json!({"role": "user", "content": "One?"})];
    let first = ann.post(CHAT, json!({"model": "council", "messages": history})).await.ok();
    bob.post(CHAT, next(&mut history, &first, "Two?")).await.ok();
    assert_eq!((lengths(&app.user("ann")).await, lengths(&app.user("bob")).await), (vec![2], vec![2]));
    app.close().await;
}

#[tokio::test]
async fn a_program_that_leaves_takes_its_run_along_after_a_grace() {
    let app = TestApp::with("[programs]\ndisconnect_grace_seconds = 0\n").await;
    let tool = program(&app).await;
    hold(&app);
    for is_streamed in [true, false] {
        let body = asks_with("Why?", &json!({"stream": is_streamed}));
        if is_streamed {
            let mut live = stream(&tool, CHAT, &body).await;
            live.until("Stage 1").await;
            drop(live);
        } else {
            ask_and_leave(&app, &tool, &body).await;
        }
        let ended = "SELECT count(*) FROM runs WHERE status = 'cancelled'";
        app.models.until(|records| records.iter().all(|one| one.outcome != Outcome::Open)).await;
        while count(&app, ended).await < if is_streamed { 1 } else { 2 } {
            tokio::task::yield_now().await;
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_library_that_gives_up_and_tries_again_joins_its_run() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = hold(&app);
    let body = asks("Why?");
    ask_and_leave(&app, &tool, &body).await;
    let again = tool.request("POST", CHAT).header("content-type", "application/json");
    let again = again.body(body.to_string()).timeout(Duration::from_millis(500)).send();
    assert!(again.await.unwrap_err().is_timeout());
    gate.open();
    let answer = tool.post(CHAT, body.clone()).await;
    assert_eq!((text(&answer.ok()), answer.header("x-run-joined")), ("Late.".to_owned(), "true"));
    assert_eq!(runs(&app).await, 1);
    app.close().await;
}

#[tokio::test]
async fn a_run_in_the_background_or_with_another_reader_goes_on() {
    let app = TestApp::with("[programs]\ndisconnect_grace_seconds = 0\n").await;
    let tool = program(&app).await;
    let gate = hold(&app);
    let more = json!({"stream": true, "background": true});
    let mut live = stream(&tool, RESPONSES, &wants("Why?", &more)).await;
    let created = live.next().await.unwrap().json();
    live.until("Stage 1").await;
    drop(live);

    let mut plain = stream(&tool, CHAT, &asks_with("Why else?", &json!({"stream": true}))).await;
    let run = plain.header("x-run-id").to_owned();
    plain.until("Stage 1").await;
    let watching = app.user("ann").events(&run, 0).await;
    drop(plain);
    // A run that were cancelled would be so before a later one has begun.
    let mut later = stream(&tool, CHAT, &asks_with("Later?", &json!({"stream": true}))).await;
    later.until("Stage 1").await;
    gate.open();
    later.rest().await;
    let mut watching = watching;
    assert_eq!(watching.rest().await.last().unwrap().kind(), "complete");
    let path = format!("{RESPONSES}/{}", created["response"]["id"].as_str().unwrap());
    let sent = super::Stream::open(tool.request("GET", &format!("{path}?stream=true"))).await.rest().await;
    assert_eq!(sent.last().unwrap().json()["type"], "response.completed");
    app.close().await;
}
