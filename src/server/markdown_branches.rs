//! All branches of a conversation as Markdown: each under a heading, which says where it leaves those before it. What
//! branches share stands in the first of them.

use std::collections::{HashMap, HashSet};

use super::markdown::{self, message};
use super::neutral::neutral_name;
use super::shape::{Conversation, Message};
use crate::id::MessageId;

/// How much of a question is quoted to name it.
const NAMED_BY_CHARS: usize = 80;

/// All messages of a conversation, branch after branch.
#[must_use]
pub fn conversation(conversation: &Conversation) -> String {
    let mut text = markdown::heading(&conversation.summary);
    let by_id: HashMap<MessageId, &Message> =
        conversation.messages.iter().map(|message| (message.id(), message)).collect();
    let gone_on_from: HashSet<MessageId> =
        conversation.messages.iter().filter_map(Message::parent_id).collect();
    let ends = conversation.messages.iter().filter(|message| !gone_on_from.contains(&message.id()));
    let count = conversation.branches;
    let mut written = HashSet::new();
    for (place, end) in ends.enumerate() {
        let parent = |message: &&Message| message.parent_id().and_then(|id| by_id.get(&id)).copied();
        let way: Vec<&Message> = std::iter::successors(Some(end), parent).collect();
        let own: Vec<&Message> =
            way.iter().rev().copied().filter(|message| written.insert(message.id())).collect();
        if count > 1 {
            let shared = way.get(own.len()).and_then(parent);
            text.push_str(&heading((place, count), shared, conversation.branch_end == Some(end.id())));
        }
        for one in own {
            message(&mut text, one);
        }
    }
    text
}

/// What stands above a branch: its `place`, where it leaves those before it, and whether it was looked at last.
/// `shared` is the last question whose answer they have in common.
#[must_use]
pub fn heading((place, count): (usize, usize), shared: Option<&Message>, is_in_force: bool) -> String {
    let mut text = format!("\n## Branch {} of {count}\n", place + 1);
    if place > 0 {
        text.push_str(&format!("\n_{}_\n", origin(shared)));
    }
    if is_in_force {
        text.push_str("\n_This is the branch that was looked at last._\n");
    }
    text
}

fn origin(question: Option<&Message>) -> String {
    match question {
        Some(Message::User { content, .. }) => {
            format!("It goes on from the answer to: {}", beginning(content))
        }
        Some(Message::Assistant { .. }) | None => "It begins the conversation in another way.".to_owned(),
    }
}

/// The beginning of a question, to name it by.
fn beginning(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut beginning: String = line.chars().take(NAMED_BY_CHARS).collect();
    if beginning.len() < line.len() {
        beginning.push('…');
    }
    // Only now: what stands in code is no code any more where the end of that was cut off.
    neutral_name(&beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_was_cut_is_no_code() {
        assert_eq!(beginning("Why\n is `<b>` so?"), "Why is `<b>` so?");
        let long = format!("Why is `<img src=x> {}` so?", "x".repeat(80));
        assert!(beginning(&long).starts_with("Why is `\\<img src=x> xx"), "{}", beginning(&long));
    }
}
