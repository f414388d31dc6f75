//! A request as Converse takes it.
//!
//! Converse is stricter than chat completions: turns alternate and begin with the user, no text is blank, and the
//! results of tools are said by the user.

use serde_json::{Map, Value, json};

use crate::llm::messages_json::sendable;
use crate::llm::reply::ToolCall;
use crate::llm::request::{ChatMessage, ChatRequest, Role};
use crate::llm::tools::Tool;

/// Converse takes temperatures from 0 to 1, other servers to 2.
const MAX_TEMPERATURE: f64 = 1.0;
/// The text of a turn that must not be empty although nobody said anything.
const NOTHING: &str = "…";

/// The body of `converse` and `converse-stream` alike. With `folded`, the system prompt is said by the user: some
/// models take none.
pub(super) fn body(request: &ChatRequest, folded: bool) -> Value {
    let mut system = Vec::new();
    let mut turns = Turns::default();
    for message in &request.messages {
        match message.role {
            Role::System if folded => turns.say("user", text(&message.content.whole())),
            Role::System => system.extend(text(&message.content.whole())),
            Role::User => turns.say("user", shown(message).chain(text(&message.content.whole()))),
            Role::Assistant => turns.say("assistant", said(message)),
            Role::Tool => turns.say("user", [result(message)]),
        }
    }
    if request.continues && keeps_marked(&request.model) {
        turns.mark();
    }
    let mut body = Map::new();
    body.insert("messages".into(), turns.into_json());
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    let mut inference = Map::new();
    if let Some(temperature) = request.sampling.temperature {
        inference.insert("temperature".into(), temperature.clamp(0.0, MAX_TEMPERATURE).into());
    }
    if let Some(max_tokens) = request.sampling.max_tokens {
        inference.insert("maxTokens".into(), max_tokens.max(1).into());
    }
    if !inference.is_empty() {
        body.insert("inferenceConfig".into(), inference.into());
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(offered).collect();
        body.insert("toolConfig".into(), json!({ "tools": tools }));
    }
    body.into()
}

/// Whether this model caches a prompt up to a mark; others refuse a request with one.
/// <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>
fn keeps_marked(model: &str) -> bool {
    /// Models that are older than cache marks.
    const WITHOUT: [&str; 7] = [
        "claude-instant",
        "claude-v2",
        "claude-3-haiku",
        "claude-3-sonnet",
        "claude-3-opus",
        "claude-3-5-sonnet-20240620",
        "claude-3-5-sonnet-v1",
    ];
    model.contains("anthropic.claude") && !WITHOUT.iter().any(|without| model.contains(without))
}

/// The conversation so far; adjacent messages of the same role are merged.
#[derive(Default)]
struct Turns(Vec<(&'static str, Vec<Value>)>);

impl Turns {
    fn say(&mut self, role: &'static str, blocks: impl IntoIterator<Item = Value>) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_none() {
            return;
        }
        if self.0.is_empty() && role != "user" {
            self.0.push(("user", vec![json!({ "text": NOTHING })]));
        }
        match self.0.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            Some(_) | None => self.0.push((role, blocks.collect())),
        }
    }

    /// Asks for the prompt to be cached up to here.
    fn mark(&mut self) {
        if let Some((_, blocks)) = self.0.last_mut() {
            blocks.push(json!({ "cachePoint": { "type": "default" } }));
        }
    }

    fn into_json(mut self) -> Value {
        if self.0.is_empty() {
            self.0.push(("user", vec![json!({ "text": NOTHING })]));
        }
        self.0.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
    }
}

/// A block of text; none where it would be blank, which is refused.
fn text(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "text": text }))
}

/// The pictures that come with a message, before its text, as Anthropic wants it.
fn shown(message: &ChatMessage) -> impl Iterator<Item = Value> {
    message
        .images
        .iter()
        .map(|image| json!({ "image": { "format": image.format(), "source": { "bytes": image.base64() } } }))
}

/// What the assistant said: reasoning first, as it came, then words, then calls.
fn said(message: &ChatMessage) -> Vec<Value> {
    let details = message.reasoning_details.as_ref().and_then(Value::as_array);
    let reasoning = details.into_iter().flatten().filter_map(reasoning);
    let calls = message.tool_calls.iter().map(called);
    reasoning.chain(text(&message.content.whole())).chain(calls).collect()
}

/// A block of reasoning to hand back. One without a signature is left out: it would be refused.
fn reasoning(block: &Value) -> Option<Value> {
    let field = |name: &str| block.get(name).and_then(Value::as_str);
    match field("type")? {
        "reasoning.text" => {
            let signed =
                json!({ "text": field("text").unwrap_or_default(), "signature": field("signature")? });
            Some(json!({ "reasoningContent": { "reasoningText": signed } }))
        }
        "reasoning.encrypted" => Some(json!({ "reasoningContent": { "redactedContent": field("data")? } })),
        _ => None,
    }
}

fn called(call: &ToolCall) -> Value {
    // Arguments that are not an object would have the whole conversation refused.
    let input = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    json!({ "toolUse": {
        "toolUseId": sendable(&call.id),
        "name": sendable(&call.name),
        "input": input.unwrap_or_else(|| json!({})),
    }})
}

fn result(message: &ChatMessage) -> Value {
    let id = message.tool_call_id.as_deref().unwrap_or_default();
    let found = text(&message.content.whole()).unwrap_or_else(|| json!({ "text": NOTHING }));
    json!({ "toolResult": { "toolUseId": sendable(id), "content": [found] } })
}

fn offered(tool: &Tool) -> Value {
    json!({ "toolSpec": {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": { "json": tool.parameters },
    }})
}

#[cfg(test)]
#[path = "request_json_tests.rs"]
mod tests;
