//! A list of messages as a question with what was said before it.

use serde_json::Value;

use crate::council::field::FieldError;
use crate::council::prompts::history::Turn;

/// What stands where a list begins with an answer.
const NOTHING_ASKED: &str = "(The conversation begins with an answer.)";

/// What was said, and what is asked now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// What system and developer messages say.
    pub system: Option<String>,
    /// Oldest first.
    pub turns: Vec<Turn>,
    pub question: String,
}

/// Reads a list of messages, of `messages` in chat completions and of `input` in responses.
///
/// # Errors
/// Every message that cannot be read.
pub(super) fn read(name: &str, list: &[Value]) -> Result<Said, Vec<FieldError>> {
    let mut gathered = Gathered::default();
    let mut errors = Vec::new();
    for (place, message) in list.iter().enumerate() {
        let field = format!("{name}[{place}]");
        match message_of(&field, message) {
            Ok(Some((role, text))) => gathered.add(role, text),
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    gathered.said(name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    User,
    Assistant,
}

#[derive(Default)]
struct Gathered {
    system: Vec<String>,
    turns: Vec<Turn>,
    /// What was asked since the last answer.
    open: Vec<String>,
}

impl Gathered {
    fn add(&mut self, role: Role, text: String) {
        match role {
            Role::System => self.system.push(text),
            Role::User => self.open.push(text),
            // A question that was not answered is none to go on from.
            Role::Assistant if text.trim().is_empty() => self.open.clear(),
            Role::Assistant => match (self.open.is_empty(), self.turns.last_mut()) {
                (true, Some(turn)) => {
                    turn.answer.push_str("\n\n");
                    turn.answer.push_str(&text);
                }
                (true, None) => self.turns.push(Turn { question: NOTHING_ASKED.to_owned(), answer: text }),
                (false, _) => {
                    let question = std::mem::take(&mut self.open).join("\n\n");
                    self.turns.push(Turn { question, answer: text });
                }
            },
        }
    }

    fn said(self, name: &str) -> Result<Said, Vec<FieldError>> {
        let question = self.open.join("\n\n");
        if question.trim().is_empty() {
            return Err(vec![FieldError::value(name, "must end with what the user asks, as text")]);
        }
        let system = Some(self.system.join("\n\n")).filter(|text| !text.trim().is_empty());
        Ok(Said { system, turns: self.turns, question })
    }
}

/// Who says a message, and its text; nothing for an item that says nothing.
fn message_of(field: &str, message: &Value) -> Result<Option<(Role, String)>, FieldError> {
    let refuse = |what: &str, why: &str| Err(FieldError::value(format!("{field}{what}"), why));
    if !message.is_object() {
        return refuse("", "must be an object with role and content");
    }
    match message.get("type").and_then(Value::as_str) {
        None | Some("message") => {}
        // What a model thought before is no part of what was said.
        Some("reasoning") => return Ok(None),
        Some("function_call" | "function_call_output" | "custom_tool_call" | "custom_tool_call_output") => {
            return refuse(".type", "calls of tools cannot be read by a council");
        }
        Some(_) => return refuse(".type", "cannot be read here: only messages with text can"),
    }
    let role = match message.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => {
            return refuse(".role", "results of tools cannot be read by a council");
        }
        Some(_) | None => return refuse(".role", "must be system, developer, user or assistant"),
    };
    let calls = message.get("tool_calls").and_then(Value::as_array);
    if calls.is_some_and(|calls| !calls.is_empty()) {
        return refuse(".tool_calls", "calls of tools cannot be read by a council");
    }
    let text = match message.get("content") {
        None | Some(Value::Null) if role == Role::Assistant => String::new(),
        None | Some(Value::Null) => return refuse(".content", "is required"),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let mut text = String::new();
            for (place, part) in parts.iter().enumerate() {
                text.push_str(text_of(&format!("{field}.content[{place}]"), part)?);
            }
            text
        }
        Some(_) => return refuse(".content", "must be text or a list of parts"),
    };
    if text.contains('\0') {
        return refuse(".content", "must not contain U+0000");
    }
    Ok(Some((role, text)))
}

/// The text of a part.
fn text_of<'p>(field: &str, part: &'p Value) -> Result<&'p str, FieldError> {
    let refuse = |why: &str| Err(FieldError::value(field, why));
    if let Some(text) = part.as_str() {
        return Ok(text);
    }
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let text = match kind {
        "text" | "input_text" | "output_text" | "summary_text" => part.get("text"),
        "refusal" => part.get("refusal"),
        "image_url" | "input_image" | "image" => {
            return refuse("is an image, and images cannot be read here: say in words what it shows");
        }
        "file" | "input_file" => {
            return refuse("is a file, and files cannot be read here: put its text into the message");
        }
        "input_audio" | "audio" => return refuse("is sound, and sound cannot be read here"),
        _ => return refuse("must be a part with text"),
    };
    text.and_then(Value::as_str).map_or_else(|| refuse("has no text"), Ok)
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
