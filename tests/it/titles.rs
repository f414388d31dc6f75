//! What a conversation is called: by a model, unless a person has named it.

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::events::find;
use crate::support::model_server::{AskedFor, Gate, Script};

#[tokio::test]
async fn a_conversation_that_a_person_names_meanwhile_is_told_by_that_name() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let writes = request.asked_for() == AskedFor::Synthesis;
        writes.then(|| Script::answer("").hold(&held).text("It is so."))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": "Why is it?"})).await;
    events.until("stage3_start").await;
    ann.send("PATCH", &format!("/api/conversations/{id}"), Some(&json!({"title": "Mine"}))).await.ok();
    gate.open();
    let events = events.rest().await;
    assert_eq!(find(&events, "title_complete")["data"]["title"], "Mine");
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(ann.get(&format!("/api/conversations/{id}")).await.ok()["title"], "Mine");
    app.close().await;
}

#[tokio::test]
async fn a_conversation_that_is_named_while_its_run_begins_is_told_by_that_name() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    // Her questions begin one after the other: this one has been read, and waits for its turn.
    let mut holder = app.db.superuser().await;
    let hold = "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('llm-council/start/ann', 0))";
    sqlx::raw_sql(hold).execute(&mut holder).await.unwrap();
    let named = async {
        let mut looker = app.db.superuser().await;
        let waiting = "SELECT count(*) FROM pg_stat_activity
                       WHERE wait_event_type = 'Lock' AND datname = current_database()";
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut looker).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
        let title = json!({"title": "Mine"});
        ann.send("PATCH", &format!("/api/conversations/{id}"), Some(&title)).await.ok();
        sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    };
    let (mut events, ()) = tokio::join!(ann.ask(&id, json!({"content": "Why is it?"})), named);
    let events = events.rest().await;
    assert_eq!(find(&events, "title_complete")["data"]["title"], "Mine");
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn no_model_is_asked_for_the_title_of_a_conversation_that_has_a_name() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}");
    ann.send("PATCH", &path, Some(&json!({"title": "Mine"}))).await.ok();
    let events = ann.ask(&id, json!({"content": "Why is it?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert!(events.iter().all(|event| event.kind() != "title_complete"));
    assert!(app.models.records().iter().all(|record| record.request.model != "m/title"));
    assert_eq!(ann.get(&path).await.ok()["title"], "Mine");
    app.close().await;
}

#[tokio::test]
async fn a_title_that_did_not_come_in_time_counts_among_the_costs() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.asked_for() == AskedFor::Title).then(|| Script::answer("").stall()));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why is it?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(find(&events, "title_complete")["data"]["title"], "Why is it?");
    let costs = &find(&events, "costs_complete")["data"];
    assert_eq!(costs["by_stage"]["title"]["unknown_cost_calls"], 1, "{costs}");
    let unknown: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM calls WHERE stage = 'title' AND cost_usd IS NULL AND latency_ms IS NOT NULL",
    )
    .fetch_one(&mut app.db.superuser().await)
    .await
    .unwrap();
    assert_eq!(unknown, 1);
    app.close().await;
}
