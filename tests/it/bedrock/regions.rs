//! The regions of Bedrock: chosen by users within what admins allow, part of every model's id, and moved between.

use llm_council::llm::{ErrorKind, Models as _, NoSink};
use serde_json::{Value, json};

use super::{KEY, MODEL, registry, request, settings};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{ModelServer, Script};
use crate::support::process::{Process, Program};

const SONNET: &str = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA: &str = "amazon.nova-pro-v1:0";
/// One of those that are built in.
const NOVA2: &str = "amazon.nova-2-lite-v1:0";
/// On demand in some regions, through no profile.
const LLAMA: &str = "meta.llama3-70b-instruct-v1:0";
const REGIONS: &str = "us-east-1, eu-west-1, eu-west-2, ap-northeast-1";

/// A server whose default provider is Bedrock in us-east-1, with four regions to choose among.
async fn serve(db: &TestDb, models: &ModelServer) -> Process {
    let base = models.base_url();
    Program::council(db, models)
        .env("AWS_BEARER_TOKEN_BEDROCK", KEY)
        .env("AWS_REGION", "us-east-1")
        .set("providers.default", "bedrock")
        .set("providers.bedrock.base_url", &base)
        .set("providers.bedrock.control_url", &base)
        .set("providers.bedrock.regions", REGIONS)
        .set("council.models", &format!("us.{SONNET}, us.{NOVA}, {LLAMA}, scripted:m/four"))
        .set("council.chairman", &format!("us.{SONNET}"))
        .set("council.title_model", "scripted:m/title")
        .serve()
        .await
}

#[tokio::test]
async fn a_region_that_is_not_on_the_list_is_not_asked() {
    let server = ModelServer::start().await;
    let only = registry(
        settings(&server).with("region", "eu-west-1").with("regions", vec!["eu-west-1", "eu-west-3"]),
    );
    let error = only.chat(&request(&format!("us-east-1/{MODEL}")), &mut NoSink).await.unwrap_err();
    assert!(
        error.kind == ErrorKind::Refused && error.message.contains("eu-west-1, eu-west-3"),
        "{}",
        error.message
    );
    assert!(server.records().is_empty() && !error.reached);
}

#[tokio::test]
async fn the_list_is_awss_own_where_the_key_may_ask_and_ours_where_it_may_not() {
    let server = ModelServer::start().await;
    let own = registry(settings(&server).with("regions", vec!["us-east-2", "eu-west-1"]));
    server.others(|_| Some(Script::refusal(403, "AccessDeniedException", "no")));
    let list = own.refresh_models().await;
    assert!(list.errors.is_empty());
    let ids = |list: &llm_council::llm::ModelList| -> Vec<String> {
        list.models.iter().map(|model| model.id.clone()).collect()
    };
    let ours = ids(&list);
    assert!(ours.contains(&MODEL.to_owned()) && ours.contains(&format!("eu-west-1/eu.{SONNET}")));
    let sonnet = list.models.iter().find(|model| model.id == format!("eu-west-1/eu.{SONNET}")).unwrap();
    assert_eq!((sonnet.name.as_str(), sonnet.family.as_str()), ("Claude Sonnet 4.5 (EU)", "anthropic"));
    assert_eq!((sonnet.region.as_deref(), sonnet.context_length), (Some("eu-west-1"), Some(200_000)));

    server.others(|request| {
        let body = match request.path.split('?').next()? {
            "/v1/foundation-models" => json!({"modelSummaries": [
                {"modelId": SONNET, "modelName": "Claude Sonnet 4.5", "outputModalities": ["TEXT"], "inferenceTypesSupported": ["INFERENCE_PROFILE"]},
                {"modelId": "new.model-v1:0", "modelName": "New", "outputModalities": ["TEXT"], "inferenceTypesSupported": ["ON_DEMAND"]}]}),
            "/v1/inference-profiles" if request.path.contains("nextToken=2") => json!({"inferenceProfileSummaries": [
                {"inferenceProfileId": format!("us.{SONNET}"), "inferenceProfileName": "US Sonnet", "type": "SYSTEM_DEFINED",
                 "models": [{"modelArn": format!("arn:aws:bedrock:us-east-1::foundation-model/{SONNET}")}]}]}),
            "/v1/inference-profiles" => json!({"nextToken": "2", "inferenceProfileSummaries": [
                {"inferenceProfileId": format!("global.{SONNET}"), "inferenceProfileName": "Global Sonnet", "type": "SYSTEM_DEFINED",
                 "models": [{"modelArn": format!("arn:aws:bedrock:::foundation-model/{SONNET}")}]}]}),
            _ => return None,
        };
        Some(Script::raw("application/json", body.to_string()))
    });
    let list = own.refresh_models().await;
    let here: Vec<String> = ids(&list).into_iter().filter(|id| !id.contains('/')).collect();
    assert_eq!(here, [format!("us.{SONNET}"), format!("global.{SONNET}"), "new.model-v1:0".to_owned()]);
    let known = list.models.iter().find(|model| model.id == format!("us.{SONNET}")).unwrap();
    assert!(known.name == "US Sonnet" && known.context_length == Some(200_000) && known.pricing.is_some());
    assert!(ids(&list).contains(&format!("eu-west-1/eu.{SONNET}")), "other regions by our list");
    assert!(own.is_available("new.model-v1:0") && !own.is_available("gone.model-v1:0"));
    // A plain id that is asked through profiles only has a better one.
    assert!(!own.is_available(SONNET));
    assert_eq!(own.nearest(SONNET, &[]), Some(format!("us.{SONNET}")));
}

#[tokio::test]
async fn without_bedrock_there_are_no_regions() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let regions = ann.get("/api/settings/regions").await.ok();
    assert_eq!(regions, json!({"provider": null, "region": null, "default": null, "regions": []}));
    assert_eq!(ann.get("/api/config").await.ok()["region"], Value::Null);
    assert_eq!(ann.put("/api/config", json!({"region": "eu-west-1"})).await.wrong_fields(), ["region"]);
    assert!(ann.put("/api/config", json!({"region": ""})).await.ok().get("region_report").is_none());
    app.close().await;
}

#[tokio::test]
async fn changing_the_region_moves_the_models_and_says_which_it_lacks() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = serve(&db, &models).await;
    let ann = server.user("ann");
    let regions = ann.get("/api/settings/regions").await.ok();
    assert_eq!(
        (&regions["provider"], &regions["region"], &regions["default"]),
        (&json!("bedrock"), &json!("us-east-1"), &json!("us-east-1"))
    );
    assert_eq!(regions["regions"].as_array().unwrap().len(), 4);
    assert_eq!(regions["regions"][1], json!({"id": "eu-west-1", "name": "Europe (Ireland)"}));

    let unknown = ann.put("/api/config", json!({"region": "sa-east-1"})).await;
    assert_eq!(unknown.wrong_fields(), ["region"]);
    assert!(unknown.text.contains(REGIONS), "{}", unknown.text);

    let there = ann.put("/api/config", json!({"region": "ap-northeast-1"})).await.ok();
    let id = |model: &str| format!("ap-northeast-1/{model}");
    let report = &there["region_report"];
    let moved: Vec<&Value> = report["moved"].as_array().unwrap().iter().collect();
    for (place, from, to) in [
        ("council_models.0", format!("us.{SONNET}"), format!("jp.{SONNET}")),
        ("council_models.1", format!("us.{NOVA}"), format!("apac.{NOVA}")),
        ("chairman_model", format!("us.{SONNET}"), format!("jp.{SONNET}")),
        // What is built in moves as well.
        ("utility_model", format!("global.{NOVA2}"), format!("jp.{NOVA2}")),
        ("routing_pools.factual.2", format!("global.{NOVA2}"), format!("jp.{NOVA2}")),
    ] {
        let one = json!({"place": place, "from": from, "to": id(&to)});
        assert!(moved.contains(&&one), "{one}: {report}");
    }
    assert_eq!(report["region"], "ap-northeast-1");
    assert_eq!(report["missing"], json!([{"place": "council_models.2", "model": LLAMA, "nearest": []}]));
    assert_eq!(there["council_models"][3]["model"], "scripted:m/four", "others stay");
    assert_eq!(there["council_models"][2]["model"], LLAMA, "what the region lacks stays");
    assert_eq!(ann.get("/api/settings/regions").await.ok()["region"], "ap-northeast-1");
    // Again the same changes nothing.
    assert!(
        ann.put("/api/config", json!({"region": "ap-northeast-1"})).await.ok().get("region_report").is_none()
    );

    // The list of models is that of the region.
    let list = ann.get("/api/models").await.ok();
    let ids: Vec<&str> =
        list["models"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert!(
        ids.contains(&id(&format!("jp.{SONNET}")).as_str())
            && !ids.iter().any(|id| id.starts_with("eu-west-1/"))
    );
    let list = ann.get("/api/models?region=eu-west-1").await.ok();
    assert!(list.to_string().contains(&format!("eu-west-1/eu.{SONNET}")));

    // A run asks there; the region is in its ids, and so in its figures.
    let conversation = ann.conversation().await;
    let events = ann.ask(&conversation, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert!(models.records().iter().any(|record| record.request.model == format!("jp.{SONNET}")));
    let stored = ann.get(&format!("/api/conversations/{conversation}")).await.ok();
    assert!(stored.to_string().contains(&id(&format!("jp.{SONNET}"))));

    // In London there is the Llama, by its plain id; and back home everything is as it was.
    let london = ann.put("/api/config", json!({"region": "eu-west-2"})).await.ok();
    assert_eq!(london["council_models"][2]["model"], format!("eu-west-2/{LLAMA}"));
    assert_eq!(london["region_report"]["missing"], json!([]));
    let home = ann.put("/api/config", json!({"region": ""})).await.ok();
    let ids: Vec<&str> = home["council_models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["model"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [format!("us.{SONNET}"), format!("us.{NOVA}"), LLAMA.to_owned(), "scripted:m/four".to_owned()]
    );
    assert_eq!(home["region"], "us-east-1");
    assert!(server.user("bob").get("/api/config").await.ok()["region"] == "us-east-1", "each for themselves");
}

#[tokio::test]
async fn presets_and_admins_have_regions_too() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = serve(&db, &models).await;
    let (ann, admin) = (server.user("ann"), server.admin());
    let all = admin.put("/api/admin/config", json!({"region": "eu-west-1"})).await.ok();
    assert_eq!(all["region_report"]["moved"][0]["to"], format!("eu-west-1/eu.{SONNET}"));
    assert_eq!(ann.get("/api/config").await.ok()["chairman_model"], format!("eu-west-1/eu.{SONNET}"));
    let preset = json!({"name": "Tokyo", "settings": {"region": "ap-northeast-1"}});
    let saved = ann.post("/api/settings/presets", preset).await.ok();
    let path = format!("/api/settings/presets/{}/apply", saved["preset"]["id"].as_str().unwrap());
    let applied = ann.post(&path, json!({})).await.ok();
    assert_eq!(applied["region_report"]["region"], "ap-northeast-1");
    assert_eq!(applied["chairman_model"], format!("ap-northeast-1/jp.{SONNET}"));
}
