//! The devil's advocate over HTTP: grave objections, small ones, none, and calls that fail.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::Event;
use crate::support::model_server::{AskedFor, Gate, RecordedRequest, Script};

const BODY: &str = r#"{"content": "Why?", "use_adversary": true}"#;
const FIRST: &str = "A scripted synthesis by m/chair.";
const REVISED: &str = "A scripted revision by m/chair.";

fn steps(events: &[Event]) -> Vec<&str> {
    let mut steps: Vec<&str> =
        events.iter().map(Event::kind).filter(|kind| kind.starts_with("adversary")).collect();
    steps.dedup();
    steps
}

fn one<'a>(events: &'a [Event], kind: &str) -> &'a Value {
    &events.iter().find(|event| event.kind() == kind).unwrap_or_else(|| panic!("no {kind}")).json
}

fn text(events: &[Event], kind: &str) -> String {
    let tokens = events.iter().filter(|event| event.kind() == kind);
    tokens.map(|event| event.json["content"].as_str().unwrap()).collect()
}

async fn run(app: &TestApp, body: &str) -> (Vec<Event>, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, serde_json::from_str(body).unwrap()).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    (events, stored["messages"][1].clone())
}

fn asked(app: &TestApp, kind: AskedFor) -> Vec<RecordedRequest> {
    let requests = app.models.records().into_iter().map(|record| record.request);
    requests.filter(|request| request.asked_for() == kind).collect()
}

/// Also when only the severity is asked for.
fn attack_with(app: &TestApp, text: &'static str) {
    let attacks =
        |request: &RecordedRequest| matches!(request.asked_for(), AskedFor::Attack | AskedFor::Severity);
    app.models.rule(move |request| attacks(request).then(|| Script::answer(text)));
}

#[tokio::test]
async fn grave_objections_are_answered_with_a_revision() {
    let app = TestApp::start().await;
    let (events, message) = run(&app, BODY).await;
    assert_eq!(
        steps(&events),
        [
            "adversary_start",
            "adversary_token",
            "adversary_complete",
            "adversary_revision_start",
            "adversary_revision_token",
            "adversary_revision_complete",
            "adversary_validation_complete"
        ]
    );
    assert_eq!(one(&events, "adversary_start")["adversary_model"], "m/chair", "nobody else is named");
    assert_eq!(text(&events, "adversary_token").trim_end(), "The year is wrong.", "the last line is ours");
    let complete = one(&events, "adversary_complete");
    assert_eq!(complete["critique"], "The year is wrong.");
    assert_eq!((&complete["has_issues"], &complete["severity"]), (&json!(true), &json!("major")));
    assert_eq!(complete["severity_from"], "stated");
    let start = one(&events, "adversary_revision_start");
    assert_eq!((&start["chairman_model"], &start["severity"]), (&json!("m/chair"), &json!("major")));
    assert_eq!(text(&events, "adversary_revision_token"), REVISED);
    assert_eq!(one(&events, "adversary_revision_complete")["response"], REVISED);
    let validated = one(&events, "adversary_validation_complete");
    assert_eq!((&validated["issues_found"], &validated["revised"]), (&json!(true), &json!(true)));
    assert_eq!((&validated["severity"], &validated["final_response"]), (&json!("major"), &json!(REVISED)));

    let stored = &message["metadata"]["adversary"];
    assert_eq!(stored["critique"], "The year is wrong.");
    assert_eq!((&stored["has_issues"], &stored["severity"]), (&json!(true), &json!("major")));
    assert_eq!((&stored["revised"], &stored["revision"]), (&json!(true), &json!(REVISED)));
    assert_eq!(stored["adversary_model"], "m/chair");
    assert_eq!(
        (&message["stage3"]["response"], &message["stage3"]["draft"]),
        (&json!(REVISED), &json!(FIRST))
    );
    assert_eq!(message["metadata"]["costs"]["by_stage"]["adversary"]["calls"], 2);
    assert!(asked(&app, AskedFor::Revision)[0].prompt().contains("[Objections] BEGIN "));
    app.close().await;
}

#[tokio::test]
async fn from_which_severity_on_an_answer_is_revised_can_be_chosen() {
    let app = TestApp::start().await;
    for (attack, threshold, is_revised) in [
        ("A comma is missing.\nSEVERITY: minor", "minor", true),
        ("A comma is missing.\nSEVERITY: minor", "major", false),
        ("The year is wrong.\nSEVERITY: major", "critical", false),
        ("It would kill.\nSEVERITY: critical", "critical", true),
        ("Nothing to say.\nSEVERITY: none", "minor", false),
    ] {
        attack_with(&app, attack);
        let mut body = serde_json::from_str::<Value>(BODY).unwrap();
        body["adversary_revision_threshold"] = json!(threshold);
        let (events, _) = run(&app, &body.to_string()).await;
        let validated = one(&events, "adversary_validation_complete");
        assert_eq!(validated["revised"], is_revised, "{attack} with {threshold}");
    }
    let ann = app.user("ann");
    let by_default = json!({"default_options": {"adversary_revision_threshold": "critical"}});
    ann.put("/api/config", by_default).await.ok();
    assert_eq!(ann.get("/api/adversary/config").await.ok()["revision_threshold"], json!(["critical"]));
    attack_with(&app, "The year is wrong.\nSEVERITY: major");
    let (events, _) = run(&app, BODY).await;
    assert_eq!(one(&events, "adversary_validation_complete")["revised"], false, "by default from now on");
    let id = ann.conversation().await;
    for wrong in [json!("none"), json!("grave"), json!(1)] {
        let body = json!({"content": "Why?", "adversary_revision_threshold": wrong});
        let refused = ann.post(&format!("/api/conversations/{id}/message"), body).await;
        assert_eq!(refused.wrong_fields(), ["adversary_revision_threshold"], "{wrong}");
    }
    app.close().await;
}

#[tokio::test]
async fn small_objections_and_none_leave_the_answer_alone() {
    for (attack, severity, from, has_issues) in [
        ("A comma is missing.\n\n**SEVERITY:** minor", "minor", "stated", true),
        ("Nothing to say.\nSEVERITY: none", "none", "stated", false),
        ("No significant issues found. It is right.", "none", "no_issues", false),
        ("The second step is a little vague.", "minor", "assumed", true),
    ] {
        let app = TestApp::start().await;
        attack_with(&app, attack);
        let (events, message) = run(&app, BODY).await;
        assert_eq!(
            steps(&events),
            ["adversary_start", "adversary_token", "adversary_complete", "adversary_validation_complete"]
        );
        let complete = one(&events, "adversary_complete");
        assert_eq!((&complete["severity"], &complete["severity_from"]), (&json!(severity), &json!(from)));
        assert_eq!(complete["has_issues"], has_issues);
        let validated = one(&events, "adversary_validation_complete");
        assert_eq!((&validated["issues_found"], &validated["revised"]), (&json!(has_issues), &json!(false)));
        assert_eq!(validated["final_response"], FIRST);
        assert_eq!(message["stage3"]["response"], FIRST);
        assert_eq!(message["stage3"].get("draft"), None);
        assert_eq!(message["metadata"]["adversary"]["revision"], json!(null));
        app.close().await;
    }
}

#[tokio::test]
async fn a_severity_that_is_missing_is_asked_for_alone() {
    for (answer, from, severity, note) in [
        (Script::answer(r#"{"severity": "critical"}"#), "asked", "critical", None),
        (Script::answer("SEVERITY: critical"), "asked", "critical", None),
        (Script::answer("Hard to say."), "assumed", "minor", Some("gave no severity that could be read")),
        (Script::status(503, "overloaded"), "assumed", "minor", Some("could not be asked for it: ")),
    ] {
        let app = TestApp::start().await;
        app.models.rule(move |request| {
            let attack = || Script::answer("The second step is vague.");
            let asked = request.asked_for();
            if asked == AskedFor::Attack {
                Some(attack())
            } else {
                (asked == AskedFor::Severity).then(|| answer.clone())
            }
        });
        let (events, message) = run(&app, BODY).await;
        let complete = one(&events, "adversary_complete");
        assert_eq!((&complete["severity"], &complete["severity_from"]), (&json!(severity), &json!(from)));
        assert_eq!(text(&events, "adversary_token"), "The second step is vague.", "the question stays ours");
        assert_eq!(message["stage3"]["response"], if from == "asked" { REVISED } else { FIRST });
        let stored = message["metadata"]["adversary"]["severity_note"].as_str();
        assert_eq!(stored.is_some(), note.is_some());
        assert!(stored.unwrap_or_default().contains(note.unwrap_or_default()), "{stored:?}");
        assert_eq!(message["status"], "complete");
        app.close().await;
    }
}

#[tokio::test]
async fn it_attacks_what_refinement_left_and_the_first_text_is_kept() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let attacked = request.prompt().contains("[Objections] BEGIN ");
        (request.asked_for() == AskedFor::Revision && attacked).then(|| Script::answer("The best text."))
    });
    let body = r#"{"content": "Why?", "use_refinement": true, "refinement_max_iterations": 1, "use_adversary": true}"#;
    let (events, message) = run(&app, body).await;
    let kinds: Vec<&str> = events.iter().map(Event::kind).collect();
    let at = |kind: &str| kinds.iter().position(|one| *one == kind).unwrap();
    assert!(at("refinement_complete") < at("adversary_start"));
    assert!(at("adversary_validation_complete") < at("costs_complete"));
    assert!(asked(&app, AskedFor::Attack)[0].prompt().contains(REVISED));
    assert_eq!(message["stage3"]["response"], "The best text.");
    assert_eq!(message["stage3"]["draft"], FIRST);
    assert_eq!(message["metadata"]["refinement"]["final_response"], REVISED);
    app.close().await;
}

#[tokio::test]
async fn an_attack_that_fails_leaves_the_answer_and_is_told() {
    for script in [Script::status(503, "overloaded"), Script::answer("It may be ").cut()] {
        let app = TestApp::start().await;
        app.models.rule(move |request| (request.asked_for() == AskedFor::Attack).then(|| script.clone()));
        let (events, message) = run(&app, BODY).await;
        assert_eq!(*steps(&events).last().unwrap(), "adversary_error");
        let error = one(&events, "adversary_error");
        assert!(error["model"] == "m/chair" && error["error"].is_string(), "{error}");
        let stored = &message["metadata"]["adversary"];
        assert!(stored["error"].as_str().unwrap().starts_with("m/chair could not attack the answer: "));
        assert_eq!((&stored["severity"], &stored["has_issues"]), (&json!(null), &json!(false)));
        assert_eq!((&message["status"], &message["stage3"]["response"]), (&json!("complete"), &json!(FIRST)));
        app.close().await;
    }
}

#[tokio::test]
async fn a_revision_that_fails_leaves_the_answer_and_the_objections() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Revision).then(|| Script::answer("Half of a ").cut())
    });
    let (events, message) = run(&app, BODY).await;
    assert_eq!(
        steps(&events)[4..],
        ["adversary_revision_token", "adversary_revision_error", "adversary_validation_complete"]
    );
    assert_eq!(one(&events, "adversary_revision_error")["error_kind"], "bad_response");
    let validated = one(&events, "adversary_validation_complete");
    assert_eq!((&validated["issues_found"], &validated["revised"]), (&json!(true), &json!(false)));
    let stored = &message["metadata"]["adversary"];
    assert_eq!((&stored["revised"], &stored["revision"]), (&json!(false), &json!(null)));
    assert!(stored["error"].as_str().unwrap().contains("which stands as it was"));
    assert_eq!(message["stage3"]["response"], FIRST);
    app.close().await;
}

#[tokio::test]
async fn the_settings_adversary_attacks_else_the_first_fallback() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"chairman_fallbacks": ["m/spare", "m/other"]})).await.ok();
    let (events, _) = run(&app, BODY).await;
    assert_eq!(one(&events, "adversary_start")["adversary_model"], "m/spare");
    assert_eq!(one(&events, "adversary_revision_start")["chairman_model"], "m/chair");
    ann.put("/api/config", json!({"adversary_model": "m/devil"})).await.ok();
    let (events, _) = run(&app, BODY).await;
    assert_eq!(one(&events, "adversary_start")["adversary_model"], "m/devil");
    assert_eq!(asked(&app, AskedFor::Attack).pop().unwrap().model, "m/devil");
    app.close().await;
}

#[tokio::test]
async fn stop_in_the_middle_keeps_the_answer_and_what_had_arrived() {
    for (kind, token) in
        [(AskedFor::Attack, "adversary_token"), (AskedFor::Revision, "adversary_revision_token")]
    {
        let app = TestApp::start().await;
        let gate = Gate::new();
        let held = gate.clone();
        app.models.rule(move |request| {
            (request.asked_for() == kind).then(|| Script::answer("Some words of it ").hold(&held))
        });
        let ann = app.user("ann");
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, serde_json::from_str(BODY).unwrap()).await;
        let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
        let mut shown = String::new();
        while shown.trim_end() != "Some words of it" {
            shown.push_str(stream.until(token).await.json["content"].as_str().unwrap());
        }
        ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
        assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
        gate.open();
        let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
        let message = &stored["messages"][1];
        assert_eq!(
            (&message["status"], &message["stage3"]["response"]),
            (&json!("cancelled"), &json!(FIRST))
        );
        let adversary = &message["metadata"]["adversary"];
        assert_eq!(adversary["error_kind"], "cancelled");
        if kind == AskedFor::Attack {
            assert_eq!(adversary["critique"].as_str().unwrap().trim_end(), "Some words of it");
        } else {
            assert_eq!(adversary["critique"], "The year is wrong.");
            assert_eq!(adversary["unfinished_revision"].as_str().unwrap().trim_end(), "Some words of it");
            assert_eq!(adversary["revised"], false);
        }
        app.close().await;
    }
}

#[tokio::test]
async fn stop_while_only_the_severity_is_asked_for_keeps_the_attack() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let kind = request.asked_for();
        if kind == AskedFor::Attack {
            return Some(Script::answer("The second step is vague."));
        }
        (kind == AskedFor::Severity).then(|| Script::answer("").hold(&held))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, serde_json::from_str(BODY).unwrap()).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    app.models
        .until(|records| records.iter().any(|record| record.request.asked_for() == AskedFor::Severity))
        .await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    gate.open();
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let adversary = &stored["messages"][1]["metadata"]["adversary"];
    assert_eq!(
        (&adversary["critique"], &adversary["error_kind"]),
        (&json!("The second step is vague."), &json!("cancelled"))
    );
    app.close().await;
}

#[tokio::test]
async fn a_client_can_ask_how_an_answer_is_attacked() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let config = ann.get("/api/adversary/config").await.ok();
    assert_eq!(config["adversary_model"], "m/chair");
    assert_eq!(config["severity_levels"], json!(["critical", "major", "minor", "none"]));
    assert_eq!(config["revision_threshold"], json!(["critical", "major"]));
    assert!(config["no_issues_phrases"].as_array().unwrap().contains(&json!("no significant issues")));
    ann.put("/api/config", json!({"adversary_model": "m/devil"})).await.ok();
    assert_eq!(ann.get("/api/adversary/config").await.ok()["adversary_model"], "m/devil");
    assert_eq!(app.user("bob").get("/api/adversary/config").await.ok()["adversary_model"], "m/chair");
    app.close().await;
}
