//! Whole runs with members on Bedrock beside others, also through the death of a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{KEY, MODEL};
use crate::attachments::files::taken;
use crate::attachments::pictures::png;
use crate::support::db::TestDb;
use crate::support::events::{Event, find, kinds};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Record, Script};
use crate::support::process::Program;

const ABROAD: &str = "eu.amazon.nova-pro-v1:0";

/// Two members on Bedrock, one of them in another region, and two on another server; the chairman is on Bedrock.
fn program(db: &TestDb, models: &ModelServer) -> Program {
    let base = models.base_url();
    Program::council(db, models)
        .set("providers.default", "scripted")
        .set("providers.aws.kind", "bedrock")
        .set("providers.aws.base_url", &base)
        .set("providers.aws.control_url", &base)
        .set("providers.aws.api_key", KEY)
        .set("council.models", &format!("m/one, aws:{MODEL}, m/three, aws:eu-west-1/{ABROAD}"))
        .set("council.chairman", &format!("aws:{MODEL}"))
}

#[tokio::test]
async fn a_council_sits_on_bedrock_and_beside_it() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = program(&db, &models).serve().await;
    let ann = server.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete", "{:?}", kinds(&events));
    let answers = events.iter().filter(|event| event.kind() == "stage1_model_complete").count();
    assert_eq!(answers, 4);
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let message = &stored["messages"][1];
    assert_eq!(message["stage1"].as_array().unwrap().len(), 4);
    assert_eq!(message["stage3"]["response"], format!("A scripted synthesis by {MODEL}."));
    // What the prices of Bedrock's list come to, by profile, beside models of unknown price.
    let usage = server.admin().get("/api/admin/usage?by=model").await.ok();
    let rows = usage["rows"].as_array().unwrap_or_else(|| panic!("{usage}")).clone();
    let row = |model: &str| {
        rows.iter().find(|row| row["name"] == model).unwrap_or_else(|| panic!("{model}: {usage}")).clone()
    };
    assert!(row(&format!("aws:{MODEL}"))["cost_usd"].as_f64().unwrap() > 0.0, "{usage}");
    assert!(row(&format!("aws:eu-west-1/{ABROAD}"))["cost_usd"].as_f64().unwrap() > 0.0, "{usage}");
    let on_bedrock = models.records().into_iter().filter(|record| record.request.path.contains("/model/"));
    let keys: Vec<Option<String>> =
        on_bedrock.map(|record| record.request.header("authorization").map(str::to_owned)).collect();
    assert!(keys.len() >= 5 && keys.iter().all(|key| key.as_deref() == Some(&format!("Bearer {KEY}"))));
    assert!(!server.log().contains(KEY));
}

#[tokio::test]
async fn members_on_bedrock_are_shown_pictures() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = program(&db, &models).serve().await;
    let ann = server.user("ann");
    let photo = png((40, 30), b"pixels");
    let file = taken(&ann, "photo.png", &photo).await;
    let id = ann.conversation().await;
    let question = json!({"content": "What is it?", "attachments": [file]});
    let events = ann.ask(&id, question).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete", "{:?}", kinds(&events));
    let expected = json!({"format": "png", "source": {"bytes": STANDARD.encode(&photo)}});
    let mut shown = 0;
    for Record { request, .. } in models.records() {
        let reads = matches!(request.asked_for(), AskedFor::Answer | AskedFor::Review | AskedFor::Synthesis);
        let content = &request.body["messages"].as_array().unwrap().last().unwrap()["content"];
        let sees = reads && request.path.contains("/model/");
        assert_eq!(
            content[0].get("image"),
            sees.then_some(&expected),
            "{:?} {}",
            request.asked_for(),
            request.model
        );
        shown += usize::from(sees);
    }
    assert!(shown >= 5, "{shown}");
    assert!(!server.log().contains(&STANDARD.encode(&photo)));
}

#[tokio::test]
async fn a_member_that_fails_on_bedrock_is_named_and_the_run_goes_on() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let words = "You don't have access to the model with the specified model ID.";
    models.rule(move |request| {
        (request.model == ABROAD).then(|| Script::refusal(403, "AccessDeniedException", words))
    });
    let server = program(&db, &models).serve().await;
    let ann = server.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let told: String = events.iter().map(|event| event.json.to_string()).collect();
    assert!(told.contains("the provider refused the request"), "{told}");
    assert!(find(&events, "stage3_complete")["data"]["response"].is_string());
    assert!(server.log().contains("a model call failed") && !server.log().contains("specified model ID"));
}

#[tokio::test]
async fn a_run_survives_the_death_of_its_server_and_pays_bedrock_once() {
    let (db, models, gate) = (TestDb::new().await, ModelServer::start().await, Gate::new());
    let held = gate.clone();
    models.rule(move |request| {
        let waits = request.model == ABROAD && request.asked_for() == AskedFor::Answer;
        waits.then(|| Script::answer("Half ").hold(&held).text("and half.\n\nCONFIDENCE: 8"))
    });
    let program = program(&db, &models).set("runs.lease_seconds", "1");
    let server = program.serve().await;
    let id = server.user("ann").conversation().await;
    let mut stream = server.user("ann").ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    models.until(|records| records.iter().any(|record| record.request.model == ABROAD)).await;
    server.kill();
    gate.open();
    let server = program.serve().await;
    let ann = server.user("ann");
    let events: Vec<Event> = ann.events(&run, 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete", "{:?}", kinds(&events));
    let answers = |model: &str| {
        let of = |record: &&Record| {
            record.request.model == model && record.request.asked_for() == AskedFor::Answer
        };
        models.records().iter().filter(of).count()
    };
    assert_eq!((answers(MODEL), answers("m/one")), (1, 1), "what was finished is not paid again");
    assert_eq!(answers(ABROAD), 2, "what was under way is asked again");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let text = stored["messages"][1]["stage1"].to_string();
    assert!(text.contains("Half and half."), "{text}");
}

#[tokio::test]
async fn members_on_bedrock_search_with_tools() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let search = crate::support::search_server::SearchServer::start().await;
    models.rule(|request| {
        let turns = request.body["messages"].as_array().map_or(0, Vec::len);
        let offered = request.body["toolConfig"]["tools"].is_array();
        (offered && turns == 1).then(|| Script::answer("").search("call_1", "blue sky"))
    });
    let program = program(&db, &models)
        .set("search.backend", "tavily")
        .set("search.tavily.base_url", &search.base_url())
        .set("search.tavily.api_key", "tvly-secret-of-the-test");
    let server = program.serve().await;
    let ann = server.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?", "use_tools": true})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete", "{:?}", kinds(&events));
    let with_results = models.records().into_iter().find(|record| {
        record.request.path.contains("/model/") && record.request.body.to_string().contains("\"toolResult\"")
    });
    let body = with_results.expect("a second turn").request.body;
    let blocks: Vec<&Value> =
        body["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(blocks, ["user", "assistant", "user"]);
}
