//! Repeatable randomness, for the simulated provider and for jitter.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A stream of numbers decided by a seed and a name.
pub struct SeededRng(ChaCha8Rng);

impl SeededRng {
    /// Equal seeds and names give equal numbers.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        hash.update(name.as_bytes());
        Self(ChaCha8Rng::from_seed(hash.finalize().into()))
    }

    /// From 0.0 up to, not including, 1.0.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 up to, not including, `bound`; 0 when `bound` is 0. The bias of the modulus is
    /// far below anything that matters here.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.0.next_u64() % bound).unwrap_or(0)
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<'c, T: ?Sized>(&mut self, choices: &[&'c T]) -> &'c T {
        choices[self.below(choices.len())]
    }

    /// Fisher–Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
