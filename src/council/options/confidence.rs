//! How sure a member is of its answer: asked for as a last line, taken out of the shown text.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::council::line_filter::{LineFilter, Rule, SHORT, bare, last_block};
use crate::council::prompts::template::Template;
use crate::council::view::TextFilter;

/// What is added to the question.
pub static SUFFIX: Template = Template {
    name: "confidence",
    about: "What stands after the question: how sure a member is of its answer.",
    text: "\n\n---\nAfter your answer, add one last line that says how confident you are in it, \
        as a whole number from 1 (a guess) to 10 (certain), in exactly this form:\nCONFIDENCE: <number>",
    places: &[],
    marks: &["CONFIDENCE:"],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&SUFFIX];

const WORD: &str = "confidence";
const LONGEST: usize = 48;
const RULE: Rule = Rule { may_become, is: |line| read(line).is_some(), and_all_after: false, longest: SHORT };

/// What the members' confidences say together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AggregateConfidence {
    /// The mean over those who said one, rounded to two decimals.
    pub average: Option<f64>,
    pub min: Option<u8>,
    pub max: Option<u8>,
    /// How many said one.
    pub count: usize,
    /// How many were asked.
    pub total_models: usize,
    /// How often each score was said.
    #[serde(deserialize_with = "by_score")]
    #[schema(value_type = BTreeMap<String, usize>)]
    pub distribution: BTreeMap<u8, usize>,
    /// The same in three bands; absent in what was stored before there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<ConfidenceBands>,
}

/// How many members were how sure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ConfidenceBands {
    /// 8 to 10.
    pub high: usize,
    /// 5 to 7.
    pub medium: usize,
    /// 1 to 4.
    pub low: usize,
}

impl ConfidenceBands {
    fn of(scores: &[u8]) -> Self {
        let mut bands = Self::default();
        for score in scores {
            match score {
                8.. => bands.high += 1,
                5..=7 => bands.medium += 1,
                ..5 => bands.low += 1,
            }
        }
        bands
    }
}

/// Reads the scores as the texts that JSON's keys are: inside an untagged enum, as events are, serde
/// does not take them for numbers by itself.
fn by_score<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<u8, usize>, D::Error> {
    let texts = BTreeMap::<String, usize>::deserialize(deserializer)?;
    let read = |(score, count): (String, usize)| Ok((score.parse().map_err(D::Error::custom)?, count));
    texts.into_iter().map(read).collect()
}

/// Sums up what `total` members said.
#[must_use]
pub fn summary(scores: &[Option<u8>], total: usize) -> AggregateConfidence {
    let said: Vec<u8> = scores.iter().flatten().copied().collect();
    let mut distribution = BTreeMap::new();
    for score in &said {
        *distribution.entry(*score).or_insert(0) += 1;
    }
    let sum: u32 = said.iter().copied().map(u32::from).sum();
    let count = u32::try_from(said.len()).unwrap_or(u32::MAX);
    AggregateConfidence {
        average: (count > 0).then(|| (f64::from(sum) / f64::from(count) * 100.0).round() / 100.0),
        min: said.iter().min().copied(),
        max: said.iter().max().copied(),
        count: said.len(),
        total_models: total,
        bands: Some(ConfidenceBands::of(&said)),
        distribution,
    }
}

/// Takes confidence lines out of a text; the last one counts. A score outside 1 to 10 is `None`;
/// halves are rounded up. A line inside a block of code stays, and counts only at the very end: some
/// models put their last line into one, or forget to close the one before.
#[must_use]
pub fn parse(text: &str) -> (String, Option<u8>) {
    let (shown, taken) = LineFilter::split(RULE, text);
    let shown = shown.trim_end();
    let left = last_block(shown).or_else(|| shown.lines().last()).filter(|line| may_become(line));
    let line = taken.lines().last().or(left);
    (shown.to_owned(), line.and_then(read).flatten())
}

/// Holds confidence lines back while an answer streams.
pub struct Filter(LineFilter);

impl Default for Filter {
    fn default() -> Self {
        Self(LineFilter::new(RULE))
    }
}

impl TextFilter for Filter {
    fn push(&mut self, text: &str) -> String {
        self.0.push(text)
    }

    fn finish(&mut self) -> String {
        self.0.finish()
    }
}

/// Reads a confidence line: `None` when it is none, `Some(None)` when its score is out of range.
#[expect(clippy::option_option, reason = "no line, a line without a usable score, a score")]
fn read(line: &str) -> Option<Option<u8>> {
    let line = bare(line).to_lowercase();
    let rest = bare(line.strip_prefix(WORD)?);
    let rest = bare(rest.strip_prefix([':', '：'])?).trim_end_matches('.');
    let rest = bare(rest);
    let number =
        ["/10", "/ 10", "out of 10"].iter().find_map(|scale| rest.strip_suffix(scale)).unwrap_or(rest);
    let number: f64 = bare(number).trim().parse().ok()?;
    let rounded = (number + 0.5).floor();
    Some((1..=10u8).find(|score| (f64::from(*score) - rounded).abs() < f64::EPSILON))
}

fn may_become(line: &str) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let line = bare(line).to_lowercase();
    match line.strip_prefix(WORD) {
        None => WORD.starts_with(&line),
        Some(rest) => rest.chars().all(|c| {
            c.is_whitespace()
                || c.is_ascii_digit()
                || matches!(c, ':' | '：' | '/' | '.' | '*' | '_' | '`' | 'o' | 'u' | 't' | 'f')
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::Event;
    use crate::council::line_filter::tests::in_pieces;
    use crate::council::stages::answers::{AnswersEvent, AnswersMetadata};

    #[test]
    fn a_logged_summary_is_read_back_inside_its_event() {
        let metadata = AnswersMetadata {
            aggregate_confidence: summary(&[Some(8), Some(10), None], 3),
            escalation_info: None,
        };
        let event = Event::from(AnswersEvent::Stage1Complete { data: Vec::new(), metadata });
        let json = serde_json::to_string(&event).expect("plain data");
        assert_eq!(serde_json::from_str::<Event>(&json).expect("an event"), event);
    }

    #[test]
    fn the_line_is_read_in_the_forms_that_models_write() {
        for line in [
            "CONFIDENCE: 8",
            "confidence: 8",
            "**CONFIDENCE: 8**",
            "**Confidence:** 8",
            "Confidence: 8/10",
            "CONFIDENCE: 8 / 10",
            "CONFIDENCE: 8.",
            "## Confidence: 8 out of 10",
            "CONFIDENCE: 7.5",
            "*Confidence*: `8`",
            "CONFIDENCE： 8",
        ] {
            assert_eq!(
                parse(&format!("An answer.\n\n{line}\n")),
                ("An answer.".to_owned(), Some(8)),
                "{line}"
            );
        }
    }

    #[test]
    fn out_of_range_is_null_and_other_lines_stay() {
        for line in
            ["CONFIDENCE: 11", "CONFIDENCE: 0", "CONFIDENCE: -3", "CONFIDENCE: 1e9", "CONFIDENCE: inf"]
        {
            let (shown, score) = parse(&format!("An answer.\n{line}"));
            assert_eq!(score, None, "{line}");
            assert!(shown.starts_with("An answer."), "{line}");
        }
        for line in ["Confidence: high", "Confidence in this is 8", "CONFIDENCE 8", "My CONFIDENCE: 8"] {
            let text = format!("An answer.\n{line}");
            assert_eq!(parse(&text), (text.clone(), None));
        }
    }

    #[test]
    fn a_line_inside_code_stays_and_counts_only_at_the_very_end() {
        let shown = "Write this:\n\n```text\nAn answer.\nCONFIDENCE: 10\n```\n\nThat is all.";
        assert_eq!(parse(&format!("{shown}\n\nCONFIDENCE: 3")), (shown.to_owned(), Some(3)));
        assert_eq!(parse(shown), (shown.to_owned(), None));
        for code in ["~~~\nCONFIDENCE: 10\n```\n~~~ \n", "````\n```\nCONFIDENCE: 10\n````"] {
            assert_eq!(parse(code), (code.trim_end().to_owned(), None), "{code}");
        }
        assert_eq!(parse("```in a line```\nCONFIDENCE: 4"), ("```in a line```".to_owned(), Some(4)));
        assert_eq!(parse("```\nx\nCONFIDENCE: 5"), ("```\nx\nCONFIDENCE: 5".to_owned(), Some(5)));
        let last = "An answer.\n\n```\nCONFIDENCE: 8\n```";
        assert_eq!(parse("> CONFIDENCE: 10\nCONFIDENCE: 2"), ("> CONFIDENCE: 10".to_owned(), Some(2)));
        assert_eq!(parse(last), (last.to_owned(), Some(8)));
    }

    #[test]
    fn the_last_line_counts() {
        assert_eq!(parse("CONFIDENCE: 3\nWait.\nCONFIDENCE: 9"), ("Wait.".to_owned(), Some(9)));
    }

    #[test]
    fn the_summary_counts_who_said_one() {
        let summary = summary(&[Some(8), None, Some(7), Some(8)], 4);
        assert_eq!(summary.average, Some(7.67));
        assert_eq!((summary.min, summary.max, summary.count, summary.total_models), (Some(7), Some(8), 3, 4));
        assert_eq!(summary.distribution, BTreeMap::from([(7, 1), (8, 2)]));
        assert_eq!(super::summary(&[None], 1).average, None);
    }

    proptest! {
        #[test]
        fn what_streams_is_what_is_stored(
            lines in prop::collection::vec(prop_oneof!["[a-zA-Z :*]{0,12}", "(```|~~~~)[a-z`]{0,2}", "\\*{0,2}CONFIDENCE:? ?[0-9/ ]{0,5}", "\\PC{0,9}"], 0..6),
            sizes in prop::collection::vec(1usize..6, 1..4),
        ) {
            let text = lines.join("\n");
            let streamed = in_pieces(&mut Filter::default(), &text, &sizes);
            prop_assert_eq!(streamed.trim_end(), parse(&text).0);
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let (shown, score) = parse(&text);
            prop_assert!(shown.len() <= text.len());
            prop_assert!(score.is_none_or(|score| (1..=10).contains(&score)));
        }
    }
}
