//! A conversation that is deleted already can be purged at once, by its owner.

use serde_json::{Value, json};
use sqlx::Row as _;

use crate::projects::{holding, released};
use crate::support::app::TestApp;
use crate::support::model_server::{Gate, Script};

async fn rows_of(app: &TestApp, conversation: &str) -> (i64, i64, f64) {
    let row = sqlx::query(
        "SELECT (SELECT count(*) FROM messages WHERE conversation_id = $1::uuid) AS messages,
                (SELECT count(*) FROM run_events e JOIN runs r ON r.id = e.run_id
                 WHERE r.conversation_id = $1::uuid) AS events,
                (SELECT coalesce(sum(cost_usd), 0) FROM calls) AS cost_usd",
    )
    .bind(conversation)
    .fetch_one(&mut app.db.superuser().await)
    .await
    .unwrap();
    (row.get("messages"), row.get("events"), row.get("cost_usd"))
}

#[tokio::test]
async fn what_is_deleted_can_be_purged_at_once_by_its_owner_and_the_ledger_stays() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = ann.conversation().await;
    let conversation = format!("/api/conversations/{id}");
    let purge = format!("{conversation}?purge=true");
    let question = json!({"content": "Where is the secret door?"});
    ann.post(&format!("{conversation}/message"), question).await.ok();
    let (messages, events, cost) = rows_of(&app, &id).await;
    assert!(messages == 2 && events > 0);

    let early = ann.send("DELETE", &purge, None).await;
    assert_eq!(
        (early.status, &early.json()["type"]),
        (409, &json!("urn:llm-council:problem:not-to-purge")),
        "{}",
        early.text
    );
    assert_eq!(ann.get(&conversation).await.status, 200, "it is deleted in two steps");
    assert_eq!(ann.send("DELETE", &format!("{conversation}?purge=false"), None).await.ok()["purged"], false);
    assert_eq!(bob.send("DELETE", &purge, None).await.status, 404);
    assert_eq!(ann.get("/api/conversations?deleted=true").await.ok()[0]["id"], id.as_str());

    let gone = ann.send("DELETE", &purge, None).await.ok();
    assert_eq!(gone, json!({"status": "ok", "id": id, "deleted": true, "purged": true}));
    assert_eq!(ann.get("/api/conversations?deleted=true").await.ok(), json!([]));
    assert_eq!(ann.post(&format!("{conversation}/restore"), json!({})).await.status, 404);
    assert_eq!(ann.send("DELETE", &purge, None).await.status, 404);
    assert_eq!(rows_of(&app, &id).await, (0, 0, cost));

    let log = app.admin().get("/api/admin/audit").await.ok();
    let purged =
        log["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "conversation.purge");
    let told: Vec<(&Value, &Value)> = purged.map(|entry| (&entry["user"], &entry["target"])).collect();
    assert_eq!(told, [(&json!("ann"), &json!(id))], "once, and no refused attempt");
    app.close().await;
}

#[tokio::test]
async fn a_conversation_whose_run_is_not_over_is_not_purged_under_it() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let mut live = ann.ask(&id, json!({"content": "Why?"})).await;
    live.until("stage1_start").await;
    // As it is where a deletion has been recorded and its request to stop the run has not arrived yet.
    let sql = "UPDATE conversations SET deleted_at = now() WHERE id = $1::uuid";
    sqlx::query(sql).bind(&id).execute(&mut app.db.superuser().await).await.unwrap();
    let purge = format!("/api/conversations/{id}?purge=true");
    let answer = ann.send("DELETE", &purge, None).await;
    assert_eq!(answer.status, 409, "{}", answer.text);
    gate.open();
    live.rest().await;
    assert_eq!(ann.send("DELETE", &purge, None).await.ok()["purged"], true);
    app.close().await;
}

#[tokio::test]
async fn a_log_that_is_being_shortened_does_not_outlive_its_conversation() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let conversation = format!("/api/conversations/{id}");
    ann.post(&format!("{conversation}/message"), json!({"content": "Where is the secret door?"})).await.ok();
    ann.send("DELETE", &conversation, None).await.ok();
    let shortens = "UPDATE runs SET compacted = true; DELETE FROM run_events;
                    INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
                    SELECT id, 1, 1, user_id, 'Where is the secret door?' FROM runs";
    let holder = holding(&app, shortens).await;
    let purge = format!("{conversation}?purge=true");
    let (gone, ()) = tokio::join!(ann.send("DELETE", &purge, None), released(&app, holder, 1, "COMMIT"));
    assert_eq!(gone.ok()["purged"], true);
    assert_eq!(rows_of(&app, &id).await.1, 0);
    app.close().await;
}
