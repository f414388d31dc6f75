//! What models are asked in an examination.

use std::time::Duration;

use serde_json::json;

use super::report::ProbeKind;
use crate::llm::{ChatMessage, ChatRequest, Purpose, Sampling, Schema, Timeouts, Tool};

/// The most tokens of a reply of one word. Some models think before they write, so the limit is higher than a word
/// needs; a model that is still thinking when it is reached has shown that it answers.
pub const WORD_TOKENS: u32 = 64;
/// The most tokens of a reply that is JSON or calls a tool.
pub const FORM_TOKENS: u32 = 128;

const TIME: Timeouts = Timeouts {
    first_token_ms: 20_000,
    idle_ms: 10_000,
    total_ms: Duration::from_secs(30).as_millis() as u64,
};

/// The word.
const WORD: &str = "ready";
/// The tool that is to be called.
pub(super) const TOOL: &str = "report_ready";

static PURPOSE: Purpose = Purpose { name: "check", usual_tokens: 16, simulated: |_, _| WORD.to_owned() };

/// The most tokens of this probe's reply.
pub(super) fn max_tokens(probe: ProbeKind) -> u32 {
    match probe {
        ProbeKind::Streamed | ProbeKind::Whole => WORD_TOKENS,
        ProbeKind::StructuredOutput | ProbeKind::Tools => FORM_TOKENS,
    }
}

/// The request of a probe.
pub(super) fn request(model: &str, probe: ProbeKind) -> ChatRequest {
    let prompt = match probe {
        ProbeKind::Streamed | ProbeKind::Whole => format!("Answer with the one word: {WORD}"),
        ProbeKind::StructuredOutput => {
            format!("Answer with JSON of the form {{\"word\": \"…\"}}, where the word is: {WORD}")
        }
        ProbeKind::Tools => format!("Call the tool {TOOL} with the word: {WORD}"),
    };
    let mut request = ChatRequest::new(model, &PURPOSE, vec![ChatMessage::user(prompt)]);
    request.sampling = Sampling { max_tokens: Some(max_tokens(probe)), ..Sampling::default() };
    request.timeouts = TIME;
    let word = json!({
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": false,
    });
    match probe {
        ProbeKind::Streamed | ProbeKind::Whole => {}
        ProbeKind::StructuredOutput => request.schema = Some(Schema::new("word", word)),
        ProbeKind::Tools => {
            let description = "Reports that you are ready.".to_owned();
            request.tools = vec![Tool { name: TOOL.into(), description, parameters: word }];
        }
    }
    request
}
