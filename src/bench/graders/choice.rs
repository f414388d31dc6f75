//! Multiple choice: the letter of an option, or its text.

use unicode_normalization::UnicodeNormalization as _;

use super::candidates::{candidates, clean};
use super::grader::{Grader, Grading, Verdict};
use crate::bench::question::Question;

pub(super) static GRADER: Grader = Grader {
    name: "choice",
    ending: Some("End with a line of its own: \"Answer: \" and the letter of the right option alone."),
    problem,
    grading: Grading::Text(grade),
};

fn problem(question: &Question) -> Option<String> {
    if question.choices.len() < 2 {
        return Some("it has no choices".to_owned());
    }
    let is_letter = |answer: &String| letter(answer, question.choices.len()).is_some();
    let are_letters = !question.answers.is_empty() && question.answers.iter().all(is_letter);
    (!are_letters).then(|| "its answer is not the letter of an option".to_owned())
}

fn grade(question: &Question, text: &str) -> Verdict {
    let options = question.choices.len();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).map(clean).unwrap_or_default();
    let marked = candidates(text).into_iter();
    let said = marked
        .map(|candidate| letter(&candidate, options).or_else(|| by_text(question, &candidate)))
        .chain([alone(&last, options), by_text(question, &last)])
        .flatten()
        .next();
    let Some(said) = said else { return Verdict::Unreadable };
    Verdict::of(question.answers.iter().any(|answer| letter(answer, options) == Some(said)))
}

/// The letter that a text begins with: `B`, `(B)`, `B. Paris`, `option B`; not the first letter of a word; none where
/// the text names two.
fn letter(text: &str, options: usize) -> Option<char> {
    let lower = text.to_lowercase();
    let skipped = ["option ", "choice ", "letter "].iter().find(|word| lower.starts_with(**word));
    let text = text.get(skipped.map_or(0, |word| word.len())..)?.trim_start();
    let bare = text.trim_start_matches(['(', '[', '{', '*', '$']);
    let mut chars = bare.chars();
    let first = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str();
    if rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-')) {
        return None;
    }
    // "a good one" begins with no letter of an option.
    let is_marked =
        bare.len() < text.len() || rest.trim().is_empty() || rest.starts_with([')', ']', '.', ':']);
    if first.is_ascii_lowercase() && !is_marked {
        return None;
    }
    let letters: Vec<char> = ('A'..='Z').take(options).collect();
    let found = letters.iter().copied().find(|letter| *letter == first.to_ascii_uppercase())?;
    let names_another = |word: &str| {
        let mut word = word.trim_matches(|c: char| !c.is_alphanumeric()).chars();
        matches!((word.next(), word.next()), (Some(other), None) if other != found && letters.contains(&other))
    };
    let rest = rest.trim_start_matches([')', ']', '}', '*', '$']).trim_start();
    let joins =
        [",", "/", "&", "or ", "and ", "oder ", "und "].iter().find_map(|word| rest.strip_prefix(word));
    match joins.and_then(|rest| rest.split_whitespace().next()) {
        Some(next) if names_another(next) => None,
        _ => Some(found),
    }
}

/// A text that is a letter and nothing else.
fn alone(text: &str, options: usize) -> Option<char> {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.chars().count() == 1 { letter(bare, options) } else { None }
}

/// The one option that a text repeats.
fn by_text(question: &Question, text: &str) -> Option<char> {
    let said = plain(text);
    let mut same =
        ('A'..='Z').zip(&question.choices).filter(|(_, choice)| plain(choice) == said && !said.is_empty());
    match (same.next(), same.next()) {
        (Some((letter, _)), None) => Some(letter),
        _ => None,
    }
}

fn plain(text: &str) -> String {
    let words = text.nfkc().flat_map(char::to_lowercase).collect::<String>();
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join(" ").trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}
