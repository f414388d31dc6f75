//! How a call's pieces become events: what is shown at once, and what is held back.

use super::event::Event;
use super::run::View;
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

/// Shows text through a filter, and reasoning as it is.
pub struct Streamed<F, T, R> {
    filter: F,
    text: T,
    reasoning: Option<R>,
    shown: String,
}

impl<F, T> Streamed<F, T, fn(String) -> Event> {
    /// A view that makes events with `text`, and shows no reasoning.
    pub fn of_text(filter: F, text: T) -> Self {
        Self { filter, text, reasoning: None, shown: String::new() }
    }
}

impl<F, T, R> Streamed<F, T, R>
where
    F: TextFilter,
    T: FnMut(String) -> Event + Send,
    R: FnMut(String) -> Event + Send,
{
    /// A view that makes events with `text` and `reasoning`.
    pub fn new(filter: F, text: T, reasoning: R) -> Self {
        Self { filter, text, reasoning: Some(reasoning), shown: String::new() }
    }

    fn show(&mut self, text: String) -> Option<Event> {
        (!text.is_empty()).then(|| {
            self.shown.push_str(&text);
            (self.text)(text)
        })
    }
}

impl<F, T, R> View for Streamed<F, T, R>
where
    F: TextFilter,
    T: FnMut(String) -> Event + Send,
    R: FnMut(String) -> Event + Send,
{
    fn chunk(&mut self, chunk: &Chunk) -> Option<Event> {
        match chunk {
            Chunk::Text(text) => {
                let text = self.filter.push(text);
                self.show(text)
            }
            Chunk::Reasoning(text) if !text.is_empty() => {
                self.reasoning.as_mut().map(|reasoning| reasoning(text.clone()))
            }
            Chunk::Reasoning(_)
            | Chunk::ReasoningDetails(_)
            | Chunk::ToolCall { .. }
            | Chunk::Usage(_)
            | Chunk::Finish(_)
            | Chunk::ServedBy(_) => None,
        }
    }

    fn end(&mut self) -> Option<Event> {
        let text = self.filter.finish();
        self.show(text)
    }

    fn take_shown(&mut self) -> String {
        std::mem::take(&mut self.shown)
    }
}
