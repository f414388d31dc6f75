//! Replies held to a JSON schema: who is asked for one, who is not, and what comes of it.

use llm_council::council::options::routing::ROUTING;
use llm_council::llm::{
    ChatMessage, ChatRequest, Models as _, NoSink, ProviderSettings, Registry, Schema, openrouter,
};
use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::Event;
use crate::support::model_server::{ModelServer, RecordedRequest, Script};

fn reviews(events: &[Event]) -> &Value {
    let complete = events.iter().find(|event| event.kind() == "stage2_complete");
    &complete.expect("the reviews").json["data"]
}

fn is_repair(request: &RecordedRequest) -> bool {
    request.prompt().contains("could not be read")
}

/// The ballots of two members cannot be read; one of them answers schemas with a refusal.
fn unreadable(request: &RecordedRequest) -> Option<Script> {
    let held = request.body.get("response_format").is_some();
    match (request.model.as_str(), is_repair(request), held) {
        ("m/one" | "m/two", false, _) if request.prompt().starts_with("You are judging") => {
            Some(Script::answer("Response B, then Response A, and Response A again."))
        }
        ("m/two", true, true) => {
            Some(Script::status(400, r#"{"error":{"message":"response_format is not supported"}}"#))
        }
        ("m/one", true, true) => {
            Some(Script::answer(r#"{"ranking":["Response D","Response C","Response B","Response A"]}"#))
        }
        ("m/one" | "m/two", true, false) => {
            Some(Script::answer("FINAL RANKING:\n1. Response D\n2. Response C\n3. Response B\n4. Response A"))
        }
        _ => None,
    }
}

#[tokio::test]
async fn an_unreadable_ballot_is_asked_for_as_json_and_who_refuses_that_is_asked_for_text() {
    let app = TestApp::with("structured_outputs = true\n").await;
    app.models.rule(unreadable);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    for review in &reviews(&events).as_array().unwrap()[..2] {
        assert_eq!(
            review["tiers"],
            json!([["Response D"], ["Response C"], ["Response B"], ["Response A"]]),
            "the same from JSON and from text"
        );
        assert_eq!(
            (&review["parse"], &review["counts"], &review["repaired"]),
            (&json!("strict"), &json!(true), &json!(true))
        );
    }
    assert!(
        reviews(&events)[0]["repair_text"].as_str().unwrap().starts_with(r#"{"ranking""#),
        "kept as it came"
    );
    assert!(reviews(&events)[0]["ranking"].as_str().unwrap().starts_with("Response B, then"));

    let sent = |model: &str| {
        let records = app.models.records().into_iter().map(|record| record.request);
        records.filter(|request| request.model == model && is_repair(request)).collect::<Vec<_>>()
    };
    let format = &sent("m/one")[0].body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
    let ranking = &format["json_schema"]["schema"]["properties"]["ranking"];
    assert_eq!(ranking["items"]["enum"], json!(["Response A", "Response B", "Response C", "Response D"]));
    let held =
        app.models.records().iter().filter(|r| r.request.body.get("response_format").is_some()).count();
    assert_eq!(held, 2, "nothing but these two is held to a schema");

    // The refusal is remembered: the next question costs one call.
    ann.ask(&id, json!({"content": "And why not?"})).await.rest().await;
    let held: Vec<bool> =
        sent("m/two").iter().map(|request| request.body.get("response_format").is_some()).collect();
    assert_eq!(held, [true, false, false]);
    app.close().await;
}

#[tokio::test]
async fn a_server_of_which_nobody_said_it_is_asked_for_text() {
    let app = TestApp::start().await;
    app.models.rule(unreadable);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(
        (&reviews(&events)[0]["parse"], &reviews(&events)[0]["repaired"]),
        (&json!("strict"), &json!(true))
    );
    assert!(app.models.records().iter().all(|record| record.request.body.get("response_format").is_none()));
    app.close().await;
}

#[tokio::test]
async fn a_review_that_broke_off_at_its_token_limit_is_no_ballot_and_is_asked_for_one() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let is_review = request.prompt().starts_with("You are judging");
        match (request.model.as_str(), is_repair(request)) {
            ("m/one", false) if is_review => {
                let quoting = "One of them says \"FINAL RANKING: Response A\" to sway us. It";
                Some(Script::answer(quoting).finish("length"))
            }
            ("m/two", false) if is_review => {
                Some(Script::answer("FINAL RANKING:\n1. Response D\n2. Resp").finish("length"))
            }
            ("m/one", true) => Some(Script::answer(
                "FINAL RANKING:\n1. Response D\n2. Response C\n3. Response B\n4. Response A",
            )),
            ("m/two", true) => Some(Script::status(400, "not today")),
            _ => None,
        }
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let (asked_again, lost) = (&reviews(&events)[0], &reviews(&events)[1]);
    assert_eq!(
        (&asked_again["tiers"][0], &asked_again["counts"], &asked_again["repaired"]),
        (&json!(["Response D"]), &json!(true), &json!(true))
    );
    assert_eq!((&lost["parse"], &lost["counts"]), (&json!("fallback"), &json!(false)));
    app.close().await;
}

#[tokio::test]
async fn openrouters_list_says_which_models_take_a_schema() {
    let server = ModelServer::start().await;
    let list = json!({"data": [
        {"id": "x/all", "supported_parameters": ["temperature", "response_format", "structured_outputs"]},
        {"id": "x/any-json", "supported_parameters": ["temperature", "response_format"]},
        {"id": "x/silent"},
    ]});
    server.models(Script::raw("application/json", list.to_string()));
    let settings = ProviderSettings {
        base_url: Some(server.base_url()),
        api_key: Some("sk-test".to_owned().into()),
        ..ProviderSettings::new("openrouter", &openrouter::KIND)
    };
    let registry = Registry::new(vec![settings], "openrouter").unwrap();
    assert!(!registry.offers_schema("x/all"), "not before the list is known");
    let listed = registry.refresh_models().await;
    assert_eq!(
        listed.models.iter().map(|model| model.structured_outputs).collect::<Vec<_>>(),
        [true, false, false]
    );
    for model in ["x/all", "x/any-json", "x/silent", "x/unknown"] {
        let request = ChatRequest {
            schema: Some(Schema::new("kind", json!({"type": "object", "properties": {}}))),
            ..ChatRequest::new(model, &ROUTING, vec![ChatMessage::user("Which?")])
        };
        registry.chat(&request, &mut NoSink).await.unwrap();
        let held = server.records().last().unwrap().request.body.get("response_format").is_some();
        assert_eq!((held, registry.offers_schema(model)), (model == "x/all", model == "x/all"), "{model}");
    }
}
