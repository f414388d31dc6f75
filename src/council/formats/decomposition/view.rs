//! What clients may read of decompositions before they ask, and what a request may say of one.

use serde::Serialize;

use super::bounds::{MAX_PARTS, MIN_PARTS, THRESHOLD};
use super::indicators::INDICATORS;
use super::options::Pick;
use crate::council::settings::Settings;

/// How questions are taken apart for the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DecompositionConfig {
    /// The most parts.
    pub default_max_sub_questions: usize,
    /// The fewest parts; with fewer the council answers.
    pub min_sub_questions: usize,
    /// How sure the utility model has to be that the question has parts, 0 to 1.
    pub complexity_threshold: f64,
    /// Who judges the question and names its parts.
    pub decomposer_model: String,
    /// Who puts the parts together.
    pub chairman_model: String,
    /// Words that suggest a question with parts.
    pub complexity_indicators: Vec<&'static str>,
    /// How the best answer to a part can be found.
    pub picks: [Pick; 2],
    /// What a decomposition is, in a sentence.
    pub description: &'static str,
}

impl DecompositionConfig {
    /// By these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            default_max_sub_questions: MAX_PARTS,
            min_sub_questions: MIN_PARTS,
            complexity_threshold: THRESHOLD,
            decomposer_model: settings.utility_model.clone(),
            chairman_model: settings.chairman_model.clone(),
            complexity_indicators: INDICATORS.to_vec(),
            picks: [Pick::Ballot, Pick::Confidence],
            description: "A question with several parts is taken apart; every member answers every part, and the \
                          chairman puts the best answers together. A question without parts goes to the council.",
        }
    }
}

/// What a request may say of a decomposition.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct DecompositionFields {
    /// The same as `mode: decomposition`.
    #[schema(default = false)]
    use_decomposition: Option<bool>,
    /// How the best answer to each part is found.
    #[schema(inline, default = "ballot")]
    pick: Option<Pick>,
}
