//! Runs as tasks, for clients that declare the extension.

use serde_json::{Value, json};

use super::speaking::{Client, holder};
use crate::support::app::{TestApp, read};
use crate::support::model_server::{Gate, Script};

/// A request that declares tasks.
async fn with_tasks(client: &Client<'_>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": client.revision,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let name = params["name"].as_str().or(params["taskId"].as_str()).unwrap_or_default().to_owned();
    let request = client.post(&body.to_string()).header("mcp-protocol-version", client.revision);
    read(request.header("mcp-method", method).header("mcp-name", name)).await.json()
}

#[tokio::test]
async fn a_question_is_a_task_for_whoever_knows_tasks_and_a_handle_for_others() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let client = Client::modern(&app, "ann");
    let call = json!({"name": "ask_council", "arguments": {"question": "Why?"}});
    let begun = with_tasks(&client, "tools/call", call).await["result"].clone();
    assert_eq!((&begun["resultType"], &begun["status"]), (&json!("task"), &json!("working")), "{begun}");
    let task = json!({"taskId": begun["taskId"]});
    let working = with_tasks(&client, "tasks/get", task.clone()).await["result"].clone();
    assert_eq!((&working["status"], working.get("result")), (&json!("working"), None), "{working}");
    let other = Client::modern(&app, "bob");
    assert!(with_tasks(&other, "tasks/get", task.clone()).await["error"].is_object(), "it is ann's alone");
    assert!(with_tasks(&other, "tasks/cancel", task.clone()).await["error"].is_object());

    gate.open();
    let run = begun["taskId"].clone();
    client.told("wait_run", json!({"run_id": run})).await;
    let done = with_tasks(&client, "tasks/get", task.clone()).await["result"].clone();
    assert_eq!(done["status"], "completed");
    let answer = &done["result"]["structuredContent"];
    assert_eq!((&answer["answer"], &answer["run_id"]), (&json!("At last."), &run));

    // Whoever does not declare them is not given one, and cannot ask for one.
    let handle = client.call("ask_council", json!({"question": "Why else?", "wait_seconds": 0})).await;
    assert!(handle.get("taskId").is_none() && handle["structuredContent"]["run_id"].is_string(), "{handle}");
    client.told("wait_run", json!({"run_id": handle["structuredContent"]["run_id"]})).await;
    app.close().await;
}

#[tokio::test]
async fn a_task_is_stopped_by_who_may_ask_and_what_cannot_be_asked_is_an_error_at_once() {
    // Without the route a token from outside is refused at the door, whatever it may do.
    let app = TestApp::with_token_routes("/mcp").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("An ").hold(&held).text("answer.")));
    let client = Client::modern(&app, "ann");
    let call = json!({"name": "ask_council", "arguments": {"question": "Why?"}});
    let begun = with_tasks(&client, "tools/call", call).await["result"].clone();
    let task = json!({"taskId": begun["taskId"]});
    let reader = Client::of(holder(&app, "ann", &["read"]).await, client.revision);
    let error = with_tasks(&reader, "tasks/cancel", task.clone()).await["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("does not have the permission"), "{error}");
    let still = with_tasks(&reader, "tasks/get", task.clone()).await["result"].clone();
    assert_eq!(still["status"], "working", "{still}");
    let acknowledged = with_tasks(&client, "tasks/cancel", task.clone()).await["result"].clone();
    assert_eq!(acknowledged["resultType"], "complete", "{acknowledged}");
    gate.open();
    client.told("wait_run", json!({"run_id": begun["taskId"]})).await;
    assert_eq!(with_tasks(&client, "tasks/get", task).await["result"]["status"], "cancelled");
    let wrong = json!({"name": "ask_council", "arguments": {"question": ""}});
    assert_eq!(with_tasks(&client, "tools/call", wrong).await["result"]["isError"], true);
    let bob = Client::modern(&app, "bob");
    let anns = begun["taskId"].as_str().unwrap();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for id in ["no-such", "0198c0de-0000-7000-8000-000000000000", anns] {
            let params = json!({"taskId": id, "inputResponses": {}});
            let error = with_tasks(&bob, method, params).await["error"].clone();
            assert_eq!(error["code"], -32602, "{method} of {id}: {error}");
            assert!(error["message"].as_str().unwrap().starts_with("Task not found"), "{error}");
        }
    }
    app.close().await;
}
