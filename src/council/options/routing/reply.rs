//! What the utility model says of a question, read in whatever form it says it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::RoutingFact;
use super::settings::Category;
use crate::council::line_filter::bare;
use crate::council::prompts::structured;
use crate::llm::Schema;

pub(super) const MAX_REASONING_CHARS: usize = 500;

/// What kind of question it is. Every form of a reply ends here.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    pub category: Category,
    /// 0 to 1; absent when the model said none.
    pub confidence: Option<f64>,
    pub reasoning: String,
    /// `reasoning` as a fact, where no model said it.
    pub fact: Option<RoutingFact>,
}

pub(super) fn schema() -> Schema {
    let names = Category::ALL.map(Category::as_str);
    let properties = json!({
        "category": {"type": "string", "enum": names},
        "confidence": {"type": "number", "description": "From 0, a guess, to 1, certain"},
        "reasoning": {"type": "string", "description": "One sentence"},
    });
    Schema::new(
        "question_kind",
        json!({
            "type": "object",
            "properties": properties,
            "required": ["category", "confidence", "reasoning"],
            "additionalProperties": false,
        }),
    )
}

/// A classification as the JSON that a model may write.
#[derive(Deserialize)]
struct JsonForm {
    category: String,
    #[serde(default)]
    confidence: Value,
    #[serde(default)]
    reasoning: Option<String>,
}

impl JsonForm {
    fn read(self) -> Option<Classification> {
        Some(Classification {
            category: Category::parse(self.category.trim())?,
            confidence: self.confidence.as_f64().filter(|share| (0.0..=1.0).contains(share)),
            reasoning: one_line(&self.reasoning.unwrap_or_default()),
            fact: None,
        })
    }
}

/// The text without line breaks, cut to a readable length.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(MAX_REASONING_CHARS).collect()
}

/// Reads JSON, or `CATEGORY:`, `CONFIDENCE:` and `REASONING:` in any case and order, whatever marks
/// stand around them; a bare name of a category is enough. `None` when no category is named.
#[must_use]
pub fn parse(text: &str) -> Option<Classification> {
    if let Some(read) = structured::read(text).and_then(JsonForm::read) {
        return Some(read);
    }
    let mut category = None;
    let mut confidence = None;
    let mut reasoning: Vec<&str> = Vec::new();
    let mut in_reasoning = false;
    for line in text.lines() {
        let line = bare(line);
        if let Some(value) = labelled(line, "category") {
            // The last one counts: some models think aloud first.
            category = Category::parse(first_word(value)).or(category);
            in_reasoning = false;
        } else if let Some(value) = labelled(line, "confidence") {
            confidence = share(value).or(confidence);
            in_reasoning = false;
        } else if let Some(value) = labelled(line, "reasoning") {
            reasoning = vec![value];
            in_reasoning = true;
        } else if in_reasoning {
            reasoning.push(line);
        }
    }
    let named_alone = || Some(bare(text.trim())).filter(|text| text.len() < 12).map(first_word);
    let category = category.or_else(|| Category::parse(named_alone()?))?;
    Some(Classification { category, confidence, reasoning: one_line(&reasoning.join(" ")), fact: None })
}

/// What follows `name:` at the beginning of a line.
fn labelled<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = line.get(..name.len())?;
    if !start.eq_ignore_ascii_case(name) {
        return None;
    }
    let marks = ['*', '_', '`', ' '];
    let rest = line.get(name.len()..)?.trim_start_matches(marks).strip_prefix([':', '：'])?;
    Some(rest.trim_matches(marks))
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

/// Reads a share: `0.9`, `90%`, `9/10`. None outside 0 to 1.
fn share(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('.');
    let (number, of) = if let Some(number) = text.strip_suffix('%') {
        (number, 100.0)
    } else if let Some((number, of)) = text.split_once('/') {
        (number, of.trim().parse().ok()?)
    } else {
        (text, 1.0)
    };
    let share: f64 = number.trim().replace(',', ".").parse::<f64>().ok()? / of;
    (0.0..=1.0).contains(&share).then_some(share)
}
