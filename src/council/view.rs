//! What of a reply is shown while it arrives, and what is held back.

use super::token::{Token, TokenHead};
use crate::llm::Chunk;

/// Holds back text that may turn out not to be for the eye (a trailing `CONFIDENCE: 8`).
pub trait TextFilter: Send {
    /// What of this piece, and of what was held back, can be shown now.
    fn push(&mut self, text: &str) -> String;
    /// What is left to show when nothing more comes.
    fn finish(&mut self) -> String;
}

/// Holds nothing back.
pub struct Unfiltered;

impl TextFilter for Unfiltered {
    fn push(&mut self, text: &str) -> String {
        text.to_owned()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}

/// Shows text through a filter, and reasoning as it is where it is shown at all.
pub struct View {
    filter: Box<dyn TextFilter>,
    text: TokenHead,
    reasoning: Option<TokenHead>,
    shown: String,
}

impl View {
    /// Shows the text as pieces of `text`, and no reasoning.
    #[must_use]
    pub fn new(filter: impl TextFilter + 'static, text: TokenHead) -> Self {
        Self::boxed(Box::new(filter), text)
    }

    /// The same over a filter that is chosen at run time.
    #[must_use]
    pub fn boxed(filter: Box<dyn TextFilter>, text: TokenHead) -> Self {
        Self { filter, text, reasoning: None, shown: String::new() }
    }

    /// Shows the reasoning as well.
    #[must_use]
    pub fn with_reasoning(self, reasoning: TokenHead) -> Self {
        Self { reasoning: Some(reasoning), ..self }
    }

    /// What one piece of the reply shows, if anything.
    pub fn chunk(&mut self, chunk: &Chunk) -> Option<Token> {
        match chunk {
            Chunk::Text(text) => {
                let text = self.filter.push(text);
                self.show(text)
            }
            Chunk::Reasoning(text) if !text.is_empty() => {
                self.reasoning.as_ref().map(|reasoning| reasoning.token(text.clone()))
            }
            Chunk::Reasoning(_)
            | Chunk::ReasoningDetails(_)
            | Chunk::ToolCall { .. }
            | Chunk::Usage(_)
            | Chunk::Finish(_)
            | Chunk::ServedBy(_) => None,
        }
    }

    /// What was held back until the end.
    pub fn end(&mut self) -> Option<Token> {
        let text = self.filter.finish();
        self.show(text)
    }

    /// The text shown since the last time this was asked.
    pub fn take_shown(&mut self) -> String {
        std::mem::take(&mut self.shown)
    }

    fn show(&mut self, text: String) -> Option<Token> {
        (!text.is_empty()).then(|| {
            self.shown.push_str(&text);
            self.text.token(text)
        })
    }
}
