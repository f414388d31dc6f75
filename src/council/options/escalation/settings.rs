//! What escalation is set to: the tiers, and when the second is asked.

use crate::council::field::FieldError;
use crate::council::member::{MAX_MEMBERS, MIN_MEMBERS};
use crate::council::setting::{Kind, Setting, Valued, settings};

settings! {
    /// What escalation is set to.
    EscalationSettings,
    /// One layer of it.
    EscalationLayer {
        /// The models that escalation asks first; 2 to 7, or none when the option is not to be used.
        tier1_models: Vec<String> = Vec::new(),
            Setting {
                reference: Some("The models that escalation asks first, 2 to 7. Built in with the built-in council; \
                                 without any the option is not offered."),
                example: "~google/gemini-flash-latest, ~openai/gpt-mini-latest",
                may_review: true,
                ..Setting::of(Kind::Models(MIN_MEMBERS))
            };
        /// The models that it asks when the first are unsure; with the first ones at most 7.
        tier2_models: Vec<String> = Vec::new(),
            Setting {
                example: "~openai/gpt-latest",
                may_review: true,
                same_group: true,
                rule: Some(tier_problems),
                ..Setting::of(Kind::Models(1))
            };
        /// Escalates when the average confidence is below this.
        escalation_confidence_threshold: f64 = 6.0, Setting::of(Kind::Decimal(1.0, 10.0));
        /// Escalates when any confidence is below this.
        escalation_min_confidence_threshold: u8 = 4, Setting::of(Kind::Number(1, 10));
        /// Escalates when a smaller share of the reviewers agree on the first place.
        escalation_agreement_threshold: f64 = 0.5, Setting::of(Kind::Decimal(0.0, 1.0));
    }
}

/// What is wrong with the tiers taken together.
fn tier_problems(settings: &[Valued<'_>]) -> Vec<FieldError> {
    let models = |name: &str| {
        let tier = settings.iter().find(|(setting, _)| setting.name == name);
        tier.map(|(_, value)| value.models()).unwrap_or_default()
    };
    let (tier1_models, tier2_models) = (models("tier1_models"), models("tier2_models"));
    let mut problems = Vec::new();
    if tier1_models.len() + tier2_models.len() > MAX_MEMBERS {
        let message = format!("both tiers together have at most {MAX_MEMBERS} models");
        problems.push(FieldError::value("tier2_models", message));
    }
    if let Some(twice) = tier2_models.iter().find(|model| tier1_models.contains(model)) {
        problems.push(FieldError::value("tier2_models", format!("{twice:?} is in the first tier already")));
    }
    problems
}
