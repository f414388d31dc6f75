//! Clients that cost a connection and give nothing for it: silent ones, ones that do not end what they
//! began, and readers that do not read. And clients that end their side of it: some have gone, and some wait.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpSocket;

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Gate, Outcome, Script};
use crate::support::wire::Wire;

/// Far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_body_that_does_not_end_does_not_keep_its_connection_after_the_answer() {
    let app = TestApp::with("\n[server]\nidle_seconds = 1\n").await;
    let chunks = "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
    for (path, user, status) in [
        ("/api/conversations", "", 401),
        ("/api/nothing", "remote-user: ann\r\n", 404),
        ("/nowhere.txt", "", 404),
    ] {
        let mut wire = Wire::open(&app).await;
        wire.send(format!("POST {path} HTTP/1.1\r\nhost: localhost\r\n{user}{chunks}")).await;
        let head = wire.head().await.expect("an answer");
        assert!(head.status == status || head.status == 405, "{path}: {}", head.status);
        // Not even one that goes on sending.
        wire.send("5\r\nagain\r\n").await;
        wire.closed().await;
    }
    app.close().await;
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let app = TestApp::with("\n[server]\nidle_seconds = 1\n").await;
    for begun in ["", "GET /health/li", "GET /health/live HTTP/1.1\r\nhost: localhost\r\nx: "] {
        // The first request of a connection, and one after another.
        for before in [false, true] {
            let mut wire = Wire::open(&app).await;
            if before {
                wire.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
                let head = wire.head().await.expect("an answer");
                assert_eq!(head.status, 200);
                wire.json(&head).await;
            }
            wire.send(begun).await;
            wire.closed().await;
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_request_may_wait_for_its_answer_for_longer_than_a_connection_may_be_idle() {
    let app = TestApp::with("\n[server]\nidle_seconds = 1\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    let id = app.user("ann").conversation().await;
    let mut asking = Wire::open(&app).await;
    let path = format!("/api/conversations/{id}/message");
    asking.request("POST", &path, "ann", &["content-type: application/json"], "{\"content\":\"Why?\"}").await;
    app.models.until(|records| !records.is_empty()).await;
    // Opened later, and closed for being idle.
    Wire::open(&app).await.closed().await;
    gate.open();
    assert_eq!(asking.head().await.expect("an answer").status, 200);
    app.close().await;
}

#[tokio::test]
async fn a_reader_that_reads_nothing_is_cut_and_finds_everything_when_it_comes_back() {
    let app = TestApp::with("\n[server]\nstalled_seconds = 1\n").await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Answer).then(|| Script::answer(&"Some words. ".repeat(1500)))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let path = format!("/api/runs/{}/events?after=0", run["run_id"].as_str().unwrap());
    // On a slow machine the stream may pause for so long that it says it is still there.
    let events = |text: &str| {
        text.split("\n\n").filter(|event| !event.starts_with(':')).collect::<Vec<_>>().join("\n\n")
    };
    let all = events(&ann.get(&path).await.text);
    let whole = all.len();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = app.url("").trim_start_matches("http://").parse().unwrap();
    let mut reader = Wire::on(socket.connect(address).await.unwrap());
    // More than the system would take off the server's hands.
    let times = 16;
    assert!(whole * times > 400_000, "{whole}");
    for _ in 0..times {
        reader.request("GET", &path, "ann", &[], "").await;
    }
    let begun = Instant::now();
    let cut = "llm_council_connections_cut_total{reason=\"stalled\"} ";
    let count = || {
        let page = app.app.telemetry.render_metrics();
        page.lines()
            .find_map(|line| line.strip_prefix(cut))
            .map_or(0, |count| count.parse().expect("a count"))
    };
    while count() == 0_u64 {
        assert!(begun.elapsed() < TIMEOUT, "the reader is never cut");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(reader.rest().await < whole * times, "it was cut in the middle");
    assert_eq!(events(&ann.get(&path).await.text), all);
    app.close().await;
}

/// Models that answer when the gate is opened.
fn held(app: &TestApp) -> Gate {
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    gate
}

const JSON: &[&str] = &["content-type: application/json"];
const WHY: &str = "{\"content\":\"Why?\"}";

/// The body of an answer that comes in chunks, as far as these words.
async fn until(wire: &mut Wire, words: &str) -> String {
    let mut text = String::new();
    while !text.contains(words) {
        let chunk = wire.chunk().await.unwrap_or_else(|| panic!("{words} does not come: {text}"));
        text.push_str(std::str::from_utf8(&chunk).expect("ASCII"));
    }
    text
}

#[tokio::test]
async fn a_client_that_ends_its_side_with_its_request_gets_the_answer() {
    let app = TestApp::start().await;
    let gate = held(&app);
    let (id, other) = (app.user("ann").conversation().await, app.user("ann").conversation().await);
    let mut list = Wire::open(&app).await;
    list.last_request("GET", "/api/conversations", "ann", &[], "").await;
    let head = list.head().await.expect("an answer");
    assert_eq!((head.status, list.json(&head).await.as_array().expect("a list").len()), (200, 2));
    list.closed().await;

    // Both wait for models.
    let (mut whole, mut stream) = (Wire::open(&app).await, Wire::open(&app).await);
    whole.last_request("POST", &format!("/api/conversations/{id}/message"), "ann", JSON, WHY).await;
    stream
        .last_request("POST", &format!("/api/conversations/{other}/message/stream"), "ann", JSON, WHY)
        .await;
    assert_eq!(stream.head().await.expect("an answer").status, 200);
    until(&mut stream, "\"stage1_start\"").await;
    app.models.until(|records| records.len() >= 8).await;
    gate.open();
    until(&mut stream, "{\"type\":\"complete\"}").await;
    stream.closed().await;
    let head = whole.head().await.expect("an answer");
    assert_eq!((head.status, &whole.json(&head).await["status"]), (200, &json!("complete")));
    whole.closed().await;
    app.close().await;
}

#[tokio::test]
async fn a_client_that_ends_its_side_in_the_middle_of_a_silent_stream_has_gone() {
    let app = TestApp::start().await;
    let gate = held(&app);
    let id = app.user("ann").conversation().await;
    let mut reader = Wire::open(&app).await;
    reader.request("POST", &format!("/api/conversations/{id}/message/stream"), "ann", JSON, WHY).await;
    assert_eq!(reader.head().await.expect("an answer").status, 200);
    until(&mut reader, "\"stage1_start\"").await;
    reader.hang_up().await;
    // Otherwise the stream would go on, on its heartbeats, until the gate is opened.
    tokio::time::timeout(TIMEOUT, reader.closed()).await.expect("it is let go");
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_client_whose_run_is_cancelled_without_it_is_missed_while_it_waits() {
    let app = TestApp::with("\n[runs]\non_disconnect = \"cancel\"\ndisconnect_grace_seconds = 0\n").await;
    let _gate = held(&app);
    let id = app.user("ann").conversation().await;
    let mut asking = Wire::open(&app).await;
    asking.request("POST", &format!("/api/conversations/{id}/message"), "ann", JSON, WHY).await;
    app.models.until(|records| !records.is_empty()).await;
    drop(asking);
    app.models.until(|records| records.iter().any(|record| record.outcome == Outcome::ClientGone)).await;
    app.close().await;
}
