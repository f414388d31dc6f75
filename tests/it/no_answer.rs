//! Replies that end well and hold no answer.

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::events::find;
use crate::support::model_server::{AskedFor, Script};

/// Each with what its failure says.
fn replies() -> Vec<(Script, &'static str, &'static str)> {
    let nothing = || Script::answer("");
    vec![
        (
            nothing().tool_call(0, "call_1", "search", "{}").finish("tool_calls"),
            "bad_response",
            "called a tool",
        ),
        (nothing().reasoning("It may be so."), "bad_response", "wrote no answer"),
        (nothing().reasoning("It may be").finish("length"), "bad_response", "token limit"),
        (Script::answer("One makes it by").finish("content_filter"), "refused", "content filter"),
        (Script::answer("<think>It may be so, and I think on"), "bad_response", "wrote no answer"),
        (Script::answer("\u{200b}\n"), "bad_response", "empty answer"),
    ]
}

#[tokio::test]
async fn a_chairman_whose_reply_is_no_answer_has_failed_and_its_stand_in_writes() {
    for (script, kind, words) in replies() {
        let app = TestApp::start().await;
        app.models.script("m/chair", [script]);
        let ann = app.user("ann");
        let id = ann.conversation().await;
        let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
        let failed = &find(&events, "stage3_error");
        assert_eq!(failed["error_kind"], kind);
        assert!(failed["error"].as_str().unwrap().contains(words), "{failed}");
        let written = &find(&events, "stage3_complete")["data"];
        assert_eq!(written["fallback_for"], "m/chair");
        assert_eq!(written["heading"], "Answer of the council, written by a stand-in for the chairman");
        assert!(written["response"].as_str().unwrap().starts_with("A scripted synthesis by m/"));
        app.close().await;
    }
}

#[tokio::test]
async fn a_member_whose_reply_is_no_answer_has_failed_and_what_came_is_kept() {
    for (script, kind, words) in replies() {
        let app = TestApp::start().await;
        app.models.rule(move |request| {
            let theirs = request.model == "m/two" && request.asked_for() == AskedFor::Answer;
            theirs.then(|| script.clone())
        });
        let ann = app.user("ann");
        let path = format!("/api/conversations/{}/message", ann.conversation().await);
        let run = ann.post(&path, json!({"content": "Why?"})).await.ok();
        let answer = &run["stage1"][1];
        assert_eq!((&answer["model"], &answer["error_kind"]), (&json!("m/two"), &json!(kind)));
        assert!(answer["error"].as_str().unwrap().contains(words), "{answer}");
        let kept: String =
            ["response", "reasoning"].iter().filter_map(|field| answer[*field].as_str()).collect();
        assert_eq!(kept.is_empty(), ["called a tool", "empty answer"].contains(&words), "{answer}");
        assert_eq!(run["stage3"]["heading"], "Answer of 3 of 4 members");
        let labels = run["metadata"]["label_to_model"].as_object().unwrap();
        assert!(labels.len() == 3 && !labels.values().any(|model| model == "m/two"));
        app.close().await;
    }
}

#[tokio::test]
async fn a_member_that_says_only_how_sure_it_is_has_not_answered_and_may_be_asked_again() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let theirs = request.model == "m/two" && request.asked_for() == AskedFor::Answer;
        theirs.then(|| Script::answer("\u{200b}\n\nCONFIDENCE: 9"))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    let answer = &run["stage1"][1];
    assert_eq!((&answer["error_kind"], &answer["response"]), (&json!("bad_response"), &json!("")));
    assert_eq!(answer["error"], "`m/two` gave an empty answer");
    assert_eq!(run["stage3"]["heading"], "Answer of 3 of 4 members");
    assert_eq!(
        run["metadata"]["aggregate_confidence"]["max"], 8,
        "what it says of nothing counts for nothing"
    );
    let labels = run["metadata"]["label_to_model"].as_object().unwrap();
    assert!(labels.len() == 3 && !labels.values().any(|model| model == "m/two"));

    app.models.rule(|_| None);
    let path = format!("/api/runs/{}/retry", run["run_id"].as_str().unwrap());
    let again = ann.post(&path, json!({})).await.ok();
    ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["stage1"][1]["response"], "A scripted answer of m/two.");
    app.close().await;
}

#[tokio::test]
async fn a_speaker_without_a_word_for_the_reader_has_failed() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let word = if request.model == "m/two" { "\u{feff}" } else { "It is so." };
        Some(Script::answer(&format!("{word}\n\nPOSITION: UNCHANGED")))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "mode": "arena", "arena_rounds": 2});
    let events = ann.ask(&id, body).await.rest().await;
    let failed = &find(&events, "model_error");
    assert_eq!((&failed["model"], &failed["error_kind"]), (&json!("m/two"), &json!("bad_response")));
    assert_eq!(failed["error"], "`m/two` gave an empty answer");
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_question_without_anything_to_see_is_refused() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let refused = ann.post(&path, json!({"content": " \u{200b}\u{2800}\n"})).await;
    assert_eq!((refused.status, refused.wrong_fields()), (422, vec!["content".to_owned()]));
    assert_eq!(app.models.records().len(), 0);
    app.close().await;
}
