//! How sure, how many, how long.

/// How sure the utility model has to be.
pub const THRESHOLD: f64 = 0.6;
/// How much of the question it reads, in characters.
pub const QUOTED_CHARS: usize = 6_000;
/// The fewest parts that are worth asking apart.
pub const MIN_PARTS: usize = 2;
/// The most parts.
pub const MAX_PARTS: usize = 5;
