//! Names that stand for whatever is newest, and models that are gone: with the built-in council, on the list
//! of OpenRouter of 2 July 2026 (five makers' models and their prices, as models.dev had them in f3fc6922).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{ModelServer, Script, plausible};
use crate::support::process::Program;
use crate::support::ranked::{pick, usage};

/// The list without these.
fn list_without(gone: &[&str]) -> Value {
    let list: Vec<Value> = serde_json::from_str(include_str!("fixtures/openrouter_models.json")).unwrap();
    list.into_iter().filter(|model| !gone.contains(&model["id"].as_str().unwrap())).collect()
}

/// Lets every floating name be answered by a model; `gpt` is the one behind `~openai/gpt-latest`.
fn answer_as(app: &TestApp, gpt: &Arc<Mutex<&'static str>>) {
    let gpt = gpt.clone();
    app.models.rule(move |request| {
        let behind = match request.model.as_str() {
            "~openai/gpt-latest" => *gpt.lock().unwrap(),
            "~openai/gpt-mini-latest" => "openai/gpt-5.4-mini",
            "~google/gemini-pro-latest" => "google/gemini-3.1-pro-preview",
            "~anthropic/claude-sonnet-latest" => "anthropic/claude-sonnet-5",
            "~moonshotai/kimi-latest" => "moonshotai/kimi-k2.6",
            _ => return None,
        };
        Some(plausible(request).usage(usage(None)).served_by(behind))
    });
}

fn models(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["model"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_floating_name_that_moves_between_two_runs_is_two_models() {
    let app = TestApp::openrouter(&list_without(&[])).await;
    let gpt = Arc::new(Mutex::new("openai/gpt-5.4"));
    answer_as(&app, &gpt);
    let ann = app.user("ann");
    let ask = async || {
        let conversation = format!("/api/conversations/{}", ann.conversation().await);
        // It has its title: one that came too late would count under the name that was asked.
        assert_eq!(ann.send("PATCH", &conversation, Some(&json!({"title": "Why"}))).await.status, 200);
        ann.post(&format!("{conversation}/message"), json!({"content": "Why?"})).await.ok()
    };
    let first = ask().await;
    ask().await;
    *gpt.lock().unwrap() = "openai/gpt-5.5";
    let third = ask().await;

    // 10 tokens in and 5 out, each time at the price of whoever answered.
    for (run, model, cost) in [(&first, "openai/gpt-5.4", 100e-6), (&third, "openai/gpt-5.5", 200e-6)] {
        let answer = &run["stage1"][0];
        assert_eq!(pick(answer, &["model", "served_by"]), json!(["~openai/gpt-latest", model]));
        assert!((answer["cost"].as_f64().unwrap() - cost).abs() < 1e-12, "{answer}");
        assert_eq!(answer["usage"]["cost_source"], "listed");
        assert_eq!(run["stage3"]["served_by"], "google/gemini-3.1-pro-preview");
        assert_eq!(run["stage2"][0]["served_by"], model);
    }

    let counted = ann.get("/api/analytics").await.ok()["models"].clone();
    let mut names: Vec<&String> = counted.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "anthropic/claude-sonnet-5",
            "google/gemini-3.1-pro-preview",
            "moonshotai/kimi-k2.6",
            "openai/gpt-5.4",
            "openai/gpt-5.5",
        ]
    );
    let board = ann.get("/api/analytics/leaderboard").await.ok();
    let mut rated = models(&board["models"]);
    rated.sort_unstable();
    assert_eq!(
        rated,
        [
            "anthropic/claude-sonnet-5",
            "google/gemini-3.1-pro-preview",
            "moonshotai/kimi-k2.6",
            "openai/gpt-5.4",
            "openai/gpt-5.5",
        ]
    );
    let chairmen = ann.get("/api/analytics/chairman").await.ok();
    let written: Vec<&String> = chairmen["models"].as_object().unwrap().keys().collect();
    assert_eq!(written, ["google/gemini-3.1-pro-preview"]);

    // The newcomer begins without a record, those that stayed have theirs.
    let weights = &third["metadata"]["weights_info"]["weights"];
    assert_eq!(pick(&weights["openai/gpt-5.5"], &["runs", "has_history"]), json!([0, false]));
    assert_eq!(pick(&weights["anthropic/claude-sonnet-5"], &["runs", "has_history"]), json!([2, true]));
    assert_eq!(weights.as_object().unwrap().len(), 4, "{weights}");
    let all = ann.get("/api/weights").await.ok();
    assert_eq!(all["weights"]["openai/gpt-5.4"]["runs"], 2);
    assert_eq!(all["weights"]["openai/gpt-5.5"]["runs"], 1);
    assert!(all["weights"].as_object().unwrap().keys().all(|name| !name.starts_with('~')), "{all}");

    let ledger = app.admin().get("/api/admin/usage?by=model").await.ok().to_string();
    assert!(ledger.contains("openai/gpt-5.5") && !ledger.contains("~openai"), "{ledger}");
    app.close().await;
}

#[tokio::test]
async fn a_reply_that_names_its_model_by_a_dated_name_counts_for_the_one_in_the_list() {
    let list = json!([
        {"id": "~openai/gpt-latest", "canonical_slug": "~openai/gpt-latest", "pricing": {"prompt": "0.015", "completion": "0.015"}},
        {"id": "openai/gpt-5.6-sol:batch", "canonical_slug": "openai/gpt-5.6-sol-20260709"},
        {"id": "openai/gpt-5.6-sol", "canonical_slug": "openai/gpt-5.6-sol-20260709",
         "pricing": {"prompt": "0.01", "completion": "0.02"}},
        {"id": "b/two"},
    ]);
    let app = TestApp::openrouter(&list).await;
    app.models.rule(|request| match request.model.as_str() {
        "~openai/gpt-latest" => {
            Some(plausible(request).usage(usage(None)).served_by("openai/gpt-5.6-sol-20260709"))
        }
        "b/two" => Some(plausible(request).served_by("no model\u{7}\nbut a text")),
        _ => None,
    });
    let ann = app.user("ann");
    let body = json!({"content": "Why?", "models": ["~openai/gpt-latest", "b/two"]});
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let run = ann.post(&path, body).await.ok();
    assert_eq!(pick(&run["stage1"][0], &["served_by", "cost"]), json!(["openai/gpt-5.6-sol", 0.2]));
    assert_eq!(run["stage1"][1].get("served_by"), None, "what is no model's id is not shown");
    app.close().await;
}

/// Half of the defaults.
const GONE: [&str; 4] = [
    "~google/gemini-pro-latest",
    "~moonshotai/kimi-latest",
    "~openai/gpt-mini-latest",
    "~anthropic/claude-haiku-latest",
];

#[tokio::test]
async fn the_built_in_council_takes_the_nearest_models_for_those_that_are_gone_and_says_so() {
    let app = TestApp::openrouter(&list_without(&GONE)).await;
    let ann = app.user("ann");
    let config = ann.get("/api/config").await.ok();
    let council = [
        "~openai/gpt-latest",
        "google/gemini-3.1-pro-preview",
        "~anthropic/claude-sonnet-latest",
        "moonshotai/kimi-k2.6",
    ];
    assert_eq!(models(&config["council_models"]), council);
    assert_eq!(config["chairman_model"], "google/gemini-3.1-pro-preview");
    assert_eq!(config["title_model"], "openai/gpt-5.4-mini");
    assert_eq!(
        config["tier1_models"],
        json!(["openai/gpt-5.4-mini", "~google/gemini-flash-latest", "anthropic/claude-haiku-4.5"])
    );
    assert_eq!(config["routing_pools"]["factual"][2], "moonshotai/kimi-k2.6");
    let instead = |model: &str, nearest: &str| json!({"model": model, "nearest": nearest, "replaced": true});
    let said = json!([
        instead("~anthropic/claude-haiku-latest", "anthropic/claude-haiku-4.5"),
        instead("~google/gemini-pro-latest", "google/gemini-3.1-pro-preview"),
        instead("~moonshotai/kimi-latest", "moonshotai/kimi-k2.6"),
        instead("~openai/gpt-mini-latest", "openai/gpt-5.4-mini"),
    ]);
    assert_eq!(config["missing_models"], said);

    // Before asking: those who would be asked.
    let estimate = ann.post("/api/estimate", json!({"content": "Why?"})).await.ok();
    assert_eq!(models(&estimate["missing_models"]), [GONE[0], GONE[1], GONE[2]]);

    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    assert_eq!(models(&run["stage1"]), council);
    assert_eq!(run["stage3"]["heading"], "Final answer of the council");
    assert!(GONE.iter().all(|gone| app.models.count(gone) == 0), "nobody asks what is gone");

    // What is back is asked again.
    app.models.models(Script::raw("application/json", json!({"data": list_without(&[])}).to_string()));
    app.app.models.refresh_models().await;
    let config = ann.get("/api/config").await.ok();
    assert_eq!((&config["chairman_model"], &config["missing_models"]), (&json!(GONE[0]), &json!([])));
    app.close().await;
}

#[tokio::test]
async fn what_a_person_or_an_administrator_has_chosen_is_asked_as_it_is() {
    let app = TestApp::openrouter(&list_without(&GONE)).await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let missing = |model: &str, nearest: &str| json!({"model": model, "nearest": nearest, "replaced": false});
    app.admin().put("/api/admin/config", json!({"chairman_model": "x-ai/grok-4"})).await.ok();
    // OpenRouter does not list all of its routers.
    let own = json!({"council_models": ["~moonshotai/kimi-latest", "gone/for-good", "openai/gpt-5.5"],
                     "utility_model": "openrouter/auto"});
    let changed = ann.put("/api/config", own).await.ok();
    assert_eq!(models(&changed["council_models"])[0], "~moonshotai/kimi-latest");
    let said = changed["missing_models"].as_array().unwrap();
    for expected in [
        missing("x-ai/grok-4", "x-ai/grok-4.3"),
        missing("~moonshotai/kimi-latest", "moonshotai/kimi-k2.6"),
        json!({"model": "gone/for-good", "replaced": false}),
    ] {
        assert!(said.contains(&expected), "{expected} in {said:?}");
    }
    assert!(!said.iter().any(|one| one["model"] == "openrouter/auto"), "{said:?}");
    let estimate = ann.post("/api/estimate", json!({"content": "Why?"})).await.ok();
    assert_eq!(
        models(&estimate["missing_models"]),
        ["gone/for-good", "x-ai/grok-4", "~moonshotai/kimi-latest", "~openai/gpt-mini-latest"]
    );
    // Theirs alone: bob's council is the built-in one, with the administrator's chairman.
    let config = bob.get("/api/config").await.ok();
    assert_eq!(models(&config["council_models"])[3], "moonshotai/kimi-k2.6");
    assert_eq!(config["chairman_model"], "x-ai/grok-4");
    app.close().await;
}

#[tokio::test]
async fn a_configured_model_that_is_not_on_the_list_is_said_at_start() {
    let (db, server) = (TestDb::new().await, ModelServer::start().await);
    let list = json!({"data": [{"id": "m/one"}, {"id": "m/two"}, {"id": "m/three"}, {"id": "m/chair-2"},
                               {"id": "m/title"}]});
    server.models(Script::raw("application/json", list.to_string()));
    let process = Program::council(&db, &server).serve().await;
    process
        .until_logged(|log| {
            let said: Vec<&str> =
                log.lines().filter(|line| line.contains("is not on its provider's list")).collect();
            let says = |model: &str| said.iter().any(|line| line.contains(&format!("\"{model}\"")));
            said.len() == 2 && says("m/four") && says("m/chair") && says("m/chair-2")
        })
        .await;
}

#[tokio::test]
async fn a_model_of_the_built_in_council_that_is_gone_is_said_at_start() {
    let (db, server) = (TestDb::new().await, ModelServer::start().await);
    server.models(Script::raw("application/json", json!({"data": list_without(&GONE)}).to_string()));
    let process = Program::council(&db, &server)
        .without("council.models")
        .without("council.chairman")
        .without("council.title_model")
        .without("providers.scripted.kind")
        .without("providers.scripted.base_url")
        .without("providers.scripted.api_key")
        .without("providers.scripted.max_in_flight")
        .set("providers.openrouter.base_url", &server.base_url())
        .set("providers.openrouter.api_key", "sk-secret-of-the-test")
        .serve()
        .await;
    process
        .until_logged(|log| {
            let said: Vec<&str> =
                log.lines().filter(|line| line.contains("of the built-in council")).collect();
            let says = |model: &str, nearest: &str| {
                said.iter().any(|line| {
                    line.contains(&format!("\"{model}\"")) && line.contains(&format!("\"{nearest}\""))
                })
            };
            said.len() == GONE.len()
                && says("~google/gemini-pro-latest", "google/gemini-3.1-pro-preview")
                && says("~moonshotai/kimi-latest", "moonshotai/kimi-k2.6")
                && says("~openai/gpt-mini-latest", "openai/gpt-5.4-mini")
                && says("~anthropic/claude-haiku-latest", "anthropic/claude-haiku-4.5")
        })
        .await;
}
