//! Who is let in, and in which shape the others are refused.

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, asks, program, program_of, refused, runs, stream, wants};
use crate::support::app::TestApp;

#[tokio::test]
async fn nobody_without_an_identity_is_let_in_and_everybody_is_told_so_in_json() {
    let app = TestApp::start().await;
    let wrong = format!("Bearer lc_{}", "0".repeat(64));
    for user in [
        app.user("").without_identity(),
        app.user("").without_identity().with("authorization", "Bearer sk-of-somebody-else"),
        app.user("ann").with("authorization", &wrong),
        app.stranger(),
    ] {
        for (method, path) in [
            ("GET", "/v1/models"),
            ("GET", "/v1/models/council"),
            ("POST", CHAT),
            ("POST", RESPONSES),
            ("GET", "/v1/responses/resp_1"),
            ("GET", "/v1/nowhere"),
        ] {
            let answer = user.send(method, path, Some(&asks("Why?"))).await;
            assert_eq!(refused(&answer), (401, "invalid_api_key".into(), Value::Null), "{method} {path}");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
    assert_eq!(runs(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn a_token_does_what_it_may_and_old_tokens_go_on_working() {
    let app = TestApp::start().await;
    let reader = program_of(&app, "ann", &["read"]).await;
    reader.get("/v1/models").await.ok();
    for path in [CHAT, RESPONSES] {
        let answer = reader.post(path, asks("Why?")).await;
        assert_eq!(refused(&answer), (403, "insufficient_permissions".into(), Value::Null));
    }
    let asker = program_of(&app, "ann", &["ask"]).await;
    asker.get("/v1/models").await.ok();
    let response = asker.post(RESPONSES, wants("Why?", &json!({}))).await.ok();
    let path = format!("{RESPONSES}/{}", response["id"].as_str().unwrap());
    assert_eq!(asker.get(&path).await.ok()["status"], "completed", "what it has asked, it may read");
    app.close().await;
}

#[tokio::test]
async fn a_browsers_session_counts_for_our_own_pages_alone() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.get("/v1/models").await.ok();
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
    ] {
        let elsewhere = ann.clone().with(name, value);
        assert_eq!(refused(&elsewhere.get("/v1/models").await).0, 403, "{value}");
        assert_eq!(refused(&elsewhere.post(CHAT, asks("Why?")).await).0, 403, "{value}");
    }
    let page =
        program(&app).await.with("origin", "https://tools.example").with("sec-fetch-site", "cross-site");
    page.get("/v1/models").await.ok();
    app.close().await;
}

#[tokio::test]
async fn peers_outside_of_the_proxies_are_let_in_with_a_token_where_the_configuration_says_so() {
    for (opened, expected) in [("", 401), ("/mcp", 401), ("/v1", 200)] {
        // A key that is written again in another table is the same key.
        let app = TestApp::with_token_routes(opened).await;
        let made = app.user("ann").post("/api/tokens", json!({"name": "tool"})).await.ok();
        let token = format!("Bearer {}", made["token"].as_str().unwrap());
        let tool = app.stranger().with("authorization", &token);
        for path in ["/v1/models", "/v1/models/council"] {
            assert_eq!(tool.get(path).await.status, expected, "{opened} {path}");
        }
        assert_eq!(tool.post(CHAT, asks("Why?")).await.status, expected, "{opened}");
        assert_eq!(app.stranger().get("/v1/models").await.status, 401, "{opened}: a name counts for nothing");
        let notices = &app.app.config.notices;
        assert_eq!(notices.iter().any(|notice| notice.contains("token_routes")), !opened.is_empty());
        app.close().await;
    }
}

#[tokio::test]
async fn another_users_response_is_not_there() {
    let app = TestApp::start().await;
    let ann = program(&app).await;
    let bob = program_of(&app, "bob", &["read", "ask"]).await;
    let response = ann.post(RESPONSES, wants("Why?", &json!({}))).await.ok();
    let id = response["id"].as_str().unwrap();
    for missing in [id, "resp_00000000000000000000000000000000", "resp_1", "x"] {
        let path = format!("{RESPONSES}/{missing}");
        assert_eq!(refused(&bob.get(&path).await), (404, "not_found".into(), Value::Null));
        assert_eq!(refused(&bob.get(&format!("{path}?stream=true")).await).0, 404);
        assert_eq!(refused(&bob.post(&format!("{path}/cancel"), json!({})).await).0, 404);
        let body = wants("And?", &json!({"previous_response_id": missing}));
        let (status, _, param) = refused(&bob.post(RESPONSES, body).await);
        assert_eq!((status, param), (400, json!("previous_response_id")));
    }
    // The same words of two people are two questions.
    let before = runs(&app).await;
    ann.post(CHAT, asks("Who am I?")).await.ok();
    let theirs = bob.post(CHAT, asks("Who am I?")).await;
    theirs.ok();
    assert_eq!((runs(&app).await - before, theirs.header("x-run-joined")), (2, ""));
    app.close().await;
}

#[tokio::test]
async fn one_local_user_needs_no_token_whatever_key_a_client_library_sends() {
    let app = TestApp::local().await;
    let user = app.user("").without_identity().with("authorization", "Bearer sk-anything");
    user.get("/v1/models").await.ok();
    user.post(CHAT, asks("Why?")).await.ok();
    app.close().await;
}

#[tokio::test]
async fn what_is_not_there_is_told_in_the_same_shape() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    for (method, path, status, code) in [
        ("GET", "/v1/nowhere", 404, "unknown_url"),
        ("GET", CHAT, 405, "method_not_allowed"),
        ("POST", "/v1/embeddings", 404, "unknown_url"),
        ("DELETE", "/v1/models", 405, "method_not_allowed"),
    ] {
        assert_eq!(refused(&tool.send(method, path, None).await), (status, code.into(), Value::Null));
    }
    let sent = stream(&tool, CHAT, &super::asks_with("Why?", &json!({"stream": true}))).await.rest().await;
    assert_eq!(sent.last().unwrap().data, "[DONE]");
    app.close().await;
}
