//! How requests are read: what a body must say it is, how an id is spelled, which methods a path knows, and
//! what of it the OpenAPI document says.

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp, User, read};

const PROBLEM: &str = "application/problem+json";

/// Sends a body as it stands, with these header lines.
async fn send(user: &User<'_>, method: &str, path: &str, types: &[&str], body: &str) -> Answer {
    let request = user.request(method, path).body(body.to_owned());
    read(types.iter().fold(request, |request, value| request.header("content-type", *value))).await
}

#[tokio::test]
async fn a_body_must_say_that_it_is_json() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let body = json!({"content": "Why?"}).to_string();
    for types in [
        &[][..],
        &["text/plain"],
        &["text/plain;charset=UTF-8"],
        &["application/x-www-form-urlencoded"],
        &["multipart/form-data; boundary=x"],
        &["application/jsonp"],
        &["text/json"],
        &["application/x+jsonl"],
        &["+json"],
        &[""],
        &["text/plain; application/json"],
        &["application/json, text/plain"],
        &["application/json", "application/json"],
        &["application/json", "text/plain"],
    ] {
        let answer = send(&ann, "POST", &path, types, &body).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (415, PROBLEM),
            "{types:?}: {}",
            answer.text
        );
        assert!(answer.text.contains("Content-Type: application/json"), "{}", answer.text);
    }
    assert_eq!(app.models.records().len(), 0, "nothing was paid");
    for types in [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/json ;x=y",
        "application/merge-patch+json",
    ] {
        let answer = send(&ann, "POST", "/api/conversations", &[types], "{}").await;
        assert_eq!(answer.status, 200, "{types}: {}", answer.text);
    }
    // Where there is no body there is no type.
    assert_eq!(send(&ann, "POST", "/api/config/reset", &[], "").await.status, 200);
    assert_eq!(send(&ann, "POST", "/api/config/reset", &["text/plain"], "").await.status, 200);
    assert_eq!(send(&ann, "POST", "/api/conversations", &[], "").await.status, 422);
    assert_eq!(send(&ann, "POST", "/api/routing/classify?query=Why", &[], "").await.status, 200);
    app.close().await;
}

#[tokio::test]
async fn an_id_has_one_spelling() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let run = run["run_id"].as_str().unwrap().to_owned();
    let spellings = |id: &str| {
        [
            id.to_uppercase(),
            id.replace('-', ""),
            format!("%7B{id}%7D"),
            format!("urn:uuid:{id}"),
            format!("{id}%20"),
            format!("%20{id}"),
        ]
    };
    for (there, other) in [(id.as_str(), "/api/conversations/"), (run.as_str(), "/api/runs/")] {
        assert_eq!(ann.get(&format!("{other}{there}")).await.status, 200);
        for spelling in spellings(there) {
            assert_eq!(ann.get(&format!("{other}{spelling}")).await.status, 404, "{spelling}");
        }
    }
    let preset = ann.post("/api/settings/presets", json!({"name": "Mine"})).await.ok();
    let preset = preset["preset"]["id"].as_str().unwrap().to_uppercase();
    let answer = ann.post("/api/estimate", json!({"content": "Why?", "preset_id": preset})).await;
    assert_eq!(answer.wrong_fields(), ["preset_id"]);
    app.close().await;
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap();
            methods
                .iter()
                .map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation.clone()))
        })
        .collect()
}

/// A path of the document, with ids that are not there.
fn nowhere(path: &str) -> String {
    path.replace("{id}", "0198c0de-0000-7000-8000-000000000000").replace("{model}", "no/such-model")
}

#[tokio::test]
async fn a_path_names_its_methods_to_whoever_uses_another() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let document = ann.get("/openapi.json").await.ok();
    let operations = operations(&document);
    let mut tried = 0;
    for path in document["paths"].as_object().unwrap().keys() {
        let known: Vec<_> =
            operations.iter().filter(|(_, at, _)| at == path).map(|(method, ..)| method).collect();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if known.iter().any(|known| *known == method) {
                continue;
            }
            let answer = ann.send(method, &nowhere(path), None).await;
            // The routes for other programs answer in their own shape.
            let is_theirs = path.starts_with("/v1/");
            let is_api = path.starts_with("/api/") || is_theirs;
            let expected = if is_api || method != "GET" { 405 } else { answer.status };
            assert_eq!(answer.status, expected, "{method} {path}: {}", answer.text);
            assert_eq!(answer.header("content-type"), if is_theirs { "application/json" } else { PROBLEM });
            if is_api {
                let mut allowed: Vec<_> = answer.header("allow").split(", ").collect();
                let mut known: Vec<_> = known.iter().map(|method| method.as_str()).collect();
                allowed.sort_unstable();
                known.sort_unstable();
                assert_eq!(allowed, known, "{path}");
            }
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried}");
    assert_eq!(ann.post("/api/nowhere", json!({})).await.status, 404);
    assert_eq!(ann.send("DELETE", "/c/some-page", None).await.header("allow"), "GET, HEAD");
    // Who may not ask is told nothing about methods.
    assert_eq!(app.stranger().send("PUT", "/api/conversations", None).await.status, 401);
    app.close().await;
}

#[tokio::test]
async fn a_preflight_is_answered_as_before() {
    let app = TestApp::local().await;
    let page = app.user("ann").with("origin", "http://localhost:5173");
    let preflight = page.with("access-control-request-method", "PUT");
    let answer = preflight.send("OPTIONS", "/api/config", None).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), "http://localhost:5173");
    app.close().await;
}

/// Asks every operation in every way that any of them refuses, and looks the answer up.
#[tokio::test]
async fn every_answer_of_every_route_is_in_the_document() {
    let app = TestApp::with(
        "\n[server]\nallowed_hosts = [\"127.0.0.1\", \"council.test\"]\nbody_limit_bytes = 1024\n",
    )
    .await;
    let ann = app.user("ann");
    let document = ann.get("/openapi.json").await.ok();
    let mut seen = std::collections::BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        if !path.starts_with("/api/") {
            continue;
        }
        let to = nowhere(&path);
        let junk = path.replace("{id}", "no-id").replace("{model}", "no/such-model");
        let large = json!({"content": "x".repeat(2000)});
        let mut answers = vec![
            ("nobody", ann.clone().without_identity().send(&method, &to, None).await),
            ("two identities", ann.clone().with("remote-user", "bob").send(&method, &to, None).await),
            (
                "two origins",
                ann.clone().with("origin", "null").with("origin", "null").send(&method, &to, None).await,
            ),
            (
                "a strange page",
                ann.clone().with("sec-fetch-site", "cross-site").send(&method, &to, None).await,
            ),
            ("another host", ann.clone().with("host", "evil.example").send(&method, &to, None).await),
            ("no body", ann.send(&method, &to, None).await),
            ("an empty body", ann.send(&method, &to, Some(&json!({}))).await),
            ("a list", ann.send(&method, &to, Some(&json!([1]))).await),
            ("a large body", ann.send(&method, &to, Some(&large)).await),
            ("text", send(&ann, &method, &to, &["text/plain"], "{}").await),
            ("junk for an id", ann.send(&method, &junk, Some(&json!({}))).await),
            (
                "junk in the query",
                ann.send(&method, &format!("{to}?limit=x&format=x&query=&days=x"), None).await,
            ),
        ];
        // Where a form goes is looked at before what it is: nothing of it is read for a place that is not there.
        if operation["requestBody"]["content"]["application/json"].is_object() {
            let status = |what: &str| answers.iter().find(|(case, _)| *case == what).unwrap().1.status;
            if !path.contains("/admin/") {
                assert_eq!(status("text"), 415, "{method} {path}");
            }
        }
        answers.push(("an admin", app.admin().send(&method, &to, Some(&json!({}))).await));
        for (what, answer) in answers {
            let documented = &operation["responses"][answer.status.to_string()];
            assert!(
                documented.is_object(),
                "{method} {path} ({what}): {} is not said: {}",
                answer.status,
                answer.text
            );
            if answer.status >= 400 {
                assert!(documented["content"][PROBLEM].is_object(), "{method} {path} {}", answer.status);
                assert_eq!(answer.header("content-type"), PROBLEM, "{method} {path} ({what})");
                assert_eq!(answer.json()["status"], answer.status, "{method} {path} ({what})");
            }
            seen.insert(answer.status);
        }
    }
    for status in [200, 400, 401, 403, 404, 413, 415, 421, 422] {
        assert!(seen.contains(&status), "{status} was not seen: {seen:?}");
    }
    app.close().await;
}
