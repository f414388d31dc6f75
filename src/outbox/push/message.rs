//! The message to a device: a code, of which the page's service worker makes a sentence in its reader's language, and
//! where to look. The conversation's title only where its owner wants it on that device.

use serde::Serialize;

use crate::id::{ConversationId, RunId};
use crate::store::outbox::push::{About, Due, WAITS};
use crate::store::outbox::{COMPLETED, FAILED};

/// The longest title that is sent, in characters: what a notification shows, and far from what a push service takes.
const TITLE_CHARS: usize = 200;

#[derive(Debug, Serialize)]
struct Message<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<ConversationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
}

/// The message as JSON.
pub fn of(due: &Due) -> String {
    let kind = match due.event.as_str() {
        COMPLETED => "complete",
        FAILED => "failed",
        WAITS => "waits",
        _ => "test",
    };
    let (run_id, conversation_id, title) = match &due.about {
        About::Run { run, conversation, title } => (Some(*run), Some(*conversation), title.as_deref()),
        About::Test | About::Nothing => (None, None, None),
    };
    let cut = title.map(|title| title.chars().take(TITLE_CHARS).collect::<String>());
    let message = Message { kind, run_id, conversation_id, title: cut.as_deref() };
    serde_json::to_string(&message).expect("a message is plain data with string keys")
}
