//! Who moved: whether the debate has changed a speaker's position, asked for as a last line and taken out of
//! the shown text.

use std::ops::Range;

use super::statement::PositionChange;
use crate::council::line_filter::{LineFilter, Rule, bare, last_block};
use crate::council::prompts::template::Template;
use crate::council::view::TextFilter;

/// What is added where a speaker writes an answer of its own after it has read the others.
pub static SUFFIX: Template = Template {
    name: "debate_position",
    about: "What stands after the prompt of a speaker that has heard the others: whether they changed its position.",
    text: "\n\n---\nAfter your text, add one last line that says whether the debate has changed your position on the \
        question, in exactly one of these forms:\n\
        POSITION: UNCHANGED\n\
        POSITION: CHANGED after <whose argument it was>: <in one sentence, what changed and why>",
    places: &[],
    marks: &["POSITION: UNCHANGED", "POSITION: CHANGED after"],
};

const WORD: &str = "position";
/// The sentence in it may be long; in bytes.
const LONGEST: usize = 600;
const RULE: Rule = Rule {
    may_become,
    is: |line| read(line).is_some(),
    is_at_the_end: |_| false,
    and_all_after: false,
    longest: LONGEST,
};

/// Takes the lines out of a text; the last one counts. `labels` are those of the other speakers.
#[must_use]
pub fn parse(text: &str, labels: &[&str]) -> (String, PositionChange) {
    let (shown, taken) = LineFilter::split(RULE, text);
    let shown = shown.trim_end();
    let left = last_block(shown).or_else(|| shown.lines().last()).filter(|line| may_become(line));
    let said = taken.lines().last().or(left).and_then(read);
    let Some((changed, rest)) = said else { return (shown.to_owned(), PositionChange::default()) };
    let (whose, why) = if changed { source(&rest, labels) } else { ("", bare(&rest)) };
    let named = labels.iter().filter(|label| names(whose, label, labels));
    let after = named.map(|label| (*label).to_owned()).collect();
    let position = PositionChange { changed: Some(changed), after, why: why.to_owned() };
    (shown.to_owned(), position)
}

/// Holds such lines back while a text streams.
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

/// Whether the line says that the position changed, and what follows that word.
fn read(line: &str) -> Option<(bool, String)> {
    let line = bare(line);
    let rest = strip(line, WORD)?;
    let rest = bare(bare(rest).strip_prefix([':', '：'])?);
    let (changed, rest) = strip(rest, "unchanged")
        .map(|rest| (false, rest))
        .or_else(|| strip(rest, "not changed").map(|rest| (false, rest)))
        .or_else(|| strip(rest, "changed").map(|rest| (true, rest)))?;
    let goes_on = rest.chars().next().is_some_and(char::is_alphanumeric);
    (!goes_on).then(|| {
        (changed, rest.trim_matches(['*', '_', '`', ' ', '.', ',', ';', ':', '-', '–', '—']).to_owned())
    })
}

/// `after B: it holds` as whose argument it was, and why. Labels may be ids of models, which have colons and full stops.
fn source<'r>(rest: &'r str, labels: &[&str]) -> (&'r str, &'r str) {
    let Some(whose) = strip(rest, "after") else { return ("", rest) };
    let is_inside =
        |at: usize| labels.iter().any(|label| places(whose, label).any(|place| place.contains(&at)));
    let first = |end: &&str| {
        let mut found = whose.match_indices(*end).map(|(at, _)| at);
        found.find(|at| !is_inside(*at)).map(|at| (at, end.len()))
    };
    let cut = [":", ";", " because ", " – ", " — ", " - ", ". "].iter().filter_map(first).min();
    match cut {
        Some((at, length)) => {
            let why = whose.get(at + length..).unwrap_or_default();
            (whose.get(..at).unwrap_or_default(), why.trim())
        }
        None => (whose, ""),
    }
}

fn strip<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let start = line.get(..word.len())?;
    start.eq_ignore_ascii_case(word).then(|| line.get(word.len()..)).flatten()
}

/// Whether this label stands in the text as a word of its own, and not as the beginning of a longer one. Of `Participant B`
/// the letter alone will do.
fn names(text: &str, label: &str, labels: &[&str]) -> bool {
    let letter = label.strip_prefix("Participant ");
    let is_in_a_longer_one = |place: &Range<usize>| {
        let longer = labels.iter().filter(|other| other.len() > label.len());
        longer.flat_map(|other| places(text, other)).any(|it| it.start <= place.start && place.end <= it.end)
    };
    [Some(label), letter].into_iter().flatten().any(|name| {
        places(text, name).any(|place| {
            let before = text.get(..place.start).and_then(|before| before.chars().next_back());
            let after = text.get(place.end..).and_then(|after| after.chars().next());
            ![before, after].into_iter().flatten().any(char::is_alphanumeric) && !is_in_a_longer_one(&place)
        })
    })
}

/// Where this stands in a text, in bytes.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(name).map(|(at, found)| at..at + found.len())
}

fn may_become(line: &str) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let line = bare(line).to_lowercase();
    let Some(rest) = line.strip_prefix(WORD) else { return WORD.starts_with(&line) };
    let rest = bare(rest);
    let Some(rest) = rest.strip_prefix([':', '：']) else { return rest.is_empty() };
    let rest = bare(rest);
    ["unchanged", "not changed", "changed"]
        .iter()
        .any(|word| word.starts_with(rest) || rest.starts_with(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::line_filter::tests::in_pieces;

    fn said(line: &str) -> PositionChange {
        parse(&format!("I hold on.\n{line}"), &["B", "C", "Participant D"]).1
    }

    fn change(after: &[&str], why: &str) -> PositionChange {
        let after = after.iter().map(|label| (*label).to_owned()).collect();
        PositionChange { changed: Some(true), after, why: why.into() }
    }

    #[test]
    fn the_last_line_says_who_moved_whom() {
        let unchanged = PositionChange { changed: Some(false), ..PositionChange::default() };
        for line in [
            "POSITION: UNCHANGED",
            "**Position:** unchanged.",
            "POSITION: NOT CHANGED",
            "`position: Unchanged`",
        ] {
            assert_eq!(said(line), unchanged, "{line}");
        }
        assert_eq!(
            said("POSITION: CHANGED after B: the bridge is older"),
            change(&["B"], "the bridge is older")
        );
        assert_eq!(
            said("**POSITION: CHANGED after B and C: both are right**"),
            change(&["B", "C"], "both are right")
        );
        assert_eq!(
            said("Position: changed after Participant D because it rains"),
            change(&["Participant D"], "it rains")
        );
        assert_eq!(said("POSITION: CHANGED after D's point"), change(&["Participant D"], ""));
        assert_eq!(said("POSITION: CHANGED"), change(&[], ""));
        assert_eq!(
            said("POSITION: CHANGED: A better look at C"),
            change(&[], "A better look at C"),
            "nobody is named"
        );
        for none in ["POSITION: I hold that it rains", "Positions: changed", "POSITION: changedness", ""] {
            assert_eq!(said(none), PositionChange::default(), "{none}");
        }
    }

    #[test]
    fn speakers_that_are_called_as_their_models_are_told_apart() {
        let labels = ["openai/gpt-5", "openai/gpt-5.1", "bedrock:maker/one"];
        let said = |rest: &str| parse(&format!("I hold on.\nPOSITION: CHANGED after {rest}"), &labels).1;
        for (rest, after, why) in [
            ("openai/gpt-5.1: it is older", vec!["openai/gpt-5.1"], "it is older"),
            ("openai/gpt-5: it is older", vec!["openai/gpt-5"], "it is older"),
            (
                "openai/gpt-5 and openai/gpt-5.1. Both measured it",
                vec!["openai/gpt-5", "openai/gpt-5.1"],
                "Both measured it",
            ),
            ("bedrock:maker/one: it is older", vec!["bedrock:maker/one"], "it is older"),
            ("gpt-5.1: it is older", vec![], "it is older"),
        ] {
            assert_eq!(said(rest), change(&after, why), "{rest}");
        }
    }

    #[test]
    fn the_line_is_not_shown_and_the_last_one_counts() {
        let (shown, position) = parse("POSITION: CHANGED after B: x\nText.\n\nPOSITION: UNCHANGED\n", &["B"]);
        assert_eq!(shown, "Text.");
        assert_eq!(position.changed, Some(false));
    }

    proptest! {
        #[test]
        fn no_text_stops_it_and_what_streams_is_what_is_kept(
            text in ".{0,80}(\nPOSITION: (UN)?CHANGED( after B: x)?)?.{0,20}",
            sizes in prop::collection::vec(1..9_usize, 1..5),
        ) {
            let (shown, _) = parse(&text, &["B"]);
            let streamed = in_pieces(&mut Filter::default(), &text, &sizes);
            prop_assert_eq!(streamed.trim_end(), shown);
        }
    }
}
