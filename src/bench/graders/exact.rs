//! Compares the words of two texts, whatever their capitals, spaces and punctuation around them.

use unicode_normalization::UnicodeNormalization as _;

use super::candidates::{candidates, clean};
use super::grader::{Grader, Grading, Verdict};
use crate::bench::question::Question;

pub(super) static GRADER: Grader = Grader {
    name: "exact",
    ending: Some("End with a line of its own: \"Answer: \" and the answer alone, as short as it can be."),
    problem: |question| question.answers.is_empty().then(|| "it has no answer".to_owned()),
    grading: Grading::Text(grade),
};

fn grade(question: &Question, text: &str) -> Verdict {
    // Without a mark the last line is the answer: a short reply has only one.
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let Some(said) = candidates(text).into_iter().next().or_else(|| last.map(clean)) else {
        return Verdict::Unreadable;
    };
    let said = plain(&said);
    if said.is_empty() {
        return Verdict::Unreadable;
    }
    Verdict::of(question.answers.iter().any(|answer| plain(&clean(answer)) == said))
}

/// Compatible characters as one, lower case, single spaces, nothing but letters, digits and signs at the ends.
fn plain(text: &str) -> String {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at_the_end = |c: char| {
        c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '’' | '‘')
    };
    text.trim_matches(at_the_end).to_owned()
}
