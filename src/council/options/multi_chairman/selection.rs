//! The supreme chairman's choice, read from its text. It is asked for four parts: `EVALUATION:`,
//! `SELECTED: B`, `REASONING:`, `FINAL RESPONSE:`; models write them in many variants.

use crate::council::line_filter::bare;

/// What a text chooses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The draft it names; none when no letter can be read, or several.
    pub selected: Option<char>,
    pub reasoning: Option<String>,
    /// The final answer it writes itself; none when it leaves the draft as it is.
    pub response: Option<String>,
    /// Everything but the final answer, as it was written.
    pub deliberation: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    Evaluation,
    Selected,
    Reasoning,
    Response,
}

const HEADINGS: [(&str, Part); 8] = [
    ("EVALUATION", Part::Evaluation),
    ("SELECTED DRAFT", Part::Selected),
    ("SELECTED SYNTHESIS", Part::Selected),
    ("SELECTED", Part::Selected),
    ("SELECTION", Part::Selected),
    ("REASONING", Part::Reasoning),
    ("FINAL RESPONSE", Part::Response),
    ("FINAL ANSWER", Part::Response),
];

/// Words that only point at a draft. A final answer made of nothing else is none.
const POINTING: [&str; 20] = [
    "as",
    "above",
    "copy",
    "draft",
    "empty",
    "is",
    "it",
    "n",
    "no",
    "none",
    "nothing",
    "of",
    "same",
    "see",
    "selected",
    "stands",
    "synthesis",
    "the",
    "unchanged",
    "written",
];

/// Reads a choice among the drafts with these labels.
#[must_use]
pub fn parse(text: &str, labels: &[char]) -> Choice {
    let mut choice = Choice::default();
    let (mut reasoning, mut response) = (String::new(), String::new());
    let mut part = Part::Before;
    // A `SELECTED:` alone on its line is followed by the letter.
    let mut awaited = false;
    for line in text.lines() {
        let heading = heading(line).filter(|(next, rest)| match part {
            // The final answer goes to the end, whatever its lines look like; only a choice that has
            // not been made yet can follow it.
            Part::Response => {
                *next == Part::Selected && choice.selected.is_none() && letter(rest, labels).is_some()
            }
            Part::Before | Part::Evaluation | Part::Selected | Part::Reasoning => true,
        });
        let content = match heading {
            Some((next, rest)) => {
                part = next;
                awaited = next == Part::Selected;
                rest
            }
            None => line,
        };
        match part {
            Part::Selected if awaited && !content.trim().is_empty() => {
                choice.selected = letter(content, labels).or(choice.selected);
                awaited = false;
            }
            Part::Reasoning => push(&mut reasoning, content),
            Part::Response => push(&mut response, content),
            Part::Before | Part::Evaluation | Part::Selected => {}
        }
        if part != Part::Response {
            push(&mut choice.deliberation, line);
        }
    }
    choice.deliberation = choice.deliberation.trim().to_owned();
    choice.reasoning = Some(reasoning.trim().to_owned()).filter(|text| !text.is_empty());
    choice.response = Some(response.trim().to_owned()).filter(|text| !only_points(text, labels));
    choice
}

/// The one label that a line names. Two of them are no choice, but for `B, because A is wrong`.
#[must_use]
pub fn letter(line: &str, labels: &[char]) -> Option<char> {
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let label = |word: &str| {
        let mut chars = word.chars();
        chars.next().filter(|first| chars.next().is_none() && labels.contains(first))
    };
    let named: Vec<char> = words.iter().filter_map(|word| label(word)).collect();
    match named[..] {
        // A small letter counts only alone: within a sentence it is an article.
        [] => words.last().and_then(|word| label(&word.to_ascii_uppercase())).filter(|_| words.len() <= 2),
        [one] => Some(one),
        [first, ..] if named.iter().all(|one| *one == first) => Some(first),
        [first, ..] => {
            let at = words.iter().position(|word| label(word) == Some(first))?;
            let because = ["because", "since", "as", "for", "is", "being"];
            (at <= 1 && words.get(at + 1).is_some_and(|next| because.contains(next))).then_some(first)
        }
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A heading line, and what follows it on the same line.
fn heading(line: &str) -> Option<(Part, &str)> {
    let line = bare(line).trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let line = bare(line);
    HEADINGS.iter().find_map(|(name, part)| {
        let start = line.get(..name.len())?;
        let rest = line.get(name.len()..)?;
        if !start.eq_ignore_ascii_case(name) {
            return None;
        }
        let rest = rest.trim_start_matches(['*', '_', '`', ' ']);
        match rest.strip_prefix([':', '：']) {
            Some(rest) => Some((*part, rest.trim_start_matches(['*', '_', '`', ' ']))),
            // A Markdown heading needs no colon, but then nothing may follow it.
            None => rest.is_empty().then_some((*part, "")),
        }
    })
}

fn only_points(text: &str, labels: &[char]) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        let word = word.to_lowercase();
        let is_label = labels.iter().any(|label| word.eq_ignore_ascii_case(label.encode_utf8(&mut [0; 4])));
        is_label || POINTING.contains(&word.as_str())
    })
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
