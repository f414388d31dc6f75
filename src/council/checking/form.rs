//! What a writer that checks has replied, in whatever form: a call of a tool, an action in words, or the text itself.

use crate::council::line_filter::bare;
use crate::council::view::TextFilter;
use crate::llm::Reply;

/// The most of a beginning that is held back to see whether it is a thought, in bytes.
const MOST_HELD: usize = 16 << 10;
/// What lines of the form begin with.
const HEADS: [&str; 5] = ["thought", "action", "observation", "final answer", "answer"];
/// Lines after which the text follows.
const TEXT_HEADS: [&str; 2] = ["final answer", "answer"];
/// What is called, also without the word before it.
const CALLS: [&str; 4] = ["synthesize", "synthesise", "search_web", "web_search"];

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
                let text = behind(&reply.text, text_at);
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

/// The text of a reply that was to be nothing else; none where it is only an action.
pub(super) fn text_of(reply: &str) -> Option<String> {
    match split(reply) {
        Some(Found { act: Act::Synthesize, text_at, .. }) => {
            let text = behind(reply, text_at);
            (!text.is_empty()).then(|| text.to_owned())
        }
        Some(Found { act: Act::Search(_), .. }) => None,
        None => Some(reply.to_owned()),
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
    let found = called_at_once(text);
    if found.is_some() || !begins_in_form(text) {
        return found;
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
            Some(_) | None => match called(line) {
                Some(act) => return found(&thought, act, at),
                None => thought.push_str(line),
            },
        }
    }
    None
}

/// What stands behind an action; nothing where that is only the end of a block of code around it.
fn behind(text: &str, at: usize) -> &str {
    let behind = text.get(at..).unwrap_or_default().trim();
    if behind.chars().all(|c| c == '`') { "" } else { behind }
}

/// An action without the word before it: on the first line, or alone in a block of code.
fn called_at_once(text: &str) -> Option<Found> {
    let found = |act, text_at| Found { thought: String::new(), act, text_at };
    let blanks = text.len() - text.trim_start().len();
    let line = text.get(blanks..)?.split_inclusive('\n').next()?;
    if let Some(act) = called(line) {
        return Some(found(act, blanks + line.len()));
    }
    let (language, code) = text.trim().strip_prefix("```")?.strip_suffix("```")?.split_once('\n')?;
    let is_alone = language.trim().chars().all(char::is_alphanumeric) && !code.contains("```");
    let act = called(code).filter(|_| is_alone)?;
    Some(found(act, text.len()))
}

/// `synthesize()` or `search_web("…")`, and nothing else on the line.
fn called(text: &str) -> Option<Act> {
    let line = text.trim();
    let text = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | ';'));
    let (name, arguments) = text.split_once('(')?;
    if line.contains('\n') || !CALLS.iter().any(|call| name.eq_ignore_ascii_case(call)) {
        return None;
    }
    let inside = arguments.strip_suffix(')')?.trim();
    match action(text)? {
        Act::Synthesize => inside.is_empty().then_some(Act::Synthesize),
        search @ Act::Search(_) => Some(search),
    }
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
        || called_at_once(text).is_some()
}

/// Whether this beginning of a text may still become one in the form.
fn may_become(beginning: &str) -> bool {
    let text = beginning.trim_start();
    let mark =
        |c: char| c != '\n' && (c.is_whitespace() || matches!(c, '*' | '_' | '#' | '`' | '>' | '-' | '—'));
    let line = text.trim_start_matches(mark).to_lowercase();
    let is_head =
        |head: &&str| head.starts_with(line.as_str()) || line.starts_with(*head) && !line.contains('\n');
    HEADS.iter().any(is_head) || may_be_called(text)
}

/// Whether this beginning of a text may still become an action without the word before it.
fn may_be_called(text: &str) -> bool {
    let code = text.strip_prefix("```").map(|code| code.split_once('\n'));
    let line = match code {
        // The name of its language.
        Some(None) => return true,
        Some(Some((_, code))) => code.trim().trim_end_matches('`').trim_end(),
        None => text,
    };
    let mark = |c: char| c != '\n' && (c.is_whitespace() || matches!(c, '`' | '*' | ';'));
    let line = line.trim_start_matches(mark).to_lowercase();
    let is_call = |call: &&str| {
        let behind = line.strip_prefix(*call);
        call.starts_with(line.as_str()) || behind.is_some_and(|behind| behind.starts_with('('))
    };
    !line.contains('\n') && CALLS.iter().any(is_call)
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
        // All of it is looked at anew with each piece, also where it is blanks without an end.
        let is_too_much = self.held.len() > MOST_HELD;
        if !is_too_much && self.held.trim().is_empty() {
            return String::new();
        }
        if !begins_in_form(&self.held) {
            if !is_too_much && may_become(&self.held) {
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
            if !is_too_much && behind(&self.held, text_at).is_empty() {
                return String::new();
            }
            let rest = self.held.get(text_at..).unwrap_or_default().trim_start().to_owned();
            self.is_text = true;
            self.held.clear();
            return rest;
        }
        if is_too_much {
            self.is_text = true;
            return std::mem::take(&mut self.held);
        }
        String::new()
    }

    fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        match split(&held) {
            Some(Found { act: Act::Synthesize, text_at, .. }) => behind(&held, text_at).to_owned(),
            Some(Found { act: Act::Search(_), .. }) => String::new(),
            None => held,
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
