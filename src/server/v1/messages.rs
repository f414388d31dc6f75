//! A list of messages as a question with what was said before it.

use serde_json::Value;

use super::files::{InlineFiles, MessageFile};
use crate::council::field::FieldError;
use crate::council::prompts::history::Turn;

/// The question before a list that begins with an answer.
const NOTHING_ASKED: &str = "(The conversation begins with an answer.)";

/// How many messages that cannot be read are named. A body may have millions of them.
const MOST_NAMED: usize = 50;

/// The heading over the tool results for the question that is asked now.
const FOUND: &str = "What tools were called for so far, and gave:";

/// What was said, and what is asked now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ParsedMessages {
    /// What system and developer messages say.
    pub system: Option<String>,
    /// Oldest first.
    pub turns: Vec<Turn>,
    pub question: String,
    /// In the order in which they came.
    pub files: Vec<MessageFile>,
}

/// Reads a list of messages, of `messages` in chat completions and of `input` in responses. `inline` are the files that came as
/// data within them.
///
/// # Errors
/// Every message that cannot be read; of very many the first, and how many more there are.
pub(super) fn read(
    name: &str,
    list: &[Value],
    inline: &InlineFiles,
) -> Result<ParsedMessages, Vec<FieldError>> {
    let mut gathered = Gathered::default();
    let (mut errors, mut more) = (Vec::new(), 0);
    for (place, message) in list.iter().enumerate() {
        let field = format!("{name}[{place}]");
        match message_of(&field, message, inline) {
            Ok(parts) => parts.into_iter().for_each(|(role, content)| gathered.add(role, content)),
            Err(error) if errors.len() < MOST_NAMED => errors.push(error),
            Err(_) => more += 1,
        }
    }
    if more > 0 {
        errors.push(FieldError::value(name, format!("has {more} more messages that cannot be read")));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    gathered.finish(name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    User,
    Assistant,
    /// A message of one of the program's tools: a call by another model, or a result.
    Tool,
}

/// What a message, or a part of one, says.
#[derive(Debug, Default)]
struct Content {
    text: String,
    files: Vec<MessageFile>,
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self { text, files: Vec::new() }
    }
}

#[derive(Default)]
struct Gathered {
    system: Vec<String>,
    turns: Vec<Turn>,
    /// What was asked since the last answer.
    open: Vec<String>,
    /// An answer to that without a word came after it.
    is_unanswered: bool,
    files: Vec<MessageFile>,
    /// What tools were called for since then, and gave.
    carried_out: Vec<String>,
}

impl Gathered {
    fn add(&mut self, role: Role, Content { text, files }: Content) {
        match role {
            Role::System => self.system.push(text),
            Role::User => {
                // An unanswered question cannot be gone on from; as the last one it is what is asked.
                if std::mem::take(&mut self.is_unanswered) {
                    self.open.clear();
                    // Those of before stand first.
                    self.files.truncate(self.files.partition_point(|file| file.is_earlier));
                }
                self.open.push(text);
                self.files.extend(files);
            }
            Role::Tool => self.carried_out.push(text),
            Role::Assistant if !self.carried_out.is_empty() => {
                let text = std::mem::take(&mut self.carried_out).join("\n\n") + "\n\n" + &text;
                self.add(Role::Assistant, text.into());
            }
            Role::Assistant if text.trim().is_empty() => self.is_unanswered = true,
            Role::Assistant => match (self.open.is_empty(), self.turns.last_mut()) {
                (true, Some(turn)) => {
                    turn.answer.push_str("\n\n");
                    turn.answer.push_str(&text);
                }
                (true, None) => self.turns.push(Turn { question: NOTHING_ASKED.to_owned(), answer: text }),
                (false, _) => {
                    let question = std::mem::take(&mut self.open).join("\n\n");
                    self.turns.push(Turn { question, answer: text });
                    let asked_with = self.files.iter_mut().rev().take_while(|file| !file.is_earlier);
                    asked_with.for_each(|file| file.is_earlier = true);
                }
            },
        }
    }

    fn finish(mut self, name: &str) -> Result<ParsedMessages, Vec<FieldError>> {
        if !self.carried_out.is_empty() {
            self.open.push(format!("{FOUND}\n\n{}", self.carried_out.join("\n\n")));
        }
        let question = self.open.join("\n\n");
        if question.trim().is_empty() {
            return Err(vec![FieldError::value(name, "must end with what the user asks, as text")]);
        }
        let system = Some(self.system.join("\n\n")).filter(|text| !text.trim().is_empty());
        Ok(ParsedMessages { system, turns: self.turns, question, files: self.files })
    }
}

/// The role of a message, and its text; nothing for an item without text. Tool calls of another model are put into
/// words.
fn message_of(
    field: &str,
    message: &Value,
    inline: &InlineFiles,
) -> Result<Vec<(Role, Content)>, FieldError> {
    let refuse = |what: &str, why: &str| Err(FieldError::value(format!("{field}{what}"), why));
    if !message.is_object() {
        return refuse("", "must be an object with role and content");
    }
    match message.get("type").and_then(Value::as_str) {
        None | Some("message") => {}
        // Earlier reasoning of a model is not part of what was said, nor is that it searched: what it found is in its answer.
        Some("reasoning") => return Ok(Vec::new()),
        Some(kind) if kind.ends_with("_search_call") => return Ok(Vec::new()),
        Some("function_call" | "custom_tool_call") => {
            let arguments = message.get("arguments").or(message.get("input"));
            return called(field, message.get("name"), arguments).map(|said| vec![said]);
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            return given(&format!("{field}.output"), message.get("output")).map(|said| vec![said]);
        }
        Some(_) => return refuse(".type", "cannot be read here: only messages with text can"),
    }
    let role = match message.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => {
            return given(&format!("{field}.content"), message.get("content")).map(|said| vec![said]);
        }
        Some(_) | None => return refuse(".role", "must be system, developer, user or assistant"),
    };
    let content = match message.get("content") {
        None | Some(Value::Null) if role == Role::Assistant => Content::default(),
        content => {
            content_of(&format!("{field}.content"), content, Some(inline).filter(|_| role == Role::User))?
        }
    };
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // As calls were written when there was one at most.
    let call = message.get("function_call").filter(|call| calls.is_empty() && call.is_object());
    if role != Role::Assistant || (calls.is_empty() && call.is_none()) {
        return Ok(vec![(role, content)]);
    }
    let mut parts = Vec::new();
    if !content.text.trim().is_empty() {
        parts.push((Role::Tool, content));
    }
    if let Some(call) = call {
        parts.push(called(&format!("{field}.function_call"), call.get("name"), call.get("arguments"))?);
    }
    for (place, call) in calls.iter().enumerate() {
        let of = call.get("function").or(call.get("custom")).unwrap_or(call);
        let arguments = of.get("arguments").or(of.get("input"));
        parts.push(called(&format!("{field}.tool_calls[{place}]"), of.get("name"), arguments)?);
    }
    Ok(parts)
}

/// A call of a tool, in words.
fn called(
    field: &str,
    name: Option<&Value>,
    arguments: Option<&Value>,
) -> Result<(Role, Content), FieldError> {
    let Some(name) = name.and_then(Value::as_str) else {
        return Err(FieldError::value(field, "must be a call of a tool, with its name"));
    };
    let arguments = arguments.and_then(Value::as_str).unwrap_or_default();
    if name.contains('\0') || arguments.contains('\0') {
        return Err(FieldError::value(field, "must not contain U+0000"));
    }
    Ok((Role::Tool, format!("(called {name} with {arguments})").into()))
}

/// What a tool gave back, in words.
fn given(field: &str, content: Option<&Value>) -> Result<(Role, Content), FieldError> {
    Ok((Role::Tool, format!("(it gave: {})", content_of(field, content, None)?.text).into()))
}

/// A text, or a list of parts with text, and with files where they are `inline`.
fn content_of(
    field: &str,
    content: Option<&Value>,
    inline: Option<&InlineFiles>,
) -> Result<Content, FieldError> {
    let refuse = |why: &str| Err(FieldError::value(field, why));
    let content = match content {
        None | Some(Value::Null) => return refuse("is required"),
        Some(Value::String(text)) => text.clone().into(),
        Some(Value::Array(parts)) => {
            let mut content = Content::default();
            for (place, part) in parts.iter().enumerate() {
                let field = format!("{field}[{place}]");
                if let Some(file) = InlineFiles::file_of(inline, &field, part)? {
                    content.files.push(file);
                } else {
                    content.text.push_str(text_of(&field, part)?);
                }
            }
            content
        }
        Some(_) => return refuse("must be text or a list of parts"),
    };
    if content.text.contains('\0') {
        return refuse("must not contain U+0000");
    }
    Ok(content)
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
        "input_audio" | "audio" => return refuse("is sound, and sound cannot be read here"),
        _ => return refuse("must be a part with text"),
    };
    text.and_then(Value::as_str).map_or_else(|| refuse("has no text"), Ok)
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
