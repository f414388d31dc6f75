//! Personal access tokens: for programs that come past the proxy.

use serde_json::{Value, json};
use sqlx::Row as _;

use crate::support::app::{TestApp, User};

async fn token(user: &User<'_>, body: Value) -> Value {
    user.post("/api/tokens", body).await.ok()
}

/// Whoever holds a token, at an address that is no proxy's, claiming to be somebody else.
fn holder<'a>(app: &'a TestApp, token: &Value) -> User<'a> {
    app.stranger().with("authorization", &format!("Bearer {}", token["token"].as_str().unwrap()))
}

async fn sql(app: &TestApp, sql: &'static str) {
    let done = sqlx::query(sql).execute(&mut app.db.superuser().await).await.unwrap();
    assert_eq!(done.rows_affected(), 1);
}

#[tokio::test]
async fn a_token_is_shown_once_and_kept_as_a_hash_only() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = token(&ann, json!({"name": " my tool "})).await;
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("lc_"));
    assert_eq!(made["name"], "my tool");
    assert_eq!(made["permissions"], json!(["read", "ask"]));
    assert!(made["expires_at"].is_string(), "every token ends by itself");

    let list = ann.get("/api/tokens").await;
    assert_eq!(list.ok()[0]["id"], made["id"]);
    assert!(!list.text.contains(secret));
    assert!(!ann.get("/api/user").await.text.contains(secret));
    let everything: Vec<String> = sqlx::query(
        "SELECT tokens::text AS row FROM tokens UNION ALL SELECT audit_log::text FROM audit_log \
         UNION ALL SELECT users::text FROM users",
    )
    .fetch_all(&mut app.db.superuser().await)
    .await
    .unwrap()
    .iter()
    .map(|row| row.get("row"))
    .collect();
    assert!(everything.iter().any(|row| row.contains("my tool")));
    assert!(everything.iter().all(|row| !row.contains(secret.trim_start_matches("lc_"))), "{everything:?}");
    assert!(app.user("bob").get("/api/tokens").await.ok().as_array().unwrap().is_empty());
    app.close().await;
}

#[tokio::test]
async fn a_permission_that_is_named_again_and_again_is_kept_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    // It would be read with every request.
    let made =
        token(&ann, json!({"name": "tool", "permissions": vec![["ask", "read"]; 10_000].concat()})).await;
    assert_eq!(made["permissions"], json!(["ask", "read"]));
    assert_eq!(ann.get("/api/tokens").await.ok()[0]["permissions"], json!(["ask", "read"]));
    app.close().await;
}

#[tokio::test]
async fn a_token_speaks_for_its_owner_where_no_proxy_does() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = token(&ann, json!({"name": "tool"})).await;
    assert_eq!(app.stranger().get("/api/user").await.status, 401, "the headers alone say nothing there");
    let tool = holder(&app, &made);
    let me = tool.get("/api/user").await.ok();
    assert_eq!((&me["id"], &me["is_admin"]), (&json!("ann"), &json!(false)));

    let id = tool.conversation().await;
    let events = tool.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1]["status"], "complete");
    assert!(ann.get("/api/tokens").await.ok()[0]["last_used_at"].is_string());
    // No browser sends it by itself, so no other site can make one send it.
    let page = tool.with("origin", "https://evil.example").with("sec-fetch-site", "cross-site");
    assert_eq!(page.post("/api/conversations", json!({})).await.status, 200);
    app.close().await;
}

#[tokio::test]
async fn a_visit_with_a_token_leaves_its_owner_the_name_that_the_proxy_gave() {
    let app = TestApp::start().await;
    let ann = app.user("ann").with("remote-name", "Ann Example").with("remote-email", "ann@example.org");
    ann.get("/api/user").await.ok();
    let tool = holder(&app, &token(&ann, json!({"name": "tool"})).await);
    tool.get("/api/user").await.ok();
    let found = app.admin().get("/api/admin/users?search=ann").await.ok();
    let known = &found["users"][0];
    assert_eq!((&known["name"], &known["email"]), (&json!("Ann Example"), &json!("ann@example.org")));
    app.close().await;
}

#[tokio::test]
async fn a_token_for_reading_asks_nothing_and_stops_nothing() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let reader = holder(&app, &token(&ann, json!({"name": "reader", "permissions": ["read"]})).await);
    assert_eq!(reader.get(&format!("/api/conversations/{id}")).await.status, 200);
    for path in ["message", "message/stream", "message/cancel"] {
        let path = format!("/api/conversations/{id}/{path}");
        assert_eq!(reader.post(&path, json!({"content": "Why?"})).await.status, 403, "{path}");
    }
    assert_eq!(app.models.records().len(), 0);
    app.close().await;
}

#[tokio::test]
async fn no_token_makes_lists_or_revokes_tokens() {
    let app = TestApp::start().await;
    let made = token(&app.user("ann"), json!({"name": "tool"})).await;
    let tool = holder(&app, &made);
    assert_eq!(tool.get("/api/tokens").await.status, 403);
    assert_eq!(tool.post("/api/tokens", json!({"name": "another"})).await.status, 403);
    let path = format!("/api/tokens/{}", made["id"].as_str().unwrap());
    assert_eq!(tool.send("DELETE", &path, None).await.status, 403);
    assert_eq!(tool.get("/api/user").await.status, 200, "it still stands");
    app.close().await;
}

#[tokio::test]
async fn a_token_of_an_administrator_is_none() {
    let app = TestApp::start().await;
    let tool = holder(&app, &token(&app.admin(), json!({"name": "tool"})).await);
    assert_eq!(tool.get("/api/user").await.ok()["is_admin"], false);
    let claiming = tool.with("remote-groups", "admins");
    assert_eq!(claiming.get("/api/admin/usage").await.status, 403);
    app.close().await;
}

#[tokio::test]
async fn expired_revoked_and_made_up_tokens_are_refused_alike() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let revoked = token(&ann, json!({"name": "revoked"})).await;
    let path = format!("/api/tokens/{}", revoked["id"].as_str().unwrap());
    assert_eq!(app.user("bob").send("DELETE", &path, None).await.status, 404, "not theirs to revoke");
    assert_eq!(holder(&app, &revoked).get("/api/user").await.status, 200);
    ann.send("DELETE", &path, None).await.ok();
    let expired = token(&ann, json!({"name": "expired", "expires_in_days": 1})).await;
    sql(&app, "UPDATE tokens SET expires_at = now() - interval '1 second' WHERE name = 'expired'").await;
    let made_up = json!({"token": format!("lc_{}", "0".repeat(64))});
    let short = json!({"token": "lc_00"});
    let mut answers = Vec::new();
    for token in [&revoked, &expired, &made_up, &short] {
        // The trusted proxy's word does not help a bad token: it was meant to count.
        let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
        let through_the_proxy = app.user("ann").with("authorization", &bearer);
        for user in [holder(&app, token), through_the_proxy] {
            let answer = user.get("/api/conversations").await;
            assert_eq!(answer.status, 401);
            assert!(!answer.text.contains(token["token"].as_str().unwrap()));
            answers.push(answer.text);
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "nobody learns which: {answers:?}");
    let listed = ann.get("/api/tokens").await.ok();
    assert!(listed.as_array().unwrap().iter().any(|token| token["revoked_at"].is_string()));
    app.close().await;
}

#[tokio::test]
async fn making_and_revoking_a_token_is_in_the_audit_log() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = token(&ann, json!({"name": "a telling name"})).await;
    ann.send("DELETE", &format!("/api/tokens/{}", made["id"].as_str().unwrap()), None).await.ok();
    let log = app.admin().get("/api/admin/audit").await;
    let entries = log.ok()["entries"].as_array().unwrap().clone();
    let of_ann: Vec<(&str, &Value)> = entries
        .iter()
        .filter(|entry| entry["user"] == "ann")
        .map(|entry| (entry["action"].as_str().unwrap(), &entry["target"]))
        .collect();
    assert_eq!(of_ann, [("token.revoke", &made["id"]), ("token.create", &made["id"])]);
    assert!(!log.text.contains(made["token"].as_str().unwrap()));
    app.close().await;
}
