//! What a person is asked.

use serde_json::json;

use super::{ask, find, has, kinds};
use crate::support::app::{TestApp, User};
use crate::support::events::{Event, Events};

/// A second question like the first, read up to the offer.
async fn offered(user: &User<'_>) -> (String, Vec<Event>, Events) {
    ask(user, "Why do tides turn?", json!({})).await;
    let id = user.conversation().await;
    let body = json!({"content": "Why do tides turn?", "use_cache": true, "cache_mode": "offer"});
    let mut stream = user.ask(&id, body).await;
    let mut seen = Vec::new();
    while !has(&seen, "cache_offer") {
        seen.push(stream.next().await.expect("an event"));
    }
    (seen[0].json["run_id"].as_str().unwrap().to_owned(), seen, stream)
}

#[tokio::test]
async fn an_offer_that_is_taken_is_a_hit() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let (run, seen, mut stream) = offered(&ann).await;
    let offer = find(&seen, "cache_offer");
    assert_eq!((&offer["cached_query"], &offer["similarity"]), (&json!("Why do tides turn?"), &json!(1.0)));
    assert!(offer["expires_at"].as_str().unwrap() > offer["created_at"].as_str().unwrap());
    let calls = app.models.records().len();

    let path = format!("/api/runs/{run}/cache");
    assert_eq!(ann.post(&path, json!({"take": "yes"})).await.status, 422);
    assert_eq!(ann.post(&path, json!({})).await.status, 422);
    assert_eq!(app.user("bob").post(&path, json!({"take": true})).await.status, 404);
    let taken = ann.post(&path, json!({"take": true})).await.ok();
    assert_eq!(taken, json!({"status": "ok", "taken": true}));
    let rest = stream.rest().await;
    assert!(has(&rest, "cache_hit") && has(&rest, "stage3_complete"), "{:?}", kinds(&rest));
    assert_eq!(app.models.records().len(), calls);
    let late = ann.post(&path, json!({"take": true})).await;
    assert_eq!((late.status, late.json()["type"].as_str().unwrap().ends_with("not-offered")), (409, true));
    app.close().await;
}

#[tokio::test]
async fn an_offer_that_is_refused_is_a_question_like_any_other() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let (run, _, mut stream) = offered(&ann).await;
    ann.post(&format!("/api/runs/{run}/cache"), json!({"take": false})).await.ok();
    let rest = stream.rest().await;
    assert_eq!(find(&rest, "cache_miss")["reason"], "refused");
    assert!(has(&rest, "stage1_start") && has(&rest, "cache_stored"));
    assert_eq!(find(&rest, "cache_stored")["embedding_method"], "api", "it can be found in other words, too");
    assert_eq!(find(&rest, "cache_stored")["cache_size"], 1, "the new answer takes the place of the old one");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_offers_nothing_takes_no_answer() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let events = ask(&ann, "Why?", json!({})).await;
    let run = events[0].json["run_id"].as_str().unwrap();
    assert_eq!(ann.post(&format!("/api/runs/{run}/cache"), json!({"take": true})).await.status, 409);
    assert_eq!(ann.post("/api/runs/none/cache", json!({"take": true})).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn a_run_that_offers_can_be_stopped() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let (run, _, mut stream) = offered(&ann).await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    app.close().await;
}
