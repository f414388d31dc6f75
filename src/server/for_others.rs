//! What others are shown of a user's conversation: by a link, and in a project.

use serde_json::Value;

use super::shape::Message;
use crate::store::conversations::{self, Tree};
use crate::store::shares::SharedMessage;

/// How much of the first question stands in for a title.
const TITLE_CHARS: usize = 80;

/// Metadata that concerns only the person who asked: defaults of theirs that did not apply, the state of their budgets,
/// whose prompts the models were asked with, where an earlier answer came from, and a log that only they can read.
const PRIVATE: [&str; 5] = ["ignored", "budget_warnings", "prompts", "cache", "process_log"];

/// A message as others may read it.
pub(super) fn snapshot(message: conversations::Message) -> SharedMessage {
    let mut body = message.body;
    if let Some(metadata) =
        body.as_mut().and_then(|body| body.get_mut("metadata")).and_then(Value::as_object_mut)
    {
        metadata.retain(|name, _| !PRIVATE.contains(&name.as_str()));
    }
    SharedMessage {
        id: message.id,
        role: message.role,
        content: message.content,
        body,
        status: message.run_status,
        error: message.run_error,
        created_at: message.created_at,
        attachments: message.attachments,
        project_files: message.project_files,
    }
}

/// What it is called: by its first question, where nobody has named it.
pub(super) fn title(title: String, is_default: bool, messages: &[SharedMessage]) -> String {
    if is_default { title_of(messages).unwrap_or(title) } else { title }
}

fn title_of(messages: &[SharedMessage]) -> Option<String> {
    let question = messages.first()?.content.as_deref()?;
    let words = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(TITLE_CHARS).collect();
    let title = if cut.len() < words.len() { format!("{cut}…") } else { cut };
    Some(title).filter(|title| !title.is_empty())
}

/// Another user's messages as a list for the page. Answers do not name their run.
pub(super) fn shown(messages: Vec<SharedMessage>) -> Vec<Message> {
    let mut before = None;
    let mut shown = Vec::with_capacity(messages.len());
    for (position, message) in (0..).zip(messages) {
        let row = conversations::Message {
            id: message.id,
            position,
            role: message.role,
            content: message.content,
            body: message.body,
            is_brief: false,
            run_id: None,
            run_status: message.status,
            run_error: message.error,
            earlier_runs: Vec::new(),
            created_at: message.created_at,
            attachments: message.attachments,
            project_files: message.project_files,
        };
        let mut message = Message::new(row, &Tree::default());
        match &mut message {
            Message::User { parent_id, .. } | Message::Assistant { parent_id, .. } => *parent_id = before,
        }
        before = Some(message.id());
        shown.push(message);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_everything_beside_the_stages_it_is_decided_whether_it_is_shared() {
        let document: Value = serde_json::from_str(include_str!("../../docs/openapi.json")).expect("JSON");
        let fields = &document["components"]["schemas"]["Metadata"]["properties"];
        let fields = fields.as_object().expect("an object");
        let private = PRIVATE.iter().filter(|name| fields.contains_key(**name)).count();
        assert_eq!(private, PRIVATE.len(), "what is private has these names");
        // By position and not by name: features are named only in their own folders.
        let shared = fields.len() - private;
        assert_eq!(
            shared, 24,
            "a field is new: if it is the asker's own, it belongs to `PRIVATE`; else count it here"
        );
    }
}
