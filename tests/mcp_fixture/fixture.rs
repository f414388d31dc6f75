//! What the suite finds. What takes a session is refused: questions to the client during a call, and subscriptions, both in
//! the revisions of 2025.
#![expect(deprecated, reason = "the revisions of 2025 have logging")]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestId, ServerCapabilities,
    ServerConfig, SetLevelRequestMethod, SetLevelRequestParams, SubscriptionFilter, Tool, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext, SubscriptionSink};
use rmcp::task_manager::TaskManager;
use serde_json::json;
use tokio::time::sleep;

use super::offered::{self, typed};
use super::signer::Signer;
use super::{asking, long};

const MODERN: &str = "2026-07-28";
const PAUSE: Duration = Duration::from_millis(50);

/// One for the whole process: every request is served by a clone.
#[derive(Clone, Default)]
pub struct Fixture {
    signer: Signer,
    tasks: TaskManager,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// What clients of 2025 set last: there are no sessions, so it is set for all of them.
    level: Mutex<Option<LoggingLevel>>,
    listeners: Mutex<Vec<(RequestId, SubscriptionSink)>>,
}

/// What a lock holds, whatever became of who held it.
fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= MODERN)
}

fn unknown(what: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no {what} {name:?}"), None)
}

impl Fixture {
    /// Tells the client in the stream of its request, if it wants to hear of what is this important.
    async fn log(&self, context: &RequestContext<RoleServer>, text: &str) {
        let least = if is_modern(context) {
            context.meta.log_level()
        } else {
            Some(held(&self.shared.level).unwrap_or(LoggingLevel::Debug))
        };
        if least.is_some_and(|least| least as u8 <= LoggingLevel::Info as u8) {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
            told(context.peer.notify_logging_message(message).await);
        }
    }

    /// Calls a tool that tells something while it works.
    async fn tell(&self, name: &str, context: &RequestContext<RoleServer>) -> bool {
        match name {
            "test_tool_with_logging" => {
                for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    self.log(context, text).await;
                    sleep(PAUSE).await;
                }
            }
            "test_logging_tool" => self.log(context, "This level was asked for").await,
            "test_tool_with_progress" => {
                for progress in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        let progress = ProgressNotificationParam::new(token, progress).with_total(100.0);
                        told(context.peer.notify_progress(progress).await);
                    }
                    sleep(PAUSE).await;
                }
            }
            "test_trigger_tool_change" | "test_trigger_prompt_change" => {
                let listeners = held(&self.shared.listeners).clone();
                for (_, sink) in listeners {
                    let sent = if name.contains("tool_change") {
                        sink.notify_tool_list_changed().await
                    } else {
                        sink.notify_prompt_list_changed().await
                    };
                    // Whoever did not ask for it is not told.
                    told(sent);
                }
            }
            _ => return false,
        }
        true
    }
}

fn told<E: std::fmt::Display>(sent: Result<(), E>) {
    if let Err(error) = sent {
        eprintln!("a notification was not sent: {error}");
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_logging()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("mcp-fixture", "1"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        offered::tool(name)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(offered::tools()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let capabilities = context.client_capabilities().unwrap_or_default();
        let name = call.name.as_ref();
        if long::has(name) {
            return long::call(call, &capabilities, &self.tasks).await;
        }
        if name.starts_with(asking::PREFIX) {
            return asking::call(&call, &capabilities, &self.signer);
        }
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        let (content, is_error) = match name {
            "test_error_handling" => (text("This tool intentionally returns an error for testing"), true),
            "test_streaming_elicitation" => {
                let wishes = json!({"value": asking::person("Which value?", "value", "string")});
                return Ok(asking::wanted(wishes, None)?.into());
            }
            "test_missing_capability" if capabilities.sampling.is_none() => {
                let missing = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(missing));
            }
            "test_missing_capability" => (text("It was declared."), false),
            "test_sampling"
            | "test_elicitation"
            | "test_elicitation_sep1034_defaults"
            | "test_elicitation_sep1330_enums" => {
                let message =
                    "the client would be asked during the call, which takes a session; there are none here";
                return Err(ErrorData::invalid_request(message, None));
            }
            _ if self.tell(name, &context).await => (text("All was told."), false),
            _ => {
                let arguments = call.arguments.clone().unwrap_or_default();
                (offered::given(name, &arguments).ok_or_else(|| unknown("tool", name))?, false)
            }
        };
        let content = typed(content)?;
        let result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(offered::resources()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(offered::templates()))
    }

    async fn read_resource(
        &self,
        wanted: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(found) = offered::resource(&wanted.uri) else {
            let code =
                if is_modern(&context) { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
            return Err(ErrorData::new(code, "there is no such resource", Some(json!({"uri": wanted.uri}))));
        };
        Ok(ReadResourceResult::new(vec![typed(found)?]).into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(offered::prompts()))
    }

    async fn get_prompt(
        &self,
        wanted: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let messages = if wanted.name == offered::ASKING_PROMPT {
            let Some(response) = asking::brought(wanted.input_responses.as_ref(), "user_context") else {
                let wishes = json!({"user_context": asking::person("Which context?", "context", "string")});
                return Ok(asking::wanted(wishes, None)?.into());
            };
            let text = asking::field(response, "context");
            json!([{"role": "user", "content": {"type": "text", "text": text}}])
        } else {
            let arguments = wanted.arguments.clone().unwrap_or_default();
            offered::messages(&wanted.name, &arguments).ok_or_else(|| unknown("prompt", &wanted.name))?
        };
        Ok(GetPromptResult::new(typed(messages)?).into())
    }

    /// Words that begin as the argument does.
    async fn complete(
        &self,
        wanted: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let words = ["paris", "park", "party", "test"];
        let begins = |word: &&str| word.starts_with(&wanted.argument.value);
        let words = words.iter().filter(|word| begins(word)).map(|word| (*word).to_owned()).collect();
        let words = CompletionInfo::with_all_values(words);
        Ok(CompleteResult::new(words.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    async fn set_level(
        &self,
        wanted: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *held(&self.shared.level) = Some(wanted.level);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink().clone();
        let id = sink.id().clone();
        held(&self.shared.listeners).push((id.clone(), sink));
        context.cancelled().await;
        held(&self.shared.listeners).retain(|(other, _)| *other != id);
        Ok(())
    }

    async fn get_task(
        &self,
        wanted: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&wanted.task_id)?))
    }

    async fn update_task(
        &self,
        update: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&update.task_id, update.input_responses)
    }

    async fn cancel_task(
        &self,
        wanted: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&wanted.task_id)
    }
}
