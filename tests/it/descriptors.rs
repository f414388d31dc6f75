//! A process may open only so many files and connections.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::Program;

#[tokio::test]
async fn too_few_descriptors_are_an_error_that_says_how_many_are_needed() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    for hard in [12, 64, 243] {
        let ended = Program::council(&db, &models).limited(12, hard).run(&["serve"]).await;
        assert_eq!(ended.code, Some(1), "{hard}: {}", ended.stderr);
        let expected =
            format!("may open {hard} files and connections at most, and needs 244: raise its limit");
        assert!(ended.stderr.contains(&expected), "{hard}: {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    }
}

#[tokio::test]
async fn the_soft_limit_is_raised_and_questions_are_refused_before_descriptors_end() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    let server = Program::council(&db, &models).limited(20, 300).serve().await;
    assert!(server.log_lines().iter().any(|line| line["descriptors"] == 300), "{}", server.log());
    let ann = server.user("ann");
    let (mut streams, mut refused) = (Vec::new(), None);
    while refused.is_none() {
        assert!(streams.len() < 100, "nothing is refused");
        let id = ann.conversation().await;
        let path = format!("/api/conversations/{id}/message/stream");
        let asked = ann.request("POST", &path).header("content-type", "application/json");
        let response = asked.body(json!({"content": "Why?"}).to_string()).send().await.unwrap();
        if response.status() == 200 {
            streams.push(response);
        } else {
            refused = Some(response);
        }
    }
    let refused = refused.unwrap();
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    let problem: serde_json::Value = serde_json::from_str(&refused.text().await.unwrap()).unwrap();
    assert_eq!(problem["type"], "urn:llm-council:problem:full", "{problem}");
    assert!(!streams.is_empty());
    // What was taken on is finished, and then there is room again.
    gate.open();
    for text in join_all(streams.into_iter().map(reqwest::Response::text)).await {
        let text = text.unwrap();
        assert!(text.contains("\"type\":\"complete\""), "{text}");
        assert!(!text.contains("\"error\":"), "no member failed: {text}");
    }
    assert!(!server.log().contains("Too many open files"), "{}", server.log());
}
