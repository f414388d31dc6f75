//! The parts of a question, as the utility model names them.

use serde::Deserialize;
use serde_json::json;

use super::bounds::{MAX_PARTS, MIN_PARTS, QUOTED_CHARS};
use super::facts::SkipFact;
use super::purposes::{SPLIT, STAGE};
use crate::council::ask::Ask;
use crate::council::brief::Brief;
use crate::council::context;
use crate::council::line_filter::bare;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::structured;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::llm::{Reply, Schema};

const MAX_CHARS: usize = 2_000;

/// What the utility model is asked.
pub static PROMPT: Template = Template {
    name: "decomposition_split",
    about: "What the utility model is asked that splits a question.",
    text: "Split the question below into 2 to 5 sub-questions that together cover it. Each must stand alone: whoever \
        reads only that one must know what is meant. None may depend on the answer to another, and no two may \
        overlap.\n\n{conversation}{question}\n\n{rule}\n\n\
        Write a numbered list, one sub-question per line, and nothing else. If you are held to JSON, write the same \
        as the list sub_questions of an object instead.",
    places: &["conversation", "question", "rule"],
    marks: &[],
};

/// The parts, with what the call cost.
pub struct Parts {
    pub sub_questions: Vec<String>,
    /// USD; none when unknown.
    pub cost: Option<f64>,
}

/// Asks for the parts, and once more where they cannot be read.
///
/// # Errors
/// Why there are none.
pub async fn ask(run: &Run, brief: &Brief) -> Result<Parts, SkipFact> {
    let model = &brief.settings.utility_model;
    let mut cost = Some(0.0);
    for key in ["decomposition/split", "decomposition/split/again"] {
        let reply = send(run, brief, key).await;
        let reply =
            reply.map_err(|error| SkipFact::NotSplit { model: model.clone(), reason: error.reason() })?;
        let spent = reply.usage.and_then(|usage| usage.cost_usd);
        cost = cost.zip(spent).map(|(before, spent)| before + spent);
        let sub_questions = parse(&reply.text);
        if sub_questions.len() >= MIN_PARTS {
            return Ok(Parts { sub_questions, cost });
        }
        if let [_only] = sub_questions.as_slice() {
            return Err(SkipFact::TooFewParts { count: 1 });
        }
    }
    Err(SkipFact::PartsUnread { model: model.clone() })
}

fn prompt(run: &Run, brief: &Brief, turns: &[Turn]) -> String {
    let fence = Fence::new(&run.marker());
    let quoted: String = brief.question.chars().take(QUOTED_CHARS).collect();
    let conversation = history::section(&fence, turns).map_or_else(String::new, |section| section + "\n\n");
    brief.prompts.fill(
        &PROMPT,
        &[
            ("conversation", &conversation),
            ("question", &fence.verbatim("Question", &quoted)),
            ("rule", brief.prompts.text(&fence::RULE)),
        ],
    )
}

async fn send(run: &Run, brief: &Brief, key: &str) -> Result<Reply, crate::llm::CallError> {
    let model = brief.settings.utility_model.as_str();
    let prompt = context::quoting(run, brief, (model, &SPLIT), None, |turns| prompt(run, brief, turns)).await;
    let ask = Ask {
        stage: STAGE.clone(),
        key: key.to_owned(),
        model,
        member: None,
        purpose: &SPLIT,
        system: None,
        prompt: &prompt,
        schema: Some(schema()),
    };
    ask.send(run, &brief.settings).await
}

fn schema() -> Schema {
    Schema::new(
        "sub_questions",
        json!({
            "type": "object",
            "properties": {"sub_questions": {"type": "array", "items": {"type": "string"}}},
            "required": ["sub_questions"],
            "additionalProperties": false,
        }),
    )
}

#[derive(Deserialize)]
struct JsonForm {
    sub_questions: Vec<String>,
}

/// Reads JSON, or a numbered or bulleted list. Nothing twice, no bare numbers, at most [`MAX_PARTS`].
#[must_use]
pub fn parse(text: &str) -> Vec<String> {
    let listed = match structured::read::<JsonForm>(text) {
        Some(read) => read.sub_questions,
        None => text.lines().filter_map(item).map(str::to_owned).collect(),
    };
    let mut parts: Vec<String> = Vec::new();
    for part in listed {
        let part: String =
            part.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_CHARS).collect();
        if !is_number(&part) && !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.truncate(MAX_PARTS);
    parts
}

/// Whether there is nothing but the number of an item, or not even that.
fn is_number(part: &str) -> bool {
    part.chars().all(|c| c.is_numeric() || matches!(c, '.' | ')' | ':' | ' '))
}

/// The text of a line of a list.
fn item(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['*', '_']);
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line.get(digits..)?;
    let after = if digits > 0 {
        rest.strip_prefix(['.', ')', ':'])?
    } else {
        line.strip_prefix("- ").or_else(|| line.strip_prefix("• ")).or_else(|| line.strip_prefix(' '))?
    };
    Some(bare(after)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_read_in_every_form() {
        for text in [
            "1. What is it?\n2. Why?",
            "Here they are:\n\n**1.** What is it?\n**2)** Why?\n\nDone.",
            "- What is it?\n* Why?\n- What is it?",
            r#"{"sub_questions": ["What is it?", " Why? ", ""]}"#,
        ] {
            assert_eq!(parse(text), ["What is it?", "Why?"], "{text}");
        }
        assert_eq!(parse("1. a\n2. b\n3. c\n4. d\n5. e\n6. f").len(), MAX_PARTS);
        assert_eq!(parse("I cannot split this."), [""; 0]);
        assert_eq!(parse("1. 2\n2. 3\n3. What is 4?\n4. 2+2=?"), ["What is 4?", "2+2=?"]);
        assert_eq!(parse(r#"{"sub_questions": ["2", "3."]}"#), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_text_stops_it(text in any::<String>(), list in "([0-9]{0,2}[.)-]? ?.{0,9}\n){0,9}") {
            prop_assert!(parse(&text).len() <= MAX_PARTS && parse(&list).len() <= MAX_PARTS);
        }
    }
}
