//! `llm-council mcp`: the real program, spoken with line by line.

use serde_json::{Value, json};

use super::speaking::MODERN;
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::{Program, Talk};

#[expect(clippy::needless_pass_by_value, reason = "it is written where it is handed over")]
fn request(id: &Value, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

#[expect(clippy::needless_pass_by_value, reason = "it is written where it is handed over")]
fn call(id: &Value, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

async fn handshake(talk: &mut Talk) {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
    });
    talk.say(&request(&json!(0), "initialize", params)).await;
    let answer = talk.hear().await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
}

async fn program(app: &TestApp, user: &str) -> Program {
    let token = app.user(user).post("/api/tokens", json!({"name": "mcp"})).await.ok();
    Program::plain()
        .env("LLM_COUNCIL_SERVER", &app.url(""))
        .env("LLM_COUNCIL_TOKEN", token["token"].as_str().unwrap())
}

#[tokio::test]
async fn a_server_is_spoken_with_by_lines_and_ends_with_its_input() {
    let app = TestApp::start().await;
    let mut talk = program(&app, "ann").await.talk(&["mcp"]);
    handshake(&mut talk).await;
    talk.say(&request(&json!("a"), "tools/list", json!({}))).await;
    let list = talk.hear().await;
    assert_eq!((&list["id"], list["result"]["tools"].as_array().unwrap().len()), (&json!("a"), 8));
    talk.say(&call(&json!(2), "ask_council", json!({"question": "Why?"}))).await;
    let answer = talk.hear().await;
    assert_eq!(
        answer["result"]["structuredContent"]["answer"], "A scripted synthesis by m/chair.",
        "{answer}"
    );
    let kept = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(kept.as_array().unwrap().len(), 1);
    let ended = talk.hang_up().await;
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(0), "", ""));
    app.close().await;
}

#[tokio::test]
async fn the_revision_without_a_handshake_is_spoken_too() {
    let app = TestApp::start().await;
    let mut talk = program(&app, "ann").await.talk(&["mcp"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}
    });
    talk.say(&request(&json!(1), "server/discover", json!({"_meta": meta}))).await;
    assert!(talk.hear().await["result"]["supportedVersions"].is_array());
    let params = json!({"name": "list_councils", "arguments": {}, "_meta": meta});
    talk.say(&request(&json!(2), "tools/call", params)).await;
    let answer = talk.hear().await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    talk.hang_up().await;
    app.close().await;
}

#[tokio::test]
async fn progress_comes_between_and_what_is_given_up_is_answered_no_more() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let mut talk = program(&app, "ann").await.talk(&["mcp"]);
    handshake(&mut talk).await;
    let params = json!({
        "name": "ask_council", "arguments": {"question": "Why?"}, "_meta": {"progressToken": 5}
    });
    talk.say(&request(&json!(1), "tools/call", params)).await;
    let progress = talk.hear().await;
    assert_eq!(
        (&progress["method"], &progress["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!(5))
    );
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    gate.open();
    talk.say(&request(&json!(2), "ping", json!({}))).await;
    loop {
        let message = talk.hear().await;
        assert_ne!(message["id"], 1, "{message}");
        if message["id"] == 2 {
            break;
        }
    }
    talk.say(&call(&json!(3), "list_conversations", json!({}))).await;
    let list = talk.hear().await;
    let conversation = list["result"]["structuredContent"]["conversations"][0]["conversation_id"].clone();
    talk.say(&call(&json!(4), "read_conversation", json!({"conversation_id": conversation}))).await;
    let run = talk.hear().await["result"]["structuredContent"]["messages"][1]["run_id"].clone();
    talk.say(&call(&json!(5), "wait_run", json!({"run_id": run}))).await;
    let answer = talk.hear().await;
    assert_eq!(answer["result"]["structuredContent"]["answer"], "At last.", "the run went on: {answer}");
    talk.hang_up().await;
    app.close().await;
}

#[tokio::test]
async fn what_is_no_message_is_answered_as_one_and_the_next_is_taken() {
    let app = TestApp::start().await;
    let mut talk = program(&app, "ann").await.talk(&["mcp"]);
    for (line, code) in [("nonsense", -32700), ("[]", -32600), ("{}", -32600)] {
        talk.say(line).await;
        if line == "{}" {
            // It has no id that could be answered.
            continue;
        }
        assert_eq!(talk.hear().await["error"]["code"], code, "{line}");
    }
    handshake(&mut talk).await;
    talk.say(&request(&json!(1), "tools/invent", json!({}))).await;
    let answer = talk.hear().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32601)), "{answer}");
    talk.hang_up().await;
    app.close().await;
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_or_does_not_know_the_token_is_an_error_of_the_request() {
    let app = TestApp::start().await;
    let nobody =
        Program::plain().env("LLM_COUNCIL_SERVER", &app.url("")).env("LLM_COUNCIL_TOKEN", "lc_wrong");
    let nowhere =
        Program::plain().env("LLM_COUNCIL_SERVER", "http://127.0.0.1:9").env("LLM_COUNCIL_TOKEN", "lc_x");
    for (program, what) in [(nobody, "token"), (nowhere, "cannot be reached")] {
        let mut talk = program.talk(&["mcp"]);
        talk.say(&request(&json!(1), "tools/list", json!({}))).await;
        let answer = talk.hear().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)));
        assert!(answer["error"]["message"].as_str().unwrap().contains(what), "{answer}");
        let ended = talk.hang_up().await;
        assert_eq!(ended.code, Some(0));
        assert!(ended.stderr.contains(what), "{}", ended.stderr);
    }
    app.close().await;
}

#[tokio::test]
async fn an_interrupt_ends_it_at_once_and_the_run_goes_on_at_the_server() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let mut talk = program(&app, "ann").await.talk(&["mcp"]);
    handshake(&mut talk).await;
    talk.say(&call(&json!(1), "ask_council", json!({"question": "Why?"}))).await;
    app.models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    talk.signal("SIGINT");
    let ended = talk.ended().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(130), ""));
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_slow_list_of_models_keeps_no_client_from_starting_and_is_read_once() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    models.models(Script::raw("application/json", r#"{"data": []}"#).hold(&gate));
    let mut talk = Program::council(&db, &models).talk(&["mcp", "--here", "--user", "ann"]);
    handshake(&mut talk).await;
    talk.say(&call(&json!(1), "ask_council", json!({"question": "Why?"}))).await;
    talk.say(&request(&json!(2), "ping", json!({}))).await;
    assert_eq!(talk.hear().await["id"], 2);
    assert_eq!(models.records().len(), 0, "prices come first");
    gate.open();
    let answer = talk.hear().await;
    assert_eq!(answer["result"]["structuredContent"]["status"], "complete", "{answer}");
    let lists = models.other_records();
    assert_eq!(lists.iter().filter(|record| record.request.path.ends_with("/models")).count(), 1);
    talk.hang_up().await;
}

#[tokio::test]
async fn without_a_server_the_council_is_held_in_the_process() {
    let program = Program::plain()
        .set("providers.simulated.tokens_per_second", "1000000")
        .set("providers.simulated.first_token_ms", "0");
    let mut talk = program.talk(&["mcp", "--here"]);
    handshake(&mut talk).await;
    talk.say(&call(&json!(1), "ask_council", json!({"question": "Why?"}))).await;
    let answer = talk.hear().await;
    assert_eq!(answer["result"]["structuredContent"]["status"], "complete", "{answer}");
    let ended = talk.hang_up().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{}", ended.stderr);
    let refused = program.run(&["mcp", "--ephemeral"]).await;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains("--ephemeral"), "{}", refused.stderr);
}
