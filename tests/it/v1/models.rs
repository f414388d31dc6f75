//! What can be asked under which name.

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, asks_with, program, program_of, refused};
use crate::support::app::TestApp;
use crate::support::money::set_prices;

async fn ids(user: &crate::support::app::User<'_>) -> Vec<String> {
    let list = user.get("/v1/models").await.ok();
    assert_eq!(list["object"], "list");
    list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn formats_and_presets_are_models_that_say_what_they_cost_and_that_they_take_their_time() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let options = json!({"name": "Fast & cheap", "options": {"mode": "debate"}});
    let preset = ann.post("/api/settings/presets", options).await.ok();
    let shared = json!({"name": "fast cheap", "shared": true});
    let shared = app.admin().post("/api/settings/presets", shared).await.ok();
    let tool = program(&app).await;
    let second = format!("council/{}", shared["preset"]["id"].as_str().unwrap());
    let expected = [
        "council",
        "council:fast",
        "council:select",
        "debate",
        "arena",
        "decomposition",
        "council/fast-cheap",
        &second,
    ];
    assert_eq!(ids(&tool).await, expected);
    let bobs = ids(&program_of(&app, "bob", &["ask"]).await).await;
    assert_eq!(
        bobs.iter().filter(|id| id.starts_with("council/")).collect::<Vec<_>>(),
        ["council/fast-cheap"]
    );

    let model = tool.get("/v1/models/council/fast-cheap").await.ok();
    assert_eq!((&model["object"], &model["owned_by"]), (&json!("model"), &json!("llm-council")));
    assert!(model["created"].as_i64().unwrap() > 1_700_000_000, "{model}");
    let about = model["description"].as_str().unwrap();
    assert!(about.contains("Fast & cheap") && about.contains("minutes") && about.contains("cost"), "{about}");
    // Libraries write a slash within a name like this.
    assert_eq!(tool.get("/v1/models/council%2Ffast-cheap").await.ok()["id"], "council/fast-cheap");
    let by_id = format!("/v1/models/council/{}", preset["preset"]["id"].as_str().unwrap());
    assert_eq!(tool.get(&by_id).await.ok()["id"], "council/fast-cheap");
    for missing in ["gpt-4", "council/none", "seat/m/one", ""] {
        let answer = tool.get(&format!("/v1/models/{missing}")).await;
        assert_eq!(refused(&answer), (404, "model_not_found".into(), json!("model")), "{missing}");
    }
    let answer = tool.post(CHAT, asks_with("Why?", &json!({"model": "gpt-4"}))).await;
    assert_eq!(refused(&answer), (404, "model_not_found".into(), json!("model")));
    app.close().await;
}

#[tokio::test]
async fn what_a_question_costs_is_not_known_where_some_price_is_not() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    set_prices(&app, |model| (model == "m/one").then_some(0.0)).await;
    let council = tool.get("/v1/models/council").await.ok();
    let about = council["description"].as_str().unwrap();
    assert!(about.contains("what a question costs is not known"), "{about}");
    assert!(council.get("estimated_cost_usd").is_none(), "{council}");
    set_prices(&app, |_| Some(0.0)).await;
    let council = tool.get("/v1/models/council").await.ok();
    assert!(council["description"].as_str().unwrap().contains("costs nothing"), "{council}");
    assert_eq!(council["estimated_cost_usd"], 0.0);
    app.close().await;
}

#[tokio::test]
async fn a_new_preset_does_not_take_the_name_of_an_old_one() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let mut saved = Vec::new();
    // `Fast & cheap!` comes first in the alphabet.
    for name in ["fast-cheap", "Slow / dear", "Fast & cheap!", "Slow & dear"] {
        let preset = ann.post("/api/settings/presets", json!({ "name": name })).await.ok();
        saved.push(preset["preset"]["id"].as_str().unwrap().to_owned());
    }
    let tool = program(&app).await;
    let expected = [
        format!("council/{}", saved[2]),
        "council/fast-cheap".to_owned(),
        format!("council/{}", saved[3]),
        "council/slow-dear".to_owned(),
    ];
    assert_eq!(ids(&tool).await[6..], expected, "in the order of their names");
    for (place, name) in [(0, "fast-cheap"), (1, "slow-dear")] {
        let by_id = tool.get(&format!("/v1/models/council/{}", saved[place])).await.ok();
        assert_eq!(by_id["id"], json!(format!("council/{name}")));
    }
    // Saved anew it stays what it was, and what is written like the name is meant by it.
    ann.post("/api/settings/presets", json!({"name": "Slow / dear", "options": {"mode": "debate"}}))
        .await
        .ok();
    assert_eq!(ids(&tool).await[6..], expected);
    ann.post("/api/settings/presets", json!({"name": "slow-dear"})).await.ok();
    let by_id = tool.get(&format!("/v1/models/council/{}", saved[1])).await.ok();
    assert_eq!(by_id["id"], json!(format!("council/{}", saved[1])));
    app.close().await;
}

#[tokio::test]
async fn every_model_gives_an_answer() {
    let app = TestApp::simulated().await;
    let preset =
        json!({"name": "refined", "options": {"use_refinement": true, "refinement_max_iterations": 1}});
    app.user("ann").post("/api/settings/presets", preset).await.ok();
    let tool = program(&app).await;
    let ids = ids(&tool).await;
    assert!(ids.contains(&"council/refined".to_owned()), "{ids:?}");
    for (place, id) in ids.iter().enumerate() {
        let question = format!("Compare Rust and Go for a web server, part {place}");
        let answer = tool.post(CHAT, asks_with(&question, &json!({"model": id}))).await.ok();
        let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(!text.is_empty(), "{id}");
        assert_eq!(answer["model"], json!(id));
        let stored = app.user("ann").get("/api/conversations").await.ok();
        let id = stored[0]["id"].as_str().unwrap();
        let whole = app.user("ann").get(&format!("/api/conversations/{id}")).await.ok();
        assert_eq!(whole["messages"][1]["stage3"]["response"], json!(text));
    }
    app.close().await;
}

#[tokio::test]
async fn single_seats_are_there_where_the_administrator_allows_them() {
    let app = TestApp::with("[programs]\nsingle_seats = true\n").await;
    let tool = program(&app).await;
    assert!(ids(&tool).await.contains(&"seat/m/two".to_owned()));
    let body = asks_with("Why?", &json!({"model": "seat/m/two", "temperature": 0.5}));
    let answer = tool.post(CHAT, body).await.ok();
    assert!(answer["choices"][0]["message"]["content"].as_str().unwrap().contains("m/two"), "{answer}");
    assert_eq!(answer["usage"]["total_tokens"], 15);
    let asked: Vec<Value> = app.models.records().into_iter().map(|record| record.request.body).collect();
    assert_eq!((asked.len(), &asked[0]["temperature"]), (1, &json!(0.5)));
    let response = tool.post(RESPONSES, json!({"model": "seat/m/two", "input": "Why?"})).await.ok();
    assert_eq!((&response["status"], &response["store"]), (&json!("completed"), &json!(false)));
    let mine = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(mine, json!([]), "no conversation is made of it");
    app.close().await;
}
