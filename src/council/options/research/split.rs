//! What is to be searched for, as the research model says it.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::event::SubQuery;
use super::stage::{SPLIT, STAGE};
use crate::council::brief::Brief;
use crate::council::context;
use crate::council::line_filter::bare;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::structured;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::settings::Settings;
use crate::llm::{ChatMessage, ChatRequest, Schema};
use crate::search::as_query;
use crate::search::text::line;

/// The most searches for one question.
pub(super) const MAX_QUERIES: usize = 3;
/// The longest a run waits to know what to search for, in milliseconds.
const PATIENCE_MS: u64 = 20_000;
/// How much of a question is read, in characters.
const QUOTED_CHARS: usize = 6_000;
const LABEL_CHARS: usize = 60;

/// What the research model is asked.
pub static PROMPT: Template = Template {
    name: "research_split",
    about: "What the research model is asked that says what to search for.",
    text: "Today is {today}. Somebody asks the question below, and a council of language models is going to answer it. \
        Say what to search for on the web first.\n\n{conversation}{question}\n\n{rule}\n\n\
        If the models can answer it well from what they know (mathematics, code, writing, opinions, general knowledge \
        that does not change), write one line:\nRESEARCH: no\n\n\
        Otherwise write RESEARCH: yes, and under it 2 or 3 lines, each with a label and a query for a search engine, as \
        in\n- Facts: <query>\n\
        One about facts and figures, one about practice (use cases, prices, alternatives, how others do it), and, where it \
        helps, one about the context (history, news, the community around it). A query is a few words that stand alone. \
        If you are held to JSON, write the same as needs_research and sub_queries of an object instead.",
    places: &["today", "conversation", "question", "rule"],
    marks: &["RESEARCH: no", "RESEARCH: yes"],
};

pub(super) static TEMPLATES: &[&Template] = &[&PROMPT, &fence::RULE];

/// The model that splits a question.
#[must_use]
pub fn model(settings: &Settings) -> &str {
    settings.options.research.research_model.as_deref().unwrap_or(&settings.utility_model)
}

/// What came of it.
pub(super) struct Split {
    pub needed: bool,
    pub sub_queries: Vec<SubQuery>,
    /// Why the question is searched for as it is.
    pub error: Option<String>,
}

/// Asks what to search for. Where the model cannot be asked or read, the question is the query.
pub(super) async fn ask(run: &Run, brief: &Brief, model: &str) -> Split {
    let whole = |error: String| Split { needed: true, sub_queries: vec![whole(brief)], error: Some(error) };
    match run.call(STAGE, "stage0/split", request(run, brief, model).await).send().await {
        Err(error) => whole(error.message),
        Ok(reply) => match parse(&reply.text) {
            Some((needed, sub_queries)) => Split { needed, sub_queries, error: None },
            None => whole(format!("what {model} wrote names nothing to search for")),
        },
    }
}

fn whole(brief: &Brief) -> SubQuery {
    SubQuery { label: "Question".to_owned(), query: as_query(&brief.question) }
}

fn prompt(run: &Run, brief: &Brief, turns: &[Turn]) -> String {
    let fence = Fence::new(&run.marker());
    let quoted: String = brief.question.chars().take(QUOTED_CHARS).collect();
    let conversation = history::section(&fence, turns).map_or_else(String::new, |section| section + "\n\n");
    brief.prompts.fill(
        &PROMPT,
        &[
            ("today", brief.search.as_ref().map_or("unknown", |plan| &plan.today)),
            ("conversation", &conversation),
            ("question", &fence.verbatim("Question", &quoted)),
            ("rule", brief.prompts.text(&fence::RULE)),
        ],
    )
}

async fn request(run: &Run, brief: &Brief, model: &str) -> ChatRequest {
    let prompt = context::quoting(run, brief, (model, &SPLIT), None, |turns| prompt(run, brief, turns)).await;
    let mut timeouts = brief.settings.timeouts(&SPLIT);
    timeouts.total_ms = timeouts.total_ms.min(PATIENCE_MS);
    timeouts.first_token_ms = timeouts.first_token_ms.min(PATIENCE_MS);
    timeouts.idle_ms = timeouts.idle_ms.min(PATIENCE_MS);
    ChatRequest {
        sampling: brief.settings.sampling(&SPLIT),
        timeouts,
        schema: Some(schema()),
        ..ChatRequest::new(model, &SPLIT, vec![ChatMessage::user(prompt)])
    }
}

fn schema() -> Schema {
    let sub_query = json!({
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "What it is about, in a word or two"},
            "query": {"type": "string", "description": "A few words for a search engine"},
        },
        "required": ["label", "query"],
        "additionalProperties": false,
    });
    Schema::new(
        "searches",
        json!({
            "type": "object",
            "properties": {
                "needs_research": {"type": "boolean"},
                "sub_queries": {"type": "array", "items": sub_query},
            },
            "required": ["needs_research", "sub_queries"],
            "additionalProperties": false,
        }),
    )
}

#[derive(Deserialize)]
struct JsonForm {
    needs_research: Option<bool>,
    #[serde(default)]
    sub_queries: Vec<Value>,
}

/// Reads JSON, or lines; none where neither says what to search for, nor that there is no need.
fn parse(text: &str) -> Option<(bool, Vec<SubQuery>)> {
    let (needed, listed) = match structured::read::<JsonForm>(text) {
        Some(JsonForm { needs_research, sub_queries }) => {
            (needs_research, sub_queries.iter().filter_map(in_json).collect())
        }
        None => (in_words(text), text.lines().filter_map(item).collect()),
    };
    if needed == Some(false) {
        return Some((false, Vec::new()));
    }
    let sub_queries = tidied(listed);
    (!sub_queries.is_empty()).then_some((true, sub_queries))
}

/// An object, or the query alone.
fn in_json(value: &Value) -> Option<(String, String)> {
    if let Some(query) = value.as_str() {
        return Some((String::new(), query.to_owned()));
    }
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some((text("label"), text("query")))
}

/// What `RESEARCH:` says.
fn in_words(text: &str) -> Option<bool> {
    text.lines().find_map(|line| {
        let (name, said) = bare(line).split_once([':', '：'])?;
        if !bare(name).eq_ignore_ascii_case("research") {
            return None;
        }
        match bare(said.trim().trim_end_matches('.')).to_lowercase().as_str() {
            "no" | "none" | "not needed" => Some(false),
            "yes" | "needed" => Some(true),
            _ => None,
        }
    })
}

/// `- Label: query`, or a numbered line.
fn item(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let text = ["- ", "* ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet)).or_else(|| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())
    })?;
    Some(match text.split_once(':') {
        Some((label, query)) => (bare(label).to_owned(), bare(query).to_owned()),
        None => (String::new(), bare(text).to_owned()),
    })
}

/// At most [`MAX_QUERIES`], none empty, none twice.
fn tidied(listed: Vec<(String, String)>) -> Vec<SubQuery> {
    let mut seen = HashSet::new();
    let tidy = listed.into_iter().filter_map(|(label, query)| {
        let query = as_query(&query);
        let is_new = !query.is_empty() && seen.insert(query.to_lowercase());
        is_new.then(|| {
            let label = line(label.trim_start_matches('#'), LABEL_CHARS);
            SubQuery { label: if label.is_empty() { query.clone() } else { label }, query }
        })
    });
    tidy.take(MAX_QUERIES).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sub(label: &str, query: &str) -> SubQuery {
        SubQuery { label: label.to_owned(), query: query.to_owned() }
    }

    #[test]
    fn searches_are_read_in_every_form() {
        let two = Some((true, vec![sub("Facts", "rust release date"), sub("Practice", "rust in industry")]));
        for text in [
            "RESEARCH: yes\n- Facts: rust release date\n- Practice: rust in industry",
            "**Research:** Yes.\n\n1. **Facts**: rust release date\n2) Practice: rust in industry\n",
            r#"{"needs_research": true, "sub_queries": [{"label": "Facts", "query": "rust  release date"},
                {"label": "Practice", "query": "rust in industry"}, {"label": "Again", "query": "Rust in industry"}]}"#,
            "* Facts: rust release date\n* Practice: rust in industry",
        ] {
            assert_eq!(parse(text), two, "{text}");
        }
        let bare = parse(r#"{"needs_research": true, "sub_queries": ["a", "", "b", "c", "d"]}"#).unwrap();
        assert_eq!(bare.1, [sub("a", "a"), sub("b", "b"), sub("c", "c")]);
    }

    #[test]
    fn that_none_is_needed_is_read_too() {
        for text in ["RESEARCH: no", "research: **No**.", r#"{"needs_research": false, "sub_queries": []}"#] {
            assert_eq!(parse(text), Some((false, Vec::new())), "{text}");
        }
        for text in ["", "I would search for it.", r#"{"needs_research": true, "sub_queries": []}"#] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_stops_it(text in any::<String>(), list in "([0-9]{0,2}[.)-]? ?.{0,9}:?.{0,5}\n){0,9}") {
            for text in [text, list] {
                let queries = parse(&text).map(|(_, queries)| queries).unwrap_or_default();
                prop_assert!(queries.len() <= MAX_QUERIES);
            }
        }
    }
}
