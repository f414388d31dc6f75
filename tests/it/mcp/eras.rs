//! Both eras of the protocol on one endpoint: how a program begins, and what it may send.

use serde_json::{Value, json};

use super::speaking::{Client, LEGACY, MODERN, text};
use crate::support::app::{TestApp, read};

const TOOLS: [&str; 8] = [
    "ask_council",
    "wait_run",
    "get_run",
    "cancel_run",
    "list_councils",
    "estimate",
    "list_conversations",
    "read_conversation",
];

fn names(result: &Value) -> Vec<&str> {
    result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn each_revision_of_2025_begins_with_a_handshake_and_keeps_no_session() {
    let app = TestApp::start().await;
    for revision in LEGACY {
        let client = Client::of(app.user("ann"), revision);
        let params = json!({
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        });
        let answer = client.send("initialize", params).await;
        assert_eq!(answer.header("mcp-session-id"), "", "any server may answer the next request");
        assert!(answer.header("cache-control").contains("no-store"));
        let result = answer.ok()["result"].clone();
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["serverInfo"]["name"], "llm-council");
        assert!(result["instructions"].as_str().unwrap().contains("wait_run"));
        for capability in ["tools", "resources", "prompts"] {
            assert!(result["capabilities"][capability].is_object(), "{result}");
        }
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let ready = read(client.post(&ready.to_string()).header("mcp-protocol-version", revision)).await;
        assert_eq!((ready.status, ready.text.as_str()), (202, ""));
        let list = client.result("tools/list", json!({})).await;
        assert_eq!(names(&list), TOOLS);
        assert!(list.get("resultType").is_none(), "{list}");
        assert_eq!(client.result("ping", json!({})).await, json!({}));
    }
    app.close().await;
}

#[tokio::test]
async fn an_unknown_revision_is_offered_one_that_is_known() {
    let app = TestApp::start().await;
    let client = Client::of(app.user("ann"), "2025-11-25");
    let params = json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let answer = read(client.post(&body.to_string())).await.ok();
    assert!(LEGACY.contains(&answer["result"]["protocolVersion"].as_str().unwrap()), "{answer}");
    app.close().await;
}

#[tokio::test]
async fn the_revision_of_2026_needs_no_handshake() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let found = client.result("server/discover", json!({})).await;
    let supported = found["supportedVersions"].as_array().unwrap();
    for revision in LEGACY.iter().chain([&MODERN]) {
        assert!(supported.contains(&json!(revision)), "{found}");
    }
    let list = client.result("tools/list", json!({})).await;
    assert_eq!(names(&list), TOOLS);
    assert_eq!(list["resultType"], "complete");
    assert!(list["ttlMs"].is_number() && list["cacheScope"].is_string(), "{list}");
    let result = client.call("list_conversations", json!({})).await;
    assert_eq!(result["resultType"], "complete");
    app.close().await;
}

#[tokio::test]
async fn a_revision_of_the_future_is_told_which_are_known() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {}
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let request = client.post(&body.to_string()).header("mcp-protocol-version", "2099-01-01");
    let answer = read(request.header("mcp-method", "tools/list")).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    let error = answer.json()["error"].clone();
    assert_eq!(error["code"], -32022);
    assert!(error["data"]["supported"].as_array().unwrap().contains(&json!(MODERN)));
    app.close().await;
}

#[tokio::test]
async fn a_refusal_names_the_request_that_it_answers() {
    let app = TestApp::start().await;
    let client = Client::of(app.user("ann"), "2025-06-18");
    let of_no_revision = |id: Value| {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        read(client.post(&body.to_string()).header("mcp-protocol-version", "1999-01-01"))
    };
    for (id, told) in [(json!(7), json!(7)), (json!("a"), json!("a")), (json!([]), json!(null))] {
        let answer = of_no_revision(id).await;
        assert_eq!((answer.status, &answer.json()["id"]), (400, &told), "{}", answer.text);
    }
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    let picky = app.user("ann").request("POST", "/mcp").header("content-type", "application/json");
    let answer = read(picky.header("accept", "text/html").body(body.to_string())).await;
    assert_eq!((answer.status, &answer.json()["id"]), (406, &json!(7)), "{}", answer.text);
    app.close().await;
}

#[tokio::test]
async fn headers_that_say_something_else_than_the_message_are_refused() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    for (header, value) in [("mcp-method", "tools/call"), ("mcp-protocol-version", "2025-11-25")] {
        let mut request = client.request("tools/list", json!({})).build().unwrap();
        request.headers_mut().insert(header, value.parse().unwrap());
        let answer = reqwest::Client::new().execute(request).await.unwrap();
        assert_eq!(answer.status(), 400, "{header}");
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["error"]["code"], -32020, "{answer}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_method_that_is_not_there_says_so() {
    let app = TestApp::start().await;
    let modern = Client::modern(&app, "ann");
    let answer = modern.send("tools/invent", json!({})).await;
    assert_eq!((answer.status, answer.json()["error"]["code"].clone()), (404, json!(-32601)));
    let legacy = Client::of(app.user("ann"), "2025-06-18");
    assert_eq!(legacy.error("tools/invent", json!({})).await["code"], -32601);
    let error = modern.error("tools/call", json!({"name": "invented", "arguments": {}})).await;
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("ask_council"), "{error}");
    app.close().await;
}

#[tokio::test]
async fn every_tool_says_what_it_takes_gives_and_does() {
    let app = TestApp::start().await;
    let list = Client::modern(&app, "ann").result("tools/list", json!({})).await;
    assert_eq!(names(&list), TOOLS);
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
            jsonschema::draft202012::new(&tool[schema]).expect("a schema");
        }
        assert!(tool["description"].as_str().unwrap().len() > 60, "{name}");
        let reads = !matches!(name, "ask_council" | "cancel_run");
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{name}");
        assert_eq!(tool["annotations"]["openWorldHint"], name == "ask_council", "{name}");
    }
    app.close().await;
}

#[tokio::test]
async fn each_format_has_a_prompt_and_asks_for_its_question() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let list = client.result("prompts/list", json!({})).await;
    for prompt in list["prompts"].as_array().unwrap() {
        let name = &prompt["name"];
        let got =
            client.result("prompts/get", json!({"name": name, "arguments": {"question": "Tabs?"}})).await;
        let said = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(said.contains("Tabs?") && said.contains(name.as_str().unwrap()), "{said}");
        let error = client.error("prompts/get", json!({"name": name})).await;
        assert_eq!(error["code"], -32602, "{error}");
    }
    assert_eq!(list["prompts"].as_array().unwrap().len(), 4);
    assert_eq!(client.error("prompts/get", json!({"name": "invented"})).await["code"], -32602);
    app.close().await;
}

#[tokio::test]
async fn a_question_is_answered_in_every_revision() {
    let app = TestApp::start().await;
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::of(app.user("ann"), revision);
        let result = client.call("ask_council", json!({"question": "Why?"})).await;
        assert_ne!(result["isError"], true, "{result}");
        assert!(text(&result).starts_with("A scripted synthesis by m/chair."), "{result}");
    }
    app.close().await;
}
