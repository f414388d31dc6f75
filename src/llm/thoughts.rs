//! Separates reasoning that a server leaves in the text of a reply (`<think>…</think>`, then the answer). Ollama, vLLM,
//! LM Studio and llama.cpp do so if no reasoning parser is set. If the model's chat template puts the opening tag into
//! the prompt (DeepSeek R1, QwQ, Qwen3), only the closing one comes.

use super::Chunk;

/// The opening and closing tags of reasoning.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
/// The most white space before an opening tag, or after a closing one, in bytes; with more it is not taken for a tag.
const MOST_BLANKS: usize = 64;

/// The position in the text of a reply.
#[derive(Debug, Default, Clone, Copy)]
enum Place {
    /// Before it is clear whether the text begins with a tag.
    #[default]
    Beginning,
    /// In a text that began without a tag: the answer, unless a closing tag shows that it was reasoning.
    Open,
    /// In reasoning that ends with this tag; `begun` once some of it has been passed on.
    Thoughts { end: &'static str, begun: bool },
    /// After the reasoning, before the answer.
    Behind,
    /// In the answer.
    Answer,
}

/// Separates the reasoning at the very beginning of a reply's text from the answer, however the text is split into
/// pieces; a tag within the answer is part of it. A reply whose reasoning comes separately is left as it is. Of closing
/// tags without an opening one, only the first may end reasoning, and only if it does not look like a mention of the
/// tag.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    place: Place,
    /// The beginning of a possible tag, and the white space before it.
    held: String,
}

impl Thoughts {
    /// Splits a chunk into reasoning and answer, in order. `said` is the text of the reply so far.
    pub fn split(&mut self, chunk: Chunk, said: &str) -> [Option<Chunk>; 2] {
        match (self.place, chunk) {
            (Place::Answer, chunk) => [Some(chunk), None],
            (Place::Open, Chunk::Text(text)) if self.held.is_empty() && !text.contains('<') => {
                [Some(Chunk::Text(text)), None]
            }
            (Place::Open, Chunk::Text(text)) => {
                self.hold(text);
                self.look(said, false)
            }
            (Place::Beginning, Chunk::Text(text)) => {
                self.hold(text);
                self.begin(said)
            }
            (Place::Thoughts { end, begun }, Chunk::Text(text)) => {
                self.hold(text);
                self.think(end, begun)
            }
            (Place::Behind, Chunk::Text(text)) => [self.answer(text), None],
            (Place::Beginning | Place::Open, chunk @ (Chunk::Reasoning(_) | Chunk::ReasoningDetails(_))) => {
                [self.release(), Some(chunk)]
            }
            (_, chunk) => [Some(chunk), None],
        }
    }

    /// What is still held back at the end of the reply, after the text `said`.
    pub fn end(&mut self, said: &str) -> Option<Chunk> {
        match self.place {
            Place::Thoughts { .. } => reasoning(std::mem::take(&mut self.held)),
            Place::Open => {
                let [rest, _] = self.look(said, true);
                rest
            }
            Place::Beginning | Place::Behind | Place::Answer => self.release(),
        }
    }

    fn hold(&mut self, text: String) {
        if self.held.is_empty() {
            self.held = text;
        } else {
            self.held.push_str(&text);
        }
    }

    /// What is held back is part of the answer, and so is all that follows.
    fn release(&mut self) -> Option<Chunk> {
        self.place = Place::Answer;
        let held = std::mem::take(&mut self.held);
        (!held.is_empty()).then_some(Chunk::Text(held))
    }

    /// Looks whether the text begins with an opening tag, or still may.
    fn begin(&mut self, said: &str) -> [Option<Chunk>; 2] {
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
        self.place = Place::Open;
        self.look(said, false)
    }

    /// Looks for a closing tag in what is held back. `is_all` says that no more text will come.
    fn look(&mut self, said: &str, is_all: bool) -> [Option<Chunk>; 2] {
        let first = TAGS.into_iter().filter_map(|(tag, end)| Some((self.held.find(end)?, tag, end)));
        let Some((at, tag, end)) = first.min() else {
            let beginnings = TAGS.iter().map(|(_, end)| beginning_at_the_end(end, &self.held));
            let unsure = if is_all { 0 } else { beginnings.max().unwrap_or(0) };
            let rest = self.held.split_off(self.held.len() - unsure);
            let text = std::mem::replace(&mut self.held, rest);
            return [(!text.is_empty()).then_some(Chunk::Text(text)), None];
        };
        let after = self.held.split_off(at + end.len());
        let (before, closing) = self.held.split_at(at);
        let line = after.trim_start_matches([' ', '\t', '\r']);
        let is_near = after.len() - line.len() <= MOST_BLANKS;
        if is_near && line.is_empty() && !is_all {
            // The line may go on; the text before the tag need not wait for its end.
            let (text, rest) = (before.to_owned(), format!("{closing}{after}"));
            self.held = rest;
            return [(!text.is_empty()).then_some(Chunk::Text(text)), None];
        }
        let follows = if line.is_empty() { Follows::Nothing } else { Follows::of(line) };
        if is_near && ends_thoughts(&format!("{said}{before}"), tag, follows) {
            let mut thought = std::mem::take(&mut self.held);
            thought.truncate(at);
            self.place = Place::Behind;
            let thought = if said.is_empty() {
                reasoning(without_leading_blanks(thought))
            } else {
                Some(Chunk::TextWasReasoning(thought))
            };
            return [thought, self.answer(after)];
        }
        self.held.push_str(&after);
        [self.release(), None]
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

/// What comes after a tag and the white space after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    NewLine,
    /// More of the same line.
    More,
    /// The text is over.
    Nothing,
}

impl Follows {
    fn of(text: &str) -> Self {
        if text.starts_with('\n') { Self::NewLine } else { Self::More }
    }
}

/// Whether a closing tag after this text ends reasoning that began in the prompt, rather than being mentioned in an
/// answer. It does if it ends its line, and either stands there alone or follows the last word without a space, as
/// models write it. It does not if the text contains the opening tag, or if it stands in a block of code, in a
/// quotation, or after a backtick that is still open in its paragraph.
fn ends_thoughts(before: &str, beginning: &str, follows: Follows) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_alone = line.len() <= 3 && line.bytes().all(|byte| byte == b' ');
    let stands = match follows {
        Follows::NewLine => is_alone || line.chars().next_back().is_some_and(|last| !last.is_whitespace()),
        Follows::Nothing => is_alone,
        Follows::More => false,
    };
    let paragraph = before.rsplit("\n\n").next().unwrap_or_default();
    stands
        && !line.trim_start().starts_with('>')
        && paragraph.matches('`').count().is_multiple_of(2)
        && !before.contains(beginning)
        && !ends_in_code(before)
}

/// Whether a text ends within a fenced block of code.
fn ends_in_code(text: &str) -> bool {
    let mut fence: Option<(char, usize)> = None;
    for line in text.lines() {
        let line = line.trim();
        let Some(mark) = line.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { continue };
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        fence = match fence {
            // More backticks on the line make it inline code.
            None if length >= 3 && !(mark == '`' && info.contains('`')) => Some((mark, length)),
            Some((open, least)) if open == mark && length >= least && info.is_empty() => None,
            unchanged => unchanged,
        };
    }
    fence.is_some()
}

fn reasoning(thought: String) -> Option<Chunk> {
    (!thought.is_empty()).then_some(Chunk::Reasoning(thought))
}

fn without_leading_blanks(mut text: String) -> String {
    let blanks = text.len() - text.trim_start().len();
    text.drain(..blanks);
    text
}

/// How many bytes of a tag's beginning a text ends with; fewer than the whole tag.
fn beginning_at_the_end(tag: &str, text: &str) -> usize {
    let ends = |length: &usize| tag.get(..*length).is_some_and(|beginning| text.ends_with(beginning));
    (1..tag.len()).rev().find(ends).unwrap_or(0)
}

#[cfg(test)]
#[path = "thoughts_tests.rs"]
mod tests;
