//! A model of a provider that is not configured is refused wherever somebody names it; a bare id with a `:` is not.

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp};

fn said(answer: &Answer) -> String {
    assert_eq!(answer.status, 422, "{}", answer.text);
    let text = answer.json()["errors"].to_string();
    assert!(text.contains("no provider") && text.contains("nope") && text.contains("scripted"), "{text}");
    text
}

#[tokio::test]
async fn settings_presets_and_requests_name_the_providers_that_there_are() {
    let app = TestApp::start().await;
    let (ann, admin) = (app.user("ann"), app.admin());
    let council = json!({"council_models": ["nope:some/model", {"model": "nope:other/model"}, "m/one"],
                         "chairman_model": "nope:some/model", "routing_pools": {"coding": ["m/one", "nope:a/b"]}});
    for answer in
        [ann.put("/api/config", council.clone()).await, admin.put("/api/admin/config", council.clone()).await]
    {
        said(&answer);
        let mut fields = answer.wrong_fields();
        fields.sort();
        assert_eq!(
            fields,
            ["chairman_model", "council_models.0", "council_models.1.model", "routing_pools.coding.1"]
        );
    }
    let preset = ann.post("/api/settings/presets", json!({"name": "Odd", "settings": council})).await;
    said(&preset);
    assert!(preset.wrong_fields().contains(&"settings.chairman_model".to_owned()), "{}", preset.text);
    let id = ann.conversation().await;
    let ask = |body: Value| {
        let path = format!("/api/conversations/{id}/message");
        let ann = ann.clone();
        async move { ann.post(&path, body).await }
    };
    for (field, value) in [("models", json!(["m/one", "nope:a/b"])), ("chairman_model", json!("nope:a/b"))] {
        let answer = ask(json!({"content": "Why?", field: value})).await;
        said(&answer);
        assert!(answer.wrong_fields()[0].starts_with(field), "{}", answer.text);
    }
    assert!(app.models.records().is_empty(), "nothing was asked");
    app.close().await;
}

#[tokio::test]
async fn bare_ids_with_a_tag_and_configured_providers_are_models() {
    let app = TestApp::start().await;
    let models = json!(["llama3:8b", "x/y:free", "scripted:m/one", "amazon.nova-pro-v1:0"]);
    let saved = app.user("ann").put("/api/config", json!({"council_models": models})).await.ok();
    assert_eq!(saved["council_models"].as_array().unwrap().len(), 4);
    app.close().await;
}
