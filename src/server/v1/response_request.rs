//! The body of a response.

use serde_json::{Map, Value, json};

use super::files::InlineFiles;
use super::form;
use super::messages::{self, ParsedMessages};
use super::refusal::Refusal;
use super::request::{NO_TOOLS, ParsedRequest, Reader, demands_a_tool};

/// What a request for a response asks.
#[derive(Debug, Clone)]
pub(super) struct ParsedResponseRequest {
    pub parsed: ParsedRequest,
    /// The instructions alone, which the answer repeats.
    pub instructions: Option<String>,
    /// The form of the answer as it was written, which the answer repeats.
    pub format: Option<Value>,
    /// The response that this one goes on from.
    pub previous: Option<String>,
    /// Whether the run goes on without anybody who waits for it.
    pub background: bool,
    /// Whether the web has to be searched.
    pub demands_search: bool,
    pub metadata: Map<String, Value>,
    pub user: Option<String>,
    /// The names of parameters that are ignored.
    pub ignored: Vec<String>,
}

/// The documented fields of a response's body.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which is read field by field")]
pub struct CreateResponseRequest {
    /// One of `GET /v1/models`.
    model: String,
    /// The question as text, or a list of messages that ends with it. Those of the user may have pictures (`input_image` with
    /// a `data:` URL) and files (`input_file` with `file_data` as Base64, or the `file_id` of one of `POST /api/attachments`).
    #[schema(value_type = Object)]
    input: Value,
    /// The system prompt.
    instructions: Option<String>,
    /// The response whose conversation goes on.
    previous_response_id: Option<String>,
    #[schema(default = false)]
    stream: Option<bool>,
    /// Answers at once; the run goes on, and `GET /v1/responses/{id}` tells of it.
    #[schema(default = false)]
    background: Option<bool>,
    /// For the writer of the final answer, 0 to 2.
    temperature: Option<f64>,
    /// The most tokens of the final answer.
    max_output_tokens: Option<u32>,
    /// `{"type": "web_search"}` switches web search on, unless `external_web_access` is false. Others are ignored and named
    /// in `x-ignored-parameters`: a council calls no tools of the program, and answers without.
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// `["council"]`: what each seat said comes with the answer, and the council's own events with a stream.
    include: Option<Vec<String>>,
    /// `{"format": {"type": "json_object"}}` or `{"format": {"type": "json_schema", name, schema, strict}}`: the final answer
    /// is one JSON document.
    #[schema(value_type = Option<Object>)]
    text: Option<Value>,
    /// Comes back with the answer: at most 16 texts.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    /// Every response is kept in a conversation: `false` is ignored.
    #[schema(default = true)]
    store: Option<bool>,
}

impl ParsedResponseRequest {
    /// What of the request its response repeats; `api` is how it came.
    pub fn repeated(&self, api: &str) -> Value {
        json!({
            "api": api,
            "model": self.parsed.model,
            "instructions": self.instructions,
            "previous_response_id": self.previous,
            "background": self.background,
            "metadata": self.metadata,
            "temperature": self.parsed.sampling.temperature,
            "format": self.format,
            "max_output_tokens": self.parsed.sampling.max_tokens,
            "user": self.user,
            "includes_council": self.parsed.includes_council,
        })
    }
}

const MOST_METADATA: usize = 16;
const MAX_METADATA_CHARS: usize = 512;
const MAX_ID_CHARS: usize = 100;

/// Reads a body; `inline` are the files that came as data within it.
///
/// # Errors
/// Everything that is wrong with it, or cannot be done.
pub(super) fn read(body: &Value, inline: &InlineFiles) -> Result<ParsedResponseRequest, Refusal> {
    let mut reader = Reader::of(body)?;
    let model = reader.model();
    let instructions: Option<String> = reader.take("instructions", "a string");
    if instructions.as_ref().is_some_and(|text| text.contains('\0')) {
        reader.refuse("instructions", "must not contain U+0000");
    }
    let mut messages = read_messages(&mut reader, inline);
    let system = [instructions.clone(), messages.system.take()].into_iter().flatten();
    let system: Vec<String> = system.filter(|text| !text.trim().is_empty()).collect();
    messages.system = (!system.is_empty()).then(|| system.join("\n\n"));
    let sampling = reader.sampling(&["max_output_tokens"]);
    let form = form::of_response(&mut reader);
    let format = form.as_ref().and(reader.raw("text")).and_then(|text| text.get("format")).cloned();
    let stream = reader.take("stream", "true or false").unwrap_or(false);
    let background = reader.take("background", "true or false").unwrap_or(false);
    let previous: Option<String> = reader.take("previous_response_id", "a string");
    let previous = previous.map(|id| id.chars().take(MAX_ID_CHARS).collect());
    let (searches, has_tools) = tools(&mut reader);
    let includes_council = reader.includes_council();
    let metadata = metadata(&mut reader);
    let user: Option<String> = reader.take("user", "a string");
    let user = user.map(|user| user.chars().filter(|c| *c != '\0').take(MAX_METADATA_CHARS).collect());
    impossible(&mut reader, searches, has_tools);
    let demands_search = reader.raw("tool_choice").is_some_and(demands_a_tool);
    let keeps_nothing = reader.raw("store").is_some_and(|store| store == false);
    reader.without_effect(&[
        "reasoning",
        "truncation",
        "parallel_tool_calls",
        "stream_options",
        "prompt_cache_key",
        "safety_identifier",
        "service_tier",
    ]);
    let (mut parsed, ignored) = reader.finish(|| ParsedResponseRequest {
        parsed: ParsedRequest { model, messages, sampling, form, searches, stream, includes_council },
        instructions,
        format,
        previous,
        background,
        demands_search,
        metadata,
        user,
        ignored: Vec::new(),
    })?;
    let named = [(keeps_nothing, "store"), (has_tools, "tools")];
    let named = named.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| name.to_owned());
    parsed.ignored = ignored.into_iter().chain(named).collect();
    Ok(parsed)
}

fn read_messages(reader: &mut Reader<'_>, inline: &InlineFiles) -> ParsedMessages {
    match reader.raw("input") {
        None => reader.refuse("input", "is required: the question, or a list of messages that ends with it"),
        Some(Value::String(text)) => {
            return ParsedMessages { question: text.clone(), ..ParsedMessages::default() };
        }
        Some(Value::Array(items)) => match messages::read("input", items, inline) {
            Ok(said) => return said,
            Err(errors) => reader.refuse_all(errors),
        },
        Some(_) => reader.refuse("input", "must be text or a list of messages"),
    }
    ParsedMessages::default()
}

/// Whether web search is among the tools, and whether others are, which are ignored. A search that is to stay off the live
/// web is one of those: every search here goes there.
fn tools(reader: &mut Reader<'_>) -> (bool, bool) {
    let tools: Vec<Value> = reader.take("tools", "a list of tools").unwrap_or_default();
    (tools.iter().any(is_search), !tools.iter().all(is_search))
}

/// Whether a tool is the search of the live web, or a choice names it.
fn is_search(tool: &Value) -> bool {
    let kind = tool.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.starts_with("web_search") && tool.get("external_web_access") != Some(&Value::Bool(false))
}

fn metadata(reader: &mut Reader<'_>) -> Map<String, Value> {
    let metadata: Map<String, Value> = reader.take("metadata", "an object of texts").unwrap_or_default();
    let fits = |text: &str| text.chars().count() <= MAX_METADATA_CHARS && !text.contains('\0');
    let is_text = |(name, value): (&String, &Value)| fits(name) && value.as_str().is_some_and(fits);
    if metadata.len() > MOST_METADATA || !metadata.iter().all(is_text) {
        let rule = format!(
            "must be at most {MOST_METADATA} texts of at most {MAX_METADATA_CHARS} characters, without U+0000"
        );
        reader.refuse("metadata", rule);
    }
    metadata
}

/// Parameters that cannot be ignored, since the answer would not be the one that is asked for.
fn impossible(reader: &mut Reader<'_>, searches: bool, has_tools: bool) {
    // A search that is switched on is made, whether or not it is demanded.
    let is_met = |choice: &Value| searches && (is_search(choice) || (choice == "required" && !has_tools));
    reader.cannot("tool_choice", |choice| demands_a_tool(choice) && !is_met(choice), NO_TOOLS);
    reader.cannot("conversation", |_| true, "is not known here: go on with previous_response_id");
    reader.cannot("prompt", |_| true, "is not known here: send the text itself");
    reader.cannot("top_logprobs", |value| value != 0, "are not known of a council's answer");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(more: &Value) -> Result<ParsedResponseRequest, Value> {
        let mut body = json!({"model": "council", "input": "Why?"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read(&body, &InlineFiles::default()).map_err(|refusal| refusal.object())
    }

    #[test]
    fn what_is_understood_is_taken_and_the_rest_is_named() {
        let read = with(&json!({
            "instructions": "Be brief.", "background": true, "stream": true, "previous_response_id": "resp_1",
            "metadata": {"a": "b"}, "max_output_tokens": 9, "tools": [{"type": "web_search_preview"}, {"type": "function"}],
            "input": [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "Why?"}],
            "text": {"format": {"type": "text"}, "verbosity": "low"}, "reasoning": {"effort": "low"}, "store": false,
            "top_p": 1, "truncation": "auto", "tool_choice": "auto"
        }))
        .unwrap();
        assert_eq!(read.parsed.messages.system.as_deref(), Some("Be brief.\n\nBe kind."));
        assert!(read.background && read.parsed.stream && read.parsed.searches);
        assert_eq!(read.parsed.sampling.max_tokens, Some(9));
        assert_eq!(read.ignored, ["top_p", "store", "tools"]);
    }

    #[test]
    fn a_search_that_is_to_stay_off_the_live_web_is_passed_over() {
        for (external, searches, ignored) in
            [(json!(false), false, vec!["tools"]), (json!(true), true, vec![]), (Value::Null, true, vec![])]
        {
            let tool = json!({"type": "web_search", "external_web_access": external});
            let read = with(&json!({"tools": [tool]})).unwrap();
            assert_eq!(read.parsed.searches, searches, "{external}");
            assert_eq!(read.ignored, ignored, "{external}");
        }
    }

    #[test]
    fn a_choice_that_demands_the_search_is_met_by_it() {
        let search = json!({"type": "web_search"});
        let indexed = json!({"type": "web_search", "external_web_access": false});
        let function = json!({"type": "function", "name": "f"});
        for (tools, choice, is_met) in [
            (json!([search]), json!({"type": "web_search"}), true),
            (json!([{"type": "web_search_preview"}]), json!({"type": "web_search_preview"}), true),
            (json!([search]), json!("required"), true),
            (json!([search, function]), json!({"type": "web_search"}), true),
            (json!([search, function]), json!("required"), false),
            (json!([search, function]), json!({"type": "function", "name": "f"}), false),
            (json!([indexed]), json!("required"), false),
            (json!([]), json!({"type": "web_search"}), false),
        ] {
            let read = with(&json!({"tools": tools, "tool_choice": choice}));
            assert_eq!(read.is_ok(), is_met, "{choice} of {tools}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_its_name() {
        for (param, value) in [
            ("tools", json!({"tools": "web_search"})),
            ("tool_choice", json!({"tool_choice": {"type": "function"}})),
            ("text.format.name", json!({"text": {"format": {"type": "json_schema"}}})),
            ("text", json!({"text": "json"})),
            ("conversation", json!({"conversation": "conv_1"})),
            ("prompt", json!({"prompt": {"id": "p"}})),
            ("metadata", json!({"metadata": {"a": 1}})),
            ("metadata", json!({"metadata": {"a": "\0"}})),
            ("instructions", json!({"instructions": ["a"]})),
            ("input", json!({"input": 7})),
            (
                "input[0].content[0]",
                json!({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}),
            ),
        ] {
            let refusal = with(&value).unwrap_err();
            assert_eq!(refusal["param"], param, "{refusal}");
        }
    }
}
