//! What Converse answers, as chunks: the events of a stream, or one document. No network here.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::llm::Chunk;
use crate::llm::clean;
use crate::llm::error::{CallError, ErrorKind};
use crate::llm::reply::{Usage, plausible_tokens};
use crate::llm::upstream_error::ErrorContext;
use crate::llm::usage_json::number;

/// The most bytes of signatures and encrypted reasoning in one reply.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Reads one reply in order.
#[derive(Debug)]
pub(super) struct ReplyReader {
    context: ErrorContext,
    /// The blocks of reasoning under way.
    reasoning: BTreeMap<u64, Reasoning>,
    kept_bytes: usize,
    is_whole: bool,
    has_begun: bool,
}

/// A block of reasoning, kept to be handed back with the results of tools.
#[derive(Debug, Default)]
struct Reasoning {
    text: String,
    signature: String,
    redacted: String,
}

impl ReplyReader {
    pub fn new(context: ErrorContext) -> Self {
        Self { context, reasoning: BTreeMap::new(), kept_bytes: 0, is_whole: false, has_begun: false }
    }

    pub fn context(&self) -> &ErrorContext {
        &self.context
    }

    /// The model has said that it is done.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// A token has come.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Reads an event of a stream and appends its chunks to `out`. Events of unknown kinds are skipped.
    ///
    /// # Errors
    /// A malformed event, or a reason to stop that is a failure.
    pub fn read_event(&mut self, kind: &str, body: &[u8], out: &mut Vec<Chunk>) -> Result<(), CallError> {
        let before = out.len();
        let read = self.read(kind, body, out);
        self.has_begun |= out[before..].iter().any(Chunk::is_token);
        read
    }

    fn read(&mut self, kind: &str, body: &[u8], out: &mut Vec<Chunk>) -> Result<(), CallError> {
        let event = self.parse(body, "a malformed piece of the answer")?;
        let index = event.get("contentBlockIndex").and_then(Value::as_u64).unwrap_or(0);
        match kind {
            "contentBlockStart" => {
                if let Some(call) = event.pointer("/start/toolUse") {
                    out.push(call_begun(index, call, String::new()));
                }
            }
            "contentBlockDelta" => {
                if let Some(delta) = event.get("delta") {
                    self.read_delta(index, delta, out)?;
                }
            }
            "contentBlockStop" => self.end_reasoning(index, out),
            "messageStop" => self.stop(&event, out)?,
            "metadata" => out.extend(event.get("usage").and_then(read_usage).map(Chunk::Usage)),
            _ => {}
        }
        Ok(())
    }

    fn parse(&self, body: &[u8], what: &str) -> Result<Value, CallError> {
        let text = String::from_utf8_lossy(body);
        let value = serde_json::from_str(&clean::json(&text)).ok().filter(Value::is_object);
        value.ok_or_else(|| self.context.bad_response(&format!("{what}: {}", self.context.beginning(&text))))
    }

    fn read_delta(&mut self, index: u64, delta: &Value, out: &mut Vec<Chunk>) -> Result<(), CallError> {
        out.extend(text(delta.get("text")).map(Chunk::Text));
        if let Some(arguments) = delta.pointer("/toolUse/input").and_then(Value::as_str) {
            out.push(Chunk::ToolCall {
                index: short(index),
                id: None,
                name: None,
                arguments: arguments.to_owned(),
            });
        }
        if let Some(reasoning) = delta.get("reasoningContent") {
            self.keep(index, reasoning)?;
            out.extend(text(reasoning.get("text")).map(Chunk::Reasoning));
        }
        Ok(())
    }

    /// Keeps a piece of reasoning. Its text counts towards the answer's size limit elsewhere; signature and encrypted
    /// text are limited here.
    fn keep(&mut self, index: u64, piece: &Value) -> Result<(), CallError> {
        let field = |name: &str| piece.get(name).and_then(Value::as_str).unwrap_or_default();
        let (signature, redacted) = (field("signature"), field("redactedContent"));
        self.kept_bytes += signature.len() + redacted.len();
        if self.kept_bytes > MAX_KEPT_BYTES {
            return Err(self.context.bad_response("the reasoning's signature is too long"));
        }
        let block = self.reasoning.entry(index).or_default();
        block.text.push_str(field("text"));
        block.signature.push_str(signature);
        block.redacted.push_str(redacted);
        Ok(())
    }

    /// Passes a finished block on in OpenRouter's form, in which those of all providers are kept.
    fn end_reasoning(&mut self, index: u64, out: &mut Vec<Chunk>) {
        let Some(block) = self.reasoning.remove(&index) else { return };
        let mut details = Vec::new();
        if !block.signature.is_empty() {
            details.push(json!({
                "type": "reasoning.text", "text": block.text, "signature": block.signature, "index": index,
            }));
        }
        if !block.redacted.is_empty() {
            details.push(json!({ "type": "reasoning.encrypted", "data": block.redacted, "index": index }));
        }
        if !details.is_empty() {
            out.push(Chunk::ReasoningDetails(details.into()));
        }
    }

    fn stop(&mut self, event: &Value, out: &mut Vec<Chunk>) -> Result<(), CallError> {
        // Blocks whose end was not reported.
        let open: Vec<u64> = self.reasoning.keys().copied().collect();
        for index in open {
            self.end_reasoning(index, out);
        }
        let reason = event.get("stopReason").and_then(Value::as_str).unwrap_or_default();
        let finish = match reason {
            "max_tokens" => "length",
            "tool_use" => "tool_calls",
            "guardrail_intervened" | "content_filtered" => "content_filter",
            "model_context_window_exceeded" => {
                let message = format!(
                    "the prompt and the answer do not fit into the context of `{}`",
                    self.context.model
                );
                return Err(CallError::new(ErrorKind::ContextTooLong, message).having_reached());
            }
            "malformed_model_output" | "malformed_tool_use" => {
                let what = format!("`{}` wrote what Bedrock cannot read ({reason})", self.context.model);
                return Err(self.context.bad_response(&what));
            }
            // `end_turn`, `stop_sequence`, and what is new.
            _ => "stop",
        };
        self.is_whole = true;
        out.push(Chunk::Finish(finish.to_owned()));
        Ok(())
    }

    /// Reads a reply that came as one document.
    ///
    /// # Errors
    /// As [`Self::read_event`].
    pub fn read_whole(&mut self, body: &[u8], out: &mut Vec<Chunk>) -> Result<(), CallError> {
        let document = self.parse(body, "malformed JSON")?;
        out.extend(document.get("usage").and_then(read_usage).map(Chunk::Usage));
        let blocks = document.pointer("/output/message/content").and_then(Value::as_array);
        for (index, block) in (0..).zip(blocks.into_iter().flatten()) {
            out.extend(text(block.get("text")).map(Chunk::Text));
            if let Some(call) = block.get("toolUse") {
                let input = call.get("input").filter(|input| input.is_object());
                out.push(call_begun(index, call, input.map_or_else(|| "{}".to_owned(), Value::to_string)));
            }
            if let Some(reasoning) = block.get("reasoningContent") {
                let piece = reasoning.get("reasoningText").unwrap_or(reasoning);
                self.keep(index, piece)?;
                out.extend(text(piece.get("text")).map(Chunk::Reasoning));
                self.end_reasoning(index, out);
            }
        }
        self.has_begun = out.iter().any(Chunk::is_token);
        if document.get("stopReason").is_none() {
            return Err(self.context.bad_response("a document that is no reply"));
        }
        self.stop(&document, out)
    }

    /// The error of a stream that ended before it was whole.
    pub fn cut(&self) -> CallError {
        self.context.bad_response("the stream was cut before the end of the answer")
    }
}

fn call_begun(index: u64, call: &Value, arguments: String) -> Chunk {
    let field = |name: &str| text(call.get(name));
    Chunk::ToolCall { index: short(index), id: field("toolUseId"), name: field("name"), arguments }
}

/// No reply has that many blocks.
fn short(index: u64) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A string that is not empty.
fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Token counts; `None` if one of them is impossible. Bedrock counts prompt tokens separately by what the cache did
/// with them.
fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage.get(name).and_then(number).map_or(Some(0), plausible_tokens);
    let cached_tokens = count("cacheReadInputTokens")?;
    let cache_write_tokens = count("cacheWriteInputTokens")?;
    let prompt_tokens = count("inputTokens")? + cached_tokens + cache_write_tokens;
    let completion_tokens = count("outputTokens")?;
    let total_tokens = prompt_tokens + completion_tokens;
    Some(Usage {
        prompt_tokens,
        completion_tokens,
        cached_tokens,
        cache_write_tokens,
        total_tokens,
        ..Usage::default()
    })
}

#[cfg(test)]
#[path = "converse_tests.rs"]
mod tests;
