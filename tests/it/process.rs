//! The process monitor over HTTP: who asks is told what goes on, at the level asked for.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::Event;
use crate::support::model_server::{AskedFor, Script};

/// The stream's own beginning and end.
const SILENT: [&str; 2] = ["run_started", "complete"];

async fn ask(app: &TestApp, verbosity: u8) -> Vec<Event> {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body =
        json!({"content": "Why?", "verbosity": verbosity, "use_refinement": true, "use_adversary": true});
    ann.ask(&id, body).await.rest().await.into_iter().filter(|event| !event.is_token()).collect()
}

fn sentences(events: &[Event]) -> Vec<&Value> {
    events.iter().filter(|event| event.kind() == "process").map(|event| &event.json).collect()
}

#[tokio::test]
async fn every_event_is_followed_by_a_sentence_about_it() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Answer, "m/one") => Some(Script::status(503, "overloaded")),
        (AskedFor::Critique, "m/two") => Some(Script::answer("No major issues.")),
        (AskedFor::Review, "m/three") => Some(Script::answer("All of them are lovely.")),
        _ => None,
    });
    let events = ask(&app, 3).await;
    for pair in events.windows(2) {
        let [event, next] = pair else { unreachable!("windows of two") };
        let about = event.kind() != "process" && !SILENT.contains(&event.kind());
        assert!(next.kind() == "process" || !about, "{} then {}", event.kind(), next.kind());
    }
    let started = jiff::Timestamp::now() - Duration::from_secs(600);
    for sentence in sentences(&events) {
        assert!(!sentence["message"].as_str().unwrap().is_empty());
        assert!(
            ["stage", "model", "info", "success", "warning", "error", "data"]
                .contains(&sentence["category"].as_str().unwrap())
        );
        assert!((1..=3).contains(&sentence["level"].as_u64().unwrap()));
        assert!(sentence["message_fact"]["code"].is_string(), "{sentence}");
        let at = sentence["timestamp"].as_str().unwrap();
        assert!(at.ends_with('Z') && at.parse::<jiff::Timestamp>().unwrap() > started, "{at}");
    }
    let said: Vec<&str> =
        sentences(&events).iter().map(|sentence| sentence["message"].as_str().unwrap()).collect();
    for expected in [
        "Stage 1: 4 members are asked",
        "Stage 1: 3 of 4 members answered, confidence 8.0 of 10",
        "m/three reviewed; its text holds no ballot that counts",
        "Stage 3: m/chair writes the answer",
        "Refinement: at most 2 rounds of critique and revision",
        "m/two finds no fault",
        "2 of 3 critics name faults",
        "Refinement: the draft was revised 2 times",
        "Devil's advocate: m/chair attacks the answer",
        "Devil's advocate: the answer was revised",
        "The conversation is called “A Scripted Title”",
    ] {
        assert!(said.contains(&expected), "{expected:?} is not in {said:#?}");
    }
    assert!(said.iter().any(|one| one.starts_with("m/one gave no answer: ")));
    let facts: Vec<&Value> = sentences(&events).iter().map(|sentence| &sentence["message_fact"]).collect();
    for expected in [
        json!({"code": "members_asked", "asked": 4}),
        json!({"code": "answers_done", "answered": 3, "asked": 4, "pending": 0, "confidence": 8.0}),
        json!({"code": "no_ballot", "member": "m/three"}),
        json!({"code": "writes", "model": "m/chair"}),
        json!({"code": "critics_done", "found": 2, "asked": 3}),
        json!({"code": "refinement_over", "revisions": 2}),
        json!({"code": "attack_over", "revised": true, "issues_found": true}),
        json!({"code": "titled", "title": "A Scripted Title"}),
    ] {
        assert!(facts.contains(&&expected), "{expected} is not in {facts:#?}");
    }
    let failed = facts.iter().find(|fact| fact["code"] == "not_answered").unwrap();
    assert_eq!((&failed["member"], &failed["reason"]["error_kind"]), (&json!("m/one"), &json!("overloaded")));
    app.close().await;
}

#[tokio::test]
async fn each_level_says_what_the_lower_ones_say_and_more_and_none_is_silent() {
    let app = TestApp::start().await;
    assert!(sentences(&ask(&app, 0).await).is_empty());
    let mut before = 0;
    for verbosity in 1..=3 {
        let events = ask(&app, verbosity).await;
        let all = sentences(&events);
        assert!(all.iter().all(|sentence| sentence["level"].as_u64().unwrap() <= u64::from(verbosity)));
        assert!(all.iter().any(|sentence| sentence["level"] == verbosity));
        assert!(all.len() > before, "{verbosity}");
        before = all.len();
    }
    app.close().await;
}

#[tokio::test]
async fn everything_is_who_begins_what_was_read_and_what_is_kept_of_it() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Answer, "m/one") => Some(Script::answer("I cannot say how sure I am.")),
        (AskedFor::Answer, "m/two") => Some(Script::answer("Quite sure.\n\nCONFIDENCE: 5")),
        (AskedFor::Answer, "m/three") => Some(Script::status(400, "not today")),
        _ => None,
    });
    let events = ask(&app, 3).await;
    let all = sentences(&events);
    let said = |code: &str| -> Vec<&&Value> {
        all.iter().filter(|sentence| sentence["message_fact"]["code"] == code).collect()
    };
    let asked: Vec<(&str, &str)> = said("asked")
        .iter()
        .map(|one| (one["details"]["stage"].as_str().unwrap(), one["message"].as_str().unwrap()))
        .collect();
    for expected in [
        ("stage1", "m/one is asked"),
        ("stage1", "m/three is asked"),
        ("stage2", "m/four is asked"),
        ("refinement", "m/two is asked"),
    ] {
        assert!(asked.contains(&expected), "{expected:?} is not in {asked:?}");
    }
    let of_stage = |stage: &str| asked.iter().filter(|(known, _)| *known == stage).count();
    assert_eq!((of_stage("stage1"), of_stage("stage2")), (4, 3), "whoever failed does not review: {asked:?}");

    let messages: Vec<&str> = all.iter().map(|sentence| sentence["message"].as_str().unwrap()).collect();
    for expected in [
        "m/one does not say how sure it is",
        "m/two says how sure it is: 5 of 10",
        "2 of 4 members say how sure they are: 6.5 of 10 on average, from 5 to 8",
        "The answers go to the reviewers as Response A, Response B, Response C, drawn at random",
        "Analytics: 3 answers and 3 ballots are recorded, and m/chair as chairman",
    ] {
        assert_eq!(messages.iter().filter(|said| **said == expected).count(), 1, "{expected}: {messages:#?}");
    }
    let title = said("title_written")[0];
    assert_eq!(title["message_fact"]["model"], "m/title");
    assert!(title["message"].as_str().unwrap().starts_with("m/title wrote the title, "), "{title}");
    let together = said("confidence_together")[0];
    assert_eq!(together["details"]["distribution"], json!({"5": 1, "8": 1}));
    for code in
        ["asked", "confidence_read", "no_confidence", "labels_assigned", "figures_kept", "title_written"]
    {
        assert!(!said(code).is_empty() && said(code).iter().all(|one| one["level"] == 3), "{code}");
    }
    // What is labelled is not named while it is judged.
    let labels = &said("labels_assigned")[0];
    assert!(!labels.to_string().contains("m/"), "{labels}");
    // Who is asked is said before it answers, and what is kept before the end.
    let place = |text: &str| messages.iter().position(|said| *said == text).unwrap();
    assert!(place("m/two is asked") < place("m/two says how sure it is: 5 of 10"));
    assert_eq!(events.last().unwrap().kind(), "complete");
    let last = events.iter().rfind(|event| event.kind() == "process").unwrap();
    assert_eq!(last.json["message_fact"]["code"], "figures_kept", "it is the last of all");
    app.close().await;
}

#[tokio::test]
async fn a_title_that_no_model_gave_is_said_to_be_of_the_question() {
    let app = TestApp::start().await;
    app.models
        .rule(|request| (request.asked_for() == AskedFor::Title).then(|| Script::status(400, "not today")));
    let events = ask(&app, 3).await;
    let said: Vec<&Value> = sentences(&events).into_iter().map(|one| &one["message_fact"]["code"]).collect();
    assert!(said.contains(&&json!("title_of_the_question")), "{said:?}");
    assert!(!said.contains(&&json!("title_written")), "{said:?}");
    app.close().await;
}

#[tokio::test]
async fn lower_levels_say_nothing_of_it() {
    let app = TestApp::start().await;
    for verbosity in [1, 2] {
        let events = ask(&app, verbosity).await;
        for sentence in sentences(&events) {
            let code = sentence["message_fact"]["code"].as_str().unwrap();
            let is_model = ["answered", "ranked", "criticised", "titled"].contains(&code);
            assert!(verbosity == 2 || !is_model, "{sentence}");
            let is_remark = ["asked", "confidence_read", "labels_assigned", "figures_kept", "title_written"];
            assert!(!is_remark.contains(&code), "{sentence}");
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_finished_run_still_tells_what_went_on_after_its_tokens_are_gone() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?", "verbosity": 2})).await.rest().await;
    let run = events[0].json["run_id"].as_str().unwrap().to_owned();
    app.app.runs.compact_logs(Duration::ZERO).await.unwrap();
    let again = ann.events(&run, 0).await.rest().await;
    assert!(again.iter().all(|event| !event.is_token()));
    assert!(!sentences(&again).is_empty());
    assert_eq!(sentences(&again), sentences(&events));
    // The message holds what was found out, not the talk about it; it says that there is some.
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert!(!stored["messages"][1].to_string().contains("members are asked"));
    assert_eq!(stored["messages"][1]["metadata"]["process_log"], true);
    app.close().await;
}
