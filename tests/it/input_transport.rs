//! Bad input below and beside JSON: bodies that come slowly, torn or framed wrongly, keys that come
//! again, and places to go on reading that do not exist.

use std::time::Duration;

use serde_json::json;

use crate::input::{census, is_told, refused};
use crate::support::app::{TestApp, read};
use crate::support::model_server::{Gate, Script};
use crate::support::wire::Wire;

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let app = TestApp::with("\n[server]\nbody_timeout_seconds = 1\n").await;
    let id = app.user("ann").conversation().await;
    let before = census(&app).await;
    for framing in ["content-length: 100", "transfer-encoding: chunked"] {
        let mut wire = Wire::open(&app).await;
        let path = format!("/api/conversations/{id}/message");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nremote-user: ann\r\ncontent-type: application/json\r\n{framing}\r\n\r\n"
        );
        wire.send(head).await;
        wire.send(if framing.starts_with("content") { "{\"content\":" } else { "b\r\n{\"content\":\r\n" })
            .await;
        if let Some(head) = wire.head().await {
            assert_eq!(head.status, 408, "{framing}");
            assert!(wire.json(&head).await["detail"].is_string());
        }
        // What comes too late is no request of its own.
        wire.send(" \"Why?\"}\r\n0\r\n\r\n").await;
        wire.hang_up().await;
        wire.closed().await;
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn a_torn_or_wrongly_framed_request_does_nothing() {
    let app = TestApp::start().await;
    let id = app.user("ann").conversation().await;
    let before = census(&app).await;
    let post = |rest: &str| {
        let head = "host: x\r\nremote-user: ann\r\ncontent-type: application/json";
        format!("POST /api/conversations/{id}/message HTTP/1.1\r\n{head}\r\n{rest}")
    };
    let whole = "{\"content\":\"Why?\"}";
    for (what, request) in [
        ("less than said", post(&format!("content-length: 100\r\n\r\n{whole}"))),
        ("a chunk cut off", post(&format!("transfer-encoding: chunked\r\n\r\n30\r\n{whole}"))),
        ("no last chunk", post(&format!("transfer-encoding: chunked\r\n\r\n12\r\n{whole}\r\n"))),
        (
            "a chunk without a size",
            post(&format!("transfer-encoding: chunked\r\n\r\nzz\r\n{whole}\r\n0\r\n\r\n")),
        ),
        ("two lengths", post(&format!("content-length: 18\r\ncontent-length: 19\r\n\r\n{whole} "))),
        (
            "a length and chunks",
            post(&format!(
                "content-length: 18\r\ntransfer-encoding: chunked\r\n\r\n12\r\n{whole}\r\n0\r\n\r\n"
            )),
        ),
        ("a negative length", post(&format!("content-length: -1\r\n\r\n{whole}"))),
        ("no body at all", post("\r\n")),
        ("a header that is folded", post(&format!("x: a\r\n b\r\ncontent-length: 18\r\n\r\n{whole}"))),
        ("no HTTP", "hello\r\n\r\n".to_owned()),
        ("a head without an end", post("x: y")),
    ] {
        let mut wire = Wire::open(&app).await;
        wire.send(request).await;
        wire.hang_up().await;
        if let Some(head) = wire.head().await {
            assert!((400..500).contains(&head.status), "{what}: {}", head.status);
        }
        wire.closed().await;
    }
    assert_eq!(census(&app).await, before);
    // The same, whole.
    let mut wire = Wire::open(&app).await;
    wire.send(post(&format!("content-length: 18\r\n\r\n{whole}"))).await;
    assert_eq!(wire.head().await.unwrap().status, 200);
    app.close().await;
}

#[tokio::test]
async fn a_key_that_is_none_is_refused() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let before = census(&app).await;
    let keyed = |key: &str| ann.clone().with("idempotency-key", key);
    for user in [
        keyed(""),
        keyed("two words"),
        keyed("ümlaut"),
        keyed(&"k".repeat(201)),
        keyed("a").with("idempotency-key", "b"),
    ] {
        let answer = user.post(&path, json!({"content": "Why?"})).await;
        assert_eq!(answer.wrong_fields(), ["Idempotency-Key"]);
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn a_key_stands_for_one_request_and_is_refused_with_any_other() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    let ann = app.user("ann").with("idempotency-key", "k-1");
    let (id, elsewhere) = (ann.conversation().await, ann.conversation().await);
    let question = json!({"content": "Why?", "use_cot": false});
    let mut stream = ann.ask(&id, question.clone()).await;
    let started = stream.until("run_started").await;
    stream.until("stage1_start").await;
    app.models.until(|records| records.len() == 5).await;

    // While it is under way: not busy, but the same; from the first event on.
    let before = census(&app).await;
    let mut again = ann.ask(&id, question).await;
    assert_eq!(again.next().await.unwrap(), started);
    assert_eq!(census(&app).await, before);
    gate.open();
    assert_eq!(again.rest().await.last(), stream.rest().await.last());

    // When it is over: streamed or not, and in whatever order its fields come.
    let before = census(&app).await;
    let path = format!("/api/conversations/{id}/message");
    for body in [r#"{"content":"Why?","use_cot":false}"#, r#"{ "use_cot" : false, "content" : "Why?" }"#] {
        let answer =
            read(ann.request("POST", &path).header("content-type", "application/json").body(body)).await.ok();
        assert_eq!(answer["run_id"], started.json["run_id"]);
    }
    // Another question, other options, another conversation, something else than a question.
    let message = |conversation: &str| format!("/api/conversations/{conversation}/message");
    let run = started.json["run_id"].as_str().unwrap();
    for (path, body) in [
        (message(&id), json!({"content": "Something else?", "use_cot": false})),
        (message(&id), json!({"content": "Why?", "use_cot": true})),
        (format!("{}/stream", message(&id)), json!({"content": "Why?"})),
        (message(&elsewhere), json!({"content": "Why?", "use_cot": false})),
        (format!("/api/runs/{run}/retry"), json!({"from": "stage3"})),
    ] {
        let answer = ann.post(&path, body.clone()).await;
        assert_eq!(answer.wrong_fields(), ["Idempotency-Key"], "{path}: {body}");
        let problem = answer.json();
        assert_eq!(problem["type"], "urn:llm-council:problem:key-of-another-request");
        assert!(problem["errors"][0]["message"].as_str().unwrap().contains("under a new key"), "{problem}");
    }
    // A run of an older version, which kept nothing of its request.
    let forget = "UPDATE runs SET request_digest = NULL";
    sqlx::query(forget).execute(&mut app.db.superuser().await).await.unwrap();
    let answer = ann.post(&path, json!({"content": "Something else?"})).await.ok();
    assert_eq!(answer["run_id"], started.json["run_id"]);
    // A body that is wrong is wrong with any key.
    assert_eq!(ann.post(&path, json!({"content": ""})).await.wrong_fields(), ["content"]);
    let nowhere = format!("/api/conversations/{}/message", uuid::Uuid::new_v4());
    refused("nowhere", &ann.post(&nowhere, json!({"content": "Why?"})).await, &[404]);
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn the_same_key_at_the_same_moment_is_one_run() {
    let app = TestApp::start().await;
    let ann = app.user("ann").with("idempotency-key", "k-1");
    let ids = [ann.conversation().await, ann.conversation().await];
    let asks = (0..8).map(|n| {
        let (ann, path) = (&ann, format!("/api/conversations/{}/message", ids[n % 2]));
        async move { (n % 2, ann.post(&path, json!({"content": "Why?"})).await) }
    });
    let answers = futures_util::future::join_all(asks).await;
    let (same, other): (Vec<_>, Vec<_>) = answers.iter().partition(|(_, answer)| answer.status == 200);
    assert_eq!((same.len(), other.len()), (4, 4), "one conversation came first");
    assert!(same.iter().all(|(at, _)| *at == same[0].0));
    let run = &same[0].1.json()["run_id"];
    assert!(same.iter().all(|(_, answer)| answer.json()["run_id"] == *run));
    assert!(other.iter().all(|(_, answer)| answer.wrong_fields() == ["Idempotency-Key"]));
    let (rows, calls) = census(&app).await;
    assert_eq!((rows["runs"], rows["messages"], calls), (1, 2, 10));
    app.close().await;
}

#[tokio::test]
async fn a_place_to_go_on_reading_must_be_a_number_and_may_be_beyond_the_end() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let path = format!("/api/runs/{}/events", run["run_id"].as_str().unwrap());
    for junk in ["x", "-1", "1.5", "18446744073709551616", "1, 2"] {
        let answer = ann.clone().with("last-event-id", junk).get(&path).await;
        assert_eq!(answer.wrong_fields(), ["Last-Event-ID"], "{junk}");
        is_told(&ann, &format!("{path}?after={}", junk.replace(' ', "%20")), "after").await;
    }
    for beyond in ["1000000", "9223372036854775807", "9223372036854775808", "18446744073709551615"] {
        let answer = ann.get(&format!("{path}?after={beyond}")).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{beyond}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_browser_that_has_seen_the_end_of_a_run_is_told_not_to_come_back() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let path = format!("/api/runs/{}/events", run["run_id"].as_str().unwrap());
    let whole = ann.get(&path).await;
    assert_eq!(whole.status, 200);
    let last: u64 =
        whole.text.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap().parse().unwrap();
    let before = ann.clone().with("last-event-id", &(last - 1).to_string()).get(&path).await;
    assert_eq!(before.status, 200);
    assert!(before.text.contains("\"complete\""), "{}", before.text);
    let again = ann.clone().with("last-event-id", &last.to_string()).get(&path).await;
    assert_eq!((again.status, again.text.as_str()), (204, ""));
    assert_eq!((again.header("content-type"), again.header("cache-control")), ("", "no-store"));
    let strange = app.user("bob").with("last-event-id", &last.to_string()).get(&path).await;
    assert_eq!(strange.status, 404);
    app.close().await;
}

#[tokio::test]
async fn a_browser_that_reconnects_goes_on_after_the_last_event_it_saw_wherever_it_began() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let path = format!("/api/runs/{}/events", run["run_id"].as_str().unwrap());
    let numbers = |text: &str| -> Vec<u64> {
        text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect()
    };
    let rest = numbers(&ann.get(&format!("{path}?after=5")).await.text);
    assert_eq!(rest.first(), Some(&6));
    for (after, header) in [("3", "5"), ("5", "3"), ("5", "5"), ("5", "")] {
        let again = ann.clone().with("last-event-id", header).get(&format!("{path}?after={after}")).await;
        assert_eq!(numbers(&again.text), rest, "{after} and {header:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_reader_who_waits_beyond_the_end_of_a_live_run_is_let_go_when_it_ends() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let mut beyond = ann.events(&run, 1_000_000).await;
    gate.open();
    stream.until("complete").await;
    let rest = tokio::time::timeout(Duration::from_secs(30), beyond.rest()).await;
    assert_eq!(rest.expect("the stream ends"), []);
    app.close().await;
}
