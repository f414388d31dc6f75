//! What refinement is set to, for clients that show it before they ask.

use serde::Serialize;

use super::critique::{PRAISE, PRAISE_CHARS};
use super::{DEFAULT_ITERATIONS, DEFAULT_MIN_CRITIQUES, MAX_ITERATIONS, MAX_MIN_CRITIQUES};
use crate::council::settings::Settings;

/// How a draft is refined.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RefinementConfig {
    /// The iterations at most, where the request does not say.
    pub default_max_iterations: u8,
    /// The most that a request may ask for; 1 is the least.
    pub max_iterations_limit: u8,
    /// How many critiques that name faults it takes for a revision, where the request does not say.
    pub min_critiques_for_revision: u8,
    /// The most that a request may ask for; 1 is the least.
    pub min_critiques_limit: u8,
    /// What critics say who found nothing. A critique with one of these, without a word that faults
    /// are told with, and shorter than `non_substantive_below_chars`, is praise.
    pub non_substantive_phrases: Vec<&'static str>,
    pub non_substantive_below_chars: usize,
    /// Who criticises: the caller's council.
    pub critic_models: Vec<String>,
    /// Who writes the draft and revises it, unless it fails and another one writes.
    pub chairman_model: String,
}

impl RefinementConfig {
    /// By these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            default_max_iterations: default_of(settings, "refinement_max_iterations")
                .unwrap_or(DEFAULT_ITERATIONS),
            max_iterations_limit: MAX_ITERATIONS,
            min_critiques_for_revision: default_of(settings, "refinement_min_critiques")
                .unwrap_or(DEFAULT_MIN_CRITIQUES),
            min_critiques_limit: MAX_MIN_CRITIQUES,
            non_substantive_phrases: PRAISE.to_vec(),
            non_substantive_below_chars: PRAISE_CHARS,
            critic_models: settings.council_models.iter().map(|member| member.model.clone()).collect(),
            chairman_model: settings.chairman_model.clone(),
        }
    }
}

/// What the settings supply for a request that leaves this field out.
fn default_of(settings: &Settings, field: &str) -> Option<u8> {
    settings.options.requests.default_options.get(field)?.as_u64()?.try_into().ok()
}

/// What a request may say of refinement.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct RefinementFields {
    /// Whether the members criticise the draft and its writer revises it.
    #[schema(default = false)]
    use_refinement: Option<bool>,
    /// The most rounds of critique and revision.
    #[schema(default = 2, minimum = 1, maximum = 5)]
    refinement_max_iterations: Option<u8>,
    /// How many critics must name a fault for a revision.
    #[schema(default = 2, minimum = 1, maximum = 7)]
    refinement_min_critiques: Option<u8>,
}
