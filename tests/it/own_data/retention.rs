//! How long conversations are kept in which nothing happens.

use serde_json::json;

use super::{act, count};
use crate::support::app::TestApp;

use llm_council::store::expire;

#[tokio::test]
async fn what_nobody_touches_is_deleted_after_its_time_and_says_so_a_week_before() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let (old, fresh) = (ann.conversation().await, ann.conversation().await);
    let aged = |days: u32| {
        format!("UPDATE conversations SET updated_at = now() - interval '{days} days' WHERE id = '{old}'")
    };
    act(&app, &aged(400)).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0, "off by default");
    let shown = ann.get(&format!("/api/conversations/{old}")).await.ok();
    assert!(shown.get("expires_at").is_none(), "{shown}");
    assert_eq!(ann.get("/api/me/data").await.ok()["retention_days"], json!(null));

    assert_eq!(root.put("/api/admin/retention", json!({"days": -1})).await.wrong_fields(), ["days"]);
    assert_eq!(root.put("/api/admin/retention", json!({})).await.wrong_fields(), ["days"]);
    assert_eq!(ann.put("/api/admin/retention", json!({"days": 1})).await.status, 403);
    assert_eq!(root.put("/api/admin/retention", json!({"days": 30})).await.ok()["days"], 30);
    assert_eq!(ann.get("/api/me/data").await.ok()["retention_days"], 30);
    // A new rule deletes nothing in its first week, and says what it will delete.
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    let shown = ann.get(&format!("/api/conversations/{old}")).await.ok();
    assert!(shown["expires_at"].is_string(), "{shown}");
    act(&app, "UPDATE retention SET since = now() - interval '8 days'").await;
    act(&app, &aged(22)).await;
    assert!(ann.get(&format!("/api/conversations/{old}")).await.ok().get("expires_at").is_none());
    act(&app, &aged(24)).await;
    assert!(ann.get(&format!("/api/conversations/{old}")).await.ok()["expires_at"].is_string());
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    act(&app, &aged(31)).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 1);
    assert_eq!(ann.get(&format!("/api/conversations/{old}")).await.status, 404);
    assert_eq!(ann.get(&format!("/api/conversations/{fresh}")).await.status, 200);
    assert_eq!(count(&app, "SELECT count(*) FROM conversations").await, 1);

    let back = root.put("/api/admin/retention", json!({"days": null})).await.ok();
    assert_eq!((&back["days"], &back["chosen_days"]), (&json!(0), &json!(null)));
    app.close().await;
}

#[tokio::test]
async fn the_configuration_says_it_where_nobody_has_chosen() {
    let app = TestApp::with("[retention]\ndays = 90\n").await;
    assert_eq!(app.admin().get("/api/admin/retention").await.ok()["configured_days"], 90);
    expire(&app.app.db, 90).await.unwrap();
    assert_eq!(app.user("ann").get("/api/me/data").await.ok()["retention_days"], 90);
    app.admin().put("/api/admin/retention", json!({"days": 0})).await.ok();
    expire(&app.app.db, 90).await.unwrap();
    assert_eq!(app.user("ann").get("/api/me/data").await.ok()["retention_days"], json!(null));
    app.close().await;
}
