//! The protocol's edge, with a tool as the council has none.

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{App, HttpRequest, HttpResponse, test, web};
use llm_council::config::{Config, Overrides, Server};
use llm_council::id::UserId;
use llm_council::identity::hosts::Hosts;
use llm_council::identity::same_origin::Origins;
use llm_council::identity::{Gate, Mode};
use llm_council::server::mcp::adapter::{self, Edge};
use llm_council::server::problem::Problem;
use llm_council::shutdown::Shutdown;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::speaking::MODERN;

/// Has one tool, whose argument is to be said in a header as well.
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let region = json!({"type": "string", "x-mcp-header": "Region"});
        let schema = json!({"type": "object", "properties": {"region": region}});
        (name == "echo").then(|| Tool::new("echo", "Says it again", schema.as_object().unwrap().clone()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let region = call.arguments.unwrap_or_default()["region"].as_str().unwrap_or_default().to_owned();
        Ok(CallToolResult::success(vec![ContentBlock::text(region)]).into())
    }
}

async fn speak(
    server: web::Data<Server>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let gate = Gate {
        mode: Mode::Local(UserId::from_canonical("local")),
        origins: Origins::default(),
        hosts: Hosts::Any,
    };
    let shutdown = Shutdown::new();
    let edge = Edge { gate: &gate, server: &server, shutdown: &shutdown };
    adapter::answer(edge, &request, payload.into_inner(), || Echo).await
}

/// The status and the answer to a call of the tool, with these headers more.
async fn call(region: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let config = Config::from_parts("", &Default::default(), &Overrides::default()).unwrap();
    let app = App::new().app_data(web::Data::new(config.server)).route("/mcp", web::post().to(speak));
    let app = test::init_service(app).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}
    });
    let params = json!({"name": "echo", "arguments": {"region": region}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let mut request = test::TestRequest::post()
        .uri("/mcp")
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header(("mcp-protocol-version", MODERN))
        .insert_header(("mcp-method", "tools/call"))
        .insert_header(("mcp-name", "echo"));
    for header in headers {
        request = request.append_header(*header);
    }
    let response = test::call_service(&app, request.set_payload(body.to_string()).to_request()).await;
    (response.status().as_u16(), test::read_body_json(response).await)
}

#[tokio::test]
async fn an_argument_that_a_header_says_as_well_is_held_against_it() {
    for (region, header) in [("north", "north"), ("nörd", "=?base64?bsO2cmQ=?=")] {
        let (status, answer) = call(region, &[("mcp-param-region", header)]).await;
        assert_eq!((status, &answer["result"]["content"][0]["text"]), (200, &json!(region)), "{answer}");
    }
    let twice = [("mcp-param-region", "north"), ("mcp-param-region", "south")];
    let refused: [&[(&str, &str)]; 4] =
        [&[], &[("mcp-param-region", "south")], &[("mcp-param-region", "=?base64?bm9ydGg?=")], &twice];
    for headers in refused {
        let (status, answer) = call("north", headers).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)), "{headers:?}: {answer}");
        assert_eq!(answer["id"], 7);
    }
}
