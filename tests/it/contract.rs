//! What clients of other llm-council servers send and read, field by field: the framing of the
//! stream, names, types, status codes. Such a client is played here as its source has it.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Script};
use crate::support::wire::{Head, Wire};

/// What one read of a socket gives at most; clients without a reassembly buffer lose what is larger.
const ONE_READ: usize = 64 * 1024;
/// Words of models that break clients which cut streams by bytes or lines.
const FOREIGN: &str =
    "日本語 emoji 🦀👩‍🚀 line\nline\r\nsep\u{2028}sep \u{feff}data: {\"type\":\"complete\"}\n\nid: 7";

/// Asks over a bare socket; gives the head and every chunk as it came.
async fn ask(app: &TestApp, headers: &[&str], body: &Value) -> (Head, Vec<Vec<u8>>) {
    let id = app.user("ann").conversation().await;
    let mut wire = Wire::open(app).await;
    let path = format!("/api/conversations/{id}/message/stream");
    let headers = [headers, &["content-type: application/json"]].concat();
    wire.request("POST", &path, "ann", &headers, &body.to_string()).await;
    let head = wire.head().await.unwrap();
    assert_eq!(head.status, 200);
    let mut chunks = Vec::new();
    while let Some(chunk) = wire.chunk().await {
        chunks.push(chunk);
    }
    (head, chunks)
}

/// A client with no reassembly buffer: every network read is decoded, cut into lines and parsed on
/// its own, and what it shows it shows without asking whether it is there.
#[derive(Default)]
struct OldClient {
    loading: bool,
    message: Value,
    names: Vec<String>,
    unknown: Vec<String>,
    alert: Option<String>,
}

impl OldClient {
    fn reading(chunks: &[Vec<u8>]) -> Self {
        let mut client = Self { loading: true, message: json!({"role": "assistant"}), ..Self::default() };
        for chunk in chunks {
            let text = String::from_utf8_lossy(chunk);
            for line in text.split('\n') {
                if let Some(data) = line.strip_prefix("data: ") {
                    client.on(&serde_json::from_str(data).expect("this event is lost"));
                }
            }
        }
        client
    }

    fn on(&mut self, event: &Value) {
        let name = event["type"].as_str().unwrap();
        assert!(self.loading, "{name} after the end");
        match name {
            "stage1_start" | "stage2_start" | "stage3_start" => {}
            "stage1_complete" => self.message["stage1"] = event["data"].clone(),
            "stage2_complete" => {
                self.message["stage2"] = event["data"].clone();
                self.message["metadata"] = event["metadata"].clone();
            }
            "stage3_complete" => self.message["stage3"] = event["data"].clone(),
            "title_complete" => assert!(event["data"]["title"].is_string()),
            "complete" => self.loading = false,
            "error" => {
                self.alert = Some(event["message"].as_str().unwrap().to_owned());
                self.loading = false;
            }
            other => {
                self.unknown.push(other.to_owned());
                return;
            }
        }
        self.names.push(name.to_owned());
    }
}

/// `model.split('/')[1] || model`
#[track_caller]
fn short(model: &Value) -> &str {
    let model = model.as_str().expect("a model is a string");
    model.split('/').nth(1).filter(|name| !name.is_empty()).unwrap_or(model)
}

/// The screen of such a client: every access is one that throws there when the type is wrong.
fn screen(message: &Value) -> String {
    let mut screen = String::new();
    let mut show = |text: &str| screen.push_str(&format!("{text}\n"));
    let list = |value: &Value| value.as_array().expect("a list").clone();
    for answer in list(&message["stage1"]) {
        show(short(&answer["model"]));
        show(answer["response"].as_str().expect("a response to render"));
    }
    let labels = message["metadata"]["label_to_model"].as_object().expect("a map of labels");
    for review in list(&message["stage2"]) {
        show(short(&review["model"]));
        let mut text = review["ranking"].as_str().expect("`text.replace` needs a string").to_owned();
        for (label, model) in labels {
            let letters = label.strip_prefix("Response ").expect("a label");
            assert!(
                letters.len() == 1 && letters.bytes().all(|b| b.is_ascii_uppercase()),
                "safe in a RegExp"
            );
            text = text.replace(label, &format!("**{}**", short(model)));
        }
        show(&text);
        for label in list(&review["parsed_ranking"]) {
            show(labels.get(label.as_str().unwrap()).map_or("?", short));
        }
    }
    for row in list(&message["metadata"]["aggregate_rankings"]) {
        let average = row["average_rank"].as_f64().expect("`toFixed` needs a number");
        let count = row["rankings_count"].as_u64().expect("a whole number");
        show(&format!("{} Avg: {average:.2} ({count} votes)", short(&row["model"])));
    }
    show(short(&message["stage3"]["model"]));
    show(message["stage3"]["response"].as_str().expect("a response to render"));
    screen
}

#[tokio::test]
async fn every_event_is_one_chunk_with_one_ascii_data_line() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() != AskedFor::Review)
            .then(|| Script::answer(FOREIGN).reasoning(FOREIGN).in_chunks(7))
    });
    let (_, chunks) = ask(&app, &[], &json!({"content": FOREIGN})).await;
    // Tokens that wait together become one event; the structure alone is more than this.
    assert!(chunks.len() > 20, "{}", chunks.len());
    let (mut events, mut escaped) = (0, 0);
    for chunk in &chunks {
        assert!(chunk.is_ascii(), "{}", String::from_utf8_lossy(chunk));
        let text = std::str::from_utf8(chunk).unwrap();
        if text.starts_with(':') {
            assert_eq!(text.trim_end().lines().count(), 1, "a heartbeat is a line of its own: {text}");
            continue;
        }
        events += 1;
        let lines: Vec<&str> = text.split('\n').collect();
        let [id, data, "", ""] = lines[..] else { panic!("not one event: {text}") };
        assert_eq!(id.strip_prefix("id: ").unwrap().parse::<usize>().unwrap(), events);
        assert!(data.starts_with("data: {\"type\":\""), "{data}");
        escaped += data.matches("\\ud83e\\udd80").count();
    }
    assert!(escaped > 4, "the crab goes as a pair of surrogates");
    app.close().await;
}

#[tokio::test]
async fn no_event_is_larger_than_one_read_even_with_long_answers_in_one_piece() {
    let app = TestApp::start().await;
    let long = "長い答え。".repeat(250);
    app.models.rule(move |request| {
        let is_shown = matches!(request.asked_for(), AskedFor::Answer | AskedFor::Synthesis);
        is_shown.then(|| Script::answer(&long).in_chunks(1))
    });
    let (_, chunks) = ask(&app, &[], &json!({"content": "Why?"})).await;
    let largest = chunks.iter().map(Vec::len).max().unwrap();
    assert!(largest < ONE_READ, "{largest} bytes in one event");
    app.close().await;
}

#[tokio::test]
async fn an_old_client_sees_its_events_in_its_order_and_its_spinner_stops() {
    let app = TestApp::local().await;
    let (_, chunks) = ask(&app, &["origin: http://localhost:5173"], &json!({"content": "Why?"})).await;
    let client = OldClient::reading(&chunks);
    assert_eq!(
        client.names,
        [
            "stage1_start",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "stage3_start",
            "stage3_complete",
            "title_complete",
            "complete"
        ]
    );
    assert!(!client.loading);
    let shown_live = screen(&client.message);
    for shown in
        ["four\n", "A scripted answer of m/two.", "Avg: ", "(4 votes)", "A scripted synthesis by m/chair."]
    {
        assert!(shown_live.contains(shown), "{shown:?} is not in\n{shown_live}");
    }
    // Several events in one network read, and the whole stream at once, are the same to it.
    for at_once in [2, 7, chunks.len()] {
        let reads: Vec<Vec<u8>> = chunks.chunks(at_once).map(<[Vec<u8>]>::concat).collect();
        assert_eq!(OldClient::reading(&reads).message, client.message);
    }
    // Since `complete` comes after the answer is stored, the reload on it shows the same.
    let list = app.user("ann").get("/api/conversations").await.ok();
    let id = list[0]["id"].as_str().unwrap();
    let stored = app.user("ann").get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(screen(&stored["messages"][1]), shown_live);
    assert_eq!(stored["messages"][0]["role"], "user");
    assert_eq!(stored["messages"][0]["content"], "Why?");
    app.close().await;
}

#[tokio::test]
async fn an_old_client_does_not_trip_over_members_reviewers_and_chairmen_that_fail() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", AskedFor::Answer) | ("m/chair" | "m/title", _) => Some(Script::status(401, "no")),
        ("m/two", AskedFor::Review) => Some(Script::status(500, "boom")),
        ("m/three", AskedFor::Review) => Some(Script::answer("I will not rank anybody.")),
        _ => None,
    });
    let (_, chunks) = ask(&app, &[], &json!({"content": "Why?"})).await;
    let client = OldClient::reading(&chunks);
    assert!(!client.loading && client.alert.is_none());
    screen(&client.message);
    app.close().await;
}

#[tokio::test]
async fn an_old_client_shows_a_council_that_nobody_reviewed() {
    let app = TestApp::start().await;
    app.models
        .rule(|request| (request.asked_for() == AskedFor::Review).then(|| Script::status(401, "no reviews")));
    let (_, chunks) = ask(&app, &[], &json!({"content": "Why?"})).await;
    let client = OldClient::reading(&chunks);
    assert_eq!(client.names.last().unwrap(), "complete");
    screen(&client.message);
    app.close().await;
}

#[tokio::test]
async fn an_old_client_is_told_why_when_nobody_answers_and_nothing_follows() {
    let app = TestApp::start().await;
    app.models.rule(|_| Some(Script::status(401, "no")));
    let (_, chunks) = ask(&app, &[], &json!({"content": "Why?"})).await;
    let client = OldClient::reading(&chunks);
    assert!(!client.loading);
    assert_eq!(client.names.last().unwrap(), "error");
    assert!(!client.alert.unwrap().is_empty());
    app.close().await;
}

#[tokio::test]
async fn the_stream_is_neither_buffered_nor_compressed_nor_cached() {
    let app = TestApp::start().await;
    let (head, _) =
        ask(&app, &["accept-encoding: gzip, deflate, br, zstd"], &json!({"content": "Why?"})).await;
    assert!(head.header("content-type").unwrap().starts_with("text/event-stream"));
    assert_eq!(head.header("transfer-encoding"), Some("chunked"));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    assert!(head.header("cache-control").unwrap().contains("no-cache"));
    assert!(matches!(head.header("content-encoding"), None | Some("identity")));
    assert!(head.header("x-run-id").is_some());
    app.close().await;
}

#[tokio::test]
async fn the_answer_as_one_document_has_the_stages_of_the_stream() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let answer = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await;
    assert!(answer.header("content-type").starts_with("application/json"));
    screen(&answer.ok());
    app.close().await;
}

#[tokio::test]
async fn the_long_body_of_other_clients_with_everything_switched_off_is_taken() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    for body in [
        json!({"content": "Why?", "system_prompt": null, "verbosity": 0, "use_cot": false,
               "use_multi_chairman": false, "use_weighted_consensus": true, "use_early_consensus": false,
               "use_dynamic_routing": false, "use_escalation": false, "use_refinement": false,
               "refinement_max_iterations": 2, "use_adversary": false, "use_debate": false,
               "include_rebuttal": true, "use_decomposition": false, "use_cache": false,
               "cache_similarity_threshold": 0.92}),
        json!({"content": "Why?", "use_web_search": false, "mode": "council", "arena_config": null,
               "attachments": [], "resume": false, "prior_context": null}),
        json!({"content": "Why?", "force_council": false}),
    ] {
        let id = ann.conversation().await;
        screen(&ann.post(&format!("/api/conversations/{id}/message"), body).await.ok());
    }
    app.close().await;
}

#[tokio::test]
async fn a_client_that_shows_tokens_and_costs_finds_its_fields() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let text = if request.model == "m/two" { "Because.\n\nCONFIDENCE: 8" } else { "Because." };
        (request.asked_for() == AskedFor::Answer).then(|| match request.model.as_str() {
            "m/one" => Script::status(401, "no"),
            _ => Script::answer(text).reasoning("Let me see."),
        })
    });
    let (_, chunks) = ask(&app, &[], &json!({"content": "Why?"})).await;
    let text = String::from_utf8(chunks.concat()).unwrap();
    let events: Vec<Value> = text
        .lines()
        .filter_map(|line| Some(serde_json::from_str(line.strip_prefix("data: ")?).unwrap()))
        .collect();
    let of = |kind: &str| {
        let found: Vec<&Value> = events.iter().filter(|event| event["type"] == kind).collect();
        assert!(!found.is_empty(), "no {kind}");
        found
    };
    for kind in ["stage1_token", "stage1_reasoning_token", "stage3_token"] {
        for event in of(kind) {
            assert!(event["model"].is_string() && event["content"].is_string(), "{event}");
        }
    }
    for event in of("stage1_model_complete") {
        assert!(event["data"]["model"].is_string() && event["data"]["response"].is_string(), "{event}");
        let expected = if event["data"]["model"] == "m/two" { json!(8) } else { json!(null) };
        assert_eq!(event["data"]["confidence"], expected, "a number or null");
    }
    let error = of("stage1_error")[0];
    assert!(error["model"].is_string() && error["error"].is_string(), "{error}");
    let confidence = &of("stage1_complete")[0]["metadata"]["aggregate_confidence"];
    assert_eq!(confidence["average"], 8.0);
    assert_eq!((&confidence["count"], &confidence["total_models"]), (&json!(1), &json!(4)));
    assert!(of("costs_complete")[0]["data"].is_object());
    app.close().await;
}
