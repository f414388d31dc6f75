//! What is asked, opposites, and the words that only one of the two texts has.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::lists::{ASKING, MODALS, PARTICLES, REASONS, SIDES_OF, SPECIFIC, TENSES};
use super::reading::Reading;
use super::stems::{leftovers, stem};
use super::tokens::Kind;

/// With so many of their words in common, nearness says little about the others.
const MANY_IN_COMMON: (usize, usize) = (1, 2);

/// How many words at one place may replace each other.
const AT_ONE_PLACE: usize = 2;

/// Beginnings that turn a word into its opposite.
const TURNING: &[&str] = &["un", "in", "im", "il", "ir", "dis", "non", "de", "mis"];

/// [`SIDES_OF`] by stems: "rising" is on the side of "rise".
static SIDES_BY_STEM: LazyLock<HashMap<String, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut by_stem: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (word, sides) in SIDES_OF.iter() {
        by_stem.entry(stem(word)).or_default().extend(sides);
    }
    by_stem
});

fn is_one_of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|entry| entry == word)
}

/// Which of the lists the text has a word of.
fn sides<const N: usize>(reading: &Reading, lists: [&str; N]) -> [bool; N] {
    lists.map(|list| reading.texts().any(|word| is_one_of(list, word)))
}

fn are_apart<const N: usize>(one: [bool; N], other: [bool; N]) -> bool {
    let some = |sides: [bool; N]| sides.into_iter().any(|side| side);
    some(one) && some(other) && !one.iter().zip(other).any(|(one, other)| *one && other)
}

/// The groups of opposites that a text has words of, and the sides it is on.
fn sides_taken(reading: &Reading) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut taken: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for word in reading.texts() {
        let is_long = word.chars().count() > 4;
        let by_stem = || if is_long { SIDES_BY_STEM.get(&stem(word)) } else { None };
        for (group, side) in SIDES_OF.get(word).or_else(by_stem).into_iter().flatten() {
            taken.entry(*group).or_default().insert(*side);
        }
    }
    taken
}

/// Not where the one has "more" and the other "less", or one ends with "on" and the other with "off".
pub fn no_opposites(one: &Reading, other: &Reading) -> bool {
    let (first, second) = (sides_taken(one), sides_taken(other));
    let apart =
        first.iter().any(|(group, sides)| second.get(group).is_some_and(|others| sides.is_disjoint(others)));
    let last = |reading: &Reading| {
        let last = reading
            .tokens
            .iter()
            .rev()
            .find(|token| token.kind == Kind::Word)
            .map(|token| token.small.clone());
        last.filter(|word| is_one_of(PARTICLES, word))
    };
    let ends_apart = matches!((last(one), last(other)), (Some(one), Some(other)) if one != other);
    !ends_apart && !apart && !turns(one, other) && !turns(other, one)
}

/// Whether a word that only the one has is that of the other with "un" or the like before it.
fn turns(one: &Reading, other: &Reading) -> bool {
    let (left, right) = leftovers(&one.content, &other.content);
    let words: HashSet<&str> = right.iter().map(|short| short.word.as_str()).collect();
    let stems: HashSet<&str> = right.iter().map(|short| short.stem.as_str()).collect();
    left.iter().any(|long| {
        let bare = TURNING.iter().filter_map(|beginning| long.word.strip_prefix(beginning));
        bare.filter(|bare| bare.chars().count() > 2)
            .any(|bare| words.contains(bare) || stems.contains(stem(bare).as_str()))
    })
}

/// The place of the list that has the first question word of the text.
fn asked(reading: &Reading, lists: &[&str]) -> Option<usize> {
    reading.texts().find_map(|word| lists.iter().position(|list| is_one_of(list, word)))
}

/// Not where one asks when and the other why, or who, or where, or how. "What" and "which" can stand for any of them.
pub fn ask_the_same(one: &Reading, other: &Reading) -> bool {
    let (first, second) = (asked(one, ASKING), asked(other, ASKING));
    let why = ASKING.iter().position(|list| is_one_of(list, "why"));
    let needs_reason =
        |asked: Option<usize>, of: &Reading| asked == why && !of.texts().any(|word| is_one_of(REASONS, word));
    match (first, second) {
        (Some(first), Some(second)) => first == second,
        (None, None) => true,
        (Some(_), None) => !needs_reason(first, other),
        (None, Some(_)) => !needs_reason(second, one),
    }
}

/// Not where most words are the same and the others are not known to mean the same: the more two texts have in common, the
/// less their nearness says about the rest.
pub fn agree(one: &Reading, other: &Reading) -> bool {
    let (left, right) = leftovers(&one.content, &other.content);
    if left.is_empty() && right.is_empty() {
        return !are_apart(sides(one, TENSES), sides(other, TENSES))
            && !begin_apart(one, other)
            && !change_persons(one, other)
            && asked(one, SPECIFIC) == asked(other, SPECIFIC);
    }
    if left.is_empty() || right.is_empty() {
        return false;
    }
    // One word for another is in doubt however short the texts are, and so are two at one place.
    if left.len() == 1 && right.len() == 1 || differ_in_one_place(one, other) {
        return false;
    }
    let longest = one.content.len().max(other.content.len());
    let common = longest.saturating_sub(left.len().max(right.len()));
    common * MANY_IN_COMMON.1 < longest * MANY_IN_COMMON.0
}

/// Whether all is the same but for one or two words at one place.
fn differ_in_one_place(one: &Reading, other: &Reading) -> bool {
    let pairs = || one.content.iter().zip(&other.content);
    let start = pairs().take_while(|(one, other)| one.stem == other.stem).count();
    let back = one.content.iter().rev().zip(other.content.iter().rev());
    let end = back.take_while(|(one, other)| one.stem == other.stem).count();
    let gap = |reading: &Reading| reading.content.len().saturating_sub(start + end);
    start + end > 0 && (1..=AT_ONE_PLACE).contains(&gap(one)) && (1..=AT_ONE_PLACE).contains(&gap(other))
}

/// One begins with "can", the other with "should".
fn begin_apart(one: &Reading, other: &Reading) -> bool {
    let first = |reading: &Reading| {
        let word = reading.texts().next()?;
        MODALS.iter().position(|list| is_one_of(list, word))
    };
    matches!((first(one), first(other)), (Some(one), Some(other)) if one != other)
}

/// One is about me and the other about you, unless both mean anybody ("how do I", "how do you").
fn change_persons(one: &Reading, other: &Reading) -> bool {
    let mine = |reading: &Reading| {
        sides(
            reading,
            [
                "my mine me mein meine meinen meinem meiner mir mich",
                "your yours dein deine deinen deinem deiner dir dich ihr ihre ihren",
            ],
        )
    };
    let anybody = |reading: &Reading| sides(reading, ["i ich", "you du sie"]).into_iter().any(|is| is);
    are_apart(mine(one), mine(other)) && !(anybody(one) && anybody(other))
}
