//! Providers that are down: what the models' own server counts.

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::events::Event;
use crate::support::model_server::Script;

const RUNS: usize = 50;
/// Four members and the title: with no answer, no run asks for more.
const CALLS_PER_RUN: usize = 5;

#[tokio::test]
async fn an_outage_costs_at_most_a_fifth_more_calls() {
    let app = TestApp::start().await;
    app.models.rule(|_| Some(Script::status(503, "down")));
    // Some one after the other, then all at once: the breaker must not need either.
    for _ in 0..RUNS / 5 {
        fails(&app, "ann").await;
    }
    let one_by_one = app.models.records().len();
    together(&app, RUNS * 4 / 5).await;
    let asked = app.models.records().len();
    assert!(one_by_one <= RUNS / 5 * CALLS_PER_RUN * 6 / 5, "{one_by_one} calls for {} runs", RUNS / 5);
    assert!(asked <= RUNS * CALLS_PER_RUN * 6 / 5, "{asked} calls for {RUNS} runs");
    app.close().await;
}

#[tokio::test]
async fn fifty_runs_at_once_in_an_outage_cost_at_most_a_fifth_more_calls() {
    let app = TestApp::start().await;
    app.models.rule(|_| Some(Script::status(503, "down")));
    together(&app, RUNS).await;
    let asked = app.models.records().len();
    assert!(asked <= RUNS * CALLS_PER_RUN * 6 / 5, "{asked} calls for {RUNS} runs");
    app.close().await;
}

async fn together(app: &TestApp, runs: usize) {
    futures_util::future::join_all((0..runs).map(async |at| fails(app, &format!("user-{at}")).await)).await;
}

async fn fails(app: &TestApp, name: &str) {
    let ann = app.user(name);
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let last = events.last().unwrap();
    assert_eq!(last.kind(), "error");
    assert_eq!(last.json["message"], "No model answered: the provider failed or could not be reached.");
    for member in ["m/one", "m/two", "m/three", "m/four"] {
        let tells = |event: &&Event| event.kind() == "stage1_error" && event.json["model"] == member;
        assert!(events.iter().any(|event| tells(&event)), "{member} says why");
    }
}

#[tokio::test]
async fn a_model_that_is_down_is_named_with_when_it_will_be_asked_again_and_costs_the_others_nothing() {
    let app = TestApp::start().await;
    app.models.script("m/one", [Script::status(500, "boom")]);
    let ann = app.user("ann");
    let (mut errors, mut going_on) = (Vec::new(), Vec::new());
    // Each as soon as the one before has its answers: after five seconds the model would be asked again.
    for _ in 0..3 {
        let mut events = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
        let answers = events.until("stage1_complete").await.json["data"].clone();
        assert_eq!(answers[0]["error_kind"], "overloaded");
        errors.push(answers[0]["error"].as_str().unwrap().to_owned());
        assert!((1..4).all(|seat| answers[seat].get("error").is_none()));
        going_on.push(events);
    }
    let last = errors.last().unwrap();
    assert!(last.starts_with("scripted: `m/one` failed 5 times in a row, so it was not asked;"), "{last}");
    assert!(last.contains("it will be tried again in"), "{last}");
    for mut events in going_on {
        assert_eq!(events.rest().await.last().unwrap().kind(), "complete");
    }
    assert_eq!(app.models.count("m/one"), 5);
    app.close().await;
}

#[tokio::test]
async fn whoever_asks_again_after_the_outage_gets_the_whole_council() {
    let app = TestApp::start().await;
    app.models.rule(|_| Some(Script::status(503, "down")));
    let ann = app.user("ann");
    for _ in 0..3 {
        fails(&app, "ann").await;
    }
    app.models.rule(|_| None);
    // The breaker says when: until then every call is refused at once and costs nothing.
    let answer = loop {
        let id = ann.conversation().await;
        let answer =
            ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
        if answer["status"] == "complete" {
            break answer;
        }
        let reason = answer["stage1"][0]["error"].as_str().unwrap();
        assert!(reason.contains("it will be tried again in"), "{reason}");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    };
    assert!((0..4).all(|seat| answer["stage1"][seat].get("error").is_none()), "{answer}");
    assert_eq!(answer["stage3"]["heading"], "Final answer of the council");
    app.close().await;
}
