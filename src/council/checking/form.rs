//! What somebody who checks has written, in whatever form: a call of a tool, an action in words, or the text itself.

use crate::council::line_filter::bare;
use crate::council::view::TextFilter;
use crate::llm::Reply;

/// The most of a beginning that is held back to see whether it is a thought, in bytes.
const MOST_HELD: usize = 16 << 10;
/// What lines of the form begin with.
const HEADS: [&str; 5] = ["thought", "action", "observation", "final answer", "answer"];
/// Lines after which the text follows.
const TEXT_HEADS: [&str; 2] = ["final answer", "answer"];

/// What a reply is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It wants to look something up, and says so in words.
    Search { thought: String, query: String },
    /// It calls tools.
    Calls { thought: String },
    /// It knows enough, and has not written the text yet.
    Ready { thought: String },
    /// It is the text, perhaps after a last thought.
    Text { thought: Option<String>, text: String },
}

impl Form {
    pub fn read(reply: &Reply) -> Self {
        let is_taken_for_one = !reply.tools_refused && !reply.tool_calls.is_empty();
        let found = split(&reply.text);
        if is_taken_for_one {
            return Self::Calls { thought: found.map_or_else(|| tidy(&reply.text), |found| found.thought) };
        }
        match found {
            Some(Found { thought, act: Act::Search(query), .. }) => Self::Search { thought, query },
            Some(Found { thought, act: Act::Synthesize, text_at }) => {
                let text = reply.text.get(text_at..).unwrap_or_default().trim();
                if text.is_empty() {
                    Self::Ready { thought }
                } else {
                    Self::Text { thought: Some(thought), text: text.to_owned() }
                }
            }
            None => Self::Text { thought: None, text: reply.text.clone() },
        }
    }
}

/// The text of a reply that was to be nothing else.
pub(super) fn text_of(reply: &str) -> String {
    match split(reply) {
        Some(Found { act: Act::Synthesize, text_at, .. })
            if !reply.get(text_at..).unwrap_or_default().trim().is_empty() =>
        {
            reply.get(text_at..).unwrap_or_default().trim().to_owned()
        }
        Some(_) | None => reply.to_owned(),
    }
}

enum Act {
    Search(String),
    Synthesize,
}

struct Found {
    thought: String,
    act: Act,
    /// Where the text begins, in bytes.
    text_at: usize,
}

/// The first action of a reply that begins in the form. What stands after a search is made up: nobody has searched yet.
fn split(text: &str) -> Option<Found> {
    if !begins_in_form(text) {
        return None;
    }
    let mut at = 0;
    let mut thought = String::new();
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let found = |thought: &str, act, text_at| Some(Found { thought: tidy(thought), act, text_at });
        match headed(line) {
            Some(("action", rest)) => match action(rest) {
                Some(Act::Synthesize) => return found(&thought, Act::Synthesize, at),
                Some(act @ Act::Search(_)) => return found(&thought, act, at),
                None => thought.push_str(line),
            },
            Some((head, rest)) if TEXT_HEADS.contains(&head) => {
                let text_at = if rest.is_empty() { at } else { begin + line.find(rest).unwrap_or(0) };
                return found(&thought, Act::Synthesize, text_at);
            }
            Some(("thought", rest)) => {
                thought.push_str(rest);
                thought.push('\n');
            }
            Some(_) | None => thought.push_str(line),
        }
    }
    None
}

/// `**Action:** rest` as `("action", "rest")`.
fn headed(line: &str) -> Option<(&'static str, &str)> {
    let (name, rest) = line.split_once([':', '：'])?;
    let name = bare(name).trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ').to_lowercase();
    let head = HEADS.into_iter().find(|head| *head == name)?;
    Some((head, rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'))))
}

/// `search_web("…")` or `synthesize()`, as models write them.
fn action(text: &str) -> Option<Act> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '.'));
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let arguments = text.get(name.len()..)?.trim_start();
    match name.to_lowercase().as_str() {
        "synthesize" | "synthesise" | "finish" | "answer" => Some(Act::Synthesize),
        "search_web" | "search" | "web_search" => query(arguments).map(Act::Search),
        _ => None,
    }
}

/// The query among an action's arguments: in parentheses, after a colon, in JSON.
fn query(arguments: &str) -> Option<String> {
    let inside = arguments.trim_start_matches(['(', ':', '[', ' ']).trim_end_matches([')', ']', ' ', ';']);
    let value = serde_json::from_str::<serde_json::Value>(inside).ok();
    let in_json = value.as_ref().and_then(|value| value.as_str().or_else(|| value.get("query")?.as_str()));
    let named = inside.strip_prefix("query").map(|rest| rest.trim_start_matches([' ', '=', ':']));
    let text = in_json.unwrap_or_else(|| named.unwrap_or(inside));
    let text = text.trim_matches(|c: char| c.is_whitespace() || "\"'“”„«»`".contains(c));
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn tidy(thought: &str) -> String {
    thought.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn begins_in_form(text: &str) -> bool {
    text.trim_start().lines().next().is_some_and(|line| headed(line).is_some())
}

/// Whether this beginning of a line may still become a line of the form.
fn may_become(beginning: &str) -> bool {
    let line = beginning.trim_start().trim_start_matches(['*', '_', '#', ' ']).to_lowercase();
    HEADS.iter().any(|head| head.starts_with(line.as_str()) || line.starts_with(head) && !line.contains('\n'))
}

/// Holds thoughts and actions back: of a reply in the form only the text is shown.
#[derive(Debug, Default)]
pub(super) struct Filter {
    held: String,
    is_text: bool,
}

impl TextFilter for Filter {
    fn push(&mut self, text: &str) -> String {
        if self.is_text {
            return text.to_owned();
        }
        self.held.push_str(text);
        if self.held.trim().is_empty() {
            return String::new();
        }
        if !begins_in_form(&self.held) {
            if may_become(&self.held) {
                return String::new();
            }
            self.is_text = true;
            return std::mem::take(&mut self.held);
        }
        // The line of the action has to be whole.
        let whole = self.held.rfind('\n').map_or(0, |end| end + 1);
        if let Some(Found { act: Act::Synthesize, text_at, .. }) =
            split(self.held.get(..whole).unwrap_or_default())
        {
            let rest = self.held.get(text_at..).unwrap_or_default().trim_start().to_owned();
            if rest.is_empty() {
                return String::new();
            }
            self.is_text = true;
            self.held.clear();
            return rest;
        }
        if self.held.len() > MOST_HELD {
            self.is_text = true;
            return std::mem::take(&mut self.held);
        }
        String::new()
    }

    fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        match split(&held) {
            Some(Found { act: Act::Synthesize, text_at, .. }) => {
                held.get(text_at..).unwrap_or_default().trim().to_owned()
            }
            Some(Found { act: Act::Search(_), .. }) => String::new(),
            None => held,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::ToolCall;

    fn read(text: &str) -> Form {
        Form::read(&Reply { text: text.to_owned(), ..Reply::default() })
    }

    #[test]
    fn a_search_is_read_in_every_form() {
        let wanted = || Form::Search { thought: "Is it 2019?".to_owned(), query: "rust 1.0 date".to_owned() };
        for text in [
            "Thought: Is it 2019?\nAction: search_web(\"rust 1.0 date\")",
            "**Thought:** Is it 2019?\n**Action:** `search_web('rust 1.0 date')`\nObservation: It was 2015.\nAction: synthesize()\nIt was.",
            "thought 1: Is it 2019?\n\naction 1: search(query=\"rust 1.0 date\")",
            "Thought: Is it\n2019?\nAction: web_search: rust 1.0 date",
            "Thought: Is it 2019?\nAction: search_web({\"query\": \"rust 1.0 date\"})",
            "Thought: Is it 2019?\nAction: search_web[“rust 1.0 date”].",
        ] {
            assert_eq!(read(text), wanted(), "{text}");
        }
    }

    #[test]
    fn a_text_is_read_with_and_without_its_form() {
        let text = |thought: Option<&str>| Form::Text {
            thought: thought.map(str::to_owned),
            text: "It was 2015 [1].".to_owned(),
        };
        assert_eq!(read("It was 2015 [1]."), text(None));
        for written in [
            "Thought: Enough.\nAction: synthesize()\n\nIt was 2015 [1].",
            "Thought: Enough.\nAction: Synthesize\nIt was 2015 [1].\n",
            "Thought: Enough.\nFinal Answer: It was 2015 [1].",
            "Thought: Enough.\n**Answer:**\nIt was 2015 [1].",
        ] {
            assert_eq!(read(written), text(Some("Enough.")), "{written}");
        }
        assert_eq!(read("Action: synthesize()"), Form::Ready { thought: String::new() });
        let inside = "A thought: this text has an\nAction: search_web(\"x\")\nin it.";
        assert_eq!(read(inside), Form::Text { thought: None, text: inside.to_owned() });
    }

    #[test]
    fn a_call_of_a_tool_is_a_search() {
        let call = ToolCall { id: "1".to_owned(), name: "search_web".to_owned(), arguments: "{}".to_owned() };
        let reply = Reply { text: "Let me see.".to_owned(), tool_calls: vec![call], ..Reply::default() };
        assert_eq!(Form::read(&reply), Form::Calls { thought: "Let me see.".to_owned() });
        let refused = Reply { tools_refused: true, ..reply };
        assert_eq!(Form::read(&refused), Form::Text { thought: None, text: "Let me see.".to_owned() });
    }

    fn shown(text: &str, piece: usize) -> String {
        let mut filter = Filter::default();
        let chars: Vec<char> = text.chars().collect();
        let mut shown = String::new();
        for piece in chars.chunks(piece) {
            shown.push_str(&filter.push(&piece.iter().collect::<String>()));
        }
        shown + &filter.finish()
    }

    #[test]
    fn only_the_text_is_shown_however_it_comes() {
        for piece in [1, 2, 7, 1000] {
            assert_eq!(shown("Thought: Hm.\nAction: search_web(\"x\")", piece), "");
            assert_eq!(
                shown("Thought: Hm.\nAction: synthesize()\n\nA text.\n\nMore.", piece),
                "A text.\n\nMore."
            );
            assert_eq!(shown("A text\nof lines.", piece), "A text\nof lines.");
            assert_eq!(shown("Thoughts differ.\nYes.", piece), "Thoughts differ.\nYes.");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_what_is_read(
            text in "(Thought: |Action: |synthesize\\(\\)|search_web\\(\"a\"\\)|Answer:|\n| |b|\\*\\*|ü){0,14}",
            piece in 1_usize..9,
        ) {
            let shown = shown(&text, piece);
            if let Form::Text { text, .. } = read(&text) {
                prop_assert_eq!(shown.trim(), text.trim());
            } else {
                prop_assert_eq!(shown, "");
            }
        }
    }
}
