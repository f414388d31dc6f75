//! Making, changing and removing webhooks.

use serde_json::{Value, json};

use super::{ALLOWED, Bed, is_signed};
use crate::support::app::TestApp;

#[tokio::test]
async fn everything_that_is_wrong_with_a_webhook_is_named() {
    let app = TestApp::with(ALLOWED).await;
    let ann = app.user("ann");
    let wrong = async |body: Value| ann.post("/api/webhooks", body).await.wrong_fields();
    assert_eq!(wrong(json!({})).await, ["url"]);
    let all = json!({
        "url": "ftp://hooks.example.com", "events": ["run.completed", "run.exploded"], "include_content": "yes",
        "enabled": 1, "instance": "no",
    });
    assert_eq!(wrong(all).await, ["url", "events.1", "include_content", "enabled", "instance"]);
    let nothing = json!({"url": "https://hooks.example.com", "events": []});
    assert_eq!(wrong(nothing).await, ["events"]);
    for url in [
        "https://me:secret@hooks.example.com/",
        "https://hooks.example.com/#x",
        "http://1.1.1.1/",
        "x",
        "https://\u{0}/",
    ] {
        assert_eq!(wrong(json!({"url": url})).await, ["url"], "{url}");
    }
    assert!(app.user("ann").get("/api/webhooks").await.ok()["webhooks"].as_array().unwrap().is_empty());
    app.close().await;
}

#[tokio::test]
async fn the_instances_webhooks_are_for_administrators_and_never_told_content() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let body = json!({"url": "https://hooks.example.com/all", "instance": true});
    assert_eq!(ann.post("/api/webhooks", body.clone()).await.status, 403);
    let made = root.post("/api/webhooks", body).await.ok();
    assert_eq!(made["instance"], true);
    let path = format!("/api/webhooks/{}", made["id"].as_str().unwrap());
    for change in [json!({"include_content": true}), json!({"instance": false})] {
        assert_eq!(root.send("PATCH", &path, Some(&change)).await.wrong_fields().len(), 1, "{change}");
    }
    let changed = root.send("PATCH", &path, Some(&json!({"events": ["run.failed"]}))).await.ok();
    assert_eq!(changed["events"], json!(["run.failed"]));
    assert_eq!(changed["url"], "https://hooks.example.com/all", "what is left out stays");
    assert_eq!(ann.send("PATCH", &path, Some(&json!({"enabled": false}))).await.status, 404);
    assert!(ann.get("/api/webhooks").await.ok()["webhooks"].as_array().unwrap().is_empty());
    let other = app.user("eve").with("remote-groups", "admins");
    assert_eq!(
        other.get("/api/webhooks").await.ok()["webhooks"][0]["id"],
        made["id"],
        "of all administrators"
    );
    assert_eq!(other.send("DELETE", &path, None).await.status, 200);
    assert_eq!(root.send("DELETE", &path, None).await.status, 404);

    let log = root.get("/api/admin/audit").await.ok();
    let acts: Vec<&str> =
        log["entries"].as_array().unwrap().iter().filter_map(|entry| entry["action"].as_str()).collect();
    for act in ["webhook.create", "webhook.change", "webhook.remove"] {
        assert!(acts.contains(&act), "{act}: {acts:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_secret_is_shown_once_and_can_be_replaced() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let webhook = bed.webhook(&ann, json!({})).await;
    let first = webhook["secret"].as_str().unwrap().to_owned();
    assert!(first.starts_with("whsec_"));
    let id = webhook["id"].as_str().unwrap();
    let replaced = ann.post(&format!("/api/webhooks/{id}/secret"), json!({})).await.ok();
    assert_ne!(replaced["secret"], webhook["secret"]);
    assert!(!ann.get("/api/webhooks").await.text.contains("whsec_"));
    ann.post(&format!("/api/webhooks/{id}/test"), json!({})).await.ok();
    let told = bed.received(1).await;
    assert!(is_signed(&told[0], &replaced["secret"]) && !is_signed(&told[0], &webhook["secret"]));
    bed.app.close().await;
}

#[tokio::test]
async fn there_are_as_many_as_the_operator_allows() {
    let app = TestApp::with("[webhooks]\nmax_per_user = 2\n").await;
    let ann = app.user("ann");
    let body = json!({"url": "https://hooks.example.com/"});
    let both = tokio::join!(
        ann.post("/api/webhooks", body.clone()),
        ann.post("/api/webhooks", body.clone()),
        ann.post("/api/webhooks", body.clone())
    );
    let mut statuses = [both.0.status, both.1.status, both.2.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 422]);
    app.user("bob").post("/api/webhooks", body.clone()).await.ok();
    app.close().await;

    let app = TestApp::with("[webhooks]\nmax_per_user = 0\n").await;
    let refused = app.user("ann").post("/api/webhooks", body).await;
    assert_eq!(refused.wrong_fields(), ["url"]);
    assert!(refused.text.contains("switched off on this server"), "{}", refused.text);
    app.close().await;
}
