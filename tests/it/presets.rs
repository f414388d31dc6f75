//! Presets: named councils with their options; and the settings that admins give to everybody.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::AskedFor;

fn names(list: &Value) -> Vec<&str> {
    list["presets"].as_array().unwrap().iter().map(|preset| preset["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_preset_is_saved_listed_replaced_and_deleted() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let saved = ann
        .post(
            "/api/settings/presets",
            json!({"name": " Quick ", "settings": {"council_models": ["m/one", "m/two"]},
                                               "options": {"use_cot": true}}),
        )
        .await
        .ok();
    assert_eq!((&saved["updated"], &saved["preset"]["name"]), (&json!(false), &json!("Quick")));
    let again = ann.post("/api/settings/presets", json!({"name": "Quick"})).await.ok();
    assert_eq!(again["updated"], true);
    assert_eq!(again["preset"]["id"], saved["preset"]["id"]);
    // Without settings it holds what is in force now.
    let config = ann.get("/api/config").await.ok();
    assert_eq!(again["preset"]["settings"]["council_models"], config["council_models"]);
    ann.post("/api/settings/presets", json!({"name": "another"})).await.ok();
    assert_eq!(names(&ann.get("/api/settings/presets").await.ok()), ["another", "Quick"]);

    let id = saved["preset"]["id"].as_str().unwrap();
    let path = format!("/api/settings/presets/{id}");
    assert_eq!(app.user("bob").send("DELETE", &path, None).await.status, 404);
    assert_eq!(app.user("bob").post(&format!("{path}/apply"), json!({})).await.status, 404);
    assert!(names(&app.user("bob").get("/api/settings/presets").await.ok()).is_empty());
    ann.send("DELETE", &path, None).await.ok();
    assert_eq!(ann.send("DELETE", &path, None).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn a_system_prompt_by_default_is_that_of_every_question_without_one() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"default_options": {"system_prompt": "Be brief."}})).await.ok();
    let long = json!({"name": "Long", "options": {"system_prompt": "Be long."}});
    let preset = ann.post("/api/settings/presets", long).await.ok()["preset"]["id"].clone();
    let id = ann.conversation().await;
    for (body, expected) in [
        (json!({}), Some("Be brief.")),
        (json!({"system_prompt": "Be kind."}), Some("Be kind.")),
        (json!({"system_prompt": ""}), None),
        (json!({"preset_id": preset}), Some("Be long.")),
        (json!({"models": [{"model": "m/one", "system_prompt": "Be one."}, "m/two"]}), Some("Be brief.")),
    ] {
        let mut body = body;
        body["content"] = json!("Why?");
        let before = app.models.records().len();
        ann.post(&format!("/api/conversations/{id}/message"), body.clone()).await.ok();
        let records = app.models.records();
        let asked = records[before..].iter().map(|record| &record.request);
        let answer =
            asked.filter(|request| request.asked_for() == AskedFor::Answer && request.model == "m/two");
        let first = &answer.clone().next_back().expect("m/two answers").body["messages"][0];
        let said = (first["role"] == "system").then(|| first["content"].as_str().unwrap());
        assert_eq!(said, expected, "{body}");
    }
    let wrong = json!({"default_options": {"system_prompt": "x".repeat(200_000)}});
    assert_eq!(ann.put("/api/config", wrong).await.wrong_fields(), ["default_options.system_prompt"]);
    app.close().await;
}

#[tokio::test]
async fn a_preset_for_one_run_brings_its_council_and_its_options() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let saved = ann
        .post(
            "/api/settings/presets",
            json!({"name": "Two", "settings": {"council_models": ["m/one", "m/two"]},
                                              "options": {"use_cot": true}}),
        )
        .await
        .ok();
    let id = ann.conversation().await;
    let mut ask = json!({"content": "Why?", "preset_id": saved["preset"]["id"]});
    let start = ann.ask(&id, ask.clone()).await.rest().await;
    let start = start.iter().find(|event| event.kind() == "stage1_start").unwrap();
    assert_eq!(start.json["members"].as_array().unwrap().len(), 2);
    assert_eq!(start.json["use_cot"], true);
    // What the request says itself counts.
    ask["use_cot"] = json!(false);
    let events = ann.ask(&id, ask.clone()).await.rest().await;
    let start = events.iter().find(|event| event.kind() == "stage1_start").unwrap();
    assert_eq!(start.json["use_cot"], false);
    // The settings are what they were.
    assert_eq!(ann.get("/api/config").await.ok()["council_models"].as_array().unwrap().len(), 4);
    for wrong in [json!("nonsense"), json!(7), json!("018f0000-0000-7000-8000-000000000000")] {
        ask["preset_id"] = wrong;
        let refused = ann.post(&format!("/api/conversations/{id}/message"), ask.clone()).await;
        assert_eq!(refused.status, 422);
        assert_eq!(refused.json()["errors"][0]["field"], "preset_id");
    }
    let foreign = app.user("bob").conversation().await;
    ask["preset_id"] = saved["preset"]["id"].clone();
    let refused = app.user("bob").post(&format!("/api/conversations/{foreign}/message"), ask).await;
    assert_eq!(refused.status, 422, "another's preset is as good as none");
    assert_eq!(refused.json()["errors"][0]["field"], "preset_id");
    app.close().await;
}

#[tokio::test]
async fn a_default_that_does_not_fit_a_request_is_ignored_and_told() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let settings = json!({"multi_chairman_models": ["m/one", "m/two"],
                          "default_options": {"quorum": 4, "use_multi_chairman": true, "use_cot": true}});
    ann.put("/api/config", settings).await.ok();
    let id = ann.conversation().await;
    let fewer = json!({"content": "Why?", "models": ["m/one", "m/two", "m/three"]});
    let events = ann.ask(&id, fewer.clone()).await.rest().await;
    let ignored = json!([{"field": "quorum", "reason": "the default does not fit this request: it must be from 1 \
                         to 3, the number of members; it is 4",
                          "reason_fact": {"code": "unfit_default",
                                          "problem": "must be from 1 to 3, the number of members; it is 4"}}]);
    assert_eq!(events[0].json["ignored"], ignored);
    let start = events.iter().find(|event| event.kind() == "stage1_start").unwrap();
    assert_eq!(start.json["use_cot"], true, "the others count");
    assert_eq!(events.last().unwrap().kind(), "complete");

    // What the request says itself is refused.
    let mut said = fewer;
    said["quorum"] = json!(4);
    assert_eq!(ann.post(&format!("/api/conversations/{id}/message"), said).await.wrong_fields(), ["quorum"]);
    app.close().await;
}

#[tokio::test]
async fn a_preset_that_does_not_fit_the_settings_is_refused_with_all_that_is_wrong() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let tier = |name: &str, size: usize| (0..size).map(|at| format!("{name}/{at}")).collect::<Vec<_>>();
    let preset = json!({"name": "Tiers", "settings": {"tier1_models": tier("a", 5)}, "options": {}});
    let saved = ann.post("/api/settings/presets", preset).await.ok();
    ann.put("/api/config", json!({"tier1_models": tier("c", 2), "tier2_models": tier("b", 5)})).await.ok();
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let ask = json!({"content": "", "preset_id": saved["preset"]["id"], "use_escalation": true});
    let refused = ann.post(&path, ask).await;
    assert_eq!(refused.status, 422, "{}", refused.json());
    assert_eq!(refused.wrong_fields(), ["preset_id", "content", "use_escalation"]);
    let message = refused.json()["errors"][0]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("does not fit your settings: tier2_models: "), "{message}");

    let unknown = json!({"content": "", "preset_id": "nonsense"});
    assert_eq!(ann.post(&path, unknown).await.wrong_fields(), ["preset_id", "content"]);
    app.close().await;
}

#[tokio::test]
async fn applying_a_preset_makes_it_the_users_settings_and_defaults() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let saved = ann
        .post(
            "/api/settings/presets",
            json!({"name": "Two", "settings": {"council_models": ["m/one", "m/two"]},
                                              "options": {"use_cot": true}}),
        )
        .await
        .ok();
    let id = saved["preset"]["id"].as_str().unwrap();
    let config = ann.post(&format!("/api/settings/presets/{id}/apply"), json!({})).await.ok();
    assert_eq!(config["council_models"].as_array().unwrap().len(), 2);
    assert_eq!(config["default_options"], json!({"use_cot": true}));
    let conversation = ann.conversation().await;
    let events = ann.ask(&conversation, json!({"content": "Why?"})).await.rest().await;
    let start = events.iter().find(|event| event.kind() == "stage1_start").unwrap();
    assert_eq!(start.json["use_cot"], true, "the default option counts where the request is silent");
    ann.post("/api/config/reset", json!({})).await.ok();
    assert_eq!(ann.get("/api/config").await.ok()["default_options"], json!({}));
    app.close().await;
}

#[tokio::test]
async fn a_wrong_preset_hears_of_every_field_and_is_not_saved() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let refused = ann
        .post(
            "/api/settings/presets",
            json!({"name": "", "settings": {"council_models": ["m/one"], "tier1_models": ["m/one", "m/one"]},
                   "options": {"use_cot": "yes", "content": "hi", "quorum": 9}}),
        )
        .await;
    assert_eq!(
        refused.wrong_fields(),
        [
            "name",
            "settings.council_models",
            "settings.tier1_models.1",
            "options.content",
            "options.use_cot",
            "options.quorum"
        ]
    );
    let settings = json!({"chairman_model": 3, "title_model": "two words"});
    let refused = ann.post("/api/settings/presets", json!({"name": "Mixed", "settings": settings})).await;
    assert_eq!(refused.wrong_fields(), ["settings.chairman_model", "settings.title_model"]);
    assert!(names(&ann.get("/api/settings/presets").await.ok()).is_empty());
    let refused = ann.put("/api/config", json!({"default_options": {"use_cot": 1}})).await;
    assert_eq!(refused.json()["errors"][0]["field"], "default_options.use_cot");
    app.close().await;
}

#[tokio::test]
async fn admins_give_presets_and_settings_to_everybody() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let preset = json!({"name": "House", "shared": true, "settings": {"council_models": ["m/one", "m/two"]}});
    assert_eq!(ann.post("/api/settings/presets", preset.clone()).await.status, 403);
    let saved = root.post("/api/settings/presets", preset).await.ok();
    let list = ann.get("/api/settings/presets").await.ok();
    assert_eq!((names(&list), &list["presets"][0]["shared"]), (vec!["House"], &json!(true)));
    let path = format!("/api/settings/presets/{}", saved["preset"]["id"].as_str().unwrap());
    assert_eq!(ann.send("DELETE", &path, None).await.status, 403);
    ann.post(&format!("{path}/apply"), json!({})).await.ok();
    root.send("DELETE", &path, None).await.ok();
    assert_eq!(ann.get("/api/config").await.ok()["council_models"].as_array().unwrap().len(), 2);

    let bob = app.user("bob");
    assert_eq!(bob.get("/api/admin/config").await.status, 403);
    assert_eq!(bob.put("/api/admin/config", json!({"chairman_model": "m/two"})).await.status, 403);
    assert_eq!(root.get("/api/admin/config").await.ok()["is_default"], true);
    let refused = root
        .put("/api/admin/config", json!({"chairman_model": "two words", "tier1_models": ["m/one"]}))
        .await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["errors"].as_array().unwrap().len(), 2);
    root.put("/api/admin/config", json!({"chairman_model": "m/two"})).await.ok();
    assert_eq!(bob.get("/api/config").await.ok()["chairman_model"], "m/two");
    let conversation = bob.conversation().await;
    let events = bob.ask(&conversation, json!({"content": "Why?"})).await.rest().await;
    let written = events.iter().find(|event| event.kind() == "stage3_complete").unwrap();
    assert_eq!(written.json["data"]["model"], "m/two");
    root.post("/api/admin/config/reset", json!({})).await.ok();
    assert_eq!(root.get("/api/admin/config").await.ok()["is_default"], true);
    assert_ne!(bob.get("/api/config").await.ok()["chairman_model"], "m/two");
    app.close().await;
}

/// A change of each setting alone.
fn changes() -> Vec<Value> {
    vec![
        json!({"council_models": ["m/one", "m/two"]}),
        json!({"chairman_model": "m/other"}),
        json!({"chairman_alias": "Chair"}),
        json!({"chairman_fallbacks": ["m/three"]}),
        json!({"title_model": "m/titles"}),
        json!({"utility_model": "m/small"}),
        json!({"use_system_prompt_stage2": false}),
        json!({"use_system_prompt_stage3": false}),
        json!({"count_self_votes": true}),
        json!({"multi_chairman_models": ["m/one", "m/two"]}),
        json!({"escalation_confidence_threshold": 7.5}),
        json!({"escalation_min_confidence_threshold": 3}),
        json!({"escalation_agreement_threshold": 0.25}),
        json!({"adversary_model": "m/devil"}),
    ]
}

/// The fields in which settings differ from what all these changes say.
fn lost(config: &Value) -> Vec<String> {
    let mut lost = Vec::new();
    for (field, wanted) in changes().iter().flat_map(|change| change.as_object().unwrap().clone()) {
        let found = &config[&field];
        let named =
            found.as_array().map(|list| list.iter().filter_map(|one| one.get("model")).collect::<Vec<_>>());
        let same = *found == wanted || named.is_some_and(|named| !named.is_empty() && json!(named) == wanted);
        if !same {
            lost.push(field);
        }
    }
    lost
}

#[tokio::test]
async fn changes_of_different_settings_at_the_same_moment_all_survive() {
    let app = TestApp::start().await;
    for path in ["/api/config", "/api/admin/config"] {
        let admin = app.admin();
        let put = async |change: Value| admin.put(path, change).await.ok();
        join_all(changes().into_iter().map(put)).await;
        assert_eq!(lost(&admin.get(path).await.ok()), [""; 0], "{path}");
    }

    // Applying a preset reads, changes and writes as well.
    let ann = app.user("ann");
    let preset = json!({"name": "Two", "settings": changes()[0], "options": {"use_cot": true}});
    let preset = ann.post("/api/settings/presets", preset).await.ok();
    let apply = format!("/api/settings/presets/{}/apply", preset["preset"]["id"].as_str().unwrap());
    let change = async |change: Value| match change.get("council_models") {
        Some(_) => ann.post(&apply, json!({})).await.ok(),
        None => ann.put("/api/config", change).await.ok(),
    };
    join_all(changes().into_iter().map(change)).await;
    let config = ann.get("/api/config").await.ok();
    assert_eq!(lost(&config), [""; 0]);
    assert_eq!(config["default_options"], json!({"use_cot": true}));
    app.close().await;
}

#[tokio::test]
async fn presets_saved_at_the_same_moment_do_not_exceed_what_one_may_have() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let save = async |n: usize| {
        ann.post("/api/settings/presets", json!({"name": format!("Preset {n}"), "settings": {}})).await.status
    };
    for n in 0..97 {
        assert_eq!(save(n).await, 200);
    }
    let mut statuses = join_all((97..107).map(save)).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 422, 422, 422, 422, 422, 422, 422]);
    assert_eq!(names(&ann.get("/api/settings/presets").await.ok()).len(), 100);
    app.close().await;
}
