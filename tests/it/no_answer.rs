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
        assert_eq!(kept.is_empty(), words == "called a tool", "{answer}");
        assert_eq!(run["stage3"]["heading"], "Answer of 3 of 4 members");
        let labels = run["metadata"]["label_to_model"].as_object().unwrap();
        assert!(labels.len() == 3 && !labels.values().any(|model| model == "m/two"));
        app.close().await;
    }
}
