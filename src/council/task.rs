//! How members are to answer and review: the part of the plan that the answers and the reviews follow.

use serde::{Deserialize, Serialize};

use super::brief::Brief;
use super::options::rubric::Rubric;
use super::ranking::records::ReviewerRecords;
use super::ranking::self_votes::SelfVotes;
use super::ranking::weights::Weighing;
use super::tool_use::Tools;

/// How members are to answer and review. Frozen with the plan when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    #[serde(flatten)]
    pub brief: Brief,
    /// Whether answers show their steps.
    #[serde(default)]
    pub chain_of_thought: bool,
    /// The tools of those who answer or speak, if they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// What the weights of the reviewers' ballots depend on; absent where all weigh the same.
    #[serde(default)]
    pub weighing: Option<Weighing>,
    /// How a reviewer's vote for its own answer counts; absent in plans from before there was a choice.
    #[serde(default)]
    pub self_votes: Option<SelfVotes>,
    /// The reviewers' records from earlier runs.
    #[serde(default)]
    pub reviewer_records: ReviewerRecords,
    /// How many members must have answered before the reviews begin; absent means all.
    #[serde(default)]
    pub quorum: Option<usize>,
    /// How long the others are waited for after that, in milliseconds.
    #[serde(default)]
    pub straggler_grace_ms: u64,
    /// Whether members speak one after another, in the order of their seats.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_at_a_time: bool,
    /// How many of the reviewers review, drawn for the run; absent means all.
    #[serde(default)]
    pub reviews_per_answer: Option<usize>,
    /// Whether nobody reviews: the chairman writes from the answers alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_reviews: bool,
    /// The criteria by which the reviewers judge; absent where they choose their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<Rubric>,
    /// Whether the answers are read a second time where the first ballots disagree.
    #[serde(default)]
    pub second_reading: bool,
    /// Whether members that have failed once are asked for nothing more. Older plans, whose runs went on asking them,
    /// lack this, and are executed as they were then.
    #[serde(default)]
    pub failed_are_done: bool,
}

impl Task {
    /// How a reviewer's vote for its own answer counts.
    #[must_use]
    pub fn self_votes(&self) -> SelfVotes {
        let before = || SelfVotes::from_flag(self.brief.settings.count_self_votes.unwrap_or(false));
        self.self_votes.unwrap_or_else(before)
    }
}
