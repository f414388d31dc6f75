//! "Not", "without", "never".

use super::lists::NEGATIONS;
use super::reading::{Reading, Word};

#[derive(Debug, Default, PartialEq, Eq)]
struct Negations {
    count: usize,
    /// What each negation denies: the next word that carries meaning.
    denied: Vec<String>,
    /// Whether a verb is denied as in "don't", after which the subject stands before what is denied.
    is_contracted: bool,
}

fn negations(reading: &Reading) -> Negations {
    let mut found = Negations::default();
    for Word { word, at } in &reading.words {
        let is_contracted =
            word.ends_with("n't") || matches!(word.as_str(), "cannot" | "dont" | "cant" | "doesnt");
        if !is_contracted && !NEGATIONS.contains(word.as_str()) {
            continue;
        }
        found.count += 1;
        found.is_contracted |= is_contracted;
        found.denied.extend(reading.content.iter().find(|word| word.at > *at).map(|word| word.stem.clone()));
    }
    found
}

/// As many negations, and of the same words, as far as that can be seen.
pub fn agree(one: &Reading, other: &Reading) -> bool {
    let (first, second) = (negations(one), negations(other));
    let denies_another = |first: &Negations, second: &Negations, other: &Reading| {
        first
            .denied
            .iter()
            .any(|stem| !second.denied.contains(stem) && other.content.iter().any(|word| word.stem == *stem))
    };
    let is_free = first.is_contracted || second.is_contracted;
    first.count == second.count
        && (is_free || !(denies_another(&first, &second, other) && denies_another(&second, &first, one)))
}
