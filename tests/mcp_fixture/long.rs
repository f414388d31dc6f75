//! Tools that take a while: as tasks, for whoever declares them.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CreateTaskResult,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::asking::{brought, field, person, wanted, wish};

const TOOLS: [&str; 6] = [
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];

/// Those that can only be tasks: they ask back, or the suite wants it.
const ONLY_TASKS: [&str; 4] = ["failing_job", "confirm_delete", "multi_input", "test_tool_with_task"];

pub fn has(name: &str) -> bool {
    TOOLS.contains(&name)
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// Begins a task, or does the work at once for a client that does not know tasks.
///
/// # Errors
/// Where such a client calls what can only be a task, and what the work itself ends with.
pub async fn call(
    call: CallToolRequestParams,
    capabilities: &ClientCapabilities,
    tasks: &TaskManager,
) -> Result<CallToolResponse, ErrorData> {
    let as_task = capabilities.supports_tasks();
    if !as_task && ONLY_TASKS.contains(&call.name.as_ref()) {
        let missing = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(missing));
    }
    let response = brought(call.input_responses.as_ref(), "user_name");
    let user = response.map(|response| field(response, "name").to_owned());
    if call.name == "test_tool_with_task" && user.is_none() {
        let wishes = json!({"user_name": person("What is your name?", "name", "string")});
        return Ok(wanted(wishes, None)?.into());
    }
    let work = |context: Option<TaskContext>| async move {
        let seconds = call.arguments.as_ref().and_then(|given| given.get("seconds")).and_then(Value::as_f64);
        match (call.name.as_ref(), context) {
            ("slow_compute", context) => {
                let seconds = Duration::try_from_secs_f64(seconds.unwrap_or(1.0)).unwrap_or_default();
                let stopped = async {
                    match &context {
                        Some(context) => context.cancelled().await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = stopped => Err(TaskExit::Cancelled),
                    () = sleep(seconds) => Ok(said(format!("It took {} s.", seconds.as_secs_f64()))),
                }
            }
            ("failing_job", _) => {
                sleep(Duration::from_secs(1)).await;
                Ok(CallToolResult::error(vec![ContentBlock::text("This job always fails.")]))
            }
            ("confirm_delete", Some(context)) => {
                let answer =
                    context.request_input("confirm", wish(person("Delete it?", "confirm", "boolean"))?);
                Ok(said(answer.await?.to_string()))
            }
            ("multi_input", Some(context)) => {
                let first = context.request_input("first", wish(person("The first?", "value", "string"))?);
                let second = context.request_input("second", wish(person("The second?", "value", "string"))?);
                let (first, second) = tokio::join!(first, second);
                Ok(said(format!("{} {}", first?, second?)))
            }
            ("test_tool_with_task", _) => Ok(said(format!("Hello, {}!", user.unwrap_or_default()))),
            _ => Err(TaskExit::Error(ErrorData::internal_error("this job always breaks", None))),
        }
    };
    if as_task {
        let begun = tasks.spawn(TaskOptions::default(), |context| Box::pin(work(Some(context))));
        return Ok(CreateTaskResult::new(begun).into());
    }
    match work(None).await {
        Ok(result) => Ok(result.into()),
        Err(TaskExit::Error(error)) => Err(error),
        Err(TaskExit::Cancelled) => Err(ErrorData::internal_error("it was stopped", None)),
    }
}
