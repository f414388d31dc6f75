//! The conversation's title: 3 to 5 words, written alongside the run and never delaying it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::council::any_event::FeatureEvent;
use crate::council::brief::Brief;
use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::note::{EVERYTHING, MODELS, Note, NoteCategory, costs};
use crate::council::pricing::tokens_of;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::stage::Stage;
use crate::invisible::{is_hidden, shows_nothing};
use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt as Simulated;
use crate::llm::{ChatMessage, ChatRequest, Purpose};

/// Where the conversation gets its title.
pub const STAGE: Stage = Stage::named("title");
/// The conversation's title.
pub static TITLE: Purpose = Purpose { name: "title", usual_tokens: 20, simulated };

const MAX_CHARS: usize = 50;
/// What stands before a title where a model writes the end of its prompt once more.
const LABEL: &str = "title:";
/// How much of the question the model reads.
pub const QUOTED_CHARS: usize = 2_000;

/// What the model is asked.
pub static PROMPT: Template = Template {
    name: "title",
    about: "What the model is asked that names a conversation.",
    text: "Write a title of 3 to 5 words for a conversation that begins with the question below. \
        Answer with the title alone: no quotation marks, no full stop.\n\nQuestion: {question}\n\nTitle:",
    places: &["question"],
    marks: &[],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&PROMPT];

/// The title's event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TitleEvent {
    /// The conversation has a title; first message only.
    TitleComplete { data: Title },
}

/// The process monitor's notes on the title.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum TitleNote {
    Titled {
        title: String,
    },
    TitleWritten {
        model: String,
        /// USD; absent when unknown.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
    /// No model gave one in time.
    TitleOfTheQuestion,
}

impl fmt::Display for TitleNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Titled { title } => write!(f, "The conversation is called “{title}”"),
            Self::TitleWritten { model, cost } => {
                write!(f, "{model} wrote the title, {}", costs(*cost, cost.is_none().into()))
            }
            Self::TitleOfTheQuestion => f.write_str("The title is made of the question's first words"),
        }
    }
}

impl FeatureEvent for TitleEvent {
    fn note(&self) -> Option<Note> {
        let TitleEvent::TitleComplete { data } = self;
        let fact = TitleNote::Titled { title: data.title.clone() };
        Some(Note::of(MODELS, NoteCategory::Success, &fact))
    }
}

/// A conversation's title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Title {
    pub title: String,
}

/// A title that a model wrote.
pub struct WrittenTitle {
    pub title: Title,
    model: String,
    /// USD; absent when unknown.
    cost: Option<f64>,
}

/// What the request says around the question, in tokens.
const FRAME: u64 = 42;

/// The call that a title will probably take.
pub(in crate::council) fn expected_call(expecting: Expecting<'_>) -> ExpectedCall {
    let excerpt = expecting.brief.question.chars().take(QUOTED_CHARS).count();
    let model = &expecting.brief.settings.title_model;
    expecting.call_without_files(STAGE, model, &TITLE, FRAME + tokens_of(excerpt))
}

/// Tells the client the conversation's title: this one, unless a person has named it during the run.
pub async fn complete(run: &Run, title: Title) {
    let data = run.own_title().await.map_or(title, |title| Title { title });
    run.emit("title", TitleEvent::TitleComplete { data }).await;
}

/// Tells what the conversation is called: as a model says, or by the question's first words.
pub async fn report(run: &Run, brief: &Brief, written: Option<WrittenTitle>) {
    let (title, fact) = match written {
        Some(WrittenTitle { title, model, cost }) => (title, TitleNote::TitleWritten { model, cost }),
        None => (fallback(&brief.question), TitleNote::TitleOfTheQuestion),
    };
    complete(run, title).await;
    run.remark("title", || Note::of(EVERYTHING, NoteCategory::Data, &fact)).await;
}

/// Asks for a title; `None` when the model gave none that can be used.
pub async fn ask(run: &Run, brief: &Brief) -> Option<WrittenTitle> {
    let excerpt: String = brief.question.chars().take(QUOTED_CHARS).collect();
    let prompt = brief.prompts.fill(&PROMPT, &[("question", &excerpt)]);
    let model = brief.settings.title_model.clone();
    let request = ChatRequest {
        sampling: brief.settings.sampling(&TITLE),
        timeouts: brief.settings.timeouts(&TITLE),
        ..ChatRequest::new(&model, &TITLE, vec![ChatMessage::user(prompt)])
    };
    let reply = run.call(STAGE, "title", request).beside_the_run().send().await.ok()?;
    let cost = reply.usage.and_then(|usage| usage.cost_usd);
    clean(&reply.text).map(|title| WrittenTitle { title, model, cost })
}

/// A title made of the question's first words.
#[must_use]
pub fn fallback(question: &str) -> Title {
    let words: Vec<&str> = question.split_whitespace().filter(|word| !shows_nothing(word)).take(6).collect();
    Title { title: shorten(&seen(&words.join(" "))) }
}

fn clean(text: &str) -> Option<Title> {
    let title = text.lines().map(on_line).find(|title| !shows_nothing(title))?;
    Some(Title { title: shorten(&title) })
}

/// The title on a line, without what models like to put around it.
fn on_line(line: &str) -> String {
    let marks = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»' | '*' | '`' | '_')
    };
    // A full stop at its beginning is part of a name (`.NET`).
    let bare = |text: &str| {
        text.trim_start_matches(marks).trim_end_matches(|c: char| c == '.' || marks(c)).to_owned()
    };
    let line = bare(line.trim().trim_start_matches('#'));
    let labelled = line.get(..LABEL.len()).is_some_and(|start| start.eq_ignore_ascii_case(LABEL));
    let title = if labelled { bare(line.get(LABEL.len()..).unwrap_or_default()) } else { line };
    seen(&title).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes the characters that a person may not write into a title either: they would hide there, or reverse the line.
fn seen(title: &str) -> String {
    title.chars().filter(|c| !c.is_control() && !is_hidden(*c)).collect()
}

fn shorten(title: &str) -> String {
    if title.chars().count() <= MAX_CHARS {
        return title.to_owned();
    }
    let cut: String = title.chars().take(MAX_CHARS - 3).collect();
    format!("{}...", cut.trim_end())
}

/// What a simulated model writes: three to five words of the question.
fn simulated(prompt: &Simulated<'_>, _: &mut SeededRng) -> String {
    let mut words: Vec<String> = prompt.question_words(5).into_iter().map(str::to_owned).collect();
    for filler in ["A", "Simulated", "Question"] {
        if words.len() >= 3 {
            break;
        }
        words.push(filler.to_owned());
    }
    if let Some(first) = words.first_mut() {
        let mut chars = first.chars();
        if let Some(initial) = chars.next() {
            *first = initial.to_uppercase().chain(chars).collect();
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::field::name_problem;

    #[test]
    fn quotes_headings_and_further_lines_are_dropped() {
        for text in [
            "\"Rust Async Runtimes\"",
            "# Rust Async Runtimes\n\nBecause",
            "\n**Rust Async Runtimes.**\n",
            "Title: Rust Async Runtimes",
            "**Title:** Rust Async Runtimes",
            "\"TITLE: Rust Async Runtimes\".",
            "Title:\n\nRust Async Runtimes",
            "```\nRust Async Runtimes\n```",
        ] {
            assert_eq!(clean(text).unwrap().title, "Rust Async Runtimes", "{text:?}");
        }
        assert_eq!(clean(".NET and C#").unwrap().title, ".NET and C#");
        assert_eq!(clean("Titles in Novels").unwrap().title, "Titles in Novels");
        assert_eq!(clean("  \n \"\" "), None);
        assert_eq!(clean("\u{200b}\u{feff}"), None);
    }

    #[test]
    fn a_title_is_one_that_a_person_may_write() {
        for text in ["\u{202e}txt.exe", "Why\u{200b} \u{7}so?", "a\u{2028}b", "👩\u{200d}💻 at work"] {
            for title in [clean(text).unwrap(), fallback(text)] {
                assert_eq!(name_problem(&title.title, MAX_CHARS), None, "{text:?}");
            }
        }
        assert_eq!(fallback(&format!("{}Why?", "\u{200b} ".repeat(6))).title, "Why?");
    }

    #[test]
    fn a_long_title_is_cut_as_existing_clients_expect() {
        let title = fallback(&"extraordinarily ".repeat(9)).title;
        assert_eq!(title.chars().count(), MAX_CHARS);
        assert!(title.ends_with("..."));
    }

    proptest! {
        #[test]
        fn any_text_gives_a_short_title_or_none(text in "\\PC*") {
            if let Some(title) = clean(&text) {
                prop_assert!(!title.title.is_empty());
                prop_assert!(title.title.chars().count() <= MAX_CHARS);
            }
        }
    }
}
