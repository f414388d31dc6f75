//! The body of a chat completion.

use serde_json::Value;

use super::files::InlineFiles;
use super::form;
use super::messages::{self, ParsedMessages};
use super::refusal::Refusal;
use super::request::{NO_TOOLS, ParsedRequest, Reader, demands_a_tool, is_filled};

/// The parameter that switches web search on.
pub(super) const SEARCH: &str = "web_search_options";

/// What a chat completion asks.
#[derive(Debug, Clone)]
pub(super) struct ParsedChatRequest {
    pub parsed: ParsedRequest,
    /// Whether a stream ends with a chunk that tells the usage.
    pub includes_usage: bool,
    /// The names of parameters that are ignored.
    pub ignored: Vec<String>,
}

/// The documented fields of a chat completion's body.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which is read field by field")]
pub struct ChatCompletionRequest {
    /// One of `GET /v1/models`.
    model: String,
    /// `{role, content}`: system and developer messages are the system prompt, the last user message is the question,
    /// what stands before it is the history. Content is text, or a list of parts: texts, and in messages of the user
    /// pictures (`image_url` with a `data:` URL) and files (`file` with `file_data` as Base64, or the `file_id` of one of
    /// `POST /api/attachments`).
    #[schema(value_type = Vec<Object>)]
    messages: Vec<Value>,
    #[schema(default = false)]
    stream: Option<bool>,
    /// `{"include_usage": true}`: the stream ends with a chunk that tells the usage.
    #[schema(value_type = Option<Object>)]
    stream_options: Option<Value>,
    /// For the writer of the final answer, 0 to 2.
    temperature: Option<f64>,
    /// The most tokens of the final answer.
    max_completion_tokens: Option<u32>,
    max_tokens: Option<u32>,
    /// Switches web search on, where this server has one.
    #[schema(value_type = Option<Object>)]
    web_search_options: Option<Value>,
    /// `["council"]`: what each seat said comes with the answer, under `council`.
    include: Option<Vec<String>>,
    /// `{"type": "json_object"}` or `{"type": "json_schema", "json_schema": {name, schema, strict}}`: the final answer is
    /// one JSON document.
    #[schema(value_type = Option<Object>)]
    response_format: Option<Value>,
    /// Ignored and named in `x-ignored-parameters`: a council calls no tools of the program, and answers without.
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// Only 1.
    n: Option<u32>,
    /// Is not stored.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    user: Option<String>,
}

/// Reads a body; `inline` are the files that came as data within it.
///
/// # Errors
/// Everything that is wrong with it, or cannot be done.
pub(super) fn read(body: &Value, inline: &InlineFiles) -> Result<ParsedChatRequest, Refusal> {
    let mut reader = Reader::of(body)?;
    let model = reader.model();
    let messages = read_messages(&mut reader, inline);
    let sampling = reader.sampling(&["max_completion_tokens", "max_tokens"]);
    let form = form::of_chat(&mut reader);
    let stream = reader.take("stream", "true or false").unwrap_or(false);
    let options: Option<Value> = reader.raw("stream_options").cloned();
    let includes_usage = match options.as_ref().map(|options| options.get("include_usage")) {
        None | Some(None | Some(Value::Null)) => false,
        Some(Some(Value::Bool(flag))) => *flag,
        Some(Some(_)) => {
            reader.refuse("stream_options.include_usage", "must be true or false");
            false
        }
    };
    let searches = reader.raw(SEARCH).is_some_and(Value::is_object);
    let includes_council = reader.includes_council();
    impossible(&mut reader);
    reader.without_effect(&["user", "metadata", "store", "parallel_tool_calls"]);
    let (parsed, ignored) = reader.finish(|| ParsedRequest {
        model,
        messages,
        sampling,
        form,
        searches,
        stream,
        includes_council,
    })?;
    Ok(ParsedChatRequest { parsed, includes_usage, ignored })
}

fn read_messages(reader: &mut Reader<'_>, inline: &InlineFiles) -> ParsedMessages {
    let Some(list) = reader.raw("messages") else {
        reader.refuse("messages", "is required: the conversation, ending with what the user asks");
        return ParsedMessages::default();
    };
    let Some(list) = list.as_array() else {
        reader.refuse("messages", "must be a list of messages");
        return ParsedMessages::default();
    };
    messages::read("messages", list, inline).unwrap_or_else(|errors| {
        reader.refuse_all(errors);
        ParsedMessages::default()
    })
}

/// Parameters that cannot be ignored, since the answer would not be the one that is asked for.
fn impossible(reader: &mut Reader<'_>) {
    reader.cannot("n", |n| n != 1, "must be 1: a council gives one answer");
    // A model that may call a tool need not: the answer comes without.
    reader.passed_over(&["tools", "functions"]);
    reader.cannot("tool_choice", demands_a_tool, NO_TOOLS);
    reader.cannot("function_call", demands_a_tool, NO_TOOLS);
    reader.cannot("logprobs", |value| value == true, "is not known of a council's answer");
    reader.cannot("top_logprobs", |value| value != 0, "are not known of a council's answer");
    reader.cannot("audio", is_filled, "a council does not speak");
    let is_more =
        |value: &Value| value.as_array().is_none_or(|kinds| kinds.iter().any(|kind| kind != "text"));
    reader.cannot("modalities", is_more, "must be [\"text\"]");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(more: &Value) -> Result<ParsedChatRequest, Value> {
        let mut body = json!({"model": "council", "messages": [{"role": "user", "content": "Why?"}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read(&body, &InlineFiles::default()).map_err(|refusal| refusal.object())
    }

    #[test]
    fn what_is_understood_is_taken_and_the_rest_is_named() {
        let read = with(&json!({
            "temperature": 0.5, "max_tokens": 100, "max_completion_tokens": 50, "stream": true,
            "stream_options": {"include_usage": true}, "include": ["council"], "user": "u", "metadata": {"a": "b"},
            "n": 1, "tools": [], "tool_choice": "auto", "response_format": {"type": "text"}, "logprobs": false,
            "seed": 7, "top_p": 0.9, "reasoning_effort": null, "a\nheader": 1
        }))
        .unwrap();
        assert_eq!(
            (read.parsed.sampling.temperature, read.parsed.sampling.max_tokens),
            (Some(0.5), Some(50))
        );
        assert!(read.parsed.stream && read.includes_usage && read.parsed.includes_council);
        assert_eq!(read.ignored, ["seed", "top_p"]);
    }

    #[test]
    fn tools_are_passed_over_by_their_name_unless_one_has_to_be_called() {
        let read =
            with(&json!({"tools": [{"type": "function"}], "functions": [], "tool_choice": "auto"})).unwrap();
        assert_eq!(read.ignored, ["tools"]);
        let among = json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}});
        assert!(with(&json!({"tool_choice": among})).is_ok());
        let among = json!({"type": "allowed_tools", "mode": "required", "tools": []});
        assert_eq!(with(&json!({"tool_choice": among})).unwrap_err()["param"], "tool_choice");
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_its_name() {
        for (param, value) in [
            ("n", json!(2)),
            ("tool_choice", json!("required")),
            ("tool_choice", json!({"type": "function", "function": {"name": "f"}})),
            ("function_call", json!({"name": "f"})),
            ("response_format.type", json!({"type": "yaml"})),
            ("response_format.type", json!("text")),
            ("logprobs", json!(true)),
            ("modalities", json!(["text", "audio"])),
            ("temperature", json!(3)),
            ("temperature", json!("hot")),
            ("max_tokens", json!(0)),
            ("stream", json!("yes")),
            ("model", json!(7)),
            ("messages", json!("Why?")),
            ("include", json!("council")),
        ] {
            let field = param.split('.').next().unwrap_or_default();
            let refusal = with(&json!({field: value})).unwrap_err();
            assert_eq!(refusal["param"], param, "{refusal}");
            assert_eq!(refusal["type"], "invalid_request_error");
        }
    }
}
