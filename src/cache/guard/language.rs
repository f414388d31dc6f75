//! Which language a text is in, by its script and its commonest words.

use std::collections::BTreeMap;

use super::lists::COMMON_IN;
use super::tokens::{Kind, Token};

/// A language of Latin script by its code, or another script.
pub type Language = &'static str;

const SCRIPTS: &[(Language, &[(char, char)])] = &[
    ("cyrillic", &[('\u{400}', '\u{52f}')]),
    ("greek", &[('\u{370}', '\u{3ff}')]),
    ("arabic", &[('\u{600}', '\u{6ff}')]),
    ("hebrew", &[('\u{590}', '\u{5ff}')]),
    ("devanagari", &[('\u{900}', '\u{97f}')]),
    ("thai", &[('\u{e00}', '\u{e7f}')]),
    ("hangul", &[('\u{ac00}', '\u{d7af}')]),
    ("kana", &[('\u{3040}', '\u{30ff}')]),
    ("han", &[('\u{3400}', '\u{9fff}')]),
];

/// The language, where the text says it: more than half of its letters are of another script than the Latin one, or one
/// language has most of the common words.
pub fn of(tokens: &[Token]) -> Option<Language> {
    let words = || tokens.iter().filter(|token| token.kind == Kind::Word && !token.is_code);
    let letters: Vec<char> = words().flat_map(|token| token.small.chars()).collect();
    let script = |ranges: &[(char, char)]| {
        letters.iter().filter(|c| ranges.iter().any(|(from, to)| (from..=to).contains(c))).count()
    };
    // Japanese has Chinese characters and its own, which no other language has.
    let others: usize = SCRIPTS.iter().map(|(_, ranges)| script(ranges)).sum();
    if others * 2 > letters.len() {
        let most =
            SCRIPTS.iter().map(|(name, ranges)| (script(ranges), *name)).max_by_key(|(count, _)| *count);
        let kana = SCRIPTS.iter().any(|(name, ranges)| *name == "kana" && script(ranges) > 0);
        return most.map(|(_, name)| if kana && name == "han" { "kana" } else { name });
    }
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for language in words().filter_map(|token| COMMON_IN.get(token.small.as_str())).flatten() {
        *counts.entry(language).or_default() += 1;
    }
    let mut scores: Vec<(usize, Language)> =
        counts.into_iter().map(|(language, count)| (count, language)).collect();
    scores.sort_by(|one, other| other.cmp(one));
    match scores.as_slice() {
        [(_, language)] => Some(language),
        [(most, language), (next, _), ..] if most > next => Some(language),
        _ => None,
    }
}

/// Not where one of the two is known to be in one language and the other in another.
pub fn agree(one: Option<Language>, other: Option<Language>) -> bool {
    one.is_none() || other.is_none() || one == other
}
