//! Messages and tools as chat completions write them.

use std::borrow::Cow;
use std::slice;

use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::json_body::{JsonText, LongTexts};
use super::reply::ToolCall;
use super::request::{ChatMessage, Role};
use super::tool_deltas::is_object;
use super::tool_extras;
use super::tools::Tool;

/// The longest function name that servers accept.
const MAX_NAME_CHARS: usize = 64;

/// A conversation.
pub(super) struct Messages<'a> {
    pub all: &'a [ChatMessage],
    /// Whether the server is asked to cache the prompt up to the end of these messages.
    pub marked: bool,
    /// What leaves out long texts and images, to be written when the JSON is sent.
    pub long: Option<&'a LongTexts>,
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // The last that has a text: only texts can be marked.
        let mark = self.all.iter().rposition(|message| !message.content.is_empty()).filter(|_| self.marked);
        list(to, self.all.iter().enumerate().map(|(at, one)| message(one, mark == Some(at), self.long)))
    }
}

/// The functions on offer.
pub(super) struct Tools<'a>(pub &'a [Tool]);

impl Tools<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        list(to, self.0.iter().map(|tool| Offered { kind: "function", function: Described::of(tool) }))
    }
}

fn list<S: Serializer, T: Serialize>(
    to: S,
    items: impl ExactSizeIterator<Item = T>,
) -> Result<S::Ok, S::Error> {
    let mut list = to.serialize_seq(Some(items.len()))?;
    for item in items {
        list.serialize_element(&item)?;
    }
    list.end()
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    /// `null` if there are only tool calls.
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<Cow<'a, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Called<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(JsonText<'a>),
    /// The text before the pictures, as OpenRouter wants it.
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text {
        text: JsonText<'a>,
        /// Asks the server to cache the prompt up to here: a field of Anthropic's, which OpenRouter passes on.
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ImageUrl {
        image_url: Address<'a>,
    },
}

#[derive(Serialize)]
struct Address<'a> {
    url: JsonText<'a>,
}

#[derive(Serialize)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

fn message<'a>(message: &'a ChatMessage, marked: bool, long: Option<&'a LongTexts>) -> Message<'a> {
    let text = Some(&message.content)
        .filter(|text| !text.is_empty() || message.tool_calls.is_empty())
        .map(|text| JsonText { pieces: text.shared(), long });
    let details = message.reasoning_details.as_ref();
    Message {
        role: message.role,
        content: if marked || !message.images.is_empty() {
            let cache_control = marked.then_some(CacheControl { kind: "ephemeral" });
            let text = text.map(|text| Part::Text { text, cache_control });
            let images = message.images.iter().map(|image| {
                let url = JsonText { pieces: slice::from_ref(image.url()), long };
                Part::ImageUrl { image_url: Address { url } }
            });
            Some(Content::Parts(text.into_iter().chain(images).collect()))
        } else {
            text.map(Content::Text)
        },
        reasoning_content: details.and_then(tool_extras::thoughts),
        reasoning_details: details.and_then(tool_extras::without_extras),
        tool_calls: message
            .tool_calls
            .iter()
            .enumerate()
            .map(|(at, call)| Called::of(call, details.and_then(|details| tool_extras::of_call(details, at))))
            .collect(),
        tool_call_id: message.tool_call_id.as_deref(),
    }
}

#[derive(Serialize)]
struct Called<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Named<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a Value>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: Cow<'a, str>,
    arguments: &'a str,
}

impl<'a> Called<'a> {
    fn of(call: &'a ToolCall, extra_content: Option<&'a Value>) -> Self {
        // Many servers refuse a conversation with arguments that are not JSON, or with an unusual name.
        let arguments = if is_object(&call.arguments) { call.arguments.as_str() } else { "{}" };
        let function = Named { name: sendable(&call.name), arguments };
        Self { id: &call.id, kind: "function", function, extra_content }
    }
}

/// The name, changed where necessary to one that servers accept.
pub(super) fn sendable(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let named: String = name.chars().take(MAX_NAME_CHARS).map(|c| if fits(c) { c } else { '_' }).collect();
    Cow::Owned(if named.is_empty() { "unnamed".to_owned() } else { named })
}

#[derive(Serialize)]
struct Offered<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Described<'a>,
}

#[derive(Serialize)]
struct Described<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> Described<'a> {
    fn of(tool: &'a Tool) -> Self {
        Self { name: &tool.name, description: &tool.description, parameters: &tool.parameters }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::Image;

    #[test]
    fn calls_and_results_are_written_as_servers_want_them() {
        let call = |id: &str, name: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let messages = [
            ChatMessage::user(""),
            ChatMessage::calling("", vec![call("a", "f", "{\"q\": 1}")], Some(json!([{"type": "x"}]))),
            ChatMessage::tool("a", "found"),
            ChatMessage::calling("Hm.", vec![call("b", "f g", "{\"q\"")], None),
        ];
        assert_eq!(
            serde_json::to_value(Messages { all: &messages, marked: false, long: None }).unwrap(),
            json!([
                {"role": "user", "content": ""},
                {"role": "assistant", "content": null, "reasoning_details": [{"type": "x"}], "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"q\": 1}"}}
                ]},
                {"role": "tool", "content": "found", "tool_call_id": "a"},
                {"role": "assistant", "content": "Hm.", "tool_calls": [
                    {"id": "b", "type": "function", "function": {"name": "f_g", "arguments": "{}"}}
                ]},
            ])
        );
        let signed = json!({"google": {"thought_signature": "c2ln"}});
        let extra = json!([{"type": "tool_call.extra_content", "index": 1, "extra_content": signed}]);
        let two = [ChatMessage::calling("", vec![call("a", "f", "{}"), call("b", "f", "{}")], Some(extra))];
        let function = json!({"name": "f", "arguments": "{}"});
        assert_eq!(
            serde_json::to_value(Messages { all: &two, marked: false, long: None }).unwrap(),
            json!([{"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": function},
                {"id": "b", "type": "function", "function": function, "extra_content": signed},
            ]}])
        );
        let marked =
            serde_json::to_value(Messages { all: &messages[..3], marked: true, long: None }).unwrap();
        let last = json!([{"type": "text", "text": "found", "cache_control": {"type": "ephemeral"}}]);
        assert_eq!(marked[2], json!({"role": "tool", "content": last, "tool_call_id": "a"}));
        assert_eq!(marked[0], json!({"role": "user", "content": ""}), "one mark is enough");
        let shown = ChatMessage {
            images: vec![
                Image::new("a", "png", (1, 1), b"x").into(),
                Image::new("b", "jpeg", (1, 1), b"y").into(),
            ],
            ..ChatMessage::user("What is this?")
        };
        let picture = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
        let pictures = [picture("data:image/png;base64,eA=="), picture("data:image/jpeg;base64,eQ==")];
        assert_eq!(
            serde_json::to_value(Messages { all: &[shown], marked: false, long: None }).unwrap(),
            json!([{"role": "user", "content": [
                {"type": "text", "text": "What is this?"}, pictures[0], pictures[1],
            ]}])
        );
        let tool =
            Tool { name: "f".into(), description: "Does.".into(), parameters: json!({"type": "object"}) };
        assert_eq!(
            serde_json::to_value(Tools(&[tool])).unwrap(),
            json!([{"type": "function", "function": {"name": "f", "description": "Does.", "parameters": {"type": "object"}}}])
        );
    }
}
