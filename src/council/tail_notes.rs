//! Notes that a model appends to its text under a marker line (`COUNCIL NOTES:`), one per line, each beginning with
//! a word for its kind.

use super::line_filter::{LineFilter, Rule, SHORT, bare, last_block};
use super::view::TextFilter;

const NOTHING: [&str; 6] = ["none", "n/a", "nothing", "no", "none.", "-"];

/// A format of notes: several lists, each with the words that introduce its items.
pub(super) trait TailNotes: Default + PartialEq {
    /// The marker line above the notes, in lower case.
    const MARKER: &'static str;

    /// The list for notes that begin with this word, given in lower case.
    fn list(&mut self, word: &str) -> Option<&mut Vec<String>>;

    /// Called once all notes are sorted into their lists.
    fn sorted(&mut self) {}
}

const fn rule<N: TailNotes>() -> Rule {
    Rule {
        may_become: |line| may_become(N::MARKER, line),
        is: |line| is(N::MARKER, line),
        is_at_the_end: |_| false,
        and_all_after: true,
        longest: SHORT,
    }
}

/// Splits a text into its body and its notes, where there are any.
pub(super) fn parse<N: TailNotes>(text: &str) -> (String, Option<N>) {
    let (said, notes) = split(rule::<N>(), text);
    let notes = notes.map(|notes| {
        let mut sorted = N::default();
        sort(&mut sorted, &notes);
        sorted.sorted();
        sorted
    });
    (said, notes.filter(|notes| *notes != N::default()))
}

/// Holds the notes back while the text streams.
pub(super) fn filter<N: TailNotes>() -> impl TextFilter + 'static {
    Filter { lines: LineFilter::new(rule::<N>()), anything: false }
}

/// Whether a line is this marker, which is given in lower case.
fn is(marker: &str, line: &str) -> bool {
    let line = bare(line).to_lowercase();
    line.trim_end_matches([':', '*', '_', ' ']) == marker
}

/// Whether more text could still turn this beginning of a line into the marker.
fn may_become(marker: &str, line: &str) -> bool {
    let line = bare(line).to_lowercase();
    marker.starts_with(line.as_str())
        || line
            .strip_prefix(marker)
            .is_some_and(|rest| rest.len() < 8 && rest.chars().all(|c| ": *_`#".contains(c)))
}

/// Splits a text into its body and its notes, marker line included. A text of nothing but notes counts as the body, so
/// that nothing that was written is lost. Notes in a code block at the end are read, and stay in the body.
fn split(rule: Rule, text: &str) -> (String, Option<String>) {
    let (said, notes) = LineFilter::split(rule, text);
    if notes.is_empty()
        && let Some(block) = last_block(text)
        && block.lines().next().is_some_and(rule.is)
    {
        return (said.trim_end().to_owned(), Some(block.to_owned()));
    }
    let said = said.trim_end();
    if said.trim().is_empty() {
        return (text.trim().to_owned(), None);
    }
    (said.to_owned(), Some(notes))
}

/// Sorts notes into the lists of their words. A line without a word goes to the list of the one before.
fn sort<N: TailNotes>(sorted: &mut N, notes: &str) {
    let mut current: Option<String> = None;
    for line in notes.lines().skip(1) {
        let line = bare(line.trim_start_matches(['•', '*', '-', ' ']));
        let labelled = line.split_once(':').map(|(name, text)| (bare(name).to_lowercase(), bare(text)));
        let (name, text) = match labelled {
            Some((name, text)) if sorted.list(&name).is_some() => {
                current = Some(name.clone());
                (name, text)
            }
            // An item of a list under a word without text of its own.
            Some(_) | None => match &current {
                Some(name) => (name.clone(), line),
                None => continue,
            },
        };
        if text.is_empty() || NOTHING.contains(&text.to_lowercase().as_str()) {
            continue;
        }
        if let Some(list) = sorted.list(&name) {
            list.push(text.to_owned());
        }
    }
}

struct Filter {
    lines: LineFilter,
    anything: bool,
}

impl TextFilter for Filter {
    fn push(&mut self, text: &str) -> String {
        let shown = self.lines.push(text);
        self.anything |= !shown.trim().is_empty();
        shown
    }

    fn finish(&mut self) -> String {
        let shown = self.lines.finish();
        if self.anything || !shown.trim().is_empty() { shown } else { shown + self.lines.taken() }
    }

    fn restart(&mut self) {
        self.lines.restart();
        self.anything = false;
    }
}
