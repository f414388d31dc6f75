//! What a model's earlier runs say about it.

use serde::{Deserialize, Serialize};

/// One model's record over the newest 2,000 ranked answers that one user's councils gave: what its
/// weight is made of.
///
/// A run counts once for each seat the model had in it, and only where its answer was ranked: late
/// answers, and those that no counted ballot places, say nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Record {
    /// Its ranked answers.
    pub runs: u32,
    /// How many of them came first, in percent, 0 to 100. A shared first place is a part of one: a
    /// half of two, a third of three.
    pub win_rate: f64,
    /// The mean over those runs of its average rank, 1 the best; absent without any.
    pub average_rank: Option<f64>,
    /// The mean of the confidences it gave, 1 to 10; absent where it never gave one.
    pub average_confidence: Option<f64>,
}
