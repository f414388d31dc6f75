//! One program that speaks the protocol over HTTP, in either era.

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp, User, read};
use crate::support::events::Events;

/// The revision without a handshake.
pub const MODERN: &str = "2026-07-28";
/// The revisions that begin with one.
pub const LEGACY: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// Somebody's program.
#[derive(Clone)]
pub struct Client<'a> {
    pub user: User<'a>,
    pub revision: &'static str,
}

impl<'a> Client<'a> {
    pub fn of(user: User<'a>, revision: &'static str) -> Self {
        Self { user, revision }
    }

    pub fn modern(app: &'a TestApp, name: &str) -> Self {
        Self::of(app.user(name), MODERN)
    }

    /// The whole request of a method, with what this revision says of itself.
    pub fn request(&self, method: &str, params: Value) -> reqwest::RequestBuilder {
        let mut params = params;
        if self.revision == MODERN {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let mut request = self.post(&body.to_string()).header("mcp-protocol-version", self.revision);
        if self.revision == MODERN {
            request = request.header("mcp-method", method);
            if let Some(name) = name {
                request = request.header("mcp-name", name);
            }
        }
        request
    }

    /// A request with this body.
    pub fn post(&self, body: &str) -> reqwest::RequestBuilder {
        self.user
            .request("POST", "/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(body.to_owned())
    }

    pub async fn send(&self, method: &str, params: Value) -> Answer {
        read(self.request(method, params)).await
    }

    /// The result of a method.
    #[track_caller]
    pub fn result(&self, method: &str, params: Value) -> impl Future<Output = Value> {
        let sent = read(self.request(method, params));
        async move {
            let answer = sent.await;
            let answer = answer.ok();
            assert_eq!(answer["id"], 7, "{answer}");
            assert!(answer.get("error").is_none(), "{answer}");
            answer["result"].clone()
        }
    }

    /// The JSON-RPC error of a method, whatever its HTTP status.
    pub async fn error(&self, method: &str, params: Value) -> Value {
        let answer = self.send(method, params).await.json();
        assert!(answer["error"]["code"].is_number(), "{answer}");
        answer["error"].clone()
    }

    /// What a tool answers, error or not.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// What a tool answers to a program, where nothing is wrong.
    pub async fn told(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    /// What a tool says that does nothing.
    pub async fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        text(&result).to_owned()
    }

    /// A tool's answer as it comes, with progress.
    pub async fn call_with_progress(&self, tool: &str, arguments: Value) -> Events {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p-1"}});
        let response = self.request("tools/call", params).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), "text/event-stream");
        assert_eq!(header("x-accel-buffering"), "no");
        assert!(header("cache-control").contains("no-store"));
        Events::new(response)
    }
}

/// The first text of a tool's answer.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// A holder of a token with these permissions, where no proxy is.
pub async fn holder<'a>(app: &'a TestApp, owner: &str, permissions: &[&str]) -> User<'a> {
    let body = json!({"name": "tool", "permissions": permissions});
    let token = app.user(owner).post("/api/tokens", body).await.ok();
    app.stranger().with("authorization", &format!("Bearer {}", token["token"].as_str().unwrap()))
}
