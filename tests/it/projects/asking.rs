//! What a question in a project is asked with.

use serde_json::{Value, json};

use super::{let_in, project, team};
use crate::support::app::{TestApp, User};
use crate::support::events::find;
use crate::support::model_server::AskedFor;

async fn ask(user: &User<'_>, conversation: &str, body: Value) -> Value {
    user.post(&format!("/api/conversations/{conversation}/message"), body).await.ok()
}

/// The models that were asked for an answer from the call of this number on, and the system message of each.
fn told(app: &TestApp, from: usize) -> Vec<(String, Option<String>)> {
    let records = app.models.records();
    let answers = records[from..].iter().filter(|record| record.request.asked_for() == AskedFor::Answer);
    let mut told: Vec<_> = answers
        .map(|record| {
            let first = &record.request.body["messages"][0];
            let system = (first["role"] == "system").then(|| first["content"].as_str().unwrap().to_owned());
            (record.request.model.clone(), system)
        })
        .collect();
    told.sort();
    told
}

#[tokio::test]
async fn instructions_and_defaults_count_in_the_project_and_only_there() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let council = json!([{"model": "m/one"}, {"model": "m/two", "system_prompt": "You are a poet."}]);
    let id = project(
        &ann,
        json!({
            "name": "Herons", "instructions": "Speak of herons.", "settings": {"council_models": council},
            "options": {"system_prompt": "Be brief.", "use_reviews": false}
        }),
    )
    .await;
    let_in(&ann, &id, "user/will", "writer").await;
    let mine = json!({"default_options": {"system_prompt": "Be long.", "use_cot": true}});
    will.put("/api/config", mine).await.ok();

    let inside = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let inside = inside["id"].as_str().unwrap();
    let answer = ask(&will, inside, json!({"content": "Why?"})).await;
    let some = |text: &str| Some(text.to_owned());
    let expected = [
        ("m/one".to_owned(), some("Speak of herons.\n\nBe brief.")),
        ("m/two".to_owned(), some("Speak of herons.\n\nYou are a poet.")),
    ];
    let system = told(&app, 0);
    assert_eq!(system, expected, "the project's before his, and before a member's own");
    assert_eq!(answer["stage2"].as_array().map_or(0, Vec::len), 0, "the project asks for no reviews");

    // The request's own words win, and the instructions stay.
    let from = app.models.records().len();
    ask(
        &will,
        inside,
        json!({"content": "Why?", "system_prompt": "Be a pirate.", "models": ["m/three", "m/four"]}),
    )
    .await;
    let all = |text: &str, names: [&str; 2]| names.map(|name| (name.to_owned(), some(text)));
    assert_eq!(told(&app, from), all("Speak of herons.\n\nBe a pirate.", ["m/four", "m/three"]));

    // A preset that is named wins over what the project sets; the instructions stay.
    let preset = json!({"name": "Own", "settings": {"council_models": ["m/one", "m/four"]}, "options": {}});
    let preset = will.post("/api/settings/presets", preset).await.ok();
    let from = app.models.records().len();
    ask(&will, inside, json!({"content": "Why?", "preset_id": preset["preset"]["id"]})).await;
    assert_eq!(told(&app, from), all("Speak of herons.", ["m/four", "m/one"]));

    // Outside everything is as it was.
    let outside = will.conversation().await;
    let from = app.models.records().len();
    ask(&will, &outside, json!({"content": "Why?"})).await;
    let system = told(&app, from);
    assert_eq!(system.len(), 4);
    assert!(system.iter().all(|(_, system)| system.as_deref() == Some("Be long.")), "{system:?}");

    // A change counts from the next question on.
    let change = json!({"instructions": "  ", "settings": {}, "options": {}});
    ann.send("PATCH", &format!("/api/projects/{id}"), Some(&change)).await.ok();
    let from = app.models.records().len();
    ask(&will, inside, json!({"content": "Why?"})).await;
    assert!(told(&app, from).iter().all(|(_, system)| system.as_deref() == Some("Be long.")));
    app.close().await;
}

#[tokio::test]
async fn the_projects_options_count_before_ones_own_also_in_other_words() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let options = json!({"use_early_consensus": true, "count_self_votes": true});
    let id = project(&ann, json!({"name": "Herons", "options": options})).await;
    let_in(&ann, &id, "user/will", "writer").await;
    let mine = json!({"default_options": {"final": "select", "self_votes": "left_out"}});
    will.put("/api/config", mine).await.ok();
    let inside = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let answer = ask(&will, inside["id"].as_str().unwrap(), json!({"content": "Why?"})).await;
    let metadata = &answer["metadata"];
    assert!(metadata["consensus_info"]["reason"].is_string(), "it was looked for: {metadata}");
    assert_eq!(metadata["aggregate"]["self_votes"], "counted");
    assert!(metadata.get("ignored").is_none(), "{metadata}");
    app.close().await;
}

#[tokio::test]
async fn a_default_of_ones_own_that_does_not_fit_the_project_is_left_out() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id =
        project(&ann, json!({"name": "Herons", "settings": {"council_models": ["m/one", "m/two"]}})).await;
    let_in(&ann, &id, "user/will", "writer").await;
    will.put("/api/config", json!({"default_options": {"quorum": 4, "use_cot": true}})).await.ok();
    let inside = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let events = will.ask(inside["id"].as_str().unwrap(), json!({"content": "Why?"})).await.rest().await;
    let ignored = events[0].json["ignored"].as_array().unwrap();
    assert_eq!(ignored.len(), 1, "{ignored:?}");
    assert_eq!(
        (&ignored[0]["field"], &ignored[0]["reason_fact"]["code"]),
        (&json!("quorum"), &json!("unfit_default"))
    );
    let start = find(&events, "stage1_start");
    assert_eq!(start["members"].as_array().unwrap().len(), 2, "the project's council");
    assert_eq!(start["use_cot"], true, "his other defaults count");
    app.close().await;
}

#[tokio::test]
async fn an_estimate_and_a_first_question_count_with_the_project() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let body = json!({"name": "Herons", "settings": {"council_models": ["m/one", "m/two"]}, "options": {"use_reviews": false}});
    let id = project(&ann, body).await;
    let calls = async |body: Value| {
        let estimate = ann.post("/api/estimate", body).await.ok();
        estimate["calls"].as_u64().unwrap_or_else(|| panic!("{estimate}"))
    };
    let outside = calls(json!({"content": "Why?"})).await;
    let inside = calls(json!({"content": "Why?", "project_id": id})).await;
    assert!(inside < outside, "{inside} < {outside}");
    let refused = app.user("bob").post("/api/estimate", json!({"content": "Why?", "project_id": id})).await;
    assert_eq!((refused.status, refused.wrong_fields()), (422, vec!["project_id".to_owned()]));
    // A conversation that is there is moved, not begun again.
    let other = ann.conversation().await;
    let body = json!({"content": "Why?", "project_id": id});
    let refused = ann.post(&format!("/api/conversations/{other}/message"), body).await;
    assert_eq!((refused.status, refused.wrong_fields()), (422, vec!["project_id".to_owned()]));
    app.close().await;
}

#[tokio::test]
async fn an_answer_from_the_cache_was_given_under_the_same_instructions() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let question = json!({"content": "Why do herons wait?", "use_cache": true, "cache_mode": "exact"});
    let outside = ann.conversation().await;
    ask(&ann, &outside, question.clone()).await;
    let hit = |answer: &Value| answer["metadata"]["cache"]["outcome"] == "hit";
    let again = ann.conversation().await;
    assert!(hit(&ask(&ann, &again, question.clone()).await), "the same question outside is given again");
    let id = project(&ann, json!({"name": "Herons", "instructions": "Speak of herons."})).await;
    let inside = ann.post("/api/conversations", json!({"project_id": id})).await.ok();
    let answer = ask(&ann, inside["id"].as_str().unwrap(), question.clone()).await;
    assert!(!hit(&answer), "{}", answer["metadata"]["cache"]);
    let inside = ann.post("/api/conversations", json!({"project_id": id})).await.ok();
    assert!(hit(&ask(&ann, inside["id"].as_str().unwrap(), question).await));
    app.close().await;
}

#[tokio::test]
async fn nobody_asks_again_in_a_project_that_they_may_not_write_in() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id = team(&app).await;
    let own = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let own = own["id"].as_str().unwrap();
    let run = ask(&will, own, json!({"content": "Why?"})).await["run_id"].as_str().unwrap().to_owned();
    let_in(&ann, &id, "user/will", "viewer").await;
    let calls = app.models.records().len();
    for (path, body) in [
        (format!("/api/conversations/{own}/message"), json!({"content": "Why?"})),
        (format!("/api/conversations/{own}/message/stream"), json!({"content": "Why?"})),
        (format!("/api/conversations/{own}/message/estimate"), json!({"content": "Why?"})),
        (format!("/api/runs/{run}/retry"), json!({"from": "stage3"})),
    ] {
        let refused = will.post(&path, body).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        assert_eq!(refused.json()["type"], "urn:llm-council:problem:not-a-writer", "{path}");
    }
    assert_eq!(app.models.records().len(), calls, "no model was asked");
    app.close().await;
}
