//! A hold keeps what is somebody's, whoever wants it deleted.

use serde_json::json;

use super::{act, count};
use crate::support::app::TestApp;
use crate::support::device::PUSH;

use llm_council::store::{Scope, conversations, purge_now};

#[tokio::test]
async fn nothing_under_a_hold_is_deleted_for_good_and_its_owner_is_told() {
    let app = TestApp::with(PUSH).await;
    let (ann, root) = (app.user("ann"), app.admin());
    ann.get("/api/user").await.ok();
    let id = ann.conversation().await;
    assert_eq!(ann.get("/api/me/data").await.ok()["held_since"], json!(null));

    let wrong = root.post("/api/admin/holds", json!({"user": "an", "reason": " "})).await;
    assert_eq!(wrong.wrong_fields(), ["user", "reason"]);
    let hold = json!({"user": "Ann", "reason": "Case 12"});
    assert_eq!(ann.post("/api/admin/holds", hold.clone()).await.status, 403);
    assert_eq!(root.post("/api/admin/holds", hold.clone()).await.ok()["user"], "ann");
    assert_eq!(root.post("/api/admin/holds", hold).await.status, 409, "there is one");
    assert_eq!(root.get("/api/admin/holds").await.ok()["holds"][0]["reason"], "Case 12");

    let told = ann.get("/api/me/data").await;
    assert!(told.ok()["held_since"].is_string() && !told.text.contains("Case 12"), "{}", told.text);
    let refused = ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await;
    assert_eq!((refused.status, &refused.json()["type"]), (409, &json!("urn:llm-council:problem:held")));
    let conversation = format!("/api/conversations/{id}");
    ann.send("DELETE", &conversation, None).await.ok();
    assert_eq!(ann.send("DELETE", &format!("{conversation}?purge=true"), None).await.status, 409);
    // Long ago, and so it would be purged.
    act(&app, "UPDATE conversations SET deleted_at = now() - interval '1 year', updated_at = now() - interval '9 years'").await;
    act(&app, "INSERT INTO retention (days, since) VALUES (30, now() - interval '1 year')").await;
    purge_now(&app.app.db, id.parse().unwrap()).await.unwrap();
    let mut engine = app.app.db.begin(&Scope::Engine).await.unwrap();
    assert_eq!(conversations::purge_deleted(&mut engine, 10).await.unwrap(), 0);
    assert_eq!(conversations::purge_expired(&mut engine, 10).await.unwrap(), 0);
    engine.commit().await.unwrap();
    assert_eq!(count(&app, "SELECT count(*) FROM conversations").await, 1);

    assert_eq!(root.send("DELETE", "/api/admin/holds?user=ann", None).await.ok()["user"], "ann");
    assert_eq!(root.send("DELETE", "/api/admin/holds?user=ann", None).await.status, 404);
    assert_eq!(ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await.ok()["erased"], true);
    let log = root.get("/api/admin/audit").await.ok();
    let actions: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert!(actions.contains(&"hold.place") && actions.contains(&"hold.lift"), "{actions:?}");
    app.close().await;
}

#[tokio::test]
async fn no_hold_comes_over_an_erasure_that_has_begun() {
    let app = TestApp::with(PUSH).await;
    app.user("ann").get("/api/user").await.ok();
    act(&app, "INSERT INTO erasures (user_id) VALUES ('ann')").await;
    let answer = app.admin().post("/api/admin/holds", json!({"user": "ann", "reason": "Too late"})).await;
    assert_eq!(answer.status, 409, "{}", answer.text);
    assert_eq!(count(&app, "SELECT count(*) FROM legal_holds").await, 0);
    app.close().await;
}
