//! What a newer version does to tables that are in use: columns get another type or come to be. Every statement that a
//! server has prepared over them is refused from then on, and has to be prepared anew.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Gate, plausible};

/// All at once, as a migration does it.
const CHANGES: &str = "
    BEGIN;
    ALTER TABLE users ALTER COLUMN name TYPE varchar, ADD COLUMN new text;
    ALTER TABLE conversations ALTER COLUMN title TYPE varchar, ADD COLUMN new text;
    ALTER TABLE messages ALTER COLUMN role TYPE varchar, ADD COLUMN new text;
    ALTER TABLE runs ALTER COLUMN plan TYPE json;
    ALTER TABLE calls ALTER COLUMN result TYPE json, ADD COLUMN new text;
    ALTER TABLE decisions ALTER COLUMN key TYPE varchar, ALTER COLUMN value TYPE json;
    ALTER TABLE run_events ALTER COLUMN frames TYPE varchar, ADD COLUMN new text;
    ALTER TABLE tokens ALTER COLUMN name TYPE varchar, ADD COLUMN new text;
    ALTER TABLE presets ALTER COLUMN name TYPE varchar, ADD COLUMN new text;
    COMMIT";

/// Every route that only reads and needs no more than a place, and one of each kind that writes.
fn requests(conversation: &str, run: &str) -> Vec<(&'static str, String, Option<Value>)> {
    let document = serde_json::to_value(llm_council::server::routes::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let plain = paths.filter(|(path, methods)| !path.contains('{') && methods.get("get").is_some());
    let mut all: Vec<_> = plain.map(|(path, _)| ("GET", path.clone(), None)).collect();
    let mut add = |method, path: String, body| all.push((method, path, body));
    add("GET", format!("/api/conversations/{conversation}"), None);
    add("GET", "/api/conversations?q=blue".to_owned(), None);
    add("GET", format!("/api/runs/{run}"), None);
    add("GET", format!("/api/runs/{run}/events?after=0"), None);
    add("POST", "/api/conversations".to_owned(), Some(json!({})));
    add("PATCH", format!("/api/conversations/{conversation}"), Some(json!({"title": "Blue"})));
    add("PUT", "/api/config".to_owned(), Some(json!({"verbosity": 1})));
    add("POST", "/api/tokens".to_owned(), Some(json!({"name": "a token"})));
    add("PUT", format!("/api/runs/{run}/feedback"), Some(json!({"thumb": "up"})));
    all
}

async fn statuses(user: &User<'_>, requests: &[(&'static str, String, Option<Value>)]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for (method, path, body) in requests {
        statuses.push(user.send(method, path, body.as_ref()).await.status);
    }
    statuses
}

#[tokio::test]
async fn a_server_goes_on_when_the_schema_changes_under_it() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let waits = request.asked_for() == AskedFor::Review && request.prompt().contains("grass");
        Some(if waits { plausible(request).hold(&held) } else { plausible(request) })
    });
    let (ann, bob) = (app.admin(), app.user("bob"));
    let id = ann.conversation().await;
    let asked = ann.ask(&id, json!({"content": "Why is the sky blue?"})).await.rest().await;
    let run = asked[0].json["run_id"].as_str().unwrap();
    let at = bob.conversation().await;
    let mut under_way = bob.ask(&at, json!({"content": "Why is grass green?"})).await;
    under_way.until("stage2_start").await;

    // Every connection of the pool gets to know every statement.
    let requests = requests(&id, run);
    let before = join_all((0..12).map(|_| statuses(&ann, &requests))).await.remove(0);
    assert!(before.iter().all(|status| *status < 500), "{before:?}");

    sqlx::raw_sql(CHANGES).execute(&mut app.db.superuser().await).await.unwrap();

    // Each at once on its own, so that each meets connections of before.
    let first = join_all(requests.iter().map(|request| statuses(&ann, std::slice::from_ref(request)))).await;
    let asked = ann.ask(&id, json!({"content": "Why is the sea blue?"})).await.rest().await;
    assert_eq!(asked.last().unwrap().kind(), "complete");
    gate.open();
    assert_eq!(under_way.rest().await.last().unwrap().kind(), "complete");
    for (status, request) in first.concat().iter().zip(&requests) {
        assert!(*status < 500 || *status == 503, "{status} for {request:?}");
    }
    assert_eq!(statuses(&ann, &requests).await, before, "as if nothing had been");
    let stored = bob.get(&format!("/api/conversations/{at}")).await.ok();
    assert_eq!(stored["messages"][1]["status"], "complete");
    app.close().await;
}
