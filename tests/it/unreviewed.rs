//! A council without reviews (`use_reviews: false`), over HTTP.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{find, kinds};
use crate::support::model_server::{AskedFor, Script};
use crate::support::ranked::ask_with as ask;

#[tokio::test]
async fn the_chairman_writes_from_the_answers_alone() {
    let app = TestApp::start().await;
    let (events, stored) = ask(&app, json!({"use_reviews": false})).await;
    let kinds = kinds(&events);
    assert!(kinds.iter().all(|kind| !kind.starts_with("stage2")), "{kinds:?}");
    assert!(find(&events, "run_started").get("ignored").is_none());
    let records = app.models.records();
    let asked = |what| records.iter().filter(|record| record.request.asked_for() == what).count();
    assert_eq!((asked(AskedFor::Answer), asked(AskedFor::Review), asked(AskedFor::Synthesis)), (3, 0, 1));
    let chairman = records.iter().find(|record| record.request.asked_for() == AskedFor::Synthesis).unwrap();
    let prompt = chairman.request.prompt();
    assert!(
        prompt.contains("nobody has reviewed their answers") && prompt.contains("Answer by m/one"),
        "{prompt}"
    );
    assert!(!prompt.contains("FINAL RANKING") && !prompt.contains("ranking together"), "{prompt}");
    let stage3 = &stored["stage3"];
    assert_eq!(stage3["heading_fact"], json!({"code": "unreviewed"}));
    assert_eq!(stage3["heading"], "Answer of the council, without peer review");
    assert!(stored.get("stage2").is_none_or(Value::is_null), "{}", stored["stage2"]);
    assert!(stored["metadata"]["costs"]["by_stage"].get("stage2").is_none());
    app.close().await;
}

#[tokio::test]
async fn what_goes_by_ballots_does_not_apply_and_is_told() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put(
        "/api/config",
        json!({"tier1_models": ["m/one", "m/two"], "tier2_models": ["m/three", "m/four"]}),
    )
    .await
    .ok();
    let options = json!({
        "models": null, "use_reviews": false, "use_early_consensus": true, "final": "select", "use_escalation": true,
        "use_weighted_consensus": true, "reviewer_models": ["j/one"], "reviews_per_answer": 1, "use_second_reading": true,
    });
    let (events, stored) = ask(&app, options).await;
    let ignored = find(&events, "run_started")["ignored"].as_array().unwrap().clone();
    let mut fields: Vec<&str> = ignored.iter().map(|one| one["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "final",
            "reviewer_models",
            "reviews_per_answer",
            "use_early_consensus",
            "use_escalation",
            "use_second_reading",
            "use_weighted_consensus"
        ]
    );
    assert!(ignored.iter().all(|one| one["reason_fact"]["code"] == "unreviewed"), "{ignored:?}");
    assert!(kinds(&events).contains(&"stage3_start"), "the chairman writes");
    assert_eq!(stored["stage1"].as_array().unwrap().len(), 4, "everybody answers");
    app.close().await;
}

#[tokio::test]
async fn it_is_estimated_without_reviews_and_a_straggler_is_not_waited_for() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message/estimate", ann.conversation().await);
    let calls = async |body: Value| ann.post(&path, body).await.ok();
    let whole = calls(json!({"content": "Why?"})).await;
    let fast = calls(json!({"content": "Why?", "use_reviews": false})).await;
    assert_eq!((&whole["calls"], &fast["calls"]), (&json!(10), &json!(6)));
    assert!(fast["by_stage"].get("stage2").is_none());
    let prompt = |estimate: &Value| estimate["by_stage"]["stage3"]["prompt_tokens"].as_u64().unwrap();
    assert!(prompt(&fast) < prompt(&whole));

    app.models.script("m/three", [Script::answer("A ").stall()]);
    let (events, stored) = ask(&app, json!({"use_reviews": false, "quorum": 2})).await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(stored["stage1"][2]["error_fact"], json!({"code": "went_on_without", "answers": 2}));
    app.close().await;
}

#[tokio::test]
async fn it_is_a_flag_that_can_be_a_default() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let answer = ann.post(&path, json!({"content": "Why?", "use_reviews": "no"})).await;
    assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["use_reviews".to_owned()]));
    ann.put("/api/config", json!({"default_options": {"use_reviews": false}})).await.ok();
    let (events, _) = ask(&app, json!({})).await;
    assert!(!kinds(&events).contains(&"stage2_start"));
    let (events, _) = ask(&app, json!({"use_reviews": true})).await;
    assert!(kinds(&events).contains(&"stage2_start"));
    app.close().await;
}

#[tokio::test]
async fn models_of_an_option_that_does_not_apply_need_not_be_set() {
    let app = TestApp::start().await;
    let both = json!({"use_escalation": true, "use_multi_chairman": true});
    for (options, code) in [
        (json!({"use_escalation": true, "use_reviews": false}), "unreviewed"),
        (json!({"mode": "arena", "arena_rounds": 2}), "council_only"),
        (json!({"direct_to": "m/two"}), "alone"),
    ] {
        let mut body = if code == "unreviewed" { json!({}) } else { both.clone() };
        // Whoever names models leaves tiers nothing to do.
        body["models"] = Value::Null;
        body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let (events, _) = ask(&app, body).await;
        let ignored = find(&events, "run_started")["ignored"].as_array().unwrap();
        assert!(ignored.iter().any(|one| one["field"] == "use_escalation"), "{ignored:?}");
        assert!(ignored.iter().all(|one| one["reason_fact"]["code"] == code), "{ignored:?}");
    }
    app.close().await;
}
