//! Names, and words that are written nearly alike.

use std::collections::HashSet;

use strsim::damerau_levenshtein;

use super::lists::NAMES;
use super::reading::{Reading, Word};
use super::stems;

/// How long two words must be before it matters that they are written nearly alike, in letters.
const LONG: usize = 4;

/// How many pairs of words are compared. Where there are more, some are written nearly alike by chance.
const MOST_PAIRS: usize = 10_000;

/// Each name of the one is among the words of the other, and no word of the one stands where the other has one that is
/// written nearly alike.
pub fn agree(one: &Reading, other: &Reading) -> bool {
    knows_names(one, other) && knows_names(other, one) && !has_lookalikes(one, other)
}

fn knows_names(one: &Reading, other: &Reading) -> bool {
    let words: HashSet<&str> = other.texts().collect();
    let stems: HashSet<&str> = other.content.iter().map(|word| word.stem.as_str()).collect();
    let has_stem =
        |name: &str| stems::content(name, other.language).is_some_and(|stem| stems.contains(stem.as_str()));
    names(one).all(|name| words.contains(name) || has_stem(name))
}

/// Names that are known, words of capitals only, and words with a capital within a sentence. In German, where every noun has
/// one, two of them in a row.
fn names(reading: &Reading) -> impl Iterator<Item = &str> {
    let is_capitalised = |word: &Word| {
        let token = reading.tokens.get(word.at);
        token.is_some_and(|token| !token.begins_sentence && token.written.starts_with(char::is_uppercase))
    };
    // In a title other words have one as well.
    let is_title = reading
        .words
        .iter()
        .any(|word| word.word != "i" && is_capitalised(word) && stems::is_common(&word.word));
    let is_german = reading.language == Some("de");
    let words = reading.words.iter().enumerate().filter(move |(at, word)| {
        let has_company = || {
            let neighbours = [at.checked_sub(1), at.checked_add(1)];
            neighbours.into_iter().flatten().filter_map(|at| reading.words.get(at)).any(is_capitalised)
        };
        let is_known = NAMES.contains(word.word.as_str());
        let by_capital = is_capitalised(word) && !is_title && (!is_german || has_company());
        is_known || (by_capital || is_abbreviation(reading, word)) && !stems::is_common(&word.word)
    });
    words.map(|(_, word)| word.word.as_str())
}

fn is_abbreviation(reading: &Reading, word: &Word) -> bool {
    let Some(token) = reading.tokens.get(word.at) else { return false };
    let letters = || token.written.chars().filter(|c| c.is_alphabetic());
    letters().count() > 1 && letters().all(char::is_uppercase)
}

/// Austria and Australia, isotope and isomer, Java and JavaScript: words that only one of the two has, and of which one
/// could be mistaken for the other.
fn has_lookalikes(one: &Reading, other: &Reading) -> bool {
    let (left, right) = stems::leftovers(&one.content, &other.content);
    left.len() * right.len() > MOST_PAIRS
        || left.iter().any(|one| right.iter().any(|other| is_lookalike(&one.stem, &other.stem)))
}

fn is_lookalike(one: &str, other: &str) -> bool {
    let (short, long) =
        if one.chars().count() <= other.chars().count() { (one, other) } else { (other, one) };
    let (length, most) = (short.chars().count(), long.chars().count());
    if length < LONG || most > 40 {
        return false;
    }
    long.starts_with(short) || damerau_levenshtein(short, long) * 3 <= most
}
