//! What two questions differ in although their vectors are near. Embeddings confuse numbers, names that are written alike,
//! "before" and "after", a "not", an operator. The guard reads words, not meaning: it is cheap, and where it is in doubt it
//! says that they differ, since a needless call costs money and a wrong answer costs trust.
//!
//! English and German are known well, some other languages a little; elsewhere the guard goes by digits, signs, and by
//! whether most words are the same. A text is read once ([`Reading`]); each check compares two readings and is symmetric.

mod amounts;
mod dates;
mod language;
mod lists;
mod names;
mod negation;
mod order;
mod reading;
mod signs;
mod stems;
mod tokens;
mod units;
mod words;

use serde::{Deserialize, Serialize};

use super::normal::normalised;
use reading::Reading;

/// What two questions differ in: the first that was found, in the order of this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CacheDifference)]
pub enum Difference {
    /// They are in two languages.
    Language,
    /// A date, a time of day, a year, a weekday, "today".
    Dates,
    /// A unit, a currency, or which number has which.
    Units,
    /// A number.
    Numbers,
    /// Code, an operator, or an identifier.
    Code,
    /// "Not", "without", "never", or what it stands before.
    Negation,
    /// One says the opposite of what the other says: more and less, before and after.
    Opposites,
    /// A name, or two words that are written nearly alike.
    Names,
    /// One asks when, the other why.
    Question,
    /// They have the same words in other places: from Berlin to Paris, from Paris to Berlin.
    Order,
    /// Most words are the same, and the others are not known to mean the same.
    Words,
}

/// Whether two readings agree.
type Check = fn(&Reading, &Reading) -> bool;

const CHECKS: &[(Difference, Check)] = &[
    (Difference::Language, |one, other| language::agree(one.language, other.language)),
    (Difference::Dates, |one, other| dates::agree(&one.dates, &other.dates)),
    (Difference::Units, |one, other| one.units == other.units),
    (Difference::Numbers, |one, other| amounts::agree(&one.amounts, &other.amounts)),
    (Difference::Code, signs::agree),
    (Difference::Negation, negation::agree),
    (Difference::Opposites, words::no_opposites),
    (Difference::Names, names::agree),
    (Difference::Question, words::ask_the_same),
    (Difference::Order, order::agree),
    (Difference::Words, words::agree),
];

/// In longer texts nobody looks for what they differ in: only the same text is the same.
const MAX_BYTES: usize = 16 * 1024;

/// What two questions differ in, if anything was found. The same for both orders of the two, and nothing for questions of
/// one [`normalised`] form.
#[must_use]
pub fn difference(one: &str, other: &str) -> Option<Difference> {
    if normalised(one) == normalised(other) {
        return None;
    }
    if one.len().max(other.len()) > MAX_BYTES {
        return Some(Difference::Words);
    }
    let (one, other) = (Reading::of(one), Reading::of(other));
    CHECKS.iter().find(|(_, agree)| !agree(&one, &other)).map(|(difference, _)| *difference)
}

#[cfg(test)]
mod tests;
