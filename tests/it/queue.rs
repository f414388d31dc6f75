//! Too many questions at once: who waits, in which order, and what they are told meanwhile.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::events::{Events, find};
use crate::support::model_server::{Gate, Script};

/// An app in which no member answers before the gate is open.
async fn held(toml: &str) -> (TestApp, Gate) {
    let app = TestApp::with(toml).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Well.").hold(&held)));
    (app, gate)
}

async fn ask(user: &User<'_>) -> (String, Events) {
    let id = user.conversation().await;
    let events = user.ask(&id, json!({"content": "Why?"})).await;
    (id, events)
}

/// Reads to the event that says this place in line.
async fn waits_at(events: &mut Events, position: u64) -> Value {
    loop {
        let event = events.until("run_queued").await;
        assert_eq!(event.id, None, "it belongs to this stream, not to the log");
        if event.json["position"] == position {
            return event.json;
        }
    }
}

async fn completes(mut events: Events) {
    assert_eq!(events.rest().await.last().unwrap().kind(), "complete");
}

#[tokio::test]
async fn who_waits_sees_the_place_in_line_and_moves_up() {
    let (app, gate) = held("[runs]\nmax_live = 1\n").await;
    let (ann, bob, eve) = (app.user("ann"), app.user("bob"), app.user("eve"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (id, mut second) = ask(&bob).await;
    let queued = waits_at(&mut second, 1).await;
    let (_, mut third) = ask(&eve).await;
    waits_at(&mut third, 2).await;
    let run = bob.get(&format!("/api/runs/{}", queued["run_id"].as_str().unwrap())).await.ok();
    assert_eq!(run["status"], "queued");
    assert_eq!(bob.get("/api/conversations").await.ok()[0]["running"], true);
    assert_eq!(
        bob.post(&format!("/api/conversations/{id}/message"), json!({"content": "?"})).await.status,
        409
    );
    gate.open();
    waits_at(&mut third, 1).await;
    completes(first).await;
    completes(second).await;
    completes(third).await;
    app.close().await;
}

#[tokio::test]
async fn the_second_question_of_one_waits_behind_the_first_of_everybody() {
    let (app, gate) = held("[runs]\nmax_live = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (_, mut second) = ask(&ann).await;
    waits_at(&mut second, 1).await;
    let (_, mut bobs) = ask(&bob).await;
    waits_at(&mut bobs, 1).await;
    waits_at(&mut second, 2).await;
    gate.open();
    completes(first).await;
    completes(bobs).await;
    completes(second).await;
    app.close().await;
}

#[tokio::test]
async fn one_person_cannot_take_every_place() {
    let (app, gate) = held("[runs]\nmax_per_user = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (_, mut second) = ask(&ann).await;
    waits_at(&mut second, 1).await;
    let (_, mut bobs) = ask(&bob).await;
    bobs.until("stage1_start").await;
    gate.open();
    completes(second).await;
    first.until("complete").await;
    bobs.until("complete").await;
    app.close().await;
}

#[tokio::test]
async fn a_question_too_many_is_refused_and_nothing_of_it_is_stored() {
    let (app, gate) = held("[runs]\nmax_per_user = 1\nmax_queued_per_user = 1\nmax_queued = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (_, mut second) = ask(&ann).await;
    waits_at(&mut second, 1).await;

    let id = ann.conversation().await;
    let refused = ann.post(&format!("/api/conversations/{id}/message/stream"), json!({"content": "?"})).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "5"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("too many questions"));
    assert_eq!(ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"], json!([]));

    // There are places for bob, but whoever waits goes first, and the line is full.
    let id = bob.conversation().await;
    let refused = bob.post(&format!("/api/conversations/{id}/message"), json!({"content": "?"})).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, "5"));
    assert_eq!(bob.get(&format!("/api/conversations/{id}")).await.ok()["messages"], json!([]));

    gate.open();
    completes(second).await;
    app.close().await;
}

#[tokio::test]
async fn a_run_that_waits_is_stopped_without_asking_anybody() {
    let (app, gate) = held("[runs]\nmax_live = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (id, mut second) = ask(&bob).await;
    waits_at(&mut second, 1).await;
    // The first one's members and its title, however late they are asked.
    app.models.until(|records| records.len() == 5).await;
    let stopped = bob.post(&format!("/api/conversations/{id}/message/cancel"), json!({})).await.ok();
    assert_eq!(stopped["cancelled"], true);
    assert_eq!(second.rest().await.last().unwrap().kind(), "cancelled");
    assert_eq!(bob.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1]["status"], "cancelled");
    assert_eq!(app.models.records().len(), 5);
    gate.open();
    completes(first).await;
    app.close().await;
}

#[tokio::test]
async fn a_conversation_that_is_named_while_its_run_waits_is_told_by_that_name() {
    let (app, gate) = held("[runs]\nmax_live = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (id, mut second) = ask(&bob).await;
    waits_at(&mut second, 1).await;
    bob.send("PATCH", &format!("/api/conversations/{id}"), Some(&json!({"title": "Mine"}))).await.ok();
    gate.open();
    completes(first).await;
    let events = second.rest().await;
    assert_eq!(find(&events, "title_complete")["data"]["title"], "Mine");
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_key_finds_its_run_also_while_it_waits() {
    let (app, gate) = held("[runs]\nmax_live = 1\nmax_queued = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob").with("idempotency-key", "k"));
    let (_, mut first) = ask(&ann).await;
    first.until("stage1_start").await;
    let (id, mut second) = ask(&bob).await;
    let run = waits_at(&mut second, 1).await["run_id"].clone();
    let mut again = bob.ask(&id, json!({"content": "Why?"})).await;
    assert_eq!(waits_at(&mut again, 1).await["run_id"], run);
    gate.open();
    completes(second).await;
    completes(again).await;
    app.close().await;
}
