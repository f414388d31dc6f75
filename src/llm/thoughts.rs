//! Thoughts that a server leaves in the text of a reply (`<think>…</think>`, then the answer), told apart from it. Ollama,
//! vLLM, LM Studio and llama.cpp send them so where no reasoning parser is set.

use super::Chunk;

/// What stands around them.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
/// How many blanks before the tag are held back, in bytes. Where there are more it is none.
const MOST_BLANKS: usize = 64;

/// Where in its text a reply is.
#[derive(Debug, Default, Clone, Copy)]
enum Place {
    /// Before the first character that tells.
    #[default]
    Beginning,
    /// In thoughts that end with this tag; whether any have been given.
    Thoughts { end: &'static str, begun: bool },
    /// Behind them, before the answer.
    Behind,
    /// In the answer.
    Answer,
}

/// Tells the thoughts at the very beginning of a reply's text from its answer, however the text comes in pieces: a tag
/// within the answer is part of it. A reply whose reasoning comes apart from its text is left as it is.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    place: Place,
    /// A tag that is not whole yet, and the blanks before it.
    held: String,
}

impl Thoughts {
    /// What this chunk of the reply says, in order.
    pub fn split(&mut self, chunk: Chunk) -> [Option<Chunk>; 2] {
        match (self.place, chunk) {
            (Place::Answer, chunk) => [Some(chunk), None],
            (Place::Beginning, Chunk::Text(text)) => {
                self.hold(text);
                self.begin()
            }
            (Place::Thoughts { end, begun }, Chunk::Text(text)) => {
                self.hold(text);
                self.think(end, begun)
            }
            (Place::Behind, Chunk::Text(text)) => [self.answer(text), None],
            (Place::Beginning, chunk @ (Chunk::Reasoning(_) | Chunk::ReasoningDetails(_))) => {
                let held = self.end();
                self.place = Place::Answer;
                [held, Some(chunk)]
            }
            (_, chunk) => [Some(chunk), None],
        }
    }

    /// What is still held back when nothing more comes.
    pub fn end(&mut self) -> Option<Chunk> {
        let held = std::mem::take(&mut self.held);
        let chunk = match self.place {
            Place::Thoughts { .. } => Chunk::Reasoning,
            Place::Beginning | Place::Behind | Place::Answer => Chunk::Text,
        };
        (!held.is_empty()).then(|| chunk(held))
    }

    fn hold(&mut self, text: String) {
        if self.held.is_empty() {
            self.held = text;
        } else {
            self.held.push_str(&text);
        }
    }

    /// Looks whether the text begins with a tag, or still may.
    fn begin(&mut self) -> [Option<Chunk>; 2] {
        let text = self.held.trim_start();
        let blanks = self.held.len() - text.len();
        if blanks <= MOST_BLANKS {
            if let Some((tag, end)) = TAGS.into_iter().find(|(tag, _)| text.starts_with(*tag)) {
                self.held = self.held.split_off(blanks + tag.len());
                return self.think(end, false);
            }
            if TAGS.iter().any(|(tag, _)| tag.starts_with(text)) {
                return [None, None];
            }
        }
        self.place = Place::Answer;
        [Some(Chunk::Text(std::mem::take(&mut self.held))), None]
    }

    fn think(&mut self, end: &'static str, begun: bool) -> [Option<Chunk>; 2] {
        let held = std::mem::take(&mut self.held);
        let mut thought = if begun { held } else { without_leading_blanks(held) };
        let Some(at) = thought.find(end) else {
            let unsure = thought.len() - beginning_at_the_end(end, &thought);
            self.held = thought.split_off(unsure);
            self.place = Place::Thoughts { end, begun: begun || !thought.is_empty() };
            return [reasoning(thought), None];
        };
        let rest = thought.split_off(at + end.len());
        thought.truncate(at);
        self.place = Place::Behind;
        [reasoning(thought), self.answer(rest)]
    }

    fn answer(&mut self, text: String) -> Option<Chunk> {
        let text = without_leading_blanks(text);
        if text.is_empty() {
            return None;
        }
        self.place = Place::Answer;
        Some(Chunk::Text(text))
    }
}

fn reasoning(thought: String) -> Option<Chunk> {
    (!thought.is_empty()).then_some(Chunk::Reasoning(thought))
}

fn without_leading_blanks(mut text: String) -> String {
    let blanks = text.len() - text.trim_start().len();
    text.drain(..blanks);
    text
}

/// How much of a tag's beginning a text ends with, in bytes; less than the whole tag.
fn beginning_at_the_end(tag: &str, text: &str) -> usize {
    let ends = |length: &usize| tag.get(..*length).is_some_and(|beginning| text.ends_with(beginning));
    (1..tag.len()).rev().find(ends).unwrap_or(0)
}

#[cfg(test)]
#[path = "thoughts_tests.rs"]
mod tests;
