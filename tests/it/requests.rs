//! How requests are read: what a body must say it is, how an id is spelled, which methods a path knows, and
//! what of it the OpenAPI document says.

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp, User, read};
use crate::support::model_server::{Gate, Script};
use crate::support::wire::Wire;

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
async fn json_that_cannot_be_taken_is_told_what_is_wrong_with_it() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let deep = format!("{{\"title\": {}{}}}", "[".repeat(200), "]".repeat(200));
    for (body, what) in [
        (&*deep, "is nested too deeply (line 1"),
        ("{\"title\": 1e400}", "has a number that is too large (line 1"),
        (r#"{"title": "\ud83e"}"#, r"has half a surrogate pair, like \ud800 (line 1"),
        (r#"{"title": "\ud83e\n"}"#, r"has half a surrogate pair, like \ud800 (line 1"),
        (r#"{"title": "\udd80"}"#, r"has half a surrogate pair, like \ud800 (line 1"),
        ("{\"title\":\n", "is not JSON (line 2"),
    ] {
        let answer = send(&ann, "POST", "/api/conversations", &["application/json"], body).await;
        assert_eq!(answer.wrong_fields(), ["body"], "{body}");
        let message = answer.json()["errors"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(what), "{body}: {message}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_compressed_body_is_refused_as_such() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    for (path, kind) in [
        ("/api/conversations", "application/json"),
        ("/api/attachments", "multipart/form-data; boundary=x"),
        ("/v1/chat/completions", "application/json"),
        ("/mcp", "application/json"),
    ] {
        for coding in ["gzip", "br", "identity, deflate", "GZIP"] {
            let request = ann.request("POST", path).header("content-type", kind);
            let answer = read(request.header("content-encoding", coding).body("{}")).await;
            assert_eq!(answer.status, 415, "{path}: {}", answer.text);
            assert!(answer.text.contains("Content-Encoding"), "{path}: {}", answer.text);
        }
    }
    let request = ann.request("POST", "/api/conversations").header("content-type", "application/json");
    let answer = read(request.header("content-encoding", "gzip").body("{}")).await;
    assert_eq!((answer.header("accept-encoding"), answer.header("content-type")), ("identity", PROBLEM));
    let request = ann.request("POST", "/api/conversations").header("content-type", "application/json");
    assert_eq!(read(request.header("content-encoding", "Identity").body("{}")).await.status, 200);
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

/// Where HEAD does not stand for GET.
const STREAMED: [&str; 3] = ["/api/me/export", "/api/runs/{id}/events", "/v1/responses/{id}"];

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
                if known.contains(&"GET") && !STREAMED.contains(&path.as_str()) {
                    known.push("HEAD");
                }
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
async fn head_is_answered_as_get_is_without_the_body() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let conversation = format!("/api/conversations/{id}");
    let mut wire = Wire::open(&app).await;
    for path in [
        "/health/live",
        "/health/ready",
        "/openapi.json",
        "/api/user",
        "/api/conversations",
        &conversation,
        "/v1/models",
    ] {
        wire.request("HEAD", path, "ann", &[], "").await;
        let head = wire.head().await.expect("an answer");
        wire.request("GET", path, "ann", &[], "").await;
        // A body of the first answer would stand before this one.
        let get = wire.head().await.expect("an answer");
        wire.json(&get).await;
        assert_eq!((head.status, get.status), (200, 200), "{path}");
        for name in ["content-type", "content-length", "cache-control", "x-total-count"] {
            assert_eq!(head.header(name), get.header(name), "{path}");
        }
    }
    assert_eq!(ann.send("HEAD", "/", None).await.status, ann.get("/").await.status);
    assert_eq!(app.stranger().send("HEAD", &conversation, None).await.status, 401);
    assert_eq!(app.user("bob").send("HEAD", &conversation, None).await.status, 404);
    assert_eq!(ann.send("HEAD", "/api/nowhere", None).await.status, 404);
    let answer = ann.send("HEAD", &format!("{conversation}/message"), None).await;
    assert_eq!((answer.status, answer.header("allow")), (405, "POST"));
    app.close().await;
}

#[tokio::test]
async fn head_begins_no_stream_and_stops_no_run() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let response = format!("/v1/responses/resp_{}?stream=true", run.replace('-', ""));
    for (path, methods) in
        [(&*format!("/api/runs/{run}/events"), "GET"), ("/api/me/export", "GET"), (&response, "GET, DELETE")]
    {
        let answer = ann.send("HEAD", path, None).await;
        assert_eq!((answer.status, answer.header("allow")), (405, methods), "{path}");
    }
    assert_eq!(app.app.shutdown.streams(), 1, "the question's own");
    gate.open();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn who_speaks_http_1_0_gets_no_chunks_and_reads_until_the_end() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let events = format!("/api/runs/{}/events", run["run_id"].as_str().unwrap());
    for (path, connection, accept) in [
        (&*events, "close", "identity"),
        (&events, "keep-alive", "identity"),
        ("/api/me/export", "keep-alive", "identity"),
        ("/openapi.json", "keep-alive", "gzip"),
    ] {
        let mut wire = Wire::open(&app).await;
        let head = format!(
            "GET {path} HTTP/1.0\r\nhost: localhost\r\nremote-user: ann\r\nconnection: {connection}\r\naccept-encoding: \
             {accept}\r\n\r\n"
        );
        wire.send(head).await;
        let head = wire.head().await.expect("an answer");
        assert_eq!((head.status, head.header("transfer-encoding")), (200, None), "{path}");
        assert_eq!((head.header("content-length"), head.header("connection")), (None, None), "{path}");
        assert!(wire.rest().await > 100, "{path}");
    }
    // What has a length says so, and the connection is kept where it is asked for.
    let mut wire = Wire::open(&app).await;
    for _ in 0..2 {
        wire.send("GET /health/live HTTP/1.0\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n").await;
        let head = wire.head().await.expect("an answer");
        assert_eq!(wire.json(&head).await["status"], "ok");
    }
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
