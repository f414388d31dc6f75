//! Runs as tasks, for clients that declare the extension of that name: a question is answered with a task at once, the
//! client asks for its state, and finds in it what `wait_run` would have answered.

use jiff::Timestamp;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::asker::Asker;
use super::tool_answer::ToolAnswer;
use super::{refusal, tools, waiting};
use crate::id::RunId;
use crate::identity::Permission;
use crate::server::problem::Problem;
use crate::store::RunStatus;
use crate::store::runs::RunRow;

/// How often a client is to ask, in milliseconds.
const ASK_EVERY_MS: u64 = 3000;

/// Whether the caller of a tool accepts a task as the answer.
pub(super) fn are_supported_by(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// The task of a run that is not over; none where it is.
pub(super) async fn create(asker: &Asker, answer: &ToolAnswer) -> Result<Option<CreateTaskResult>, Problem> {
    let id = answer.structured.get("run_id").and_then(Value::as_str).unwrap_or_default();
    let run: RunId = id.parse().map_err(|_| Problem::not_found("Task"))?;
    let row = waiting::find(asker, run).await.map_err(|problem| problem.with_run(run))?;
    Ok((!row.status.is_over()).then(|| CreateTaskResult::new(task(&row))))
}

/// The state of a task.
///
/// # Errors
/// When it is not one of the caller's.
pub(super) async fn get(asker: &Asker, id: &str) -> Result<GetTaskResult, ErrorData> {
    asker.caller.may(Permission::Read).map_err(|problem| refusal::error(&problem))?;
    let row = find(asker, id).await.map_err(|problem| refusal::error(&problem))?;
    let task = task(&row);
    let payload = match row.status {
        RunStatus::Queued | RunStatus::Running => TaskPayload::Working,
        RunStatus::Cancelled => TaskPayload::Cancelled,
        RunStatus::Complete | RunStatus::Failed => TaskPayload::Completed { result: result(row)? },
    };
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Stops the run of a task.
///
/// # Errors
/// When it is not one of the caller's, or they may not stop it.
pub(super) async fn cancel(asker: &Asker, id: &str) -> Result<(), ErrorData> {
    let stop = async {
        asker.caller.may(Permission::Ask)?;
        let row = find(asker, id).await?;
        let stopped = asker.app.runs.cancel(&asker.caller.user, row.id).await;
        stopped.map_err(|error| Problem::from(error).naming("Task"))
    };
    stop.await.map(drop).map_err(|problem| refusal::error(&problem))
}

/// Tasks never ask for input, so input that is sent to one answers nothing.
///
/// # Errors
/// When it is not one of the caller's.
pub(super) async fn update(asker: &Asker, id: &str) -> Result<(), ErrorData> {
    find(asker, id).await.map(drop).map_err(|problem| refusal::error(&problem))
}

async fn find(asker: &Asker, id: &str) -> Result<RunRow, Problem> {
    let run: RunId = id.parse().map_err(|_| Problem::not_found("Task"))?;
    waiting::find(asker, run).await.map_err(|problem| problem.naming("Task"))
}

fn task(row: &RunRow) -> Task {
    let (status, said) = match row.status {
        RunStatus::Queued => (TaskStatus::Working, "the question waits in the queue"),
        RunStatus::Running => (TaskStatus::Working, "the council is at work"),
        RunStatus::Complete => (TaskStatus::Completed, "the council has answered"),
        RunStatus::Failed => (TaskStatus::Completed, "the council came to no answer"),
        RunStatus::Cancelled => (TaskStatus::Cancelled, "the run was stopped"),
    };
    let updated = row.finished_at.unwrap_or_else(Timestamp::now);
    Task::new(row.id.to_string(), status, row.created_at.to_string(), updated.to_string())
        .with_status_message(said)
        .with_poll_interval_ms(ASK_EVERY_MS)
}

/// What the tool would have answered.
fn result(row: RunRow) -> Result<JsonObject, ErrorData> {
    let ToolAnswer { text, structured } = tools::render_run(row);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    match serde_json::to_value(result) {
        Ok(Value::Object(result)) => Ok(result),
        Ok(_) | Err(_) => Err(ErrorData::internal_error("the result of the task cannot be written", None)),
    }
}
