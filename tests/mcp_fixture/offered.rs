//! The suite's tools, resources and prompts that need nothing but an answer.

use rmcp::ErrorData;
use rmcp::model::{JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate, Tool};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// An eighth of a millisecond of silence.
const WAV: &str = "UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA";

const TEMPLATE: (&str, &str) = ("test://template/", "/data");

const TOOLS: [&str; 34] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_progress",
    "test_custom_header",
    "json_schema_2020_12_tool",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

/// JSON as a type of the library's.
///
/// # Errors
/// When it is none.
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

pub fn tools() -> Vec<Tool> {
    TOOLS.iter().filter_map(|name| tool(name)).collect()
}

pub fn tool(name: &str) -> Option<Tool> {
    let name = *TOOLS.iter().find(|known| **known == name)?;
    let schema = match name {
        "test_custom_header" => json!({
            "type": "object", "required": ["value"],
            "properties": {"value": {"type": "string", "x-mcp-header": "Value"}},
        }),
        "json_schema_2020_12_tool" => json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
            "properties": {
                "address": {"$ref": "#/$defs/address"}, "phone": {"type": "string"}, "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"required": ["address"]}, "then": {"required": ["phone"]}, "else": {"required": ["email"]},
            "additionalProperties": false,
        }),
        _ => json!({"type": "object"}),
    };
    let Value::Object(schema) = schema else { return None };
    Some(Tool::new(name, "What the test suite wants by this name", schema))
}

/// What a tool gives that needs nothing but an answer.
pub fn given(name: &str, arguments: &JsonObject) -> Option<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let resource = |uri: &str, kind: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}});
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => {
            json!([resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )])
        }
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image,
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "test_custom_header" => json!([text(argument("value"))]),
        "json_schema_2020_12_tool" => json!([text("The arguments are not looked at.")]),
        "greet" => json!([text(&format!("Hello, {}!", argument("name")))]),
        _ => return None,
    })
}

pub fn resources() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "static-text")
            .with_description("A text")
            .with_mime_type("text/plain"),
        Resource::new("test://static-binary", "static-binary")
            .with_description("A picture")
            .with_mime_type("image/png"),
    ]
}

pub fn templates() -> Vec<ResourceTemplate> {
    let (start, end) = TEMPLATE;
    vec![ResourceTemplate::new(format!("{start}{{id}}{end}"), "template").with_mime_type("application/json")]
}

pub fn resource(uri: &str) -> Option<Value> {
    let contents = match uri {
        "test://static-text" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        _ => {
            let id = uri.strip_prefix(TEMPLATE.0)?.strip_suffix(TEMPLATE.1)?;
            let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": text.to_string()})
        }
    };
    Some(contents)
}

/// The prompt that asks a person first.
pub const ASKING_PROMPT: &str = "test_input_required_result_prompt";

pub fn prompts() -> Vec<Prompt> {
    let known: [(&str, &[&str]); 5] = [
        ("test_simple_prompt", &[]),
        ("test_prompt_with_arguments", &["arg1", "arg2"]),
        ("test_prompt_with_embedded_resource", &["resourceUri"]),
        ("test_prompt_with_image", &[]),
        (ASKING_PROMPT, &[]),
    ];
    let argument = |name: &&str| PromptArgument::new(*name).with_required(true);
    let prompt = |(name, arguments): (&str, &[&str])| {
        let arguments = arguments.iter().map(argument).collect();
        Prompt::new(name, Some("What the test suite wants by this name"), Some(arguments))
    };
    known.into_iter().map(prompt).collect()
}

/// The messages of a prompt.
pub fn messages(name: &str, arguments: &JsonObject) -> Option<Value> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = |text: String| json!({"role": "user", "content": {"type": "text", "text": text}});
    Some(match name {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.".to_owned())]),
        "test_prompt_with_arguments" => json!([text(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))]),
        "test_prompt_with_embedded_resource" => {
            let text_of_it = "Embedded resource content for testing.";
            let resource =
                json!({"uri": argument("resourceUri"), "mimeType": "text/plain", "text": text_of_it});
            let embedded = json!({"role": "user", "content": {"type": "resource", "resource": resource}});
            json!([embedded, text("Please process the embedded resource above.".to_owned())])
        }
        "test_prompt_with_image" => {
            let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
            json!([{"role": "user", "content": image}, text("Please analyze the image above.".to_owned())])
        }
        _ => return None,
    })
}
