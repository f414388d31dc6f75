//! A run that is stopped, or whose server goes away, while somebody watches.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{Losable, program};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::Program;

#[tokio::test]
async fn an_interrupt_stops_the_run_and_says_what_it_cost() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/two").then(|| Script::answer("x").hold(&held)));
    let asked = program(&app, "ann").await.begin(&["query", "Why?"]);
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/two")).await;
    asked.signal("SIGINT");
    let ended = asked.ended_with_output().await;
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stdout.contains("## Cost"), "{}", ended.stdout);
    let list = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(list[0]["running"], false);
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn half_an_answer_takes_no_whole_ones_place() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        (request.model == "m/chair").then(|| Script::answer("Half of the answer and").hold(&held))
    });
    let program = program(&app, "ann").await.file("answer.md", "an earlier answer");
    let asked = program.begin(&["query", "Why?", "--simple", "-o", "answer.md"]);
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    let run = app.admin().get("/api/admin/runs").await.ok()["runs"][0]["id"].clone();
    app.user("ann").events(run.as_str().unwrap(), 0).await.until("stage3_token").await;
    asked.signal("SIGINT");
    let ended = asked.ended_with_output().await;
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(std::fs::read_to_string(program.home().join("answer.md")).unwrap(), "an earlier answer");
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn whoever_watches_is_told_that_an_administrator_stopped_the_run() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/two").then(|| Script::answer("x").hold(&held)));
    let asked = program(&app, "ann").await.begin(&["query", "Why?"]);
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/two")).await;
    let run = app.admin().get("/api/admin/runs").await.ok()["runs"][0]["id"].clone();
    let path = format!("/api/admin/runs/{}/cancel", run.as_str().unwrap());
    assert_eq!(app.admin().post(&path, json!({})).await.ok(), json!({"cancelled": true}));
    let ended = asked.ended_with_output().await;
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("An administrator stopped the run."), "{}", ended.stderr);
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_killed_server_is_followed_again_and_nothing_is_told_twice() {
    let mut lost = Losable::start().await;
    let asked = Program::plain()
        .env("LLM_COUNCIL_SERVER", &lost.url)
        .env("LLM_COUNCIL_TOKEN", &lost.token)
        .begin(&["query", "--jsonl", "Why?"]);
    lost.lose().await;
    lost.bring_back().await;
    let ended = asked.ended_with_output().await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let events: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    for once in ["run_started", "stage1_complete", "stage2_complete", "stage3_complete", "complete"] {
        assert_eq!(count(once), 1, "{once}");
    }
}

#[tokio::test]
async fn a_gateways_page_in_front_of_a_server_that_starts_is_waited_out() {
    let mut lost = Losable::start().await;
    let asked = Program::plain()
        .env("LLM_COUNCIL_SERVER", &lost.url)
        .env("LLM_COUNCIL_TOKEN", &lost.token)
        .begin(&["query", "--simple", "Why?"]);
    lost.lose().await;
    let gateway = TcpListener::bind(lost.url.trim_start_matches("http://")).await.unwrap();
    let (mut reader, _) = gateway.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        assert_ne!(reader.read_buf(&mut request).await.unwrap(), 0, "a whole request");
    }
    let page = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\
                Connection: close\r\n\r\n<h1>Later.</h1>";
    reader.write_all(page.as_bytes()).await.unwrap();
    drop((reader, gateway));
    lost.bring_back().await;
    let ended = asked.ended_with_output().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "At last.\n"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_question_that_may_have_arrived_is_asked_until_its_run_is_followed() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let asked = Program::plain()
        .env("LLM_COUNCIL_SERVER", &format!("http://{}", server.local_addr().unwrap()))
        .env("LLM_COUNCIL_TOKEN", "lc_anything")
        .begin(&["query", "--jsonl", "Why?"]);
    let mut keys = BTreeSet::new();
    let reads_and_leaves = async {
        for tries in 1.. {
            let (mut reader, _) = server.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                assert_ne!(reader.read_buf(&mut request).await.unwrap(), 0, "a whole request");
            }
            let request = String::from_utf8(request).unwrap();
            keys.extend(
                request.lines().find(|line| line.starts_with("idempotency-key: ")).map(str::to_owned),
            );
            // As long as a server takes to start.
            if tries > 5 {
                let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Run-Id: a-run\r\n\
                              Connection: close\r\n\r\nid: 1\ndata: {\"type\":\"complete\"}\n\n";
                reader.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    };
    let ended = tokio::select! {
        ended = asked.ended_with_output() => ended,
        () = reads_and_leaves => unreachable!(),
    };
    assert_eq!((ended.code, ended.stdout.trim()), (Some(0), "{\"type\":\"complete\"}"), "{}", ended.stderr);
    assert_eq!(keys.len(), 1, "{keys:?}");
}

#[tokio::test]
async fn a_run_that_could_not_be_stopped_is_stopped_once_its_server_is_back() {
    let mut lost = Losable::start().await;
    let asked = Program::plain()
        .env("LLM_COUNCIL_SERVER", &lost.url)
        .env("LLM_COUNCIL_TOKEN", &lost.token)
        .begin(&["query", "Why?"]);
    lost.lose().await;
    asked.signal("SIGINT");
    // The chairman still waits: nothing but the interrupt ends the run.
    lost.server = Some(lost.council.serve().await);
    let ended = asked.ended_with_output().await;
    assert_eq!(ended.code, Some(130), "{ended:?}");
    lost.gate.open();
}

#[tokio::test]
async fn a_reader_that_leaves_ends_the_run() {
    let app = TestApp::start().await;
    let (gate, chairman) = (Gate::new(), Gate::new());
    let (held, holding) = (gate.clone(), chairman.clone());
    app.models.rule(move |request| match request.model.as_str() {
        "m/two" => Some(Script::answer("x").hold(&held)),
        // It does not end by itself.
        "m/chair" => Some(Script::answer("Too late.").hold(&holding)),
        _ => None,
    });
    let mut asked = program(&app, "ann").await.begin(&["query", "Why?", "--jsonl"]);
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/two")).await;
    let run = app.admin().get("/api/admin/runs").await.ok()["runs"][0]["id"].clone();
    asked.close_output();
    gate.open();
    let ended = asked.ended_with_output().await;
    assert_eq!(ended.code, Some(141), "{ended:?}");
    let events = app.user("ann").events(run.as_str().unwrap(), 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "cancelled");
    chairman.open();
    app.close().await;
}

#[tokio::test]
async fn the_second_interrupt_leaves_at_once_also_where_the_server_says_nothing() {
    let db = TestDb::new().await;
    let models = ModelServer::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.model == "m/two").then(|| Script::answer("x").hold(&held)));
    let server = Program::council(&db, &models).serve().await;
    let made = server.user("ann").post("/api/tokens", json!({"name": "terminal"})).await.ok();
    let asked = Program::plain()
        .env("LLM_COUNCIL_SERVER", server.base())
        .env("LLM_COUNCIL_TOKEN", made["token"].as_str().unwrap())
        .begin(&["query", "Why?"]);
    models.until(|records| records.iter().any(|record| record.request.model == "m/two")).await;
    server.signal("SIGSTOP");
    let ended = asked.interrupted_until_it_ends().await;
    assert_eq!(ended.code, Some(130), "{ended:?}");
    server.signal("SIGCONT");
    gate.open();
}
