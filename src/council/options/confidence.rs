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
/// The most that stands behind the colon of a line that gives no score in a form that is read (`80%`), in characters.
const LONGEST_UNREAD: usize = 12;
const RULE: Rule = Rule {
    may_become,
    is: |line| may_become(line) && read(line).is_some(),
    is_at_the_end: |line| {
        may_become(line)
            && said(line).is_some_and(|said| is_short(&said) && said.contains(|c: char| c.is_ascii_digit()))
    },
    and_all_after: false,
    longest: SHORT,
};

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
    /// The scores in three bands; absent in what was stored before there were bands.
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

/// Reads the scores as the texts that JSON's keys are: inside an enum that is read by its `type`, as events are,
/// serde does not take them for numbers by itself.
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
/// halves are rounded up. So is what is no score but has a digit (`80%`, `7-8`), which is taken out as the last line only:
/// elsewhere it may be part of the answer. A line inside a block of code stays, and counts only at the very end: some
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

    fn restart(&mut self) {
        self.0.restart();
    }
}

/// What a confidence line says, in small letters and with plain digits; none where it is no such line.
fn said(line: &str) -> Option<String> {
    let line = bare(line).to_lowercase();
    let said = bare(line.strip_prefix(WORD)?).strip_prefix([':', '：'])?;
    let plain = |c: char| match c {
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
        c => c,
    };
    Some(said.chars().map(plain).collect())
}

/// Reads a confidence line: `None` when it gives no score, `Some(None)` when its score is out of range.
#[expect(clippy::option_option, reason = "no line, a line without a usable score, a score")]
fn read(line: &str) -> Option<Option<u8>> {
    let mark =
        |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '`' | '>' | '—' | '[' | ']' | '(' | ')');
    let said = said(line)?;
    let score = said.trim_matches(mark).trim_end_matches('.').trim_matches(mark);
    let score =
        ["/10", "/ 10", "out of 10"].iter().find_map(|scale| score.strip_suffix(scale)).unwrap_or(score);
    let score = score.trim_matches(mark);
    let number: f64 = score.strip_prefix("- ").unwrap_or(score).parse().ok()?;
    let rounded = (number + 0.5).floor();
    number.is_finite().then(|| (1..=10u8).find(|score| (f64::from(*score) - rounded).abs() < f64::EPSILON))
}

fn is_short(said: &str) -> bool {
    said.trim().chars().count() <= LONGEST_UNREAD
}

fn may_become(line: &str) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    if said(line).is_some_and(|said| is_short(&said)) {
        return true;
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
#[path = "confidence_tests.rs"]
mod tests;
