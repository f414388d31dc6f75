//! Requests to models.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::image::Image;
use super::purpose::Purpose;
use super::reply::{Reply, ToolCall};
use super::schema::Schema;
use super::text::Text;
use super::tool_extras;
use super::tools::Tool;

/// Who a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    pub role: Role,
    pub content: Text,
    /// The tool calls of an assistant's message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The id of the call whose result this message is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The reasoning blocks of an assistant's message with tool calls, unchanged: some models continue only if they are
    /// handed back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_details: Option<Value>,
    /// The images that come with a user's message. They are not serialised.
    #[serde(skip)]
    pub images: Vec<Arc<Image>>,
}

impl ChatMessage {
    /// A system prompt.
    #[must_use]
    pub fn system(content: impl Into<Text>) -> Self {
        Self::new(Role::System, content.into())
    }

    /// A message from the user.
    #[must_use]
    pub fn user(content: impl Into<Text>) -> Self {
        Self::new(Role::User, content.into())
    }

    /// An earlier reply of the model.
    #[must_use]
    pub fn assistant(content: impl Into<Text>) -> Self {
        Self::new(Role::Assistant, content.into())
    }

    /// A reply that called tools.
    #[must_use]
    pub fn calling(
        content: impl Into<Text>,
        tool_calls: Vec<ToolCall>,
        reasoning_details: Option<Value>,
    ) -> Self {
        Self { tool_calls, reasoning_details, ..Self::assistant(content) }
    }

    /// A reply that called tools, as the message that hands it back to its model.
    #[must_use]
    pub fn of_calls(reply: &Reply) -> Self {
        let thoughts = reply.reasoning.as_deref().unwrap_or_default();
        let details =
            reply.reasoning_details.clone().map(|details| tool_extras::with_thoughts(details, thoughts));
        Self::calling(reply.text.as_str(), reply.tool_calls.clone(), details)
    }

    /// The result of the tool call with this id.
    #[must_use]
    pub fn tool(tool_call_id: impl Into<String>, content: impl Into<Text>) -> Self {
        Self { tool_call_id: Some(tool_call_id.into()), ..Self::new(Role::Tool, content.into()) }
    }

    fn new(role: Role, content: Text) -> Self {
        Self {
            role,
            content,
            tool_calls: Vec::new(),
            tool_call_id: None,
            reasoning_details: None,
            images: Vec::new(),
        }
    }
}

/// Sampling settings; absent means the provider's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// 0.0 to 2.0.
    pub temperature: Option<f64>,
    /// Upper bound on generated tokens.
    pub max_tokens: Option<u32>,
}

/// Time limits of one call, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until the first chunk of the reply (text or reasoning), per try.
    pub first_token_ms: u64,
    /// Between two chunks.
    pub idle_ms: u64,
    /// For the whole call, tries and pauses included.
    pub total_ms: u64,
}

/// Stored plans omit limits that equal these, so changing these would change runs under way.
impl Default for Timeouts {
    fn default() -> Self {
        Self { first_token_ms: 60_000, idle_ms: 60_000, total_ms: 300_000 }
    }
}

/// One request to one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// `provider:model`, or a bare id for the default provider.
    pub model: String,
    pub messages: Vec<ChatMessage>,
    pub purpose: &'static Purpose,
    pub sampling: Sampling,
    pub timeouts: Timeouts,
    /// Makes simulated replies and the jitter of retries repeatable; made from the run's id and the call's key.
    pub seed: u64,
    /// The JSON schema that the reply must match. It is not sent if the model does not offer it or refuses it, so the
    /// prompt alone must say what to write, and the reply may be JSON or text.
    pub schema: Option<Schema>,
    /// Tools that the model may call instead of answering. They are not sent if the model takes none
    /// ([`Reply::tools_refused`](super::Reply::tools_refused)).
    pub tools: Vec<Tool>,
    /// Whether another request that begins with these messages will follow within minutes: providers that cache prompts
    /// only on request are then asked to.
    pub continues: bool,
    /// Whether the reply is to be the vector of the last user message instead of text.
    pub embeds: bool,
}

impl ChatRequest {
    /// A request with defaults for everything else.
    #[must_use]
    pub fn new(model: impl Into<String>, purpose: &'static Purpose, messages: Vec<ChatMessage>) -> Self {
        Self {
            model: model.into(),
            messages,
            purpose,
            sampling: Sampling::default(),
            timeouts: Timeouts::default(),
            seed: 0,
            schema: None,
            tools: Vec::new(),
            continues: false,
            embeds: false,
        }
    }

    /// A request for the vector of a text ([`Reply::embedding`](super::Reply::embedding)).
    #[must_use]
    pub fn embedding(model: impl Into<String>, purpose: &'static Purpose, text: impl Into<Text>) -> Self {
        Self { embeds: true, ..Self::new(model, purpose, vec![ChatMessage::user(text)]) }
    }

    /// Removes the reasoning that is handed back with tool calls; returns whether there was any.
    pub(super) fn drop_thoughts(&mut self) -> bool {
        let mut had_some = false;
        for message in &mut self.messages {
            let Some(Value::Array(blocks)) = &mut message.reasoning_details else { continue };
            let before = blocks.len();
            blocks.retain(|block| !tool_extras::has_thoughts(block));
            had_some |= blocks.len() < before;
            if blocks.is_empty() {
                message.reasoning_details = None;
            }
        }
        had_some
    }

    /// The text of the last user message; empty if there is none.
    #[must_use]
    pub fn last_of_user(&self) -> Cow<'_, str> {
        let last = self.messages.iter().rev().find(|message| message.role == Role::User);
        last.map_or(Cow::Borrowed(""), |message| message.content.whole())
    }
}
