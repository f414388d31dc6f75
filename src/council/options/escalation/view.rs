//! What escalation is set to, for clients that show it before they ask.

use serde::Serialize;

pub use super::Thresholds;
use crate::council::settings::Settings;

/// The tiers of escalation, and when the second is asked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TiersView {
    pub tier1_models: Vec<String>,
    pub tier2_models: Vec<String>,
    pub thresholds: Thresholds,
    pub description: TiersDescription,
    /// Each in a sentence; any one of them is enough.
    pub escalation_rules: Vec<String>,
}

/// What the tiers are for.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TiersDescription {
    pub tier1: &'static str,
    pub tier2: &'static str,
}

impl TiersView {
    /// By these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let thresholds = Thresholds::of(settings);
        Self {
            escalation_rules: vec![
                format!("The average confidence is below {}.", thresholds.confidence_threshold),
                format!("Any confidence is below {}.", thresholds.min_confidence_threshold),
                format!(
                    "Less than {}% of the ballots agree on the first place.",
                    (thresholds.agreement_threshold * 1000.0).round() / 10.0
                ),
                "Nobody of the first tier answers.".to_owned(),
            ],
            tier1_models: settings.options.escalation.tier1_models.clone(),
            tier2_models: settings.options.escalation.tier2_models.clone(),
            thresholds,
            description: TiersDescription {
                tier1: "asked first: fast and cheap",
                tier2: "asked as well when the first tier is unsure: strong and dear",
            },
        }
    }
}

/// What a request may say of escalation.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct EscalationFields {
    /// Whether the first tier's models answer, and the second's only where these are unsure or
    /// disagree. Ignored when routing is on.
    #[schema(default = false)]
    use_escalation: Option<bool>,
}
