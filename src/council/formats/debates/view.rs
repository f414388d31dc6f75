//! What clients may read of debates before they ask.

use serde::Serialize;

use crate::council::formats::all_to_all;
use crate::council::formats::rotation::rounds::{ROUNDS, ROUNDS_WITHOUT_REBUTTAL, STYLE};
use crate::council::settings::Settings;

/// How debates are held for the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DebateConfig {
    /// How many rounds a debate in rotation has where the request does not say.
    pub default_num_rounds: u8,
    /// And without the answers to the critics.
    pub min_num_rounds: u8,
    /// Whether the critics are answered where the request does not say.
    pub include_rebuttal: bool,
    /// The rounds of a debate in rotation.
    pub round_names: [&'static str; 3],
    /// The kinds of debate; the first where the request does not say.
    pub styles: [&'static str; 2],
    /// The fewest rounds of a debate of all with all.
    pub min_debate_rounds: u8,
    /// The most.
    pub max_debate_rounds: u8,
    /// Who debates: the caller's council.
    pub debate_models: Vec<String>,
    /// Who judges.
    pub chairman_model: String,
    /// What a debate is, in a sentence.
    pub description: &'static str,
}

impl DebateConfig {
    /// By these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            default_num_rounds: ROUNDS,
            min_num_rounds: ROUNDS_WITHOUT_REBUTTAL,
            include_rebuttal: true,
            round_names: ["Positions", "Critiques", "Rebuttals"],
            styles: [STYLE, all_to_all::STYLE],
            min_debate_rounds: *all_to_all::ROUNDS.start(),
            max_debate_rounds: *all_to_all::ROUNDS.end(),
            debate_models: settings.council_models.iter().map(|member| member.model.clone()).collect(),
            chairman_model: settings.chairman_model.clone(),
            description: "Everybody states a position, criticises another one, and answers its critics; the chairman \
                          judges, and builds the answer from what held.",
        }
    }
}
