//! The settings of a run's options: which models they ask, and their thresholds. They stand among
//! the council's settings, in the same two layers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::field::{FieldError, Fields};
use super::settings::{MAX_MEMBERS, MIN_MEMBERS, model_problem};

/// The kinds of questions that routing tells apart.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Coding,
    Creative,
    Factual,
    Analysis,
    General,
}

impl Category {
    /// Every category.
    pub const ALL: [Self; 5] = [Self::Coding, Self::Creative, Self::Factual, Self::Analysis, Self::General];

    /// The name of its pool in settings and configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Creative => "creative",
            Self::Factual => "factual",
            Self::Analysis => "analysis",
            Self::General => "general",
        }
    }
}

/// The models for each kind of question; a category without any is answered by the whole council.
pub type RoutingPools = BTreeMap<Category, Vec<String>>;

/// Options of a run by the names of the request's fields, for whoever leaves them out.
pub type RunOptions = serde_json::Map<String, serde_json::Value>;

/// The settings, their layer, and how one lies on the other: every field once.
macro_rules! layered {
    ($($(#[$meta:meta])* $name:ident: $type:ty = $default:expr, $schema:ty, $expected:literal;)*) => {
        /// What the options of a run are set to, in force for one user.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct OptionSettings {
            $($(#[$meta])* #[schema(value_type = $schema)] pub $name: $type,)*
        }

        impl Default for OptionSettings {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        /// One layer of them: what is absent comes from the layer below.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct OptionLayer {
            $($(#[$meta])* #[serde(skip_serializing_if = "Option::is_none")]
              #[schema(value_type = Option<$schema>)] pub $name: Option<$type>,)*
        }

        impl OptionLayer {
            pub(super) fn parse(fields: &mut Fields<'_>) -> Self {
                Self { $($name: fields.take(stringify!($name), $expected),)* }
            }

            /// This layer with `newer` on top of it.
            #[must_use]
            pub fn overlaid(self, newer: Self) -> Self {
                Self { $($name: newer.$name.or(self.$name),)* }
            }
        }

        impl OptionSettings {
            /// These settings with a layer on top of them.
            #[must_use]
            pub fn with(&self, layer: OptionLayer) -> Self {
                let mut settings = Self { $($name: layer.$name.unwrap_or_else(|| self.$name.clone()),)* };
                // Empty takes the model away: null stands for what the layer below says.
                settings.adversary_model = settings.adversary_model.filter(|model| !model.is_empty());
                settings
            }

            /// These settings as a layer that names every one.
            #[must_use]
            pub fn as_layer(&self) -> OptionLayer {
                OptionLayer { $($name: Some(self.$name.clone()),)* }
            }
        }
    };
}

layered! {
    /// The models that each write a draft when several chairmen do; 2 to 7, or none when the option
    /// is not to be used.
    multi_chairman_models: Vec<String> = Vec::new(), Vec<String>, "a list of model ids";
    /// The models for each kind of question (`coding`, `creative`, `factual`, `analysis`, `general`);
    /// a kind without any is answered by the whole council.
    routing_pools: RoutingPools = RoutingPools::new(), BTreeMap<String, Vec<String>>,
        "lists of model ids under coding, creative, factual, analysis or general";
    /// The models that escalation asks first; 2 to 7, or none when the option is not to be used.
    tier1_models: Vec<String> = Vec::new(), Vec<String>, "a list of model ids";
    /// The models that it asks when the first are unsure; with the first ones at most 7.
    tier2_models: Vec<String> = Vec::new(), Vec<String>, "a list of model ids";
    /// Escalates when the average confidence is below this; 1 to 10.
    escalation_confidence_threshold: f64 = 6.0, f64, "a number";
    /// Escalates when any confidence is below this; 1 to 10.
    escalation_min_confidence_threshold: u8 = 4, u8, "a whole number";
    /// Escalates when a smaller share of the reviewers agree on the first place; 0 to 1.
    escalation_agreement_threshold: f64 = 0.5, f64, "a number";
    /// The devil's advocate; without one the chairman's fallback or the chairman plays it.
    adversary_model: Option<String> = None, Option<String>, "a model id";
    /// What a request's options are when it leaves them out (`use_cot`, `use_refinement`, …).
    default_options: RunOptions = RunOptions::new(), BTreeMap<String, serde_json::Value>,
        "an object of options of a request";
}

impl OptionSettings {
    /// Everything that is wrong with these settings.
    #[must_use]
    pub fn problems(&self) -> Vec<FieldError> {
        let mut problems = Vec::new();
        let list = |field: &str, models: &[String], least: usize| list_problems(field, models, least);
        problems.extend(list("multi_chairman_models", &self.multi_chairman_models, MIN_MEMBERS));
        for (category, models) in &self.routing_pools {
            problems.extend(list(&format!("routing_pools.{}", category.as_str()), models, 1));
        }
        problems.extend(list("tier1_models", &self.tier1_models, MIN_MEMBERS));
        problems.extend(list("tier2_models", &self.tier2_models, 1));
        if self.tier1_models.len() + self.tier2_models.len() > MAX_MEMBERS {
            let message = format!("both tiers together have at most {MAX_MEMBERS} models");
            problems.push(FieldError::value("tier2_models", message));
        }
        if let Some(twice) = self.tier2_models.iter().find(|model| self.tier1_models.contains(model)) {
            problems
                .push(FieldError::value("tier2_models", format!("{twice:?} is in the first tier already")));
        }
        let range = |field: &str, value: f64, low: f64, high: f64| {
            (!(low..=high).contains(&value))
                .then(|| FieldError::value(field, format!("must be from {low} to {high}; it is {value}")))
        };
        let confidence = self.escalation_confidence_threshold;
        let least = f64::from(self.escalation_min_confidence_threshold);
        problems.extend(range("escalation_confidence_threshold", confidence, 1.0, 10.0));
        problems.extend(range("escalation_min_confidence_threshold", least, 1.0, 10.0));
        problems.extend(range(
            "escalation_agreement_threshold",
            self.escalation_agreement_threshold,
            0.0,
            1.0,
        ));
        problems
            .extend(self.adversary_model.as_ref().and_then(|model| model_problem("adversary_model", model)));
        problems
    }
}

/// An empty list is none at all: the option it belongs to is not offered.
fn list_problems(field: &str, models: &[String], least: usize) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if !models.is_empty() && !(least..=MAX_MEMBERS).contains(&models.len()) {
        let message =
            format!("must name {least} to {MAX_MEMBERS} models, or none; it names {}", models.len());
        problems.push(FieldError::value(field, message));
    }
    let mut seen = BTreeSet::new();
    for (place, model) in models.iter().enumerate() {
        problems.extend(model_problem(&format!("{field}.{place}"), model));
        if !seen.insert(model) {
            problems.push(FieldError::value(format!("{field}.{place}"), format!("{model:?} is named twice")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(problems: &[FieldError]) -> Vec<&str> {
        problems.iter().map(|problem| problem.field.as_str()).collect()
    }

    #[test]
    fn what_is_absent_is_not_offered_and_right() {
        let settings: OptionSettings = serde_json::from_value(json!({})).unwrap();
        assert_eq!(settings, OptionSettings::default());
        assert!(settings.problems().is_empty());
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let wrong: OptionSettings = serde_json::from_value(json!({
            "multi_chairman_models": ["a/one"],
            "routing_pools": {"coding": ["two words", "b/two"]},
            "tier1_models": ["a/one", "a/one"],
            "tier2_models": ["a/one"],
            "escalation_confidence_threshold": 0.5,
            "escalation_min_confidence_threshold": 11,
            "escalation_agreement_threshold": -0.1,
            "adversary_model": "",
        }))
        .unwrap();
        assert_eq!(
            fields(&wrong.problems()),
            [
                "multi_chairman_models",
                "routing_pools.coding.0",
                "tier1_models.1",
                "tier2_models",
                "escalation_confidence_threshold",
                "escalation_min_confidence_threshold",
                "escalation_agreement_threshold",
                "adversary_model",
            ]
        );
    }

    #[test]
    fn a_layer_changes_what_it_names() {
        let body = json!({"tier1_models": ["a/one", "b/two"], "escalation_agreement_threshold": 0.75});
        let mut given = Fields::of(&body).unwrap();
        let layer = OptionLayer::parse(&mut given);
        let settings = OptionSettings::default().with(layer.clone());
        assert_eq!(settings.tier1_models, ["a/one", "b/two"]);
        assert!((settings.escalation_agreement_threshold - 0.75).abs() < f64::EPSILON);
        assert_eq!(settings.escalation_min_confidence_threshold, 4);
        let own = OptionSettings { adversary_model: Some("a/one".into()), ..settings };
        let none = OptionLayer { adversary_model: Some(Some(String::new())), ..OptionLayer::default() };
        assert_eq!(own.with(OptionLayer::default()).adversary_model.as_deref(), Some("a/one"));
        assert_eq!(own.with(none).adversary_model, None);
        let newer = OptionLayer { tier1_models: Some(Vec::new()), ..OptionLayer::default() };
        assert_eq!(layer.overlaid(newer).tier1_models, Some(Vec::new()));
    }
}
