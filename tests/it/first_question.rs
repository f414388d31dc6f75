//! A conversation that begins with its first question: both are there, or neither.

use serde_json::json;

use crate::support::app::{Answer, TestApp, User};
use crate::support::money::{QUESTION, budget, estimated_at, refused, set};

const ID: &str = "0b9f6d0a-3c55-4a0e-9f0e-5d6c1f1c7a01";

async fn begin(user: &User<'_>, content: &str) -> Answer {
    user.post(
        &format!("/api/conversations/{ID}/message"),
        json!({"content": content, "new_conversation": true}),
    )
    .await
}

async fn conversations(user: &User<'_>) -> usize {
    user.get("/api/conversations").await.ok().as_array().unwrap().len()
}

#[tokio::test]
async fn a_first_question_begins_its_conversation_and_a_second_one_goes_on_in_it() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let mut events = ann.ask(ID, json!({"content": "Why?", "new_conversation": true})).await;
    assert_eq!(events.until("run_started").await.json["conversation_id"], ID);
    events.until("complete").await;
    begin(&ann, "And then?").await.ok();
    let stored = ann.get(&format!("/api/conversations/{ID}")).await.ok();
    let questions: Vec<_> =
        stored["messages"].as_array().unwrap().iter().map(|one| &one["content"]).collect();
    assert_eq!((questions[0], questions[2]), (&json!("Why?"), &json!("And then?")));
    assert_eq!(conversations(&ann).await, 1);
    app.close().await;
}

#[tokio::test]
async fn a_refused_first_question_leaves_no_conversation() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "run", 0.001)]).await;
    let ann = app.user("ann");
    refused(&begin(&ann, QUESTION).await);
    assert_eq!(begin(&ann, "").await.wrong_fields(), ["content"]);
    let path = format!("/api/conversations/{ID}/message");
    let vague = ann.post(&path, json!({"content": "Why?", "verbosity": 9, "new_conversation": "yes"})).await;
    assert_eq!(vague.wrong_fields(), ["new_conversation", "verbosity"]);
    assert_eq!(ann.get(&format!("/api/conversations/{ID}")).await.status, 404);
    assert_eq!(conversations(&ann).await, 0);
    app.close().await;
}

#[tokio::test]
async fn the_same_key_begins_one_conversation_with_one_run() {
    let app = TestApp::start().await;
    let ann = app.user("ann").with("idempotency-key", "first-1");
    let (one, other) = tokio::join!(begin(&ann, "Why?"), begin(&ann, "Why?"));
    let later = begin(&ann, "Why?").await.ok();
    assert_eq!(one.ok()["run_id"], later["run_id"]);
    assert_eq!(other.ok()["run_id"], later["run_id"]);
    let stored = ann.get(&format!("/api/conversations/{ID}")).await.ok();
    assert_eq!(stored["message_count"], 2);
    app.close().await;
}

#[tokio::test]
async fn nobody_begins_a_conversation_under_an_id_that_is_somebody_elses_or_deleted() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    begin(&ann, "Why?").await.ok();
    let calls = app.models.records().len();
    assert_eq!(begin(&bob, "Why?").await.status, 404);
    ann.send("DELETE", &format!("/api/conversations/{ID}"), None).await.ok();
    assert_eq!(begin(&ann, "Why?").await.status, 404);
    assert_eq!((conversations(&ann).await, conversations(&bob).await), (0, 0));
    assert_eq!(app.models.records().len(), calls);
    app.close().await;
}

#[tokio::test]
async fn without_that_a_question_needs_a_conversation_that_is_there() {
    let app = TestApp::start().await;
    let path = format!("/api/conversations/{ID}/message");
    assert_eq!(app.user("ann").post(&path, json!({"content": "Why?"})).await.status, 404);
    app.close().await;
}
