//! The vectors of the simulated provider: made of a text's words, so that the same words in another order are near
//! each other and another subject is far. They know nothing of what words mean.

use sha2::{Digest as _, Sha256};

/// How many components each vector has.
pub const DIMENSION: usize = 256;
/// The weight of a pair of words, where a single word has 1. The same words in another order have a cosine of about 1 /
/// (1 + 0.25²) or more, which is 0.94.
const PAIR_WEIGHT: f32 = 0.25;

/// The vector of a text, of length 1.
#[must_use]
pub fn vector(text: &str) -> Vec<f32> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut vector = vec![0.0; DIMENSION];
    for word in &words {
        add(&mut vector, &[word], 1.0);
    }
    for pair in words.windows(2) {
        add(&mut vector, pair, PAIR_WEIGHT);
    }
    if vector.iter().all(|component| *component == 0.0) {
        // Without words, or where they cancelled out: the text as a whole.
        add(&mut vector, &[&lower], 1.0);
    }
    let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
    vector.iter().map(|component| component / length).collect()
}

/// Adds `weight` to the component that these words hash to, or subtracts it. The hash decides which, so that words that
/// share a component do not make texts alike.
fn add(vector: &mut [f32], words: &[&str], weight: f32) {
    let hash = Sha256::digest(words.join(" "));
    // Each value of a byte is one of the 256 components.
    vector[usize::from(hash[0])] += if hash[1] & 1 == 0 { weight } else { -weight };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(one: &str, other: &str) -> f32 {
        vector(one).iter().zip(vector(other)).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn the_same_words_are_near_and_another_subject_is_far() {
        assert!(cosine("Why do tides turn?", "why do TIDES turn") > 0.999);
        let reordered = cosine("Why does the tide turn twice a day?", "Twice a day the tide does turn, why?");
        assert!(reordered > 0.92 && reordered < 0.999, "{reordered}");
        let far = cosine("Why does the tide turn twice a day?", "Which database suits a small shop?");
        assert!(far < 0.5, "{far}");
    }

    #[test]
    fn it_is_the_same_in_every_version() {
        let vector = vector("tide");
        let set: Vec<(usize, f32)> = vector.into_iter().enumerate().filter(|(_, x)| *x != 0.0).collect();
        assert_eq!(set, [(138, 1.0)]);
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector_of_length_one(text in ".*") {
            let vector = vector(&text);
            prop_assert_eq!(vector.len(), DIMENSION);
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            prop_assert!((length - 1.0).abs() < 1e-4, "{}", length);
        }
    }
}
