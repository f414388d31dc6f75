//! One word for all the forms of a word, and for those that mean the same.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::language::Language;
use super::lists::{NEGATIONS, PHRASES, SAYS_LITTLE_IN, SYNONYMS};
use super::tokens::{Kind, Token};

/// A word that carries meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub stem: String,
    pub word: String,
    /// Of the token it begins with.
    pub at: usize,
}

/// The words of a phrase and what stands for it.
type Phrase = (Vec<&'static str>, &'static str);

/// The first words of phrases, with the rest and what stands for the whole.
static BY_FIRST: LazyLock<HashMap<&str, Vec<Phrase>>> = LazyLock::new(|| {
    let mut by_first: HashMap<&str, Vec<Phrase>> = HashMap::new();
    for (phrases, stands_for) in PHRASES {
        for phrase in phrases.split(", ") {
            let words: Vec<&str> = phrase.split(' ').collect();
            if let Some(first) = words.first().copied() {
                by_first.entry(first).or_default().push((words, stands_for));
            }
        }
    }
    for phrases in by_first.values_mut() {
        phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    }
    by_first
});

/// The stem of each word that has others of the same meaning, and the one that stands for them.
static SAME: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let groups = SYNONYMS.lines().map(str::trim).filter(|group| !group.is_empty());
    groups
        .flat_map(|group| {
            let first = group.split(' ').next().unwrap_or_default();
            group.split(' ').map(move |word| (stem(word), first))
        })
        .collect()
});

/// The word that begins at a token, or the one that stands for the phrase there (none if it says nothing), and how many
/// tokens that takes.
pub fn phrase(tokens: &[Token], at: usize) -> (String, usize) {
    let Some(token) = tokens.get(at) else { return (String::new(), 1) };
    let here = BY_FIRST.get(token.small.as_str()).into_iter().flatten();
    let mut known = here.filter_map(|(words, stands_for)| Some((*stands_for, length_of(tokens, at, words)?)));
    known
        .next()
        .map_or_else(|| (token.small.clone(), 1), |(stands_for, length)| (stands_for.to_owned(), length))
}

/// How many tokens these words take here, if they are here. A hyphen may stand between two.
fn length_of(tokens: &[Token], start: usize, words: &[&str]) -> Option<usize> {
    let mut at = start;
    for (place, word) in words.iter().enumerate() {
        let is_hyphen = |token: &&Token| token.written == "-" && token.is_glued;
        if place > 0 && tokens.get(at).as_ref().is_some_and(is_hyphen) {
            at += 1;
        }
        tokens.get(at).filter(|token| token.kind == Kind::Word && token.small == *word)?;
        at += 1;
    }
    Some(at - start)
}

/// Whether a word says little by itself in some language that is known.
pub fn is_common(word: &str) -> bool {
    content(word, None).is_none()
}

/// The stem of a word that carries meaning in a text of this language; none for "the", "is", "please", "explain", and for
/// "not", which is looked at elsewhere.
pub fn content(word: &str, language: Option<Language>) -> Option<String> {
    let says_little = SAYS_LITTLE_IN
        .get(word)
        .is_some_and(|languages| language.is_none_or(|language| languages.contains(&language)));
    if says_little
        || NEGATIONS.contains(word)
        || word.contains('\'') && word.chars().count() < 4
        || word == "s"
    {
        return None;
    }
    let bare =
        word.split_once('\'').filter(|(_, after)| matches!(*after, "t" | "re" | "ve" | "ll" | "d" | "m"));
    if bare.is_some() {
        // "Don't", "we've": what they say is a negation, or nothing.
        return None;
    }
    let stem = stem(word);
    Some(SAME.get(&stem).map_or(stem, |first| (*first).to_owned()))
}

/// A word without its usual endings in English and German, and with British and American spelling made one. Not
/// meant to be read: it is the same for the forms of a word, and seldom for two words.
pub fn stem(word: &str) -> String {
    let word = spelt_one_way(word);
    let length = word.chars().count();
    let cut = |ending: &str, least: usize| {
        word.strip_suffix(ending).filter(|rest| rest.chars().count() >= least).map(str::to_owned)
    };
    let found = cut("ies", 2)
        .map(|rest| rest + "y")
        .or_else(|| cut("sses", 1).map(|rest| rest + "ss"))
        .or_else(|| cut("ing", 2).filter(|rest| has_vowel(rest)).map(|rest| without_double(&rest)))
        .or_else(|| cut("ed", 2).filter(|rest| has_vowel(rest)).map(|rest| without_double(&rest)))
        .or_else(|| cut("ly", 4))
        .or_else(|| {
            if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
                Some(word.clone())
            } else {
                None
            }
        })
        .or_else(|| ["en", "es", "em", "er", "s", "e", "n"].iter().find_map(|ending| cut(ending, 3)))
        .or_else(|| (length > 4).then(|| cut("t", 4)).flatten())
        .unwrap_or_else(|| word.clone());
    // "Makes" and "making" end alike now, but "make" and "bottle" still have their "e".
    found.strip_suffix('e').filter(|rest| rest.chars().count() >= 3).map_or(found.clone(), str::to_owned)
}

fn has_vowel(word: &str) -> bool {
    word.contains(['a', 'e', 'i', 'o', 'u', 'y', 'ä', 'ö', 'ü'])
}

fn without_double(word: &str) -> String {
    let mut back = word.chars().rev();
    match (back.next(), back.next()) {
        (Some(last), Some(before)) if last == before && !matches!(last, 's' | 'l' | 'z' | 'e' | 'f') => {
            back.rev().chain([last]).collect()
        }
        _ => word.to_owned(),
    }
}

fn spelt_one_way(word: &str) -> String {
    let changed = [
        ("isation", "ization"),
        ("ise", "ize"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("yse", "yze"),
        ("our", "or"),
        ("ours", "ors"),
        ("tre", "ter"),
        ("tres", "ters"),
        ("tyre", "tire"),
        ("tyres", "tires"),
    ];
    let is_long = word.chars().count() > 4;
    let found = changed
        .iter()
        .find_map(|(british, american)| word.strip_suffix(british).map(|rest| format!("{rest}{american}")));
    found.filter(|_| is_long || word == "tyre").unwrap_or_else(|| word.to_owned())
}

/// The words that only the one has, and those that only the other has. "Time zone" and "timezone" are one word.
pub fn leftovers<'a>(one: &'a [Content], other: &'a [Content]) -> (Vec<&'a Content>, Vec<&'a Content>) {
    let without = |own: &'a [Content], theirs: &[Content]| -> Vec<&'a Content> {
        let stems: HashSet<&str> = theirs.iter().map(|word| word.stem.as_str()).collect();
        own.iter().filter(|word| !stems.contains(word.stem.as_str())).collect()
    };
    let (mut left, mut right) = (without(one, other), without(other, one));
    drop_joined(&mut left, &mut right);
    drop_joined(&mut right, &mut left);
    (left, right)
}

/// Drops two words that follow each other here and are one word there. Long texts may differ in thousands of words, so each
/// is stemmed once.
fn drop_joined(parts: &mut Vec<&Content>, wholes: &mut Vec<&Content>) {
    let mut stems: Vec<String> = wholes.iter().map(|whole| stem(&whole.word)).collect();
    let known: HashSet<String> = stems.iter().cloned().collect();
    let mut at = 0;
    while let Some([first, second]) = parts.get(at..at + 2) {
        let joined = stem(&format!("{}{}", first.word, second.word));
        let is_known = known.contains(&joined);
        let place = is_known.then(|| stems.iter().position(|whole| *whole == joined)).flatten();
        if let Some(place) = place {
            parts.drain(at..at + 2);
            wholes.remove(place);
            stems.remove(place);
            // The word before has another neighbour now.
            at = at.saturating_sub(1);
        } else {
            at += 1;
        }
    }
}
