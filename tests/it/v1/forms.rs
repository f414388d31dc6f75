//! The form of the final answer: `response_format` and `text.format`.

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, Stream, asks_with, program, refused, stream, wants};
use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Gate, RecordedRequest, Script};

const DOCUMENT: &str = r#"{"color": "blue", "why": "scattering"}"#;
/// What the provider is told, where it can hold a reply to a schema.
const OFFERED: &str = "structured_outputs = true\n";

fn schema() -> Value {
    json!({
        "type": "object", "properties": {"color": {"type": "string"}, "why": {"type": "string"}},
        "required": ["color", "why"], "additionalProperties": false,
    })
}

fn formed(more: &Value) -> Value {
    let described = json!({"name": "sky", "schema": schema(), "strict": true});
    let mut body = asks_with("Why is the sky blue?", more);
    body["response_format"] = json!({"type": "json_schema", "json_schema": described});
    body
}

/// Whether a writer is asked once more for the form.
fn is_repair(request: &RecordedRequest) -> bool {
    request.prompt().starts_with("The text below was to be one JSON document.")
}

/// What whoever writes the final answer writes, first and when it is asked once more.
fn writing(app: &TestApp, first: &'static str, then: &'static str) {
    app.models.rule(move |request| {
        if is_repair(request) {
            return Some(Script::answer(then));
        }
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer(first))
    });
}

fn written(app: &TestApp) -> Vec<RecordedRequest> {
    let asked = |request: &RecordedRequest| request.asked_for() == AskedFor::Synthesis || is_repair(request);
    app.models.records().into_iter().map(|record| record.request).filter(asked).collect()
}

async fn content(tool: &User<'_>, body: &Value) -> String {
    let answer = tool.post(CHAT, body.clone()).await.ok();
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_answer_is_the_document_alone_and_only_its_writer_is_asked_for_it() {
    let app = TestApp::with(OFFERED).await;
    let tool = program(&app).await;
    writing(&app, "Here it is:\n```json\n{\"color\": \"blue\", \"why\": \"scattering\"}\n```", "never");
    assert_eq!(content(&tool, &formed(&json!({}))).await, DOCUMENT);
    let records = app.models.records();
    assert_eq!(records.len(), 10, "nobody was asked once more");
    for record in &records {
        let format = &record.request.body["response_format"];
        let is_writer = record.request.asked_for() == AskedFor::Synthesis;
        assert_eq!(format.is_object(), is_writer, "{:?}", record.request.asked_for());
        if is_writer {
            assert_eq!(
                *format,
                json!({"type": "json_schema", "json_schema": {"name": "sky", "strict": true, "schema": schema()}})
            );
            assert!(record.request.prompt().contains("one JSON document and nothing else"));
            assert!(!record.request.prompt().contains("COUNCIL NOTES"), "notes would spoil it");
        }
    }
    // Any object, and a response that says what it was asked.
    let more = json!({"text": {"format": {"type": "json_object"}}});
    let response = tool.post(RESPONSES, wants("Which color?", &more)).await.ok();
    assert_eq!(response["text"], more["text"]);
    let message = response["output"].as_array().unwrap().last().unwrap();
    assert_eq!(message["content"][0]["text"], DOCUMENT);
    assert_eq!(written(&app)[1].body["response_format"], json!({"type": "json_object"}));
    app.close().await;
}

#[tokio::test]
async fn a_text_that_is_not_of_the_form_is_asked_for_once_more_and_never_shown() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    writing(&app, r#"{"color": 7}"#, DOCUMENT);
    let sent = stream(&tool, CHAT, &formed(&json!({"stream": true}))).await.rest().await;
    let text: String = sent
        .iter()
        .filter(|one| one.data != "[DONE]")
        .filter_map(|one| one.json()["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(text, DOCUMENT);
    let written = written(&app);
    assert_eq!(written.len(), 2);
    assert!(written[0].body.get("response_format").is_none(), "nobody says that it takes one");
    let repair = written[1].prompt();
    assert!(repair.contains("\"color\": 7") && repair.contains("does not fit the schema"), "{repair}");
    assert!(!repair.contains("Answer by"), "it sees its own text alone");
    let list = app.user("ann").get("/api/conversations").await.ok();
    let path = format!("/api/conversations/{}", list[0]["id"].as_str().unwrap());
    let stage3 = app.user("ann").get(&path).await.ok()["messages"][1]["stage3"].clone();
    assert_eq!(stage3["response"], DOCUMENT);
    assert_eq!(stage3["usage"]["total_tokens"], 30, "of both calls");
    app.close().await;
}

#[tokio::test]
async fn what_was_written_stays_where_the_run_is_stopped_while_it_is_asked_for_the_form() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        if is_repair(request) {
            return Some(Script::answer("").hold(&held));
        }
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer("The sky is blue."))
    });
    let more = json!({"background": true, "text": {"format": {"type": "json_object"}}});
    let response = tool.post(RESPONSES, wants("Which color?", &more)).await.ok();
    app.models.until(|records| records.iter().any(|record| is_repair(&record.request))).await;
    let path = format!("{RESPONSES}/{}", response["id"].as_str().unwrap());
    let live = Stream::open(tool.request("GET", &format!("{path}?stream=true"))).await;
    tool.post(&format!("{path}/cancel"), json!({})).await.ok();
    live.rest().await;
    let ann = app.user("ann");
    let list = ann.get("/api/conversations").await.ok();
    let stored = ann.get(&format!("/api/conversations/{}", list[0]["id"].as_str().unwrap())).await.ok();
    let answer = &stored["messages"][1];
    assert_eq!(
        (&answer["status"], &answer["stage3"]["response"]),
        (&json!("cancelled"), &json!("The sky is blue."))
    );
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_writer_that_writes_no_document_fails_and_the_next_in_the_chain_writes() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        let is_chairman = request.model == "m/chair";
        let asked = request.asked_for() == AskedFor::Synthesis || is_repair(request);
        asked.then(|| Script::answer(if is_chairman { "I would rather not." } else { DOCUMENT }))
    });
    assert_eq!(content(&tool, &formed(&json!({}))).await, DOCUMENT);
    assert_eq!(written(&app).iter().filter(|request| request.model == "m/chair").count(), 2);

    writing(&app, "No.", "Never.");
    let answer = tool.post(CHAT, formed(&json!({"user": "again"}))).await;
    assert_eq!((refused(&answer).0, refused(&answer).1.as_str()), (500, "no_answer"));
    assert!(
        answer.json()["error"]["message"].as_str().unwrap().contains("no model could write"),
        "{}",
        answer.text
    );
    app.close().await;
}

#[tokio::test]
async fn a_document_that_broke_off_says_so() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        let cut = || Script::answer("{\"color\": \"bl").finish("length");
        (request.asked_for() == AskedFor::Synthesis).then(cut)
    });
    let answer = tool.post(CHAT, formed(&json!({"max_tokens": 5}))).await.ok();
    let choice = &answer["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("length"), &json!("{\"color\": \"bl"))
    );
    assert_eq!(written(&app).len(), 1, "more would break off as well");
    app.close().await;
}

#[tokio::test]
async fn a_schema_that_cannot_be_stored_is_refused() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    for schema in [
        json!({"type": "object", "title": "a\0"}),
        json!({"type": "object", "properties": {"a\0": {}}}),
        json!({"type": "object", "required": ["\0"]}),
    ] {
        let described = json!({"name": "thing", "schema": schema});
        let format = json!({"type": "json_schema", "json_schema": described});
        let refusal = tool.post(CHAT, asks_with("Why?", &json!({"response_format": format}))).await;
        assert_eq!(
            refused(&refusal),
            (400, "invalid_value".into(), json!("response_format.json_schema.schema")),
            "{}",
            refusal.text
        );
        let mut format = described;
        format["type"] = json!("json_schema");
        let refusal = tool.post(RESPONSES, wants("Why?", &json!({"text": {"format": format}}))).await;
        assert_eq!(
            refused(&refusal),
            (400, "invalid_value".into(), json!("text.format.schema")),
            "{}",
            refusal.text
        );
    }
    assert!(app.models.records().is_empty());
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_is_taken_word_for_word_has_no_form() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let refusal = tool.post(CHAT, formed(&json!({"model": "council:select"}))).await;
    assert_eq!(refused(&refusal), (400, "invalid_value".into(), json!("response_format")));
    let more = json!({"model": "council:select", "text": {"format": {"type": "json_object"}}});
    let refusal = tool.post(RESPONSES, wants("Why?", &more)).await;
    assert_eq!(refused(&refusal), (400, "invalid_value".into(), json!("text.format")));
    assert!(app.models.records().is_empty());

    // What is on by default gives way, and is told.
    let defaults = json!({"default_options": {"final": "auto", "use_early_consensus": true}});
    app.user("ann").put("/api/config", defaults).await.ok();
    writing(&app, DOCUMENT, "never");
    assert_eq!(content(&tool, &formed(&json!({}))).await, DOCUMENT);
    let list = app.user("ann").get("/api/conversations").await.ok();
    let path = format!("/api/conversations/{}", list[0]["id"].as_str().unwrap());
    let stored = app.user("ann").get(&path).await.ok();
    let ignored = stored["messages"][1]["metadata"]["ignored"].as_array().unwrap().clone();
    let named: Vec<_> = ignored.iter().map(|one| (&one["field"], &one["reason_fact"]["code"])).collect();
    assert_eq!(
        named,
        [(&json!("use_early_consensus"), &json!("formed")), (&json!("final"), &json!("formed"))]
    );
    app.close().await;
}

#[tokio::test]
async fn every_format_and_whatever_betters_an_answer_keeps_the_form() {
    let app = TestApp::simulated().await;
    let options = json!({"name": "bettered", "options": {
        "use_refinement": true, "refinement_max_iterations": 1, "use_adversary": true}});
    app.user("ann").post("/api/settings/presets", options).await.ok();
    let tool = program(&app).await;
    for model in ["council", "council:fast", "debate", "arena", "decomposition", "council/bettered"] {
        let text = content(&tool, &formed(&json!({"model": model}))).await;
        let document: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{model}: {error}: {text}"));
        assert!(document["color"].is_string() && document["why"].is_string(), "{model}: {text}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_revision_that_is_no_document_leaves_the_draft_as_it_is() {
    let app = TestApp::start().await;
    let options = json!({"name": "attacked", "options": {"use_adversary": true}});
    app.user("ann").post("/api/settings/presets", options).await.ok();
    let tool = program(&app).await;
    writing(&app, DOCUMENT, "never");
    assert_eq!(content(&tool, &formed(&json!({"model": "council/attacked"}))).await, DOCUMENT);
    let revision =
        app.models.records().into_iter().find(|record| record.request.asked_for() == AskedFor::Revision);
    assert!(revision.unwrap().request.prompt().contains("one JSON document and nothing else"));
    app.close().await;
}

#[tokio::test]
async fn one_seat_alone_keeps_the_form_or_says_that_it_did_not() {
    let app = TestApp::with("[programs]\nsingle_seats = true\n").await;
    let tool = program(&app).await;
    app.models.script("m/one", [Script::answer(&format!("```json\n{DOCUMENT}\n```")), Script::answer("No.")]);
    assert_eq!(content(&tool, &formed(&json!({"model": "seat/m/one"}))).await, DOCUMENT);
    let answer = tool.post(CHAT, formed(&json!({"model": "seat/m/one"}))).await;
    assert_eq!((refused(&answer).0, refused(&answer).1.as_str()), (502, "no_reply"));
    app.close().await;
}
