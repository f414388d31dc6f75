//! A vector for a text without any model: which words and parts of words it has. Good for texts that are nearly the same,
//! blind to meaning.

use sha2::{Digest, Sha256};

use super::normal::normalised;

/// How many components a vector has.
pub const DIMENSION: usize = 256;

/// Letters in a part of a word.
const PART: usize = 3;

/// Words say more than their parts.
const WORD_WEIGHT: i64 = 2;
const PAIR_WEIGHT: i64 = 1;
const PART_WEIGHT: i64 = 1;

/// The vector of a text, of length 1, from its words, its pairs of neighbouring words, and every three letters of its
/// words. Each of them adds to one component, or takes from it, as its SHA-256 says. All sums are of whole numbers, so every
/// machine makes the same vector. A text without a word has its own fixed vector: one in the first component.
#[must_use]
pub fn embed(text: &str) -> Vec<f32> {
    let text = normalised(text).to_lowercase();
    let mut sums = [0_i64; DIMENSION];
    let mut before = "";
    for word in text.split_whitespace() {
        add(&mut sums, "word", &[word], WORD_WEIGHT);
        add(&mut sums, "pair", &[before, word], PAIR_WEIGHT);
        before = word;
        let letters: Vec<char> = [' '].into_iter().chain(word.chars()).chain([' ']).collect();
        for part in letters.windows(PART) {
            add(&mut sums, "part", &[&part.iter().collect::<String>()], PART_WEIGHT);
        }
    }
    if sums.iter().all(|sum| *sum == 0) {
        sums[0] = 1;
    }
    let squares: i64 = sums.iter().map(|sum| sum * sum).sum();
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "far below 2^53")]
    sums.iter().map(|sum| (*sum as f64 / (squares as f64).sqrt()) as f32).collect()
}

/// Adds what a feature weighs to its component, or takes it away.
fn add(sums: &mut [i64; DIMENSION], kind: &str, words: &[&str], weight: i64) {
    let mut hash = Sha256::new();
    hash.update(kind);
    for word in words {
        hash.update([0]);
        hash.update(word);
    }
    let [place, sign, ..]: [u8; 32] = hash.finalize().into();
    sums[usize::from(place)] += if sign % 2 == 0 { weight } else { -weight };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(one: &str, other: &str) -> f32 {
        embed(one).iter().zip(embed(other)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_vector_of_a_text_never_changes() {
        let digest: [u8; 32] =
            Sha256::digest(format!("{:?}", embed("What is the capital of Austria?"))).into();
        assert_eq!(hex::encode(digest), "569ec0f3d9669ddb6c7c17a2e8396ae64fad0707485b22e2b07fb664cb38f3fd");
        assert_eq!(embed(" \u{200b}"), embed(""));
        assert_eq!(embed("")[..2], [1.0, 0.0]);
    }

    #[test]
    fn nearly_the_same_text_is_near_and_another_is_not() {
        let question = "How do I sort a list of numbers in Python without a library?";
        assert!(cosine(question, "how do I sort a list of numbers in python without a library") > 0.99);
        assert!(cosine(question, "How do I sort a list of numbers in Python without any library?") > 0.85);
        assert!(cosine(question, "Who was the first king of Bohemia?") < 0.4);
    }

    proptest! {
        #[test]
        fn every_vector_has_the_length_one(text in ".{0,60}") {
            let squares: f64 = embed(&text).iter().map(|x| f64::from(*x).powi(2)).sum();
            prop_assert!((squares - 1.0).abs() < 1e-5, "{}", squares);
        }
    }
}
