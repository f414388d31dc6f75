//! What events and stored messages say of early consensus.

use serde::{Deserialize, Serialize};

use super::facts::ConsensusFact;
use crate::llm::fact::known;

/// The figures for the answer that leads the ranking.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ConsensusMetrics {
    /// Its average rank as the ranking shows it, by the reviewers' weights where they were applied;
    /// absent when nothing was ranked.
    pub average_rank: Option<f64>,
    /// Ballots that put it first; one that ties it with others counts in part.
    pub first_place_votes: f64,
    /// Counted ballots that may judge it: without its author's, where self-votes are left out.
    pub total_voters: u32,
    /// The first of the two over the second; 0 without voters.
    pub agreement_ratio: f64,
    /// Over the reviewed answers; absent when no member gave one.
    pub average_confidence: Option<f64>,
}

/// Whether the council agreed, and the figures that say so.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ConsensusInfo {
    pub is_consensus: bool,
    /// Whose answer it is; none without a consensus.
    pub consensus_model: Option<String>,
    /// Its seat's name.
    pub consensus_member: Option<String>,
    pub consensus_response: Option<String>,
    /// Why, or why not, in plain sentences.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub reason_fact: Option<ConsensusFact>,
    pub metrics: ConsensusMetrics,
}
