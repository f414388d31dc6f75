//! Thoughts that a server leaves in the text of its replies (`<think>…</think>`): nobody takes them for an answer.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};
use crate::v1::{CHAT, asks_with, program};

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

#[tokio::test]
async fn thoughts_in_the_text_are_shown_apart_and_read_by_nobody() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let text = format!("<think>\nI am {}.\n</think>\n\n{}", request.model, said(request));
        let script = Script::answer(&text);
        Some(match request.model.as_str() {
            // The tags come in pieces.
            "m/one" | "m/chair" => script.in_chunks(text.len() / 3),
            "m/two" => script.whole(),
            _ => script,
        })
    });
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
        assert_eq!(answer["reasoning"], format!("I am {model}.\n"));
        assert_eq!((&answer["confidence"], &answer["error"]), (&json!(7), &Value::Null));
        assert_eq!(shown(&events, "stage1_token", model).trim(), format!("The answer of {model}."));
        assert_eq!(shown(&events, "stage1_reasoning_token", model), format!("I am {model}.\n"));
    }
    for review in message["stage2"].as_array().expect("reviews") {
        assert_eq!((&review["parse"], &review["counts"]), (&json!("strict"), &json!(true)), "{review}");
    }
    assert_eq!(message["stage3"]["response"], "It is so.");
    assert_eq!(shown(&events, "stage3_token", "m/chair"), "It is so.");
    for record in app.models.records() {
        assert!(!record.request.prompt().contains("I am m/"), "{}", record.request.prompt());
    }
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
