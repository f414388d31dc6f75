//! A member that has failed is asked for nothing more in its run, and is shown as abstaining.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::find;
use crate::support::model_server::{AskedFor, ModelServer, Script};

/// What this model was asked for, in order.
fn asked(models: &ModelServer, model: &str) -> Vec<AskedFor> {
    let of_model = |record: &crate::support::model_server::Record| record.request.model == model;
    models.records().iter().filter(|record| of_model(record)).map(|it| it.request.asked_for()).collect()
}

fn abstention(model: &str, reason: &str) -> Value {
    json!([{"model": model, "member": model, "reason": reason}])
}

#[tokio::test]
async fn whatever_a_member_failed_by_it_is_asked_for_nothing_more() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let again = |status| Script::status(status, "no").header("Retry-After-Ms", "1");
    for (model, script, tries) in [
        ("m/408", again(408), 3),
        ("m/429", again(429), 3),
        ("m/500", again(500), 3),
        ("m/502", again(502), 3),
        ("m/503", again(503), 3),
        ("m/504", again(504), 3),
        ("m/524", again(524), 3),
        ("m/529", again(529), 3),
        ("m/429-long", Script::status(429, "no").header("Retry-After", "31"), 1),
        ("m/402", again(402), 1),
        ("m/404", again(404), 1),
        ("m/204", Script::status(204, ""), 1),
        ("m/html", Script::raw("text/html", "<!doctype html><title>Log in</title>"), 1),
        ("m/empty", Script::answer(""), 1),
        ("m/cut", Script::answer("Half of an answer that goes on ").in_chunks(4).cut(), 1),
    ] {
        app.models.script(model, [script]);
        let id = ann.conversation().await;
        let question =
            json!({"content": "Why?", "models": [model, "m/two", "m/three"], "use_refinement": true});
        let events = ann.ask(&id, question).await.rest().await;
        assert_eq!(asked(&app.models, model), vec![AskedFor::Answer; tries], "{model}");
        assert_eq!(find(&events, "stage1_error")["member"], *model);

        let start = find(&events, "stage2_start");
        assert_eq!(start["members"].as_array().unwrap().len(), 2, "{model}");
        assert_eq!(start["abstained"], abstention(model, "no_answer"));
        let complete = find(&events, "stage2_complete");
        assert_eq!(complete["data"].as_array().unwrap().len(), 2);
        assert_eq!(complete["metadata"]["abstained"], abstention(model, "no_answer"));
        let facts = &complete["metadata"]["aggregate"];
        assert_eq!((&facts["ballots"], &facts["abstentions"]), (&json!(2), &json!(1)), "{model}");
        assert_eq!(find(&events, "critiques_start")["model_count"], 2);
        assert_eq!(events.last().unwrap().kind(), "complete");

        let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
        assert_eq!(stored["metadata"]["abstained"], abstention(model, "no_answer"));
        assert_eq!(stored["stage3"]["heading"], "Answer of 2 of 3 members");
    }
    app.close().await;
}

#[tokio::test]
async fn a_member_that_was_silent_twice_is_asked_for_nothing_more() {
    // The others are in this process and speak at once, so that no machine is too slow for the limit.
    let app = TestApp::with(
        "\n[council.timeouts.answer]\nfirst_token_ms = 200\n\n\
         [providers.simulated]\ntokens_per_second = 1000000\nfirst_token_ms = 0\n",
    )
    .await;
    app.models.script("m/silent", [Script::answer("").stall()]);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let question = json!({"content": "Why?", "models": ["m/silent", "simulated/ada", "simulated/basil"],
                          "chairman_model": "simulated/chair", "use_refinement": true});
    let events = ann.ask(&id, question).await.rest().await;
    let failed = find(&events, "stage1_error");
    assert_eq!((&failed["member"], &failed["error_kind"]), (&json!("m/silent"), &json!("timeout")));
    assert!(failed["error"].as_str().unwrap().contains("sent no first token"), "{failed}");
    let tries = asked(&app.models, "m/silent");
    assert!(tries.len() <= 2 && tries.iter().all(|it| *it == AskedFor::Answer), "{tries:?}");
    assert_eq!(find(&events, "stage2_start")["members"].as_array().unwrap().len(), 2);
    assert_eq!(find(&events, "stage2_start")["abstained"], abstention("m/silent", "no_answer"));
    assert_eq!(find(&events, "critiques_start")["model_count"], 2);
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_member_that_asks_for_a_longer_wait_than_is_configured_fails_at_once() {
    let list: Vec<Value> = ["m/busy", "m/two", "m/three"].iter().map(|id| json!({ "id": id })).collect();
    let app = TestApp::openrouter_with(&json!(list), "[council]\nmax_retry_after_ms = 2000\n").await;
    app.models.script("m/busy", [Script::status(429, "slow").header("Retry-After", "3")]);
    let ann = app.user("ann");
    let question =
        json!({"content": "Why?", "models": ["m/busy", "m/two", "m/three"], "chairman_model": "m/two"});
    let events = ann.ask(&ann.conversation().await, question).await.rest().await;
    assert_eq!(asked(&app.models, "m/busy"), [AskedFor::Answer]);
    let failed = find(&events, "stage1_error");
    let said = failed["error"].as_str().unwrap();
    assert!(said.ends_with("it asked to wait 3 s, and a call waits 2 s at most"), "{said}");
    assert_eq!(find(&events, "stage2_start")["abstained"], abstention("m/busy", "no_answer"));
    app.close().await;
}

#[tokio::test]
async fn a_member_that_failed_in_the_reviews_is_asked_for_no_critique() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", AskedFor::Review) | ("m/two", AskedFor::Critique) => Some(Script::status(404, "gone")),
        _ => None,
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let question = json!({"content": "Why?", "use_refinement": true, "refinement_max_iterations": 2});
    let events = ann.ask(&id, question).await.rest().await;
    assert_eq!(asked(&app.models, "m/one"), [AskedFor::Answer, AskedFor::Review]);
    assert_eq!(asked(&app.models, "m/two"), [AskedFor::Answer, AskedFor::Review, AskedFor::Critique]);
    let critics: Vec<&Value> = events
        .iter()
        .filter(|event| event.kind() == "critiques_start")
        .map(|event| &event.json["model_count"])
        .collect();
    assert_eq!(critics, [3, 2]);
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn who_fails_as_a_member_may_still_be_the_chairman() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.model == "m/chair" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::status(400, "no"))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let question = json!({"content": "Why?", "models": ["m/one", "m/two", "m/chair"]});
    let events = ann.ask(&id, question).await.rest().await;
    assert_eq!(asked(&app.models, "m/chair"), [AskedFor::Answer, AskedFor::Synthesis]);
    assert_eq!(find(&events, "stage3_complete")["data"]["model"], "m/chair");
    app.close().await;
}

#[tokio::test]
async fn who_is_still_answering_when_the_reviews_begin_abstains() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.model == "m/two" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("Half a thought ").in_chunks(3).stall())
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?", "quorum": 3})).await.rest().await;
    assert_eq!(find(&events, "stage2_complete")["metadata"]["abstained"], abstention("m/two", "late"));
    app.close().await;
}
