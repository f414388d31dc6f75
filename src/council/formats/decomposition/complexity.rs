//! Whether a question has parts that are worth asking apart.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bounds::QUOTED_CHARS;
use super::purposes::{COMPLEXITY, STAGE};
use crate::council::ask::Ask;
use crate::council::brief::Brief;
use crate::council::line_filter::bare;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::structured;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::llm::{CallError, Schema};

const MAX_REASONING_CHARS: usize = 500;

/// What the utility model is asked.
pub static PROMPT: Template = Template {
    name: "decomposition_complexity",
    about: "What the utility model is asked that says whether a question is answered in parts.",
    text: "Say whether the question below is better answered in parts: whether it asks for several things that can be \
        answered apart from each other and then be put together. A question with one thing to say is not, however \
        hard it is.\n\n{question}\n\n{rule}\n\n\
        Answer in exactly this form, and nothing else:\n\
        SHOULD_DECOMPOSE: YES or NO\n\
        CONFIDENCE: from 0, a guess, to 1, certain\n\
        REASONING: one sentence\n\n\
        If you are held to JSON, write the same as should_decompose, confidence and reasoning.",
    places: &["question", "rule"],
    marks: &["SHOULD_DECOMPOSE:", "CONFIDENCE:"],
};

/// What is known of a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Complexity {
    /// Whether it is taken apart.
    pub is_complex: bool,
    /// How sure the utility model is, 0 to 1; absent when it said nothing.
    #[serde(default)]
    pub confidence: Option<f64>,
    pub reasoning: String,
    /// Words in it that are typical of questions with parts.
    pub indicators: Vec<String>,
}

/// What the utility model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub yes: bool,
    pub confidence: Option<f64>,
    pub reasoning: String,
}

/// Asks the utility model.
///
/// # Errors
/// The call's own failure; none within where the reply cannot be read.
pub async fn ask(run: &Run, brief: &Brief) -> Result<Option<Judged>, CallError> {
    let quoted: String = brief.question.chars().take(QUOTED_CHARS).collect();
    let prompt = brief.prompts.fill(
        &PROMPT,
        &[
            ("question", &Fence::new(&run.marker()).verbatim("Question", &quoted)),
            ("rule", brief.prompts.text(&fence::RULE)),
        ],
    );
    let ask = Ask {
        stage: STAGE.clone(),
        key: "decomposition/complexity".to_owned(),
        model: &brief.settings.utility_model,
        member: None,
        purpose: &COMPLEXITY,
        system: None,
        prompt: &prompt,
        schema: Some(schema()),
    };
    Ok(parse(&ask.send(run, &brief.settings).await?.text))
}

fn schema() -> Schema {
    let properties = json!({
        "should_decompose": {"type": "boolean"},
        "confidence": {"type": "number", "description": "From 0, a guess, to 1, certain"},
        "reasoning": {"type": "string", "description": "One sentence"},
    });
    Schema::new(
        "complexity",
        json!({
            "type": "object",
            "properties": properties,
            "required": ["should_decompose", "confidence", "reasoning"],
            "additionalProperties": false,
        }),
    )
}

/// The reply as the JSON that a model may write.
#[derive(Deserialize)]
struct JsonForm {
    #[serde(alias = "is_complex")]
    should_decompose: bool,
    #[serde(default)]
    confidence: Value,
    #[serde(default)]
    reasoning: Option<String>,
}

/// Reads JSON, or the three lines in any case and order; the last of each counts. None without a verdict.
#[must_use]
pub fn parse(text: &str) -> Option<Judged> {
    if let Some(read) = structured::read::<JsonForm>(text) {
        let confidence = read.confidence.as_f64().filter(|share| (0.0..=1.0).contains(share));
        let reasoning = one_line(&read.reasoning.unwrap_or_default());
        return Some(Judged { yes: read.should_decompose, confidence, reasoning });
    }
    let mut verdict = None;
    let mut confidence = None;
    let mut reasoning = String::new();
    for line in text.lines() {
        let Some((name, value)) = bare(line).split_once(':') else { continue };
        let value = bare(value);
        match bare(name).to_lowercase().replace(' ', "_").as_str() {
            "should_decompose" => verdict = yes_or_no(value).or(verdict),
            "confidence" => confidence = share(value).or(confidence),
            "reasoning" => reasoning = one_line(value),
            _ => {}
        }
    }
    verdict.map(|yes| Judged { yes, confidence, reasoning })
}

fn yes_or_no(value: &str) -> Option<bool> {
    let word: String = value.chars().take_while(|c| c.is_alphabetic()).collect();
    match word.to_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// `0.8`, `80%` or `8/10` as a share.
fn share(value: &str) -> Option<f64> {
    let (number, scale) = match value.split_once(['%', '/']) {
        Some((number, of)) => (number, bare(of).parse().unwrap_or(100.0)),
        None => (value, 1.0),
    };
    let number: f64 = bare(number).trim_end_matches('.').parse().ok()?;
    Some(number / scale).filter(|share| (0.0..=1.0).contains(share))
}

fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(MAX_REASONING_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_verdict_is_read_in_every_form() {
        let judged = |yes, confidence| Judged { yes, confidence, reasoning: "It has two parts.".into() };
        for text in [
            "SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.8\nREASONING: It has two parts.",
            "**Should decompose:** yes.\n- Confidence: 80%\n- Reasoning: It has  two parts.",
            "reasoning: It has two parts.\nconfidence: 8/10\nshould_decompose: no\nshould_decompose: Yes, it does",
            r#"{"should_decompose": true, "confidence": 0.8, "reasoning": "It has two parts."}"#,
        ] {
            assert_eq!(parse(text), Some(judged(true, Some(0.8))), "{text}");
        }
        let no = "SHOULD_DECOMPOSE: NO\nCONFIDENCE: 7\nREASONING: It has two parts.";
        assert_eq!(parse(no), Some(judged(false, None)), "7 is no share");
        assert_eq!(parse("I would say yes."), None);
    }

    proptest! {
        #[test]
        fn no_text_stops_it(text in any::<String>(), lines in "(SHOULD_DECOMPOSE|CONFIDENCE|REASONING)?:? ?(YES|0\\.8|8/0|%|/)?.{0,9}") {
            let _any = (parse(&text), parse(&lines));
        }
    }
}
