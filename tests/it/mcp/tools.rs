//! What each tool does when all is well, against its own schema.

use serde_json::{Value, json};

use super::speaking::{Client, text};
use crate::support::app::TestApp;
use crate::support::money::set_prices;

/// Checks a tool's answer against the schema that it gives of it.
async fn told(client: &Client<'_>, tool: &str, arguments: Value) -> Value {
    let list = client.result("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let offer = tools.iter().find(|offer| offer["name"] == tool).unwrap();
    jsonschema::draft202012::validate(&offer["inputSchema"], &arguments).expect("arguments as it takes them");
    let told = client.told(tool, arguments).await;
    if let Err(error) = jsonschema::draft202012::validate(&offer["outputSchema"], &told) {
        panic!("{tool} does not keep its schema: {error}: {told}");
    }
    told
}

#[tokio::test]
async fn a_question_gives_its_answer_with_who_took_part_and_where_it_is_kept() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let answer = told(&client, "ask_council", json!({"question": "Why?"})).await;
    assert_eq!(answer["status"], "complete");
    assert_eq!(answer["answer"], "A scripted synthesis by m/chair.");
    assert_eq!(answer["written_by"], "m/chair");
    assert_eq!(answer["members"].as_array().unwrap().len(), 4);
    assert_eq!(answer["ranking"][0]["place"], 1);
    assert!(answer.get("next").is_none());
    let kept = app.user("ann").get(&format!("/api/runs/{}", answer["run_id"].as_str().unwrap())).await.ok();
    assert_eq!(kept["conversation_id"], answer["conversation_id"]);
    let again = told(&client, "get_run", json!({"run_id": answer["run_id"]})).await;
    assert_eq!(again, answer);
    let waited = told(&client, "wait_run", json!({"run_id": answer["run_id"]})).await;
    assert_eq!(waited, answer);
    let stopped = told(&client, "cancel_run", json!({"run_id": answer["run_id"]})).await;
    assert_eq!(stopped["cancelled"], false, "it was over");
    app.close().await;
}

#[tokio::test]
async fn an_earlier_answer_is_given_as_nobody_can_be_offered_it() {
    let app = TestApp::start().await;
    let defaults = json!({"default_options": {"use_cache": true, "cache_mode": "offer"}});
    app.user("ann").put("/api/config", defaults).await.ok();
    let client = Client::modern(&app, "ann");
    let first = told(&client, "ask_council", json!({"question": "Why?"})).await;
    let calls = app.models.records().len();
    let again = told(&client, "ask_council", json!({"question": "Why?"})).await;
    assert_eq!((&again["status"], &again["answer"]), (&json!("complete"), &first["answer"]));
    assert_eq!(app.models.records().len(), calls, "nobody was asked again");
    app.close().await;
}

#[tokio::test]
async fn a_second_question_goes_on_in_the_conversation() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let first = told(&client, "ask_council", json!({"question": "Why?"})).await;
    let conversation = first["conversation_id"].clone();
    let more = json!({"question": "And why that?", "conversation_id": conversation});
    let second = told(&client, "ask_council", more).await;
    assert_eq!(second["conversation_id"], conversation);
    let read = told(&client, "read_conversation", json!({"conversation_id": conversation})).await;
    let contents: Vec<&str> =
        read["messages"].as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
    let answer = "A scripted synthesis by m/chair.";
    assert_eq!(contents, ["Why?", answer, "And why that?", answer]);
    assert_eq!(read["title"], "A Scripted Title");
    let last = json!({"conversation_id": conversation, "turns": 1});
    let last = told(&client, "read_conversation", last).await;
    assert_eq!((last["left_out"].as_u64(), last["messages"].as_array().unwrap().len()), (Some(2), 2));
    let whole = json!({"conversation_id": conversation, "detail": "full"});
    let whole = client.call("read_conversation", whole).await;
    assert!(text(&whole).contains("### Answer by m/one"), "{whole}");
    app.close().await;
}

#[tokio::test]
async fn formats_members_and_options_are_those_that_were_asked_for() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let how = json!({
        "question": "Tabs or spaces?", "format": "debate", "models": ["m/one", "m/two"], "chairman": "m/three",
        "options": {"debate_style": "rotation"}
    });
    let answer = told(&client, "ask_council", how).await;
    assert_eq!(answer["format"], "debate");
    assert_eq!(answer["status"], "complete", "{answer}");
    assert_eq!((app.models.count("m/four"), app.models.count("m/chair")), (0, 0));
    app.close().await;
}

#[tokio::test]
async fn presets_are_listed_and_asked_with_by_name() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let preset =
        json!({"name": "Two of us", "settings": {"council_models": ["m/one", "m/two"]}, "options": {}});
    ann.post("/api/settings/presets", preset).await.ok();
    let client = Client::modern(&app, "ann");
    let list = told(&client, "list_councils", json!({})).await;
    assert_eq!(list["members"], json!(["m/one", "m/two", "m/three", "m/four"]));
    assert_eq!(list["chairman"], "m/chair");
    assert_eq!(list["formats"].as_array().unwrap().len(), 4);
    assert_eq!(list["presets"][0]["preset"], "Two of us");
    let (usual, smaller) = (&list["formats"][0]["calls"], &list["presets"][0]["calls"]);
    assert!(smaller.as_u64() < usual.as_u64(), "{list}");
    let answer = told(&client, "ask_council", json!({"question": "Why?", "preset": "two of us"})).await;
    assert_eq!(answer["members"].as_array().unwrap().len(), 2);
    let others = Client::modern(&app, "bob");
    assert_eq!(told(&others, "list_councils", json!({})).await["presets"], json!([]));
    app.close().await;
}

#[tokio::test]
async fn a_council_has_no_cost_where_some_price_is_not_known() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    set_prices(&app, |model| (model == "m/one").then_some(1e-6)).await;
    let council = told(&client, "list_councils", json!({})).await["formats"][0].clone();
    assert!(council.get("cost_usd").is_none() && council["calls"].as_u64() > Some(0), "{council}");
    set_prices(&app, |_| Some(1e-6)).await;
    let council = told(&client, "list_councils", json!({})).await["formats"][0].clone();
    assert!(council["cost_usd"].as_f64() > Some(0.0), "{council}");
    app.close().await;
}

#[tokio::test]
async fn a_run_says_how_many_of_its_calls_have_no_known_cost() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    set_prices(&app, |model| (model == "m/one").then_some(1e-6)).await;
    let run = told(&client, "ask_council", json!({"question": "Why?"})).await;
    assert!(run["cost_usd"].as_f64() > Some(0.0) && run["unknown_cost_calls"].as_u64() > Some(0), "{run}");
    let again = client.call("get_run", json!({"run_id": run["run_id"]})).await;
    assert!(text(&again).contains("calls of unknown cost"), "{again}");
    set_prices(&app, |_| Some(1e-6)).await;
    let run = told(&client, "ask_council", json!({"question": "Why else?"})).await;
    assert!(run["cost_usd"].as_f64() > Some(0.0) && run.get("unknown_cost_calls").is_none(), "{run}");
    app.close().await;
}

#[tokio::test]
async fn an_estimate_costs_nothing() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let council = told(&client, "estimate", json!({"question": "Why?"})).await;
    let fewer = told(&client, "estimate", json!({"question": "Why?", "models": ["m/one", "m/two"]})).await;
    assert!(fewer["calls"].as_u64() < council["calls"].as_u64(), "{council} {fewer}");
    assert_eq!(app.models.records().len(), 0);
    assert_eq!(told(&client, "list_conversations", json!({})).await["total"], 0);
    app.close().await;
}

#[tokio::test]
async fn conversations_are_listed_page_by_page_and_found_by_their_words() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    for question in ["What do quokkas eat?", "Why is the sky blue?", "How deep is the sea?"] {
        told(&client, "ask_council", json!({"question": question, "models": ["m/one", "m/two"]})).await;
    }
    let first = told(&client, "list_conversations", json!({"limit": 2})).await;
    assert_eq!((first["total"].as_u64(), first["next_offset"].as_u64()), (Some(3), Some(2)));
    let rest = told(&client, "list_conversations", json!({"limit": 2, "offset": 2})).await;
    assert_eq!(rest["conversations"].as_array().unwrap().len(), 1);
    assert!(rest.get("next_offset").is_none());
    let found = told(&client, "list_conversations", json!({"query": "quokkas"})).await;
    assert_eq!(found["conversations"].as_array().unwrap().len(), 1, "{found}");
    let none = told(&client, "list_conversations", json!({"tag": "unused"})).await;
    assert_eq!(none["conversations"], json!([]));
    app.close().await;
}
