//! Dynamic routing over HTTP.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find};
use crate::support::model_server::{AskedFor, Gate, Script};
use crate::support::money::{self, budget};

/// Two models for code, one of them with a seat in the council, and one that is on no list.
const POOLS: &str = r#"
[council.routing_pools]
coding = ["m/coder", "m/two", "m/gone"]
creative = ["m/poet"]
"#;

fn kinds(events: &[Event]) -> Vec<&str> {
    let structural = events.iter().filter(|event| !event.is_token()).map(Event::kind);
    structural.filter(|kind| !kind.ends_with("_model_complete")).collect()
}

async fn ask(app: &TestApp, body: Value) -> (Vec<Event>, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, body).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    (events, stored["messages"][1].clone())
}

fn members(answers: &Value) -> Vec<&str> {
    answers.as_array().unwrap().iter().map(|answer| answer["member"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_models_for_the_kind_of_question_answer_it() {
    let app = TestApp::with(POOLS).await;
    let (events, stored) =
        ask(&app, json!({"content": "Why does it not compile?", "use_dynamic_routing": true})).await;
    assert_eq!(
        kinds(&events),
        [
            "run_started",
            "routing_start",
            "routing_complete",
            "stage1_start",
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
    let info = &find(&events, "routing_complete")["data"];
    assert_eq!(
        *info,
        json!({"category": "coding", "confidence": 0.9, "reasoning": "It is about code.", "source": "model",
               "models": ["m/coder", "m/two", "m/gone"], "is_routed": true, "pool_size": 3, "total_models": 4,
               "routed_model_count": 3})
    );
    let start = find(&events, "stage1_start");
    assert_eq!((&start["use_dynamic_routing"], &start["routing_info"]), (&json!(true), info));
    assert_eq!(stored["metadata"]["routing_info"], *info);
    assert_eq!(stored["metadata"]["use_dynamic_routing"], true);
    assert_eq!(members(&stored["stage1"]), ["m/coder", "m/two", "m/gone"]);
    assert_eq!(stored["stage2"].as_array().unwrap().len(), 3, "they review each other");
    assert_eq!(find(&events, "stage3_complete")["data"]["heading"], "Final answer of the council");
    let asked: Vec<_> = app
        .models
        .records()
        .into_iter()
        .filter(|record| record.request.asked_for() == AskedFor::Routing)
        .collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].request.model, "m/chair", "the utility model");
    assert!(asked[0].request.prompt().contains("Why does it not compile?"));
    let costs = &find(&events, "costs_complete")["data"];
    assert_eq!(costs["by_stage"]["routing"]["calls"], 1, "the classification is in the ledger");
    app.close().await;
}

#[tokio::test]
async fn only_models_on_offer_are_asked_and_fewer_than_two_are_the_whole_council() {
    let app = TestApp::with(POOLS).await;
    let list = |models: &[&str]| {
        let data: Vec<Value> = models.iter().map(|id| json!({"id": id})).collect();
        Script::raw("application/json", json!({"data": data}).to_string())
    };
    app.models.models(list(&["m/coder", "m/two"]));
    // The list is known once somebody has asked for it.
    app.user("ann").get("/api/models").await.ok();
    let question = || json!({"content": "Why?", "use_dynamic_routing": true});
    let (events, stored) = ask(&app, question()).await;
    assert_eq!(find(&events, "routing_complete")["data"]["models"], json!(["m/coder", "m/two"]));
    assert_eq!(members(&stored["stage1"]), ["m/coder", "m/two"]);

    app.models.models(list(&["m/coder", "m/other"]));
    app.app.models.refresh_models().await;
    let (events, stored) = ask(&app, question()).await;
    let info = &find(&events, "routing_complete")["data"];
    assert_eq!((&info["is_routed"], &info["pool_size"]), (&json!(false), &json!(3)));
    assert_eq!(members(&stored["stage1"]), ["m/one", "m/two", "m/three", "m/four"]);
    assert_eq!(info["models"], json!(members(&stored["stage1"])));

    // A pool of one, and a kind without any.
    for reply in ["CATEGORY: CREATIVE", "CATEGORY: FACTUAL"] {
        app.models.script("m/chair", [Script::answer(reply)]);
        let (events, stored) = ask(&app, question()).await;
        assert_eq!(find(&events, "routing_complete")["data"]["is_routed"], false, "{reply}");
        assert_eq!(stored["stage1"].as_array().unwrap().len(), 4);
    }
    app.close().await;
}

#[tokio::test]
async fn without_the_utility_model_single_words_decide_and_it_is_said() {
    let app = TestApp::with(POOLS).await;
    for (script, why) in [
        (Script::status(401, "no"), "m/chair could not be asked ("),
        (Script::answer("I would rather not."), "m/chair named no kind of question that could be read"),
        (Script::answer("CATEGORY: COD").cut(), "m/chair could not be asked ("),
    ] {
        app.models.rule(move |request| (request.asked_for() == AskedFor::Routing).then(|| script.clone()));
        let (events, stored) =
            ask(&app, json!({"content": "Is my Python code slow?", "use_dynamic_routing": true})).await;
        let info = &stored["metadata"]["routing_info"];
        assert_eq!((&info["category"], &info["source"]), (&json!("coding"), &json!("keywords")));
        assert_eq!(info["confidence"], 0.5);
        let reasoning = info["reasoning"].as_str().unwrap();
        assert!(reasoning.starts_with("The question says “code”, “python”."), "{reasoning}");
        assert!(reasoning.contains(why), "{reasoning}");
        assert_eq!(members(&stored["stage1"]), ["m/coder", "m/two", "m/gone"]);
        assert_eq!(events.last().unwrap().kind(), "complete");
    }
    app.close().await;
}

#[tokio::test]
async fn a_council_that_the_request_names_is_not_routed() {
    let app = TestApp::with(POOLS).await;
    let body = json!({"content": "Why?", "use_dynamic_routing": true, "models": ["m/one", "m/two"]});
    let (events, stored) = ask(&app, body).await;
    let reason = json!([{"field": "use_dynamic_routing", "reason": "the request names its models itself",
                         "reason_fact": {"code": "models_named"}}]);
    assert_eq!(find(&events, "run_started")["ignored"], reason);
    assert_eq!(stored["metadata"]["ignored"], reason);
    assert!(!kinds(&events).contains(&"routing_start"));
    let start = find(&events, "stage1_start");
    assert_eq!((&start["use_dynamic_routing"], start.get("routing_info")), (&json!(false), None));
    assert_eq!(members(&stored["stage1"]), ["m/one", "m/two"]);
    assert!(stored["metadata"].get("routing_info").is_none());
    app.close().await;
}

#[tokio::test]
async fn a_question_can_be_classified_without_a_run() {
    let app = TestApp::with(POOLS).await;
    let ann = app.user("ann");
    let pools = ann.get("/api/routing/pools").await.ok();
    assert_eq!(pools["pools"]["coding"], json!(["m/coder", "m/two", "m/gone"]));
    assert_eq!(pools["categories"].as_object().unwrap().len(), 5);
    assert!(pools["categories"]["factual"]["description"].is_string());

    let by_query = ann.send("POST", "/api/routing/classify?query=Why%3F", None).await.ok();
    assert_eq!((&by_query["category"], &by_query["is_routed"]), (&json!("coding"), &json!(true)));
    assert_eq!(
        (&by_query["utility_model"], &by_query["usage"]["total_tokens"]),
        (&json!("m/chair"), &json!(15))
    );
    assert_eq!(by_query["models"], json!(["m/coder", "m/two", "m/gone"]));
    let by_body = ann.post("/api/routing/classify", json!({"query": "Why?"})).await.ok();
    assert_eq!(by_body, by_query);
    app.models.script("m/chair", [Script::status(401, "no")]);
    let guess = ann.post("/api/routing/classify", json!({"query": "Why?"})).await.ok();
    assert_eq!((&guess["category"], &guess["source"]), (&json!("general"), &json!("keywords")));
    assert_eq!(app.models.records().len(), 3);

    for body in [json!({}), json!({"query": ""}), json!({"query": 7}), json!({"query": "a\u{0}b"})] {
        assert_eq!(ann.post("/api/routing/classify", body.clone()).await.wrong_fields(), ["query"], "{body}");
    }
    assert_eq!(ann.send("POST", "/api/routing/classify?query=%20", None).await.wrong_fields(), ["query"]);
    assert_eq!(ann.send("POST", "/api/routing/classify", None).await.status, 422);
    assert_eq!(app.models.records().len(), 3);

    let token = ann.post("/api/tokens", json!({"name": "reads", "permissions": ["read"]})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let reader = app.user("ann").without_identity().with("authorization", &bearer);
    reader.get("/api/routing/pools").await.ok();
    assert_eq!(reader.post("/api/routing/classify", json!({"query": "Why?"})).await.status, 403);
    app.close().await;
}

#[tokio::test]
async fn a_classification_is_paid_for_like_any_other_call() {
    let app = TestApp::with(POOLS).await;
    money::set_prices(&app, |_| Some(1e-6)).await;
    money::costing(&app, |_| 0.006);
    money::set(&app, &[budget("user", Some("ann"), "day", 0.01)]).await;
    let ann = app.user("ann");
    let question = json!({"query": "Why?"});
    let first = ann.post("/api/routing/classify", question.clone()).await.ok();
    money::same(first["cost"].as_f64().unwrap(), 0.006);
    money::same(money::usd(&money::only(&ann).await, "spent_usd"), 0.006);
    // What was expected of the second call fitted; what it cost did not.
    ann.post("/api/routing/classify", question.clone()).await.ok();
    let refusal = money::refused(&ann.post("/api/routing/classify", question.clone()).await);
    money::same(refusal["budget"]["spent_usd"].as_f64().unwrap(), 0.012);
    assert_eq!(app.models.records().len(), 2);

    let usage = app.admin().get("/api/admin/usage?by=format").await.ok();
    let line = &usage["rows"][0];
    assert_eq!(
        (&line["name"], &line["runs"], &line["calls"]),
        (&json!("classification"), &json!(2), &json!(2))
    );
    money::same(line["cost_usd"].as_f64().unwrap(), 0.012);
    let mine = ann.get("/api/analytics").await.ok();
    money::same(mine["summary"]["total_cost"].as_f64().unwrap_or_default(), 0.012);
    let texts: i64 = sqlx::query_scalar("SELECT count(*) FROM calls WHERE result IS NOT NULL")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(texts, 0);

    // A call that fails costs nothing, and stands there as failed.
    let ben = app.user("ben");
    app.models.rule(|_| Some(Script::status(401, "no")));
    ben.post("/api/routing/classify", question).await.ok();
    let usage = app.admin().get("/api/admin/usage?by=user").await.ok();
    let line = usage["rows"].as_array().unwrap().iter().find(|line| line["name"] == "ben").unwrap();
    assert_eq!((&line["calls"], &line["failed_calls"]), (&json!(1), &json!(1)));
    app.close().await;
}

#[tokio::test]
async fn of_calls_at_the_same_moment_no_more_are_made_than_fit_into_a_budget() {
    let app = TestApp::with(POOLS).await;
    money::set_prices(&app, |_| Some(1e-6)).await;
    let ann = app.user("ann");
    money::set(&app, &[budget("user", Some("ann"), "day", 0.0)]).await;
    let refused = money::refused(&ann.post("/api/routing/classify", json!({"query": "Why?"})).await);
    let expected = money::usd(&refused, "needed_usd");
    money::set(&app, &[budget("user", Some("ann"), "day", 2.5 * expected)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(money::plausibly(request, expected).hold(&held)));

    let ask = || ann.post("/api/routing/classify", json!({"query": "Why?"}));
    let mut asked: FuturesUnordered<_> = (0..5).map(|_| ask()).collect();
    let refusals = async {
        for _ in 0..3 {
            let refusal = money::refused(&asked.next().await.unwrap());
            money::same(money::usd(&refusal["budget"], "reserved_usd"), 2.0 * expected);
        }
    };
    tokio::select! {
        () = refusals => {}
        () = app.models.until(|records| records.len() > 2) => panic!("more was asked than fits"),
    }
    gate.open();
    while let Some(answer) = asked.next().await {
        answer.ok();
    }
    drop(asked);
    money::same(money::usd(&money::only(&ann).await, "spent_usd"), 2.0 * expected);
    assert_eq!(money::reservations(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn a_classification_stands_in_the_ledger_when_nobody_waits_for_it() {
    let app = TestApp::with(POOLS).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(money::plausibly(request, 0.25).hold(&held)));
    let ann = app.user("ann");
    tokio::select! {
        answer = ann.post("/api/routing/classify", json!({"query": "Why?"})) => panic!("{}", answer.text),
        () = app.models.until(|records| records.len() == 1) => {}
    }
    gate.open();
    let paid = async {
        while money::spent(&app).await < 0.25 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), paid).await.expect("what was paid for is in the ledger");
    app.close().await;
}
