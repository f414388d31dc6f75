//! The tool calls of a reply under way: which call a part belongs to, in the many ways that servers say it.

use serde_json::Value;

use super::Chunk;

/// The calls of one reply so far.
#[derive(Debug, Default)]
pub(super) struct ToolDeltas {
    calls: Vec<Begun>,
    /// The call that the last part belonged to.
    last: Option<usize>,
}

/// A call that has begun.
#[derive(Debug, Default)]
struct Begun {
    /// The index that the server gives its parts.
    index: Option<u64>,
    id: Option<String>,
    is_named: bool,
    arguments: String,
}

impl Begun {
    /// Whether nothing more of it is to come.
    fn is_whole(&self) -> bool {
        is_object(&self.arguments)
    }
}

impl ToolDeltas {
    /// Whether there is any call.
    pub fn have_begun(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Reads a part of a call, or a whole one: `{index?, id?, function: {name?, arguments?}}`. Parts of one call
    /// have one index in what is returned.
    pub fn read(&mut self, part: &Value) -> Chunk {
        let function = part.get("function").filter(|function| function.is_object()).unwrap_or(part);
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
                other.to_string()
            }
        };
        let index = part.get("index").and_then(Value::as_u64);
        let (id, name) = (text(part.get("id")), text(function.get("name")));
        let at = self.place(index, id, name, &arguments);
        let call = &mut self.calls[at];
        if call.id.is_none() {
            call.id = id.map(str::to_owned);
        }
        call.is_named |= name.is_some();
        call.arguments.push_str(&arguments);
        self.last = Some(at);
        Chunk::ToolCall {
            // More calls than that are refused long before.
            index: u32::try_from(at).unwrap_or(u32::MAX),
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            arguments,
        }
    }

    /// The call that this part belongs to, begun where it is the first of one.
    fn place(&mut self, index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> usize {
        let known = match (index, id) {
            (Some(_), _) => self.calls.iter().rposition(|call| call.index == index),
            (None, Some(id)) => self.calls.iter().rposition(|call| call.id.as_deref() == Some(id)),
            (None, None) => self.last,
        };
        // Some servers give all calls one index or one id; a name then begins the next. Others repeat the name in
        // every part.
        let begins = |call: &Begun| {
            let another_id = id.is_some_and(|id| call.id.as_deref().is_some_and(|known| known != id));
            name.is_some() && call.is_named && (another_id || (call.is_whole() && !arguments.is_empty()))
        };
        if let Some(at) = known.filter(|at| !begins(&self.calls[*at])) {
            return at;
        }
        self.calls.push(Begun { index, ..Begun::default() });
        self.calls.len() - 1
    }
}

/// Whether a text is a whole JSON object, as arguments are.
pub(super) fn is_object(text: &str) -> bool {
    // Anything without a final brace is not one: this sorts out most parts without parsing.
    text.trim_end().ends_with('}') && serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

/// A string that is not empty.
fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
#[path = "tool_deltas_tests.rs"]
mod tests;
