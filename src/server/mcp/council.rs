//! The council as the protocol sees it: what it offers, and which part of this folder answers what.

use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::asker::Asker;
use super::progress::Listener;
use super::{prompts, refusal, resources, tasks, tools};

/// How the tools belong together, for the model that is given them.
const INSTRUCTIONS: &str = "A council of language models: several answer a question at once, review each other's answers \
    without knowing whose they are, and a chairman writes the final answer. It takes minutes and costs money, so ask it what \
    is worth that: decisions, reviews, questions where one model may be wrong. ask_council submits a question and waits up to \
    45 seconds; where the answer takes longer it gives a run_id, and wait_run waits on. Never ask again because an answer \
    takes long: the run goes on by itself. list_councils says which formats and presets there are and what they cost.";

/// The methods that are known here and take something.
const METHODS: [&str; 12] = [
    "initialize",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(tools::all);

/// Serves one request.
pub(super) struct Council {
    asker: Asker,
}

impl Council {
    pub(super) fn new(asker: Asker) -> Self {
        Self { asker }
    }
}

impl ServerHandler for Council {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_tasks()
            .build();
        let server = Implementation::new("llm-council", env!("CARGO_PKG_VERSION")).with_title("LLM Council");
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.clone()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.get_tool(&call.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name.as_ref()).collect();
            let message = format!("there is no tool {:?}; there are {}", call.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let mut arguments = call.arguments.unwrap_or_default();
        let as_task = tools::asks(&tool.name) && tasks::are_supported_by(&context);
        if as_task {
            // A task is waited for by asking for it.
            arguments.insert("wait_seconds".to_owned(), 0.into());
        }
        let arguments = Value::Object(arguments);
        let listener = Listener::of(&context);
        let answer = match tools::unknown_arguments(&tool, &arguments) {
            Ok(()) => tools::call(&self.asker, &tool.name, &arguments, &listener).await,
            Err(problem) => Err(problem),
        };
        if let Ok(answer) = &answer
            && as_task
            && let Some(task) =
                tasks::create(&self.asker, answer).await.map_err(|problem| refusal::error(&problem))?
        {
            return Ok(CallToolResponse::Task(task));
        }
        let result = match answer {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.structured);
                result
            }
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(refusal::sentences(&problem))]),
        };
        Ok(result.into())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(&self.asker, &params.task_id).await
    }

    async fn update_task(
        &self,
        update: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(&self.asker, &update.task_id).await
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(&self.asker, &params.task_id).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.asker, page.and_then(|page| page.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let is_older = context.protocol_version().is_none_or(|version| version.as_str() < "2026-07-28");
        resources::read(&self.asker, &params.uri, is_older).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&params.name, params.arguments.as_ref()).map(Into::into)
    }

    /// What the library knows no method for. It takes a known one whose params it cannot read for such.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if METHODS.contains(&method.as_str()) {
            let message = format!("the params of {method} are missing, or are not what it takes");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }
}
