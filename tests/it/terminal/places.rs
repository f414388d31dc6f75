//! The same question shows the same thing wherever it is asked.

use serde_json::{Value, json};

use super::program;
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::Program;

/// The seed of the runs: with it the labels, and all that comes of them, are the same.
const SEED: &str = "00000000-0000-4000-8000-000000000007";

/// A message without what is another in every run: ids and times, and what had come of the title, which
/// is made beside the answer and may be there before it or not: its call, and the sums and shares that it is in.
fn comparable(text: &str) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| {
                    let own = ["id", "_at", "_ms"].iter().any(|end| name.ends_with(end));
                    let of_title =
                        ["title", "m/title", "unknown_cost_calls", "tokens_percent"].contains(&name.as_str());
                    let total = name.starts_with("total_") && name.ends_with("tokens");
                    !(own || of_title || total)
                });
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    strip(&mut value);
    format!("{value:#}")
}

/// Two messages that differ are shown by their first line that does.
fn same(one: &str, other: &str) {
    let (one, other) = (comparable(one), comparable(other));
    let lines = one.lines().zip(other.lines()).enumerate();
    let differs = lines.into_iter().find(|(_, (one, other))| one != other);
    assert_eq!(differs, None, "{one}");
    assert_eq!(one, other);
}

#[tokio::test]
async fn a_server_this_process_and_no_database_print_the_same() {
    for question in [
        &["query", "Why?", "--json", "--models", "m/one,m/two"][..],
        &["query", "Why?", "--json", "--debate"],
    ] {
        // Earlier questions would count: own votes are corrected by what is known of them.
        let app = TestApp::with(&format!("[runs]\nseed = \"{SEED}\"\n")).await;
        let by_server = program(&app, "ann").await.run(question).await;
        assert_eq!(by_server.code, Some(0), "{}", by_server.stderr);
        let db = TestDb::new().await;
        let models = ModelServer::start().await;
        let here = Program::council(&db, &models).set("runs.seed", SEED);
        let in_process = here.run(&[question, &["--user", "ann"]].concat()).await;
        assert_eq!(in_process.code, Some(0), "{}", in_process.stderr);
        same(&in_process.stdout, &by_server.stdout);
        let ephemeral = here.run(&[question, &["--ephemeral"]].concat()).await;
        assert_eq!(ephemeral.code, Some(0), "{}", ephemeral.stderr);
        same(&ephemeral.stdout, &by_server.stdout);
        let kept = here.run(&["runs", "--json", "--user", "ann"]).await;
        let kept: Value = serde_json::from_str(&kept.stdout).unwrap();
        assert_eq!(kept.as_array().unwrap().len(), 1, "the one without a database left nothing");
        app.close().await;
    }
}

#[tokio::test]
async fn a_question_outlives_the_command_whose_database_it_uses() {
    let data = tempfile::Builder::new().prefix("local-").tempdir_in("/tmp").unwrap();
    let models = ModelServer::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let here = Program::plain()
        .set("data_dir", data.path().to_str().unwrap())
        .set("providers.scripted.kind", "openai_compatible")
        .set("providers.scripted.base_url", &models.base_url())
        .set("providers.scripted.api_key", "sk-secret-of-the-test")
        .set("council.models", "m/one, m/two")
        .set("council.chairman", "m/chair")
        .set("council.title_model", "m/title");
    let mut first = here.talk(&["mcp", "--here"]);
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
    });
    first
        .say(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string())
        .await;
    first.hear().await;
    let asked = here.begin(&["query", "--here", "--simple", "Why?"]);
    models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    first.hang_up().await;
    gate.open();
    let ended = asked.ended_with_output().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "At last.\n"), "{}", ended.stderr);
}

#[tokio::test]
async fn without_a_home_or_a_disk_to_write_to_a_question_is_asked_all_the_same() {
    let models = ModelServer::start().await;
    let db = TestDb::new().await;
    let program = Program::council(&db, &models).without("data_dir");
    let ended = program.run(&["query", "Why?", "--ephemeral", "--simple"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(std::fs::read_dir(program.home()).unwrap().count(), 0, "nothing is left");
    let nobody = program.run(&["query", "Why?"]).await;
    assert!(nobody.code == Some(2) && nobody.stderr.contains("--user"), "people sign in here: {nobody:?}");
}
