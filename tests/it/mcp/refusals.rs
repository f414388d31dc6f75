//! What is refused, how it is said, and that nothing makes an error of ours.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

use super::speaking::{Client, MODERN, holder};
use crate::support::app::{TestApp, read};
use crate::support::model_server::{Gate, Script};

#[tokio::test]
async fn nobody_without_an_identity_is_answered_and_nobody_is_sent_to_a_sign_in() {
    let app = TestApp::start().await;
    for user in [
        app.user("ann").without_identity(),
        app.stranger(),
        app.stranger().with("authorization", "Bearer lc_wrong"),
    ] {
        let answer = Client::of(user, MODERN).send("tools/list", json!({})).await;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.json()["status"], 401);
    }
    for path in [
        "oauth-protected-resource",
        "oauth-protected-resource/mcp",
        "oauth-authorization-server",
        "openid-configuration",
    ] {
        let answer = app.stranger().get(&format!("/.well-known/{path}")).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
    app.close().await;
}

#[tokio::test]
async fn a_token_reaches_it_past_the_proxy_and_does_what_it_may() {
    let app = TestApp::with_token_routes("/mcp").await;
    let tool = Client::of(holder(&app, "ann", &["read", "ask"]).await, MODERN);
    let answer = tool.told("ask_council", json!({"question": "Why?"})).await;
    assert_eq!(answer["status"], "complete");
    let reader = Client::of(holder(&app, "ann", &["read"]).await, MODERN);
    assert_eq!(reader.told("get_run", json!({"run_id": answer["run_id"]})).await["status"], "complete");
    for (name, arguments) in [
        ("ask_council", json!({"question": "Why?"})),
        ("estimate", json!({"question": "Why?"})),
        ("cancel_run", json!({"run_id": answer["run_id"]})),
    ] {
        let refused = reader.refused(name, arguments).await;
        assert!(refused.contains("does not have the permission"), "{refused}");
    }
    let asker = Client::of(holder(&app, "ann", &["ask"]).await, MODERN);
    for (name, arguments) in [
        ("get_run", json!({"run_id": answer["run_id"]})),
        ("wait_run", json!({"run_id": answer["run_id"]})),
        ("list_conversations", json!({})),
        ("list_councils", json!({})),
        ("read_conversation", json!({"conversation_id": answer["conversation_id"]})),
    ] {
        let refused = asker.refused(name, arguments).await;
        assert!(refused.contains("does not have the permission"), "{name}: {refused}");
    }
    let error = asker.error("resources/list", json!({})).await;
    assert!(error["message"].as_str().unwrap().contains("permission"), "{error}");
    app.close().await;
}

#[tokio::test]
async fn a_page_of_another_site_does_not_reach_it_not_even_with_a_token() {
    let app = TestApp::with_token_routes("/mcp").await;
    let tool = holder(&app, "ann", &["read", "ask"]).await;
    for user in [app.user("ann"), tool] {
        for (name, value) in [
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "cross-site"),
            ("origin", "null"),
            ("origin", "nonsense"),
        ] {
            let page = Client::of(user.clone().with(name, value), MODERN);
            let answer = page.send("tools/list", json!({})).await;
            assert_eq!(answer.status, 403, "{name}: {value}: {}", answer.text);
        }
        let ours = user.clone().with("sec-fetch-site", "same-origin");
        assert_eq!(Client::of(ours, MODERN).send("tools/list", json!({})).await.status, 200);
    }
    app.close().await;
}

#[tokio::test]
async fn only_posts_of_json_are_taken() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    for method in ["GET", "DELETE", "PUT"] {
        let answer = ann.send(method, "/mcp", None).await;
        assert_eq!((answer.status, answer.header("allow")), (405, "POST"), "{method}");
    }
    let form = ann.request("POST", "/mcp").header("content-type", "text/plain").body("{}");
    assert_eq!(read(form).await.status, 415);
    let picky =
        ann.request("POST", "/mcp").header("content-type", "application/json").header("accept", "text/html");
    assert_eq!(read(picky.body(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)).await.status, 406);
    let client = Client::of(ann, "2025-06-18");
    for (body, code) in
        [("{", -32700), ("", -32700), ("[]", -32600), ("7", -32600), ("{}", -32600), (r#"{"id":1}"#, -32600)]
    {
        let answer = read(client.post(body)).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
    }
    app.close().await;
}

#[tokio::test]
async fn wrong_params_of_a_known_method_are_told_apart_from_an_unknown_one() {
    let app = TestApp::start().await;
    for client in [Client::of(app.user("ann"), "2025-06-18"), Client::modern(&app, "ann")] {
        for (method, params, code) in [
            ("tools/call", json!({"name": "list_councils", "arguments": "{}"}), -32602),
            ("tools/call", json!({"arguments": {}}), -32602),
            ("prompts/get", json!({"name": 7}), -32602),
            ("resources/read", json!({}), -32602),
            ("tools/none", json!({"name": "x"}), -32601),
        ] {
            let error = client.error(method, params).await;
            assert_eq!(error["code"], code, "{method} in {}: {error}", client.revision);
            assert!(error["message"].as_str().unwrap().contains(method), "{error}");
        }
    }
    let client = Client::of(app.user("ann"), "2025-06-18");
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
    ] {
        let answer = read(client.post(body)).await.json();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32602)), "{answer}");
    }
    let deep = format!("{{\"id\": {}{}}}", "[".repeat(200), "]".repeat(200));
    let answer = read(client.post(&deep)).await.json();
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("the body is nested too deeply"), "{message}");
    app.close().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_question_is_said_all_at_once_and_with_what_there_is() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.post("/api/settings/presets", json!({"name": "Fast", "settings": {}, "options": {}})).await.ok();
    let client = Client::modern(&app, "ann");
    let said =
        client.refused("ask_council", json!({"format": "duel", "preset": "slow", "wait_seconds": 90})).await;
    for part in ["question is required", "council, debate, arena, decomposition", "\"Fast\"", "wait_seconds"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = client.refused("ask_council", json!({"prompt": "Why?"})).await;
    assert!(said.contains("prompt is not an argument") && said.contains("question"), "{said}");
    let said = client.refused("ask_council", json!({"question": "Why?", "options": {"content": "x"}})).await;
    assert!(said.contains("options.content"), "{said}");
    let said = client.refused("ask_council", json!({"question": "Why?", "options": {"quorum": 99}})).await;
    assert!(said.contains("quorum"), "{said}");
    let said = client.refused("ask_council", json!({"question": ""})).await;
    assert!(said.contains("content") || said.contains("question"), "{said}");
    assert_eq!(app.models.records().len(), 0);
    app.close().await;
}

#[tokio::test]
async fn a_conversation_under_way_names_its_run() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Late.").hold(&held)));
    let client = Client::modern(&app, "ann");
    let first = client.told("ask_council", json!({"question": "Why?", "wait_seconds": 0})).await;
    let again = json!({"question": "Why?", "conversation_id": first["conversation_id"]});
    let said = client.refused("ask_council", again).await;
    assert!(said.contains(first["run_id"].as_str().unwrap()) && said.contains("wait_run"), "{said}");
    gate.open();
    client.told("wait_run", json!({"run_id": first["run_id"]})).await;
    app.close().await;
}

#[tokio::test]
async fn a_question_over_a_budget_says_the_figures() {
    let app = TestApp::with("[budgets]\nunknown_prices = \"refuse\"\nuser_per_day_usd = 1.0\n").await;
    let client = Client::modern(&app, "ann");
    let said = client.refused("ask_council", json!({"question": "Why?"})).await;
    assert!(said.contains("Nothing was asked") && said.contains("m/one"), "{said}");
    let estimate = client.told("estimate", json!({"question": "Why?"})).await;
    assert!(estimate["refusal"].is_string(), "{estimate}");
    assert_eq!(app.models.records().len(), 0);
    app.close().await;
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "jsonrpc",
        "2.0",
        "id",
        "method",
        "params",
        "name",
        "arguments",
        "_meta",
        "tools/call",
        "initialize",
        "uri",
        "resources/read",
        "council://runs/x",
        "ask_council",
        "progressToken",
        "run_id",
        "cursor",
        "protocolVersion",
        "get_run",
        "list_conversations",
        "read_conversation",
        "limit",
        "prompts/get",
        "conversation_id",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        Just(json!("a\0b")),
    ];
    leaf.prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(word.clone(), inner, 0..6).prop_map(|map| Value::Object(
                map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

/// Anything, and messages whose parts are anything; none that asks models.
fn any_message() -> impl Strategy<Value = Value> {
    let tool = prop::sample::select(vec![
        "get_run",
        "wait_run",
        "cancel_run",
        "list_councils",
        "estimate",
        "list_conversations",
        "read_conversation",
        "none",
    ]);
    let method = prop::sample::select(vec![
        "initialize",
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
        "prompts/get",
        "ping",
        "completion/complete",
        "logging/setLevel",
        "subscriptions/listen",
        "notifications/cancelled",
        "tasks/get",
        "none",
    ]);
    prop_oneof![
        any_json(),
        (method, any_json()).prop_map(|(method, params)| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})),
        (tool, any_json()).prop_map(|(tool, arguments)| {
            json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        }),
    ]
}

#[tokio::test]
async fn no_json_makes_an_error_of_the_server() {
    let app = TestApp::start().await;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for case in 0..400 {
        let body = any_message().new_tree(&mut runner).unwrap().current().to_string();
        let client = Client::of(app.user("ann"), if case % 2 == 0 { "2025-06-18" } else { MODERN });
        let request = client.post(&body).header("mcp-protocol-version", client.revision);
        let answer = read(request).await;
        assert!(answer.status < 500, "{} to {body}: {}", answer.status, answer.text);
        if let Ok(answer) = serde_json::from_str::<Value>(&answer.text) {
            assert_ne!(answer["error"]["code"], -32603, "{body}: {answer}");
        }
    }
    app.close().await;
}
