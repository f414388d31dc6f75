//! Tools and a prompt that ask the client for something before they answer, in 2026-07-28: the call ends with what is
//! wanted, and comes again with it.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, InputRequest,
    InputRequiredResult, InputResponses,
};
use serde_json::{Map, Value, json};

use super::offered::typed;
use super::signer::Signer;

pub const PREFIX: &str = "test_input_required_result_";

pub fn person(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn model(text: &str) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
}

fn roots() -> Value {
    json!({"method": "roots/list"})
}

/// One wish as the library takes it.
///
/// # Errors
/// When it is none.
pub fn wish(wanted: Value) -> Result<InputRequest, ErrorData> {
    typed(wanted)
}

/// What is wanted, and the state to bring back with it.
///
/// # Errors
/// When it is no wish.
pub fn wanted(wishes: Value, state: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    Ok(InputRequiredResult::new(Some(typed(wishes)?), state))
}

/// What the client brought by this name; anything but an object is as good as nothing.
pub fn brought<'a>(responses: Option<&'a InputResponses>, key: &str) -> Option<&'a Map<String, Value>> {
    responses?.get(key)?.as_object()
}

/// A field of a form that a person has filled in.
pub fn field<'a>(response: &'a Map<String, Value>, name: &str) -> &'a str {
    response.get("content").and_then(|content| content.get(name)).and_then(Value::as_str).unwrap_or_default()
}

fn said(text: impl Into<String>) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

/// Answers a call of such a tool.
///
/// # Errors
/// Where the state is not what was given.
pub fn call(
    call: &CallToolRequestParams,
    capabilities: &ClientCapabilities,
    signer: &Signer,
) -> Result<CallToolResponse, ErrorData> {
    let responses = call.input_responses.as_ref();
    let state = call.request_state.as_deref().map(|state| signer.open(state)).transpose()?;
    let has = |key: &str| brought(responses, key).is_some();
    let ask = |wishes: Value| Ok(wanted(wishes, None)?.into());
    let ask_with = |wishes: Value, stage: &str| Ok(wanted(wishes, Some(signer.seal(stage)))?.into());
    let name = call.name.strip_prefix(PREFIX).unwrap_or_default();
    match (name, state) {
        ("elicitation", _) => match brought(responses, "user_name") {
            Some(response) => said(format!("Hello, {}!", field(response, "name"))),
            None => ask(json!({"user_name": person("What is your name?", "name", "string")})),
        },
        ("sampling", _) => match brought(responses, "capital_question") {
            Some(response) => said(Value::from(response.clone()).to_string()),
            None => ask(json!({"capital_question": model("What is the capital of France?")})),
        },
        ("list_roots", _) => match brought(responses, "client_roots") {
            Some(response) => said(Value::from(response.clone()).to_string()),
            None => ask(json!({"client_roots": roots()})),
        },
        ("request_state" | "tampered_state", Some("confirm")) if has("confirm") => said("state-ok"),
        ("request_state" | "tampered_state", _) => {
            ask_with(json!({"confirm": person("Please confirm", "ok", "boolean")}), "confirm")
        }
        ("multiple_inputs", Some("gather")) if has("user_name") && has("greeting") && has("client_roots") => {
            said("All three are here.")
        }
        ("multiple_inputs", _) => {
            let name = person("What is your name?", "name", "string");
            let wishes =
                json!({"user_name": name, "greeting": model("Generate a greeting"), "client_roots": roots()});
            ask_with(wishes, "gather")
        }
        ("multi_round", Some("2")) if has("step2") => said("Both steps are done."),
        ("multi_round", Some("1")) if has("step1") => {
            ask_with(json!({"step2": person("Step 2: What is your favorite color?", "color", "string")}), "2")
        }
        ("multi_round", _) => {
            ask_with(json!({"step1": person("Step 1: What is your name?", "name", "string")}), "1")
        }
        ("capabilities", _) if responses.is_some() => said("Thank you."),
        ("capabilities", _) => {
            let mut wishes = Map::new();
            if capabilities.elicitation.is_some() {
                wishes.insert("user_name".to_owned(), person("What is your name?", "name", "string"));
            }
            if capabilities.sampling.is_some() {
                wishes.insert("greeting".to_owned(), model("Generate a greeting"));
            }
            if wishes.is_empty() { said("This client can be asked for nothing.") } else { ask(wishes.into()) }
        }
        _ => Err(ErrorData::invalid_params(format!("there is no tool {:?}", call.name), None)),
    }
}
