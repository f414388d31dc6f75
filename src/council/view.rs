//! Which parts of a reply are shown while it arrives, and which are held back.

use super::token::{Token, TokenHead};
use crate::llm::Chunk;

/// Holds back text that may turn out not to be for the reader (a trailing `CONFIDENCE: 8`).
pub trait TextFilter: Send {
    /// Takes the next piece; returns what can be shown of it, and of what was held back.
    fn push(&mut self, text: &str) -> String;
    /// Returns what is left to show when the text has ended.
    fn finish(&mut self) -> String;
    /// Forgets what came so far: the text begins anew.
    fn restart(&mut self);
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

    fn restart(&mut self) {}
}

/// How much text is held back where the model may still call a tool, in characters: what it writes before a call is a
/// thought and no answer, and mostly one sentence.
const THOUGHT_CHARS: usize = 240;

/// Two filters in sequence.
struct OneAfterAnother<F> {
    first: F,
    then: Box<dyn TextFilter>,
}

impl<F: TextFilter> TextFilter for OneAfterAnother<F> {
    fn push(&mut self, text: &str) -> String {
        let text = self.first.push(text);
        self.then.push(&text)
    }

    fn finish(&mut self) -> String {
        let text = self.first.finish();
        self.then.push(&text) + &self.then.finish()
    }

    fn restart(&mut self) {
        self.first.restart();
        self.then.restart();
    }
}

/// What a text is, where the model may call a tool instead of answering.
#[derive(Debug, Default)]
enum Kind {
    /// It is an answer: no tools were offered.
    #[default]
    Answer,
    /// It is too long to be held back, so it counts as an answer until a call comes.
    Shown,
    /// Not known yet; this text is held back.
    Open(String),
    /// It was written before a call.
    Thought,
}

/// Shows text through a filter, and reasoning unfiltered where it is shown at all.
pub struct View {
    filter: Box<dyn TextFilter>,
    text: TokenHead,
    reasoning: Option<TokenHead>,
    shown: String,
    kind: Kind,
}

impl View {
    /// Shows the text as pieces of `text`, and no reasoning.
    #[must_use]
    pub fn new(filter: impl TextFilter + 'static, text: TokenHead) -> Self {
        Self::boxed(Box::new(filter), text)
    }

    /// [`View::new`] with a filter that is chosen at run time.
    #[must_use]
    pub fn boxed(filter: Box<dyn TextFilter>, text: TokenHead) -> Self {
        Self { filter, text, reasoning: None, shown: String::new(), kind: Kind::Answer }
    }

    /// Shows the reasoning as well.
    #[must_use]
    pub fn with_reasoning(self, reasoning: TokenHead) -> Self {
        Self { reasoning: Some(reasoning), ..self }
    }

    /// Shows what comes before a tool call as reasoning. A short text is held back for that; a longer one is shown as
    /// it comes, and clients take it back at the event of the call.
    #[must_use]
    pub fn before_tools(self) -> Self {
        Self { kind: Kind::Open(String::new()), ..self }
    }

    /// Puts another filter before the view's own.
    #[must_use]
    pub fn through(self, first: impl TextFilter + 'static) -> Self {
        Self { filter: Box::new(OneAfterAnother { first, then: self.filter }), ..self }
    }

    /// Takes a piece of the reply; returns what it shows, if anything.
    pub fn chunk(&mut self, chunk: &Chunk) -> Option<Token> {
        match chunk {
            Chunk::Text(text) => self.text(text),
            Chunk::Reasoning(text) => self.reasoning(text),
            Chunk::TextWasReasoning(text) => self.text_was_reasoning(text),
            Chunk::ToolCall { .. } => self.call(),
            Chunk::ReasoningDetails(_)
            | Chunk::Usage(_)
            | Chunk::Finish(_)
            | Chunk::ServedBy(_)
            | Chunk::Citations(_)
            | Chunk::Embedding(_) => None,
        }
    }

    fn text(&mut self, text: &str) -> Option<Token> {
        match &mut self.kind {
            Kind::Answer | Kind::Shown => {
                let text = self.filter.push(text);
                self.show(text)
            }
            Kind::Open(held) => {
                held.push_str(text);
                if held.chars().count() <= THOUGHT_CHARS {
                    return None;
                }
                let held = std::mem::take(held);
                self.kind = Kind::Shown;
                self.text(&held)
            }
            Kind::Thought => self.reasoning(text),
        }
    }

    /// Text that was shown cannot be taken back here: clients do that when the result comes. The rest of such a thought
    /// means nothing without its beginning, so only a thought that was held back is shown.
    fn text_was_reasoning(&mut self, more: &str) -> Option<Token> {
        match &mut self.kind {
            Kind::Open(held) => {
                let thought = std::mem::take(held) + more;
                self.reasoning(&thought)
            }
            Kind::Thought => self.reasoning(more),
            Kind::Answer | Kind::Shown => {
                self.filter.restart();
                None
            }
        }
    }

    fn call(&mut self) -> Option<Token> {
        match std::mem::take(&mut self.kind) {
            Kind::Answer => None,
            Kind::Open(held) => {
                self.kind = Kind::Thought;
                self.reasoning(&held)
            }
            Kind::Shown | Kind::Thought => {
                self.kind = Kind::Thought;
                None
            }
        }
    }

    fn reasoning(&self, text: &str) -> Option<Token> {
        self.reasoning.as_ref().filter(|_| !text.is_empty()).map(|reasoning| reasoning.token(text.to_owned()))
    }

    /// Ends the reply; returns what was held back until then.
    pub fn end(&mut self) -> Option<Token> {
        let held = if let Kind::Open(held) = &mut self.kind { std::mem::take(held) } else { String::new() };
        let text = self.filter.push(&held) + &self.filter.finish();
        self.show(text)
    }

    /// Takes the text shown since the last call.
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn view() -> View {
        let fields = json!({ "model": "m" });
        View::new(Unfiltered, TokenHead::new("token", &fields))
            .with_reasoning(TokenHead::new("reasoning_token", &fields))
    }

    /// What is shown of these chunks, as (type, text).
    fn shown(view: View, chunks: &[Chunk]) -> Vec<(String, String)> {
        let mut view = view;
        let mut tokens: Vec<Token> = chunks.iter().filter_map(|chunk| view.chunk(chunk)).collect();
        tokens.extend(view.end());
        let read = |token: Token| serde_json::from_str::<Value>(&token.json()).unwrap();
        let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
        tokens.into_iter().map(read).map(|token| (text(&token, "type"), text(&token, "content"))).collect()
    }

    fn text(text: &str) -> Chunk {
        Chunk::Text(text.into())
    }

    fn call() -> Chunk {
        Chunk::ToolCall { index: 0, id: None, name: Some("f".into()), arguments: "{}".into() }
    }

    fn token(kind: &str, text: &str) -> (String, String) {
        (kind.to_owned(), text.to_owned())
    }

    #[test]
    fn what_comes_before_a_call_is_a_thought() {
        let chunks = [text("Let me "), text("look."), call(), text(" Now.")];
        assert_eq!(
            shown(view().before_tools(), &chunks),
            [token("reasoning_token", "Let me look."), token("reasoning_token", " Now.")]
        );
        assert_eq!(shown(view().before_tools(), &[call()]), []);
    }

    #[test]
    fn a_text_without_a_call_is_an_answer_however_short() {
        assert_eq!(shown(view().before_tools(), &[text("Yes"), text(".")]), [token("token", "Yes.")]);
        let long = "x".repeat(THOUGHT_CHARS + 1);
        assert_eq!(
            shown(view().before_tools(), &[text(&long), text("y")]),
            [token("token", &long), token("token", "y")]
        );
        assert_eq!(
            shown(view().before_tools(), &[text(&long), call(), text("y")]),
            [token("token", &long), token("reasoning_token", "y")]
        );
        assert_eq!(
            shown(view(), &[text("a"), call(), text("b")]),
            [token("token", "a"), token("token", "b")],
            "no tools were offered"
        );
    }

    #[test]
    fn a_text_that_was_reasoning_is_shown_as_such_where_it_was_held_back() {
        let chunks = [text("Let me "), Chunk::TextWasReasoning("see.\n".into()), text("Yes.")];
        let reasoning = token("reasoning_token", "Let me see.\n");
        assert_eq!(shown(view().before_tools(), &chunks), [reasoning, token("token", "Yes.")]);
        assert_eq!(shown(view(), &chunks), [token("token", "Let me "), token("token", "Yes.")]);
        let [first, rest, answer] = chunks;
        assert_eq!(
            shown(view().before_tools(), &[call(), first, rest, answer]),
            ["Let me ", "see.\n", "Yes."].map(|text| token("reasoning_token", text))
        );
    }
}
