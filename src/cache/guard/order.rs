//! Compares the places of words: who did what to whom, from where to where.

use super::lists::{COORDINATORS, DIRECTIONS, NAMES};
use super::reading::Reading;
use super::stems::Content;

/// Longer texts are not searched for swapped words; there every difference in order counts.
const MAX_WORDS: usize = 400;

pub fn agree(one: &Reading, other: &Reading) -> bool {
    let stems =
        |reading: &Reading| -> Vec<String> { reading.content.iter().map(|word| word.stem.clone()).collect() };
    let (first, second) = (stems(one), stems(other));
    if first == second {
        return true;
    }
    if first.len().max(second.len()) > MAX_WORDS {
        let sorted = |mut stems: Vec<String>| {
            stems.sort_unstable();
            stems
        };
        return sorted(first) != sorted(second);
    }
    !has_swap(one, other) && !has_other_directions(one, other) && !has_names_turned(one, other)
}

/// The small words from one content word to another.
fn between<'a>(reading: &'a Reading, from: &Content, to: &Content) -> Vec<&'a str> {
    let between = reading.tokens.get(from.at + 1..to.at).unwrap_or_default();
    let words = between.iter().map(|token| token.small.as_str());
    words
        .filter(|word| !matches!(*word, "the" | "a" | "an" | "der" | "die" | "das" | "den" | "dem" | "\""))
        .collect()
}

fn is_coordinated(between: &[&str]) -> bool {
    !between.is_empty() && between.iter().all(|word| COORDINATORS.split(' ').any(|entry| entry == *word))
}

/// Two words stand in each other's place, with the same between them: "is Rust faster than Python". With an "and" or an
/// "or" between them it does not matter.
fn has_swap(one: &Reading, other: &Reading) -> bool {
    let once = |content: &[Content], stem: &str| content.iter().filter(|word| word.stem == stem).count() == 1;
    one.content.iter().enumerate().any(|(at, first)| {
        let Some(place) = other.content.iter().position(|word| word.stem == first.stem) else { return false };
        if !once(&one.content, &first.stem) || !once(&other.content, &first.stem) {
            return false;
        }
        one.content.iter().skip(at + 1).any(|second| {
            let before = other.content.iter().take(place).find(|word| word.stem == second.stem);
            before.is_some_and(|swapped| {
                let own = between(one, first, second);
                let theirs =
                    other.content.get(place).map(|word| between(other, swapped, word)).unwrap_or_default();
                own == theirs && !is_coordinated(&own) && is_whole_swap(one, other, first, second)
            })
        })
    })
}

/// Whether nothing else changes its place, so that the two are swapped and not the parts of the sentence they stand in.
fn is_whole_swap(one: &Reading, other: &Reading, first: &Content, second: &Content) -> bool {
    let swapped = |stem: &str| {
        if stem == first.stem {
            second.stem.clone()
        } else if stem == second.stem {
            first.stem.clone()
        } else {
            stem.to_owned()
        }
    };
    let own: Vec<String> = one.content.iter().map(|word| swapped(&word.stem)).collect();
    own.iter().eq(other.content.iter().map(|word| &word.stem))
}

/// A word stands after "from" in the one and after "to" in the other.
fn has_other_directions(one: &Reading, other: &Reading) -> bool {
    let after = |reading: &Reading, content: &Content| {
        let before: Vec<&str> = reading
            .tokens
            .get(..content.at)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(2)
            .map(|token| token.small.as_str())
            .collect();
        before
            .iter()
            .find_map(|word| DIRECTIONS.iter().position(|words| words.split(' ').any(|entry| entry == *word)))
    };
    one.content.iter().any(|own| {
        let mut theirs = other.content.iter().filter(|word| word.stem == own.stem).peekable();
        let is_there = theirs.peek().is_some();
        let direction = after(one, own);
        is_there
            && direction.is_some()
            && theirs.all(|word| after(other, word).is_some_and(|theirs| Some(theirs) != direction))
    })
}

/// The names that both know come in another order, unless an "and" or an "or" joins them in both.
fn has_names_turned(one: &Reading, other: &Reading) -> bool {
    let names = |reading: &Reading, of: &Reading| -> Vec<Content> {
        let is_name = |word: &&Content| NAMES.contains(word.word.as_str());
        let is_shared = |word: &&Content| of.content.iter().any(|theirs| theirs.stem == word.stem);
        reading.content.iter().filter(is_name).filter(is_shared).cloned().collect()
    };
    let joined = |reading: &Reading, names: &[Content]| {
        names
            .iter()
            .zip(names.iter().skip(1))
            .all(|(first, second)| is_coordinated(&between(reading, first, second)))
    };
    let (first, second) = (names(one, other), names(other, one));
    let stems = |names: &[Content]| -> Vec<String> { names.iter().map(|name| name.stem.clone()).collect() };
    stems(&first) != stems(&second) && !(joined(one, &first) && joined(other, &second))
}
