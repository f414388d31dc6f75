//! What events and stored messages say of escalation.

use serde::{Deserialize, Serialize};

use super::facts::EscalationFact;
use crate::llm::fact::known;

/// Whether the second tier was asked, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EscalationInfo {
    pub escalated: bool,
    /// How many models of the first tier were asked.
    pub tier1_model_count: usize,
    /// How many of the second; 0 when it did not escalate.
    pub tier2_model_count: usize,
    pub total_model_count: usize,
    /// Why it escalated, in plain words.
    pub reasons: Vec<String>,
    /// Each of them as a fact.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    pub reason_facts: Vec<EscalationFact>,
    pub metrics: Metrics,
    pub triggers: Triggers,
    /// What went wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub note_fact: Option<EscalationFact>,
}

/// What was measured, with the thresholds that it was measured against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Metrics {
    /// To two decimals; null when nobody said how sure they are, which does not escalate.
    pub average_confidence: Option<f64>,
    pub confidence_threshold: f64,
    /// The lowest; null as above.
    pub min_confidence: Option<u8>,
    pub min_confidence_threshold: u8,
    /// How many of the first tier said how sure they are.
    pub confidence_count: usize,
    /// The share of the counted ballots whose first place is the most frequent one; null when there
    /// was no review before it was decided, or no ballot that counts, which does not escalate.
    pub agreement_ratio: Option<f64>,
    pub agreement_threshold: f64,
}

/// What made it escalate.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a reason of its own, as existing clients read them"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Triggers {
    pub low_avg_confidence: bool,
    pub low_min_confidence: bool,
    pub low_agreement: bool,
    /// Nobody of the first tier answered.
    pub no_answer: bool,
}
