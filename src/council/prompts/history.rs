//! Earlier turns of the conversation, as the models see them.

use serde::{Deserialize, Serialize};

use super::fence::Fence;
use crate::llm::ChatMessage;

/// How much history is sent, in characters (about 15,000 tokens): it must fit, with the question and
/// the answers, into the smallest context window in common use.
pub const BUDGET_CHARS: usize = 60_000;

/// One earlier turn: the question and the council's final answer. Where one seat alone is asked, the answer is its own,
/// and a turn without an answer is what it is told before the next question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub question: String,
    pub answer: String,
}

impl Turn {
    fn chars(&self) -> usize {
        self.question.chars().count() + self.answer.chars().count()
    }
}

/// The newest turns that fit the budget whole, oldest first. A turn is never cut in the middle:
/// half an answer misleads more than a missing one.
#[must_use]
pub fn cut(turns: Vec<Turn>, budget_chars: usize) -> Vec<Turn> {
    let mut used = 0;
    let kept = turns
        .iter()
        .rev()
        .take_while(|turn| {
            used += turn.chars();
            used <= budget_chars
        })
        .count();
    let skipped = turns.len() - kept;
    turns.into_iter().skip(skipped).collect()
}

/// The turns and the question that follows them, as messages of alternating roles: some providers accept no others.
#[must_use]
pub fn messages(turns: &[Turn], question: String) -> Vec<ChatMessage> {
    let mut messages = Vec::with_capacity(2 * turns.len() + 1);
    let mut told = String::new();
    for Turn { question, answer } in turns {
        told.push_str(question);
        if !answer.is_empty() {
            messages.extend([ChatMessage::user(&told), ChatMessage::assistant(answer)]);
            told.clear();
        }
    }
    let question = if told.is_empty() { question } else { told + &question };
    messages.push(ChatMessage::user(question));
    messages
}

/// The turns as text, for prompts that quote the conversation instead of continuing it.
#[must_use]
pub fn quoted(turns: &[Turn]) -> String {
    turns
        .iter()
        .map(|turn| format!("Question: {}\nAnswer: {}\n", turn.question, turn.answer))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The conversation before a question as a section of a prompt; `None` where there is none.
#[must_use]
pub fn section(fence: &Fence, turns: &[Turn]) -> Option<String> {
    (!turns.is_empty()).then(|| fence.wrap("Conversation so far", &quoted(turns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(question: &str, answer: &str) -> Turn {
        Turn { question: question.into(), answer: answer.into() }
    }

    #[test]
    fn the_newest_turns_that_fit_are_kept_whole() {
        let turns = vec![turn("aaaa", "bbbb"), turn("cc", "dd"), turn("e", "f")];
        assert_eq!(cut(turns.clone(), 6), turns[1..]);
        assert_eq!(cut(turns.clone(), 5), turns[2..]);
        assert_eq!(cut(turns.clone(), 100), turns);
        assert!(cut(turns, 1).is_empty());
    }
}
