//! Citations in a text: numbers in square brackets, as in `[2]`, `[2, 3]` and `[2][3]`. Not inside code, and not where
//! the brackets are a link's (`[2](…)`) or a footnote's (`[^2]`). Many models write them without a space, as in `word[2]`.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A number with more digits is not a source's.
const MAX_DIGITS: usize = 4;
/// Brackets with more between them, in bytes, cite nothing.
const MAX_INSIDE: usize = 400;

/// What a text cites.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Citations {
    /// The numbers of sources that it cites, each once, in their order.
    pub cited: Vec<u32>,
    /// The numbers that it cites and that no source has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<u32>,
}

impl Citations {
    /// What a text cites of these sources; none where it cites nothing, or had nothing to cite.
    #[must_use]
    pub fn of(text: &str, known: &BTreeSet<u32>) -> Option<Self> {
        if known.is_empty() {
            return None;
        }
        let all: BTreeSet<u32> = marks(text).into_iter().flat_map(|mark| mark.numbers).collect();
        let (cited, unknown): (Vec<u32>, Vec<u32>) = all.into_iter().partition(|n| known.contains(n));
        (!cited.is_empty() || !unknown.is_empty()).then_some(Self { cited, unknown })
    }
}

/// One pair of brackets with what is cited in it.
struct Mark {
    /// In bytes, brackets included.
    start: usize,
    end: usize,
    numbers: Vec<u32>,
}

/// Renumbers the citations of a text whose author counted its own sources. A number without a source is removed.
#[must_use]
pub fn renumber(text: &str, number: impl Fn(u32) -> Option<u32>) -> String {
    let mut renumbered = String::with_capacity(text.len());
    let mut end = 0;
    for mark in marks(text) {
        renumbered.push_str(text.get(end..mark.start).unwrap_or_default());
        let mut numbers: Vec<u32> = Vec::new();
        for n in mark.numbers.into_iter().filter_map(&number) {
            if !numbers.contains(&n) {
                numbers.push(n);
            }
        }
        renumbered.extend(numbers.into_iter().map(|n| format!("[{n}]")));
        end = mark.end;
    }
    renumbered.push_str(text.get(end..).unwrap_or_default());
    renumbered
}

/// Where a text cites what, in order: from and to which byte, and the numbers there.
pub fn places(text: &str) -> impl Iterator<Item = (Range<usize>, Vec<u32>)> {
    marks(text).into_iter().map(|mark| (mark.start..mark.end, mark.numbers))
}

/// Every citation of a text, in order.
fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut code = Code::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !code.takes(line) {
            let spans = code_spans(line);
            for (start, _) in line.match_indices('[') {
                // They stand in order, and a line may have a hundred thousand of both.
                let next = spans.partition_point(|span| span.end <= start);
                if spans.get(next).is_some_and(|span| span.contains(&start)) {
                    continue;
                }
                if let Some((length, numbers)) = mark_at(line, start) {
                    marks.push(Mark { start: at + start, end: at + start + length, numbers });
                }
            }
        }
        at += line.len();
    }
    marks
}

/// The citation that begins here, and its length in bytes.
fn mark_at(line: &str, start: usize) -> Option<(usize, Vec<u32>)> {
    let before = line.get(..start)?.chars().next_back();
    if before.is_some_and(|c| matches!(c, '\\' | '!' | '[')) {
        return None;
    }
    let rest = line.get(start + 1..)?;
    // No further: a line may open a hundred thousand brackets and close none.
    let close = rest.get(..rest.floor_char_boundary(MAX_INSIDE + 1))?.find(']')?;
    let (inside, after) = (rest.get(..close)?, rest.get(close + 1..)?);
    if after.starts_with(['(', ':']) {
        return None;
    }
    let numbers: Option<Vec<u32>> = inside
        .split(',')
        .map(|n| {
            let n = n.trim();
            let plain = !n.is_empty() && n.len() <= MAX_DIGITS && n.bytes().all(|b| b.is_ascii_digit());
            n.parse().ok().filter(|n| plain && *n > 0)
        })
        .collect();
    Some((inside.len() + 2, numbers?))
}

/// Blocks of code between fences of back ticks or tildes.
#[derive(Default)]
struct Code {
    open: Option<(char, usize)>,
}

impl Code {
    /// Whether this line is one of code, or of a fence.
    fn takes(&mut self, line: &str) -> bool {
        let trimmed = line.trim_start();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| trimmed.chars().take_while(|c| *c == mark).count());
        match (self.open, mark.filter(|_| length >= 3)) {
            (None, Some(mark)) => {
                self.open = Some((mark, length));
                true
            }
            (None, None) => false,
            (Some((open, least)), Some(mark)) if mark == open && length >= least => {
                self.open = None;
                true
            }
            (Some(_), _) => true,
        }
    }
}

/// Where a line has code between back ticks, in bytes.
fn code_spans(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut rest = 0;
    while let Some(start) = line.get(rest..).and_then(|text| text.find('`')).map(|at| rest + at) {
        let ticks = line.get(start..).map_or(0, |text| text.bytes().take_while(|b| *b == b'`').count());
        let inside = start + ticks;
        let fence = "`".repeat(ticks);
        let Some(end) = line.get(inside..).and_then(|text| text.find(&fence)).map(|at| inside + at + ticks)
        else {
            rest = inside;
            continue;
        };
        spans.push(start..end);
        rest = end;
    }
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(text: &str) -> Vec<u32> {
        marks(text).into_iter().flat_map(|mark| mark.numbers).collect()
    }

    #[test]
    fn numbers_in_brackets_are_citations() {
        assert_eq!(numbers("It grew.[1] It shrank [2, 3] and then [4][5]."), [1, 2, 3, 4, 5]);
        assert_eq!(numbers("[1] begins a line\n**bold**[2] in 2024[3]"), [1, 2, 3]);
    }

    #[test]
    fn code_links_and_footnotes_are_none() {
        for text in [
            "`a[1]` and `[2]`",
            "```\nx = [1]\n```",
            "~~~~ rust\n[1]\n~~~\n[2]\n~~~~",
            "[1](https://example.org)",
            "[1]: https://example.org",
            "[^1]",
            "list[0]",
            "[12345]",
            "[a] [] [1-2] [1.5] ![1]",
            "\\[1]",
        ] {
            assert_eq!(numbers(text), [0; 0], "{text}");
        }
        assert_eq!(numbers("``a ` [1]`` [2] ` [3]"), [2, 3]);
    }

    #[test]
    fn what_no_source_has_is_counted_apart() {
        let known = BTreeSet::from([1, 2, 3]);
        let citations = Citations::of("A [2][9], b [1], c [2] [11].", &known).unwrap();
        assert_eq!(citations, Citations { cited: vec![1, 2], unknown: vec![9, 11] });
        assert_eq!(Citations::of("Nothing.", &known), None);
        assert_eq!(Citations::of("See [1].", &BTreeSet::new()), None);
    }

    #[test]
    fn a_text_gets_the_numbers_of_the_run() {
        let number = |n| match n {
            1 => Some(7),
            2 => Some(3),
            3 => Some(7),
            _ => None,
        };
        assert_eq!(renumber("A[1], b [2, 3] and c [4].", number), "A[7], b [3][7] and c .");
        assert_eq!(renumber("`[1]` stays.", number), "`[1]` stays.");
    }

    #[test]
    fn a_line_of_nothing_but_brackets_takes_no_longer_than_others() {
        // If each were compared with all others, or followed to the end, these would take minutes.
        assert_eq!(numbers(&"[a".repeat(500_000)), [0; 0]);
        assert_eq!(numbers(&"`[2]`[1] ".repeat(100_000)), vec![1; 100_000]);
        let many: Vec<String> = (1..=60).map(|n| n.to_string()).collect();
        assert_eq!(numbers(&format!("[{}]", many.join(", "))).len(), 60);
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(text in "(\\[|\\]|[0-9]|,|`|~|\n| |a|\\(|ü){0,60}") {
            let same = renumber(&text, Some);
            prop_assert_eq!(numbers(&same), numbers(&renumber(&same, Some)));
        }
    }
}
