//! What the devil's advocate is set to, for clients that show it before they ask.

use serde::Serialize;

use super::severity::{NO_ISSUES, Severity};
use crate::council::settings::Settings;

/// How an answer is attacked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AdversaryConfig {
    /// Who attacks, by the caller's settings.
    pub adversary_model: String,
    /// Every severity, the gravest first.
    pub severity_levels: Vec<Severity>,
    /// Those after which the answer is revised.
    pub revision_threshold: Vec<Severity>,
    /// What an attack says that found nothing; looked for where it states no severity.
    pub no_issues_phrases: Vec<&'static str>,
}

impl AdversaryConfig {
    /// By these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            adversary_model: super::model(settings).to_owned(),
            severity_levels: Severity::ALL.to_vec(),
            revision_threshold: Severity::ALL.into_iter().filter(|severity| severity.is_grave()).collect(),
            no_issues_phrases: NO_ISSUES.to_vec(),
        }
    }
}
