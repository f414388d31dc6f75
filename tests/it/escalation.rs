//! Escalation over HTTP: two small models first, two large ones where these are unsure.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::events::Event;
use crate::support::model_server::{AskedFor, Gate, RecordedRequest, Script};

fn kinds(events: &[Event]) -> Vec<&str> {
    let structural = events.iter().filter(|event| !event.is_token()).map(Event::kind);
    structural.filter(|kind| !kind.ends_with("_model_complete") && *kind != "stage1_error").collect()
}

fn all<'a>(events: &'a [Event], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event.kind() == kind).map(|event| &event.json).collect()
}

#[track_caller]
fn only<'a>(events: &'a [Event], kind: &str) -> &'a Value {
    let found = all(events, kind);
    assert_eq!(found.len(), 1, "{kind}");
    found[0]
}

/// Somebody with three models in the first tier and two in the second.
async fn ann(app: &TestApp) -> User<'_> {
    let ann = app.user("ann");
    let tiers = json!({"tier1_models": ["s/one", "s/two", "s/three"], "tier2_models": ["l/one", "l/two"]});
    ann.put("/api/config", tiers).await.ok();
    ann
}

async fn ask(ann: &User<'_>, mut body: Value) -> (Vec<Event>, Value) {
    body["content"] = json!("Why?");
    body["use_escalation"] = json!(true);
    let id = ann.conversation().await;
    let events = ann.ask(&id, body).await.rest().await;
    (events, stored(ann, &id).await)
}

async fn stored(ann: &User<'_>, id: &str) -> Value {
    ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone()
}

/// Each answer's seat and tier.
fn seats(answers: &Value) -> Vec<(&str, u64)> {
    let seat = |answer: &'_ Value| answer["tier"].as_u64().expect("a tier");
    answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| (answer["member"].as_str().unwrap(), seat(answer)))
        .collect()
}

const BOTH: [(&str, u64); 5] = [("s/one", 1), ("s/two", 1), ("s/three", 1), ("l/one", 2), ("l/two", 2)];

fn sure(confidence: u8) -> Script {
    Script::answer(&format!("So it is.\n\nCONFIDENCE: {confidence}"))
}

/// A ballot with all answers on one place: then no answer has half of the votes.
fn undecided(request: &RecordedRequest) -> Option<Script> {
    let ballot = || format!("FINAL RANKING:\n1. {}", request.labels().join(" = "));
    (request.asked_for() == AskedFor::Review).then(|| Script::answer(&ballot()))
}

/// All reviewers give the same order.
fn agreed(request: &RecordedRequest) -> Option<Script> {
    let ballot = || {
        let mut labels = request.labels();
        labels.sort();
        format!("FINAL RANKING:\n1. {}", labels.join("\n2. "))
    };
    (request.asked_for() == AskedFor::Review).then(|| Script::answer(&ballot()))
}

fn is_small(request: &RecordedRequest) -> bool {
    request.model.starts_with("s/")
}

fn asked(app: &TestApp, what: AskedFor) -> Vec<String> {
    let mut models: Vec<String> = app
        .models
        .records()
        .into_iter()
        .filter(|record| record.request.asked_for() == what)
        .map(|record| record.request.model)
        .collect();
    models.sort();
    models
}

#[tokio::test]
async fn a_first_tier_that_is_sure_and_agrees_is_the_council() {
    let app = TestApp::start().await;
    app.models.rule(agreed);
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({})).await;
    assert_eq!(
        kinds(&events),
        [
            "run_started",
            "stage1_start",
            "tier1_start",
            "tier1_complete",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "stage3_start",
            "stage3_complete",
            "costs_complete",
            "title_complete",
            "complete"
        ]
    );
    let start = only(&events, "stage1_start");
    assert_eq!((&start["use_escalation"], &start["current_tier"]), (&json!(true), &json!(1)));
    assert_eq!(start["members"].as_array().unwrap().len(), 3);
    assert_eq!(only(&events, "tier1_start")["models"], json!(["s/one", "s/two", "s/three"]));
    assert!(all(&events, "stage1_token").iter().all(|token| token["tier"] == 1));
    let complete = only(&events, "tier1_complete");
    assert_eq!(complete["metadata"]["aggregate_confidence"]["average"], 8.0);
    assert_eq!(seats(&complete["data"]), BOTH[..3]);
    assert_eq!(complete["data"], only(&events, "stage1_complete")["data"]);

    let before = &only(&events, "stage1_complete")["metadata"]["escalation_info"];
    assert_eq!((&before["escalated"], &before["metrics"]["agreement_ratio"]), (&json!(false), &json!(null)));
    let info = &only(&events, "stage2_complete")["metadata"]["escalation_info"];
    // All put Response A first, its author too.
    assert_eq!(info["metrics"]["agreement_ratio"], json!(1.0));
    assert_eq!(
        (&info["escalated"], &info["reasons"], &info["total_model_count"]),
        (&json!(false), &json!([]), &json!(3))
    );
    assert_eq!(stored["metadata"]["escalation_info"], *info);
    assert_eq!(stored["stage1"], complete["data"]);
    assert_eq!(only(&events, "stage3_complete")["data"]["heading"], "Final answer of the council");
    assert_eq!(asked(&app, AskedFor::Answer), ["s/one", "s/three", "s/two"], "nobody of the second tier");
    assert_eq!(asked(&app, AskedFor::Review).len(), 3);
    app.close().await;
}

#[tokio::test]
async fn a_member_that_broke_off_within_its_confidence_says_none() {
    let app = TestApp::start().await;
    // Of `CONFIDENCE: 10` the connection brought all but the last digit.
    app.models.rule(|request| {
        let is_cut = request.model == "s/two" && request.asked_for() == AskedFor::Answer;
        if is_cut { Some(Script::answer("So it is.\n\nCONFIDENCE: 1").cut()) } else { agreed(request) }
    });
    let ann = ann(&app).await;
    let (_, stored) = ask(&ann, json!({})).await;
    let answer = &stored["stage1"][1];
    assert_eq!((&answer["response"], &answer["confidence"]), (&json!("So it is."), &Value::Null));
    assert!(answer["error"].is_string());
    assert_eq!(stored["metadata"]["escalation_info"]["escalated"], false);
    let confidence = &stored["metadata"]["aggregate_confidence"];
    assert_eq!((&confidence["count"], &confidence["total_models"]), (&json!(2), &json!(3)));
    app.close().await;
}

#[tokio::test]
async fn an_unsure_first_tier_is_not_reviewed_by_itself() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.model == "s/two" && request.asked_for() == AskedFor::Answer).then(|| sure(3))
    });
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({})).await;
    assert_eq!(
        kinds(&events),
        [
            "run_started",
            "stage1_start",
            "tier1_start",
            "tier1_complete",
            "escalation_triggered",
            "tier2_start",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "stage3_start",
            "stage3_complete",
            "costs_complete",
            "title_complete",
            "complete"
        ]
    );
    let info = &only(&events, "escalation_triggered")["data"];
    assert_eq!(info["reasons"], json!(["the lowest confidence 3 is below 4"]));
    assert_eq!(
        info["triggers"],
        json!({"low_avg_confidence": false, "low_min_confidence": true, "low_agreement": false, "no_answer": false})
    );
    let counts =
        ["tier1_model_count", "tier2_model_count", "total_model_count"].map(|count| info[count].clone());
    assert_eq!(counts, [json!(3), json!(2), json!(5)]);
    let second = only(&events, "tier2_start");
    assert_eq!(
        (&second["models"], &second["members"][0]["member"]),
        (&json!(["l/one", "l/two"]), &json!("l/one"))
    );
    for token in all(&events, "stage1_token") {
        let expected = if token["model"].as_str().unwrap().starts_with("l/") { 2 } else { 1 };
        assert_eq!(token["tier"], expected, "{token}");
    }
    let complete = only(&events, "stage1_complete");
    assert_eq!(seats(&complete["data"]), BOTH, "merged in order");
    assert_eq!(complete["metadata"]["escalation_info"], *info);
    assert_eq!(complete["metadata"]["aggregate_confidence"]["total_models"], 5);
    assert_eq!(only(&events, "stage2_start")["members"].as_array().unwrap().len(), 5);
    assert_eq!((&stored["stage1"], &stored["metadata"]["escalation_info"]), (&complete["data"], info));
    assert_eq!(stored["metadata"]["label_to_member"].as_object().unwrap().len(), 5);
    assert_eq!(asked(&app, AskedFor::Review).len(), 5, "each once");
    app.close().await;
}

#[tokio::test]
async fn reviewers_who_disagree_call_the_second_tier_and_everything_is_reviewed_again() {
    let app = TestApp::start().await;
    app.models.rule(|request| if request.labels().len() == 3 { undecided(request) } else { None });
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({})).await;
    assert_eq!(
        kinds(&events),
        [
            "run_started",
            "stage1_start",
            "tier1_start",
            "tier1_complete",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "escalation_triggered",
            "tier2_start",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "stage3_start",
            "stage3_complete",
            "costs_complete",
            "title_complete",
            "complete"
        ]
    );
    let info = &only(&events, "escalation_triggered")["data"];
    assert_eq!(info["reasons"], json!(["only 33.3% of the ballots agree on the first place, below 50%"]));
    let [first, second] = all(&events, "stage2_complete")[..] else { panic!("two reviews") };
    assert_eq!(first["metadata"]["escalation_info"], *info);
    assert!(second["metadata"].get("escalation_info").is_none());
    let [one, both] = all(&events, "stage1_complete")[..] else { panic!("two lists") };
    assert_eq!((seats(&one["data"]), seats(&both["data"])), (BOTH[..3].to_vec(), BOTH.to_vec()));
    assert_eq!(both["metadata"]["escalation_info"], *info);
    // What is stored is the second review, and nothing of the first.
    assert_eq!(stored["stage1"], both["data"]);
    assert_eq!(stored["stage2"], second["data"]);
    for field in ["label_to_model", "label_to_member", "aggregate_rankings", "aggregate"] {
        assert_eq!(stored["metadata"][field], second["metadata"][field], "{field}");
    }
    assert_eq!(stored["metadata"]["escalation_info"], *info);
    assert_eq!(asked(&app, AskedFor::Review).len(), 8);
    assert_eq!(asked(&app, AskedFor::Answer).len(), 5, "no answer twice");
    let costs = &only(&events, "costs_complete")["data"]["by_stage"];
    assert_eq!((&costs["stage1"]["calls"], &costs["stage2"]["calls"]), (&json!(5), &json!(8)));
    app.close().await;
}

#[tokio::test]
async fn a_second_tier_that_fails_leaves_the_first_as_it_was() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        if is_small(request) {
            undecided(request)
        } else {
            request.model.starts_with("l/").then(|| Script::status(401, "no"))
        }
    });
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({})).await;
    let reviewed = only(&events, "stage2_complete");
    assert_eq!(stored["stage2"], reviewed["data"], "the reviews that were held stand");
    assert_eq!(stored["metadata"]["label_to_member"], reviewed["metadata"]["label_to_member"]);
    assert_eq!(seats(&stored["stage1"]), BOTH);
    let info = &stored["metadata"]["escalation_info"];
    assert_eq!(info["escalated"], true);
    assert_eq!(
        info["note"],
        "Nobody of the second tier could answer: the first tier's answers and reviews stand."
    );
    let synthesis = &only(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["heading"], "Answer of 3 of 5 members");
    assert!(synthesis["notes"].to_string().contains("l/one gave no answer"));

    // Unsure, and nobody else: the first tier reviews itself after all.
    app.models.rule(|request| {
        if is_small(request) {
            return (request.asked_for() == AskedFor::Answer).then(|| sure(2));
        }
        request.model.starts_with("l/").then(|| Script::status(401, "no"))
    });
    let (events, stored) = ask(&ann, json!({})).await;
    assert_eq!(only(&events, "stage2_complete")["data"].as_array().unwrap().len(), 3);
    assert_eq!(
        stored["metadata"]["escalation_info"]["note"],
        "Nobody of the second tier could answer: it goes on without them."
    );
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_first_tier_without_any_answer_calls_the_second_and_nobody_at_all_fails() {
    let app = TestApp::start().await;
    app.models.rule(|request| is_small(request).then(|| Script::status(401, "no")));
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({})).await;
    let info = &stored["metadata"]["escalation_info"];
    assert_eq!(info["reasons"], json!(["no answer: nobody of the first tier could answer"]));
    assert_eq!(info["triggers"]["no_answer"], true);
    assert_eq!(info["metrics"]["average_confidence"], json!(null));
    assert_eq!(only(&events, "stage3_complete")["data"]["heading"], "Answer of 2 of 5 members");

    app.models.rule(|request| (request.asked_for() == AskedFor::Answer).then(|| Script::status(401, "no")));
    let (events, stored) = ask(&ann, json!({})).await;
    let last = events.last().unwrap();
    assert_eq!(last.kind(), "error");
    assert_eq!(last.json["message"], "No model answered: the provider refused the server's key.");
    assert_eq!(seats(&stored["stage1"]), BOTH);
    app.close().await;
}

#[tokio::test]
async fn a_slow_model_of_the_first_tier_may_still_answer_while_the_second_does() {
    let app = TestApp::start().await;
    let (slow, large) = (Gate::new(), Gate::new());
    let (held, waits) = (slow.clone(), large.clone());
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("s/two", AskedFor::Answer) => Some(Script::answer("").hold(&held).text("At last.\n\nCONFIDENCE: 9")),
        ("l/one", AskedFor::Answer) => Some(Script::answer("").hold(&waits).text("Of course.")),
        ("s/one" | "s/three", AskedFor::Answer) => Some(sure(3)),
        _ => None,
    });
    let ann = ann(&app).await;
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_escalation": true, "quorum": 2});
    let mut stream = ann.ask(&id, body).await;
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match (event.kind(), event.json["member"].as_str()) {
            ("tier2_start", _) => slow.open(),
            ("stage1_model_complete", Some("s/two")) => large.open(),
            _ => {}
        }
        events.push(event);
    }
    let first = only(&events, "tier1_complete");
    assert_eq!((&first["data"][1]["pending"], &first["data"][1]["tier"]), (&json!(true), &json!(1)));
    let came =
        all(&events, "stage1_model_complete").into_iter().find(|event| event["member"] == "s/two").unwrap();
    assert!(came["data"].get("late").is_none(), "the reviews are still to come: {came}");
    // The quorum of the second tier is all of it: it has two.
    let complete = only(&events, "stage1_complete");
    assert_eq!(seats(&complete["data"]), BOTH);
    assert_eq!(complete["data"][1]["response"], "At last.");
    let reviewed = only(&events, "stage2_complete");
    assert_eq!(reviewed["metadata"]["label_to_member"].as_object().unwrap().len(), 5, "reviewed like any");
    assert_eq!(stored(&ann, &id).await["stage1"], complete["data"]);
    app.close().await;
}

#[tokio::test]
async fn a_model_of_the_first_tier_that_is_silent_is_stopped_when_the_second_has_answered() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("s/two", AskedFor::Answer) => Some(Script::answer("Half a thought ").in_chunks(3).stall()),
        ("s/one" | "s/three", AskedFor::Answer) => Some(sure(3)),
        _ => None,
    });
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({"quorum": 2})).await;
    let stopped = only(&events, "stage1_error");
    assert_eq!(stopped["error"], "stopped: the council went on without it after 2 answers");
    assert_eq!(
        (&stored["stage1"][1]["error_kind"], &stored["stage1"][1]["tier"]),
        (&json!("cancelled"), &json!(1))
    );
    assert_eq!(only(&events, "stage2_start")["members"].as_array().unwrap().len(), 4);
    assert_eq!(only(&events, "stage3_complete")["data"]["heading"], "Answer of 4 of 5 members");
    app.close().await;
}

#[tokio::test]
async fn stopping_while_the_second_tier_answers_keeps_everybody_in_their_tiers() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("l/one", AskedFor::Answer) => Some(Script::answer("Half a thought ").in_chunks(3).stall()),
        ("l/two", AskedFor::Answer) => Some(Script::answer("").stall()),
        (_, AskedFor::Answer) => Some(sure(3)),
        _ => None,
    });
    let ann = ann(&app).await;
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "use_escalation": true})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("tier2_start").await;
    let token = stream.until("stage1_token").await;
    assert_eq!((&token.json["member"], &token.json["tier"]), (&json!("l/one"), &json!(2)));
    app.models
        .until(|records| records.iter().filter(|one| one.request.model.starts_with("l/")).count() == 2)
        .await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let stored = stored(&ann, &id).await;
    assert_eq!(seats(&stored["stage1"]), BOTH);
    assert_eq!(stored["stage1"][4]["error_kind"], "cancelled");
    assert!(stored["stage1"][3]["response"].as_str().unwrap().starts_with("Half"));
    assert_eq!(stored["metadata"]["escalation_info"]["escalated"], true);
    assert!(!stored.to_string().contains("\"pending\""));
    app.close().await;
}

#[tokio::test]
async fn escalation_gives_way_to_routing_and_is_refused_without_tiers() {
    let app = TestApp::with("\n[council.routing_pools]\ncoding = [\"m/one\", \"m/two\"]\n").await;
    let path = format!("/api/conversations/{}/message", app.user("bob").conversation().await);
    let refused = app.user("bob").post(&path, json!({"content": "Why?", "use_escalation": true})).await;
    assert_eq!(refused.wrong_fields(), ["use_escalation", "use_escalation"]);
    for setting in ["tier1_models", "tier2_models"] {
        assert!(refused.text.contains(setting), "{}", refused.text);
    }
    let ann = ann(&app).await;
    let (events, stored) = ask(&ann, json!({"use_dynamic_routing": true})).await;
    let reason = json!([{"field": "use_escalation", "reason": "dynamic routing chooses who answers",
                         "reason_fact": {"code": "routed"}}]);
    assert_eq!(stored["metadata"]["ignored"], reason);
    assert!(stored["metadata"].get("escalation_info").is_none());
    assert_eq!(only(&events, "stage1_start")["use_escalation"], false);
    let (_, stored) = ask(&ann, json!({"models": ["m/one", "m/two"]})).await;
    let reason = json!([{"field": "use_escalation", "reason": "the request names its models itself",
                         "reason_fact": {"code": "models_named"}}]);
    assert_eq!(stored["metadata"]["ignored"], reason);
    app.close().await;
}

#[tokio::test]
async fn the_tiers_and_thresholds_in_force_can_be_read() {
    let app = TestApp::start().await;
    let ann = ann(&app).await;
    ann.put("/api/config", json!({"escalation_agreement_threshold": 0.625})).await.ok();
    let tiers = ann.get("/api/escalation/tiers").await.ok();
    assert_eq!(
        (&tiers["tier1_models"], &tiers["tier2_models"]),
        (&json!(["s/one", "s/two", "s/three"]), &json!(["l/one", "l/two"]))
    );
    let thresholds =
        json!({"confidence_threshold": 6.0, "min_confidence_threshold": 4, "agreement_threshold": 0.625});
    assert_eq!(tiers["thresholds"], thresholds);
    assert_eq!(ann.get("/api/escalation/thresholds").await.ok(), thresholds);
    assert_eq!(tiers["escalation_rules"][2], "Less than 62.5% of the ballots agree on the first place.");
    assert_eq!(
        app.user("bob").get("/api/escalation/tiers").await.ok()["tier1_models"],
        json!([]),
        "nobody else's"
    );
    app.close().await;
}
