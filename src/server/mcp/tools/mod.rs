//! The tools: a file for each kind, and here the list of them.

mod ask;
mod conversations;
mod councils;
mod estimate;
mod question;
mod run_view;
mod runs;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::asker::Asker;
use super::progress::Listener;
use super::told::Told;
use crate::council::field::FieldError;
use crate::server::problem::Problem;

/// What a tool does to the world, as clients are told before they let a model call it.
#[derive(Clone, Copy)]
enum Effect {
    /// It reads what is the caller's own.
    Reads,
    /// It asks models, which costs money.
    Asks,
    /// It stops something; again is no different.
    Stops,
}

/// A tool as it is offered.
struct Offer {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    input: Value,
    output: Value,
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
    offers.into_iter().map(tool).collect()
}

fn tool(offer: Offer) -> Tool {
    let hints = ToolAnnotations::with_title(offer.title);
    let hints = match offer.effect {
        Effect::Reads => hints.read_only(true).idempotent(true).open_world(false),
        Effect::Asks => hints.read_only(false).destructive(false).idempotent(false).open_world(true),
        Effect::Stops => hints.read_only(false).destructive(true).idempotent(true).open_world(false),
    };
    Tool::new(offer.name, offer.description, object(offer.input))
        .with_title(offer.title)
        .with_raw_output_schema(object(offer.output).into())
        .with_annotations(hints)
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// Refuses arguments that a tool does not know: a model that guesses their names is told them.
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
            FieldError::value(name.as_str(), format!("is no argument of this tool; there are {names}"))
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
) -> Result<Told, Problem> {
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

/// A schema of an object with these properties.
fn schema(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
