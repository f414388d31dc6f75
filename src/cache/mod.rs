//! When an earlier answer may stand for a new question. Pure functions, without clock, network or database; imports
//! only `invisible`.
//!
//! Two questions with one [`normal form`](normalised) are the same. Else two vectors ([`vector`]), made by a model or by
//! [`hash_embedding`], say how near they are, and the [`guard`] says what nearness does not see: another year, another
//! name, a "not". How well this works on a list of pairs is in docs/cache.md.

mod code;
pub mod guard;
pub mod hash_embedding;
mod normal;
pub mod vector;

pub use guard::{Difference, difference};
pub use normal::{digest, normalised};
