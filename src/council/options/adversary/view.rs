//! What the devil's advocate is set to, for clients that show it before they ask.

use serde::Serialize;
use serde_json::Value;

use super::severity::{NO_ISSUES, Severity};
use crate::council::settings::Settings;

/// How an answer is attacked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AdversaryConfig {
    /// Who attacks, by the caller's settings.
    pub adversary_model: String,
    /// Every severity, the gravest first.
    pub severity_levels: Vec<Severity>,
    /// The severities from which on the answer is revised, where the request does not say.
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
            revision_threshold: Severity::ALL
                .into_iter()
                .filter(|severity| severity.reaches(threshold_of(settings)))
                .collect(),
            no_issues_phrases: NO_ISSUES.to_vec(),
        }
    }
}

/// From which severity on an answer is revised that is asked for with these settings.
fn threshold_of(settings: &Settings) -> Severity {
    let said = settings.options.requests.default_options.get("adversary_revision_threshold");
    said.and_then(Value::as_str).and_then(super::threshold).unwrap_or(super::DEFAULT_THRESHOLD)
}

/// What a request may say of the devil's advocate.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct AdversaryFields {
    /// Whether a devil's advocate attacks the answer, and grave objections lead to a revision.
    #[schema(default = false)]
    use_adversary: Option<bool>,
    /// The smallest severity of an objection that leads to a revision: `critical`, `major` or `minor`.
    #[schema(default = "major")]
    adversary_revision_threshold: Option<String>,
}
