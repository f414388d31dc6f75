//! The tools: a file for each kind, and here the list of them.

mod ask;
mod conversations;
mod councils;
mod estimate;
mod offer;
mod question;
mod run_view;
mod runs;

use rmcp::model::Tool;
use serde_json::Value;

use super::asker::Asker;
use super::progress::Listener;
use super::tool_answer::ToolAnswer;
use crate::council::field::FieldError;
use crate::server::problem::Problem;

pub(super) use run_view::render as render_run;

/// Whether a call of this tool asks the council.
pub(super) fn asks(name: &str) -> bool {
    name == ask::NAME
}

/// Every tool, in the order in which they are offered.
pub(super) fn all() -> Vec<Tool> {
    let offers = [
        ask::offer(),
        runs::offer_wait(),
        runs::offer_get(),
        runs::offer_cancel(),
        councils::offer(),
        estimate::offer(),
        conversations::offer_list(),
        conversations::offer_read(),
    ];
    offers.into_iter().map(offer::tool).collect()
}

/// Refuses arguments that a tool does not know, naming those that it has: models guess names.
///
/// # Errors
/// With every unknown one.
pub(super) fn unknown_arguments(tool: &Tool, arguments: &Value) -> Result<(), Problem> {
    let known = tool.input_schema.get("properties").and_then(Value::as_object);
    let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
    let names = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = arguments.as_object().into_iter().flatten().map(|(name, _)| name);
    let unknown: Vec<FieldError> = unknown
        .filter(|name| !is_known(name))
        .map(|name| {
            FieldError::value(name.as_str(), format!("is not an argument of this tool; there are {names}"))
        })
        .collect();
    if unknown.is_empty() { Ok(()) } else { Err(unknown.into()) }
}

/// Calls the tool of this name, which is one of [`all`].
///
/// # Errors
/// What is wrong with the call; nothing was done then.
pub(super) async fn call(
    asker: &Asker,
    name: &str,
    arguments: &Value,
    listener: &Listener,
) -> Result<ToolAnswer, Problem> {
    match name {
        ask::NAME => ask::call(asker, arguments, listener).await,
        runs::WAIT => runs::wait(asker, arguments, listener).await,
        runs::GET => runs::get(asker, arguments).await,
        runs::CANCEL => runs::cancel(asker, arguments).await,
        councils::NAME => councils::call(asker).await,
        estimate::NAME => estimate::call(asker, arguments).await,
        conversations::LIST => conversations::list(asker, arguments).await,
        conversations::READ => conversations::read(asker, arguments).await,
        _ => Err(Problem::not_found("Tool")),
    }
}
