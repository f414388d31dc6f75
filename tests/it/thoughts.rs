//! Thoughts that a server leaves in the text of its replies (`<think>…</think>`): nobody takes them for an answer.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};
use crate::v1::{CHAT, Sent, asks, asks_with, program, stream};

/// What the models say, after their thoughts.
fn said(request: &RecordedRequest) -> String {
    let asked_for = request.asked_for();
    if asked_for == AskedFor::Answer {
        format!("The answer of {}.\n\nCONFIDENCE: 7", request.model)
    } else if asked_for == AskedFor::Review {
        let lines: Vec<String> =
            (1..).zip(request.labels()).map(|(place, label)| format!("{place}. {label}")).collect();
        format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n"))
    } else if asked_for == AskedFor::Synthesis {
        "It is so.".to_owned()
    } else {
        "Why It Is So".to_owned()
    }
}

/// The pieces of one kind that one model wrote, joined.
fn shown(events: &[Event], kind: &str, model: &str) -> String {
    let of_it = events.iter().filter(|event| event.kind() == kind && event.json["model"] == model);
    of_it.map(|event| event.json["content"].as_str().expect("a text")).collect()
}

/// What a model of [`thinking`] thinks.
fn thought(model: &str) -> String {
    format!("I am {model}.\n")
}

/// Models that think before they answer, with something before and behind their thoughts.
fn thinking(app: &TestApp, before: &'static str, behind: &'static str) {
    app.models.rule(move |request| {
        let text = format!("{before}{}{behind}{}", thought(&request.model), said(request));
        let script = Script::answer(&text);
        Some(match request.model.as_str() {
            // The tags come in pieces.
            "m/one" | "m/chair" => script.in_chunks(text.len() / 3),
            "m/two" => script.whole(),
            _ => script,
        })
    });
}

/// Asks such models, and checks that nobody has read their thoughts as a part of what they said.
async fn asked(app: &TestApp) -> Vec<Event> {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["title"], "Why It Is So");
    assert_eq!(find(&events, "title_complete")["data"]["title"], "Why It Is So");
    let message = &stored["messages"][1];
    for model in ["m/one", "m/two", "m/three", "m/four"] {
        let answers = message["stage1"].as_array().expect("answers");
        let answer = answers.iter().find(|answer| answer["model"] == model).expect("an answer");
        assert_eq!(answer["response"], format!("The answer of {model}."));
        assert_eq!(answer["reasoning"], thought(model));
        assert_eq!((&answer["confidence"], &answer["error"]), (&json!(7), &Value::Null));
        let told = |event: &&Event| event.kind() == "stage1_model_complete" && event.json["model"] == model;
        let told = events.iter().find(told).expect("its result");
        assert_eq!(told.json["data"]["response"], answer["response"]);
    }
    for review in message["stage2"].as_array().expect("reviews") {
        assert_eq!((&review["parse"], &review["counts"]), (&json!("strict"), &json!(true)), "{review}");
        assert!(!review["ranking"].as_str().expect("a text").contains("I am m/"), "{review}");
    }
    assert_eq!(message["stage3"]["response"], "It is so.");
    assert_eq!(find(&events, "stage3_complete")["data"]["response"], "It is so.");
    for record in app.models.records() {
        assert!(!record.request.prompt().contains("I am m/"), "{}", record.request.prompt());
    }
    events
}

#[tokio::test]
async fn thoughts_in_the_text_are_shown_apart_and_read_by_nobody() {
    let app = TestApp::start().await;
    thinking(&app, "<think>\n", "</think>\n\n");
    let events = asked(&app).await;
    for model in ["m/one", "m/two", "m/three", "m/four"] {
        assert_eq!(shown(&events, "stage1_token", model).trim(), format!("The answer of {model}."));
        assert_eq!(shown(&events, "stage1_reasoning_token", model), thought(model));
    }
    assert_eq!(shown(&events, "stage3_token", "m/chair"), "It is so.");
    app.close().await;
}

#[tokio::test]
async fn thoughts_that_began_in_the_prompt_are_no_part_of_the_answer() {
    let app = TestApp::start().await;
    thinking(&app, "", "</think>\n\n");
    let events = asked(&app).await;
    for model in ["m/one", "m/three", "m/four"] {
        // Nobody could know better while they came; the result, checked above, takes their place.
        let shown = shown(&events, "stage1_token", model);
        let ends = shown.trim().ends_with(&format!("The answer of {model}."));
        assert!(shown.starts_with("I am ") && ends && !shown.contains("think>"), "{shown}");
    }
    // A reply in one piece is known before any of it is shown.
    assert_eq!(shown(&events, "stage1_token", "m/two").trim(), "The answer of m/two.");
    assert_eq!(shown(&events, "stage1_reasoning_token", "m/two"), thought("m/two"));
    app.close().await;
}

#[tokio::test]
async fn of_an_answer_that_is_not_waited_for_no_thought_is_kept() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let is_slow = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
        is_slow.then(|| Script::answer("A thought.\n</think>\n\nHalf an answer ").in_chunks(6).stall())
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let mut events = Vec::new();
    while !shown(&events, "stage1_token", "m/one").contains("answer") {
        events.push(stream.next().await.expect("an event"));
    }
    let run = events[0].json["run_id"].as_str().expect("a run").to_owned();
    ann.post(&format!("/api/runs/{run}/skip"), json!({"member": "m/one"})).await.ok();
    events.extend(stream.rest().await);
    assert_eq!(find(&events, "stage1_error")["data"]["response"], "Half an answer");
    app.close().await;
}

#[tokio::test]
async fn a_program_is_told_the_whole_answer_below_thoughts_that_were_streamed() {
    let app = TestApp::start().await;
    thinking(&app, "", "</think>\n\n");
    let tool = program(&app).await;
    let whole = tool.post(CHAT, asks("Why?")).await.ok();
    assert_eq!(whole["choices"][0]["message"]["content"], "It is so.", "{whole}");
    let body = asks_with("Why else?", &json!({"stream": true}));
    let sent = stream(&tool, CHAT, &body).await.rest().await;
    let deltas = sent.iter().filter(|one| one.data != "[DONE]").map(Sent::json);
    let content: String = deltas
        .filter_map(|json| json["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert!(content == "It is so." || content.ends_with("\n\n---\n\nIt is so."), "{content}");
    app.close().await;
}

#[tokio::test]
async fn an_answer_in_a_form_is_read_behind_the_thoughts() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let thinks = request.asked_for() == AskedFor::Synthesis;
        thinks.then(|| Script::answer("<think>Let me see {</think>{\"a\": 1}"))
    });
    let body = asks_with("Why?", &json!({"response_format": {"type": "json_object"}}));
    let reply = program(&app).await.post(CHAT, body).await.ok();
    assert_eq!(reply["choices"][0]["message"]["content"], "{\"a\": 1}", "{reply}");
    app.close().await;
}
