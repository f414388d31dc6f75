//! How a tool is offered.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// The effects of a tool, which clients see before they let a model call it.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// It reads what is the caller's own.
    Reads,
    /// It asks models, which costs money.
    Asks,
    /// It stops something; repeating it changes nothing.
    Stops,
}

/// A tool as it is offered.
pub(super) struct Offer {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub effect: Effect,
    pub input: Value,
    pub output: Value,
}

/// The offer in the protocol's form.
pub(super) fn tool(offer: Offer) -> Tool {
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
    if let Value::Object(schema) = schema { schema } else { JsonObject::new() }
}

/// A schema of an object with these properties.
#[expect(clippy::needless_pass_by_value, reason = "it is written where it is handed over")]
pub(super) fn schema(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
