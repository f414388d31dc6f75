//! Clients that cost a connection and give nothing for it: silent ones, ones that do not end what they
//! began, and readers that do not read.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpSocket;

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Gate, Script};
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
