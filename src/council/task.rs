//! What members are to do with a question, besides answering it: the part of the plan that answers and
//! reviews go by.

use serde::{Deserialize, Serialize};

use super::brief::Brief;
use super::ranking::weights::Weighing;

/// See the module. Frozen with the plan when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    #[serde(flatten)]
    pub brief: Brief,
    /// Whether answers show their steps.
    #[serde(default)]
    pub chain_of_thought: bool,
    /// What the reviewers' ballots weigh by; absent: all the same.
    #[serde(default)]
    pub weighing: Option<Weighing>,
    /// How many members must have answered before the reviews begin; absent means all.
    #[serde(default)]
    pub quorum: Option<usize>,
    /// How long the others are waited for after that, in milliseconds.
    #[serde(default)]
    pub straggler_grace_ms: u64,
    /// Whoever has failed once is asked for nothing more. The plans of a version that went on asking do
    /// not say so, and are executed as they were then.
    #[serde(default)]
    pub failed_are_done: bool,
}
