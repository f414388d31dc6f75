//! The chat-completions protocol that OpenRouter and every OpenAI-compatible server speak: the JSON
//! of a request, and the reading of what comes back. No network here.

use serde::Serialize;
use serde_json::Value;

use super::error::{CallError, ErrorKind};
use super::json_body::{JsonBody, LongTexts};
use super::messages_json::{Messages, Tools};
use super::plain_piece::PlainPiece;
use super::request::ChatRequest;
use super::schema::Schema;
use super::surrogate_halves::SurrogateHalves;
use super::tool_deltas::ToolDeltas;
use super::upstream_error::ErrorContext;
use super::usage_json::read_usage;
use super::{Chunk, Citation, citations_json, clean, tool_extras};

/// What differs between the servers that speak this protocol.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// Send `usage: {include: true}`, OpenRouter's way to ask for the cost.
    pub usage_include: bool,
    /// Name the token bound `max_completion_tokens`: OpenAI's own newer models refuse the old name.
    pub max_completion_tokens: bool,
    /// Send `stream_options`, to get the usage of a stream.
    pub stream_options: bool,
    /// Id prefixes of models that refuse a temperature: it is not sent to them.
    pub without_temperature: &'static [&'static str],
    /// Which models cache a prompt only where it is marked (`cache_control`).
    pub marks_prompts: fn(&str) -> bool,
}

impl Dialect {
    /// Nothing beyond what every server understands.
    pub const PLAIN: Self = Self {
        usage_include: false,
        max_completion_tokens: false,
        stream_options: true,
        without_temperature: &[],
        marks_prompts: |_| false,
    };
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Messages<'a>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Include>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Include>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Tools::is_empty")]
    tools: Tools<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

impl<'a> ResponseFormat<'a> {
    fn of(schema: &'a Schema) -> Self {
        if schema.is_any_object() {
            return Self::JsonObject;
        }
        let Schema { name, schema, strict, .. } = schema;
        Self::JsonSchema { json_schema: JsonSchema { name, strict: *strict, schema } }
    }
}

#[derive(Serialize, Default)]
struct Include {
    #[serde(skip_serializing_if = "Option::is_none")]
    include_usage: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<bool>,
}

/// The request's JSON.
///
/// # Errors
/// When a number cannot be written as JSON; never in practice.
pub(super) fn body(
    request: &ChatRequest,
    stream: bool,
    dialect: Dialect,
) -> Result<JsonBody, serde_json::Error> {
    let long = LongTexts::default();
    let sampling = request.sampling;
    let (max_tokens, max_completion_tokens) =
        if dialect.max_completion_tokens { (None, sampling.max_tokens) } else { (sampling.max_tokens, None) };
    long.body(&Body {
        model: &request.model,
        messages: Messages {
            all: &request.messages,
            marked: request.continues && (dialect.marks_prompts)(&request.model),
            long: Some(&long),
        },
        stream,
        stream_options: (stream && dialect.stream_options)
            .then(|| Include { include_usage: Some(true), ..Include::default() }),
        temperature: sampling
            .temperature
            .filter(|_| !begins_with(&request.model, dialect.without_temperature)),
        max_tokens,
        max_completion_tokens,
        usage: dialect.usage_include.then(|| Include { include: Some(true), ..Include::default() }),
        response_format: request.schema.as_ref().map(ResponseFormat::of),
        tools: Tools(&request.tools),
    })
}

/// Whether a model's id, with or without its maker, begins with one of these.
pub(super) fn begins_with(model: &str, beginnings: &[&str]) -> bool {
    let bare = model.rsplit_once('/').map_or(model, |(_, bare)| bare);
    beginnings.iter().any(|beginning| model.starts_with(beginning) || bare.starts_with(beginning))
}

/// What a stream ends with.
const END_MARK: &str = "[DONE]";

/// Reads the payloads of one reply in order.
#[derive(Debug)]
pub(super) struct ReplyReader {
    context: ErrorContext,
    surrogate_halves: SurrogateHalves,
    served_by: Option<String>,
    streamed: Streamed,
    tools: ToolDeltas,
    /// Reasoning came as `reasoning_content`, and is wanted back with calls of tools.
    reasons_by_content: bool,
    /// The list of citations that came last.
    cited: Vec<Citation>,
    finished: bool,
    /// Tokens came after a finish reason: some gateways send one with every piece
    /// (<https://github.com/QuantumNous/new-api/issues/378>).
    went_on: bool,
    done: bool,
    started: bool,
    /// The reply is one document and no stream.
    is_document: bool,
}

impl ReplyReader {
    pub fn new(context: ErrorContext) -> Self {
        Self {
            context,
            surrogate_halves: SurrogateHalves::default(),
            served_by: None,
            streamed: Streamed::default(),
            tools: ToolDeltas::default(),
            reasons_by_content: false,
            cited: Vec::new(),
            finished: false,
            went_on: false,
            done: false,
            started: false,
            is_document: false,
        }
    }

    /// `[DONE]` came: nothing follows.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The provider said in some way that the reply is whole.
    pub fn is_whole(&self) -> bool {
        self.done || (self.finished && !self.went_on)
    }

    /// Whether the reply is whole, given that its stream has ended: then a finish reason in any piece is enough.
    pub fn is_whole_at_its_end(&self) -> bool {
        self.done || self.finished
    }

    /// Reads one payload of an event stream and appends its chunks to `out`.
    ///
    /// # Errors
    /// A malformed payload, or the error the provider put into it; its chunks are in `out`.
    pub fn read_event(&mut self, payload: &str, out: &mut Vec<Chunk>) -> Result<(), CallError> {
        let payload = payload.trim();
        // Some gateways write `data:` twice.
        let payload = payload.strip_prefix("data:").map_or(payload, str::trim_start);
        if self.done || payload.is_empty() {
            return Ok(());
        }
        let before = out.len();
        let was_finished = self.finished;
        let joined = self.surrogate_halves.join(payload);
        let read = self.read_pieces(&joined, out);
        // A half that comes after a finish reason is held back, but shows already that the answer goes on.
        self.went_on |= was_finished && self.surrogate_halves.are_held();
        if self.is_whole() {
            // Tokens after a finish reason would mean that the answer goes on.
            let is_finish = |chunk: &Chunk| matches!(chunk, Chunk::Finish(_));
            let at = out[before..].iter().position(is_finish).map_or(out.len(), |at| before + at);
            out.splice(at..at, self.surrogate_halves.end().into_iter().flatten());
        }
        read
    }

    /// Reads a reply that came as one JSON document.
    ///
    /// # Errors
    /// As [`Self::read_event`]; also when it holds no reply at all.
    pub fn read_whole(&mut self, body: &str, out: &mut Vec<Chunk>) -> Result<(), CallError> {
        self.is_document = true;
        let document = serde_json::from_str::<Value>(&clean::json(body)).ok().filter(Value::is_object);
        let mut document = document.ok_or_else(|| self.malformed("malformed JSON", body))?;
        self.read_object(&mut document, out)?;
        self.done = true;
        Ok(())
    }

    /// Reads the pieces of one event: usually one, but some servers omit the blank line between events, even before the
    /// end marker.
    fn read_pieces(&mut self, payload: &str, out: &mut Vec<Chunk>) -> Result<(), CallError> {
        let json = clean::json(payload);
        if let Some(piece) = PlainPiece::read(&json) {
            self.take_plain(piece, out);
            return Ok(());
        }
        let mut pieces = serde_json::Deserializer::from_str(&json).into_iter::<Value>();
        loop {
            let rest = json.get(pieces.byte_offset()..).unwrap_or_default().trim();
            self.done = rest == END_MARK;
            if self.done || rest.is_empty() {
                return Ok(());
            }
            match pieces.next() {
                Some(Ok(mut piece)) if piece.is_object() => self.read_object(&mut piece, out)?,
                Some(_) | None => return Err(self.malformed("a malformed piece of the answer", payload)),
            }
        }
    }

    fn malformed(&self, what: &str, text: &str) -> CallError {
        self.context.bad_response(&format!("{what}: {}", self.context.beginning(text)))
    }

    fn take_plain(&mut self, piece: PlainPiece<'_>, out: &mut Vec<Chunk>) {
        let PlainPiece { model, reasoning, by_content, text } = piece;
        self.reasons_by_content |= by_content;
        if let Some(model) = model
            && self.served_by.as_deref() != Some(&*model)
        {
            self.served_by = Some(model.clone().into_owned());
            out.push(Chunk::ServedBy(model.into_owned()));
        }
        self.note(reasoning.is_some() || text.is_some());
        self.streamed.reasoning |= reasoning.is_some();
        self.streamed.text |= text.is_some();
        out.extend(reasoning.map(|text| Chunk::Reasoning(text.into_owned())));
        out.extend(text.map(|text| Chunk::Text(text.into_owned())));
    }

    /// Records that a piece came, and whether it had tokens.
    fn note(&mut self, has_tokens: bool) {
        self.started |= has_tokens;
        self.went_on |= has_tokens && self.finished;
    }

    fn read_object(&mut self, value: &mut Value, out: &mut Vec<Chunk>) -> Result<(), CallError> {
        if let Some(model) = text(value.get("model"))
            && self.served_by.as_deref() != Some(model)
        {
            self.served_by = Some(model.to_owned());
            out.push(Chunk::ServedBy(model.to_owned()));
        }
        let error = value.get("error").filter(|error| says_something(error));
        let mut failure = error.or_else(|| Some(&*value).filter(|value| is_bare_error(value))).cloned();
        // Only one answer is asked for; a second one would be mixed into the first.
        if let Some(choice) = value.get_mut("choices").and_then(|choices| choices.get_mut(0)) {
            if failure.is_none() {
                failure = choice.get("error").filter(|error| says_something(error)).cloned();
            }
            let before = out.len();
            self.read_choice(choice, out);
            self.note(out[before..].iter().any(Chunk::is_token));
            match text(choice.get("finish_reason")).and_then(ending) {
                Some(Ending::Failed(why)) => failure = failure.or_else(|| Some(why.into())),
                Some(Ending::Finished(reason)) => {
                    self.finished = true;
                    out.push(Chunk::Finish(reason.to_owned()));
                }
                None => {}
            }
        }
        self.cite(value, out);
        if let Some(usage) = value.get("usage").and_then(read_usage) {
            out.push(Chunk::Usage(usage));
        }
        failure.map_or(Ok(()), |failure| Err(self.context.failed_midway(&failure)))
    }

    fn read_choice(&mut self, choice: &mut Value, out: &mut Vec<Chunk>) {
        // Perplexity sends both: in a stream the message so far with each delta, in a document an empty delta with the
        // message.
        let names = if self.is_document { ["message", "delta"] } else { ["delta", "message"] };
        let name = names.into_iter().find(|name| choice.get(name).is_some_and(Value::is_object));
        let before = out.len();
        let Some(part) = name.and_then(|name| choice.get_mut(name)) else {
            out.extend(text(choice.get("text")).map(|text| Chunk::Text(text.to_owned())));
            return;
        };
        self.reasons_by_content |= part.get("reasoning_content").is_some_and(Value::is_string);
        let details = part.get_mut("reasoning_details").map(Value::take).filter(has_content);
        // Some gateways send one text under both names.
        let reasoning = text(part.get("reasoning"))
            .or_else(|| text(part.get("reasoning_content")))
            .map(str::to_owned)
            .or_else(|| details.as_ref().and_then(details_text));
        out.extend(reasoning.map(Chunk::Reasoning));
        out.extend(details.map(Chunk::ReasoningDetails));
        read_content(part.get("content"), out);
        self.cite(part, out);
        out.extend(text(part.get("refusal")).map(|text| Chunk::Text(text.to_owned())));
        let is_piece = name == Some("delta");
        if is_piece {
            out[before..].iter().for_each(|chunk| self.streamed.note(chunk));
        } else {
            let said = out.split_off(before);
            out.extend(said.into_iter().filter(|chunk| !self.streamed.has(chunk)));
        }
        let calls = part.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        // The older name, from before there could be several.
        let old = part.get("function_call").filter(|call| call.is_object());
        for call in calls.filter(|call| call.is_object()).chain(old) {
            if self.streamed.calls && !is_piece {
                break;
            }
            self.streamed.calls |= is_piece;
            if self.reasons_by_content && !self.tools.have_begun() {
                out.push(Chunk::ReasoningDetails(Value::Array(vec![tool_extras::thoughts_block()])));
            }
            let read = self.tools.read(call);
            if let Chunk::ToolCall { index, .. } = read
                && let Some(extra) = tool_extras::block(call, index)
            {
                out.push(Chunk::ReasoningDetails(Value::Array(vec![extra])));
            }
            out.push(read);
        }
    }

    /// Many servers send the same list with every piece; it is reported once.
    fn cite(&mut self, value: &Value, out: &mut Vec<Chunk>) {
        let cited = citations_json::read(value);
        if !cited.is_empty() && self.cited != cited {
            self.cited.clone_from(&cited);
            out.push(Chunk::Citations(cited));
        }
    }

    /// The error of a stream that ended before it was whole.
    pub fn cut(&self) -> CallError {
        self.context.bad_response("the stream was cut before the end of the answer")
    }

    /// The error of a connection that broke in mid-reply. Before the first token it counts as a connection that was
    /// never made, and is worth a retry.
    pub fn broken(&self, error: reqwest::Error) -> CallError {
        let mut failure = self.context.transport(error);
        if self.started {
            failure.kind = ErrorKind::BadResponse;
            failure.message = format!("{}; the stream was cut in the middle of the answer", failure.message);
        }
        failure
    }

    pub fn context(&self) -> &ErrorContext {
        &self.context
    }
}

/// What has come in pieces. Some streams end with the whole message, which repeats all of it
/// (<https://github.com/songquanpeng/one-api/issues/2406>).
#[derive(Debug, Default)]
struct Streamed {
    text: bool,
    reasoning: bool,
    calls: bool,
}

impl Streamed {
    fn note(&mut self, piece: &Chunk) {
        if let Some(has) = self.kind(piece) {
            *has = true;
        }
    }

    /// Whether some text, or some reasoning, has come.
    fn has(&mut self, chunk: &Chunk) -> bool {
        self.kind(chunk).is_some_and(|has| *has)
    }

    fn kind(&mut self, chunk: &Chunk) -> Option<&mut bool> {
        match chunk {
            Chunk::Text(_) | Chunk::TextWasReasoning(_) => Some(&mut self.text),
            Chunk::Reasoning(_) | Chunk::ReasoningDetails(_) => Some(&mut self.reasoning),
            Chunk::ToolCall { .. }
            | Chunk::Usage(_)
            | Chunk::Finish(_)
            | Chunk::ServedBy(_)
            | Chunk::Citations(_)
            | Chunk::Embedding(_) => None,
        }
    }
}

/// How an answer ended.
enum Ending<'r> {
    Finished(&'r str),
    /// It was broken off, for this reason.
    Failed(&'static str),
}

/// What a finish reason means, under any server's name for it; `None` if it is none.
fn ending(reason: &str) -> Option<Ending<'_>> {
    Some(match reason {
        // Some servers write these while there is none yet.
        "null" | "none" => return None,
        "error" => Ending::Failed("the provider ended the answer with an error"),
        // vLLM and SGLang, Zhipu, DeepSeek.
        "abort" | "network_error" => Ending::Failed("the provider broke the answer off"),
        "insufficient_system_resource" => {
            Ending::Failed("the provider broke the answer off: it is short of resources")
        }
        // Zhipu, and Anthropic's models behind gateways: as Bedrock has it.
        "model_context_window_exceeded" => {
            Ending::Failed("the prompt and the answer are longer than the context window")
        }
        // Mistral, and gateways to Anthropic's models.
        "model_length" | "max_tokens" => Ending::Finished("length"),
        // Zhipu, and gateways to Anthropic's models.
        "sensitive" | "refusal" => Ending::Finished("content_filter"),
        // Gemini adds which: `content_filter: RECITATION`, `function_call_filter: MALFORMED_FUNCTION_CALL`.
        reason if reason.starts_with("content_filter:") => Ending::Finished("content_filter"),
        reason if reason.starts_with("function_call_filter:") => {
            Ending::Failed("the provider broke the answer off: the model's call of a function is malformed")
        }
        reason => Ending::Finished(reason),
    })
}

/// Whether this is a bare error object, `{code, message, …}`, in place of a piece.
fn is_bare_error(value: &Value) -> bool {
    // Some gateways send a code with every piece, one that means success.
    let fails = |code: &Value| !matches!(code.as_u64(), Some(0 | 200));
    let is_named = value.get("code").is_some_and(fails) || text(value.get("object")) == Some("error");
    is_named && value.get("choices").is_none() && text(value.get("message")).is_some()
}

/// A string that is not empty.
fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Whether an error object says anything. Some gateways send an empty one with every good answer
/// (<https://github.com/BerriAI/litellm/pull/18493>).
pub(super) fn says_something(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(is_set) => *is_set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(says_something),
        Value::Object(fields) => fields.values().any(says_something),
    }
}

fn has_content(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Content is a string, or a list of parts of which some may be reasoning.
fn read_content(content: Option<&Value>, out: &mut Vec<Chunk>) {
    if let Some(text) = text(content) {
        out.push(Chunk::Text(text.to_owned()));
    }
    for part in content.and_then(Value::as_array).into_iter().flatten() {
        if let Some(text) = text(Some(part)).or_else(|| text(part.get("text"))) {
            out.push(Chunk::Text(text.to_owned()));
        } else if let Some(thinking) = part.get("thinking") {
            out.extend(details_text(thinking).map(Chunk::Reasoning));
        }
    }
}

/// The readable text of reasoning blocks, for providers that send it only there.
fn details_text(details: &Value) -> Option<String> {
    let of = |block: &Value| {
        text(Some(block))
            .or_else(|| text(block.get("text")))
            .or_else(|| text(block.get("summary")))
            .map(str::to_owned)
            .unwrap_or_default()
    };
    let joined = match details {
        Value::Array(blocks) => blocks.iter().map(of).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => of(details),
    };
    (!joined.is_empty()).then_some(joined)
}

#[cfg(test)]
#[path = "chat_completions_request_tests.rs"]
mod request_tests;
#[cfg(test)]
#[path = "chat_completions_tests.rs"]
mod tests;
