//! The settings of all options, which stand among the council's.

use serde::{Deserialize, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

use super::field::Fields;
use super::options::adversary::settings::{AdversaryLayer, AdversarySettings};
use super::options::escalation::settings::{EscalationLayer, EscalationSettings};
use super::options::multi_chairman::settings::{MultiChairmanLayer, MultiChairmanSettings};
use super::options::routing::settings::{RoutingLayer, RoutingSettings};
use super::plan;
use super::setting::{Key, Kind, RunOptions, Setting, Valued, ValuedMut, settings};

/// The settings of these options as one, and one layer of them.
macro_rules! options {
    ($($option:ident: $settings:ident, $layer:ident;)*) => {
        /// What the options of a run are set to, in force for one user.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct OptionSettings {
            $(#[serde(flatten)] pub $option: $settings,)*
        }

        /// One layer of them: what is absent comes from the layer below.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct OptionLayer {
            $(#[serde(flatten)] pub $option: $layer,)*
        }

        impl OptionSettings {
            /// These settings with a layer on top of them.
            #[must_use]
            pub fn with(&self, layer: &OptionLayer) -> Self {
                Self { $($option: self.$option.with(&layer.$option),)* }
            }

            /// These settings as a layer that names every one.
            #[must_use]
            pub fn as_layer(&self) -> OptionLayer {
                OptionLayer { $($option: self.$option.as_layer(),)* }
            }

            pub(super) fn values(&self) -> Vec<Valued<'_>> {
                [$(self.$option.values()),*].into_iter().flatten().collect()
            }

            pub(super) fn values_mut(&mut self) -> Vec<ValuedMut<'_>> {
                [$(self.$option.values_mut()),*].into_iter().flatten().collect()
            }
        }

        impl OptionLayer {
            pub(super) fn read(fields: &mut Fields<'_>) -> Self {
                Self { $($option: $layer::read(fields),)* }
            }

            /// This layer with `newer` on top of it.
            #[must_use]
            pub fn overlaid(self, newer: Self) -> Self {
                Self { $($option: self.$option.overlaid(newer.$option),)* }
            }
        }

        impl utoipa::ToSchema for OptionSettings {}
        impl utoipa::PartialSchema for OptionSettings {
            fn schema() -> RefOr<Schema> {
                let about = "What the options of a run are set to, in force for one user.";
                one_object(about, [$($settings::schema()),*])
            }
        }

        impl utoipa::ToSchema for OptionLayer {}
        impl utoipa::PartialSchema for OptionLayer {
            fn schema() -> RefOr<Schema> {
                let about = "One layer of them: what is absent comes from the layer below.";
                one_object(about, [$($layer::schema()),*])
            }
        }
    };
}

options! {
    multi_chairman: MultiChairmanSettings, MultiChairmanLayer;
    routing: RoutingSettings, RoutingLayer;
    escalation: EscalationSettings, EscalationLayer;
    adversary: AdversarySettings, AdversaryLayer;
    requests: RequestSettings, RequestLayer;
}

settings! {
    /// What a request is taken to say.
    RequestSettings,
    /// One layer of it.
    RequestLayer {
        /// What a request's options are when it leaves them out (`use_cot`, `use_refinement`, …).
        default_options: RunOptions as std::collections::BTreeMap<String, serde_json::Value> = RunOptions::new(),
            Setting {
                key: Key::None,
                rule: Some(|settings| {
                    let options = &settings.options.requests.default_options;
                    plan::default_problems(settings, "default_options", options)
                }),
                ..Setting::of(Kind::Options)
            };
    }
}

/// The properties of these schemas as those of one object, with the bounds of their settings.
fn one_object(about: &str, parts: impl IntoIterator<Item = RefOr<Schema>>) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().description(Some(about)).build();
    for part in parts {
        if let RefOr::T(Schema::Object(part)) = part {
            object.properties.extend(part.properties);
        }
    }
    for (setting, _) in OptionSettings::default().values() {
        if let Some(RefOr::T(Schema::Object(property))) = object.properties.get_mut(setting.name) {
            property.description = setting.bounded_description().or(property.description.take());
        }
    }
    object.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::council::field::FieldError;
    use crate::council::settings::{Member, Settings};

    fn fields(problems: &[FieldError]) -> Vec<&str> {
        problems.iter().map(|problem| problem.field.as_str()).collect()
    }

    fn settings(options: OptionSettings) -> Settings {
        Settings {
            council_models: vec![Member::plain("a/one"), Member::plain("b/two")],
            chairman_model: "a/one".into(),
            title_model: "a/one".into(),
            utility_model: "a/one".into(),
            options,
            ..Settings::default()
        }
    }

    #[test]
    fn what_is_absent_is_not_offered_and_right() {
        let options: OptionSettings = serde_json::from_value(json!({})).unwrap();
        assert_eq!(options, OptionSettings::default());
        assert!(settings(options).problems().is_empty());
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
            "default_options": {"use_magic": true},
        }))
        .unwrap();
        assert_eq!(
            fields(&settings(wrong).problems()),
            [
                "multi_chairman_models",
                "routing_pools.coding.0",
                "tier1_models.1",
                "tier2_models",
                "escalation_confidence_threshold",
                "escalation_min_confidence_threshold",
                "escalation_agreement_threshold",
                "adversary_model",
                "default_options.use_magic",
            ]
        );
    }

    #[test]
    fn a_layer_changes_what_it_names() {
        let body = json!({"tier1_models": ["a/one", "b/two"], "escalation_agreement_threshold": 0.75});
        let layer = OptionLayer::read(&mut Fields::of(&body).unwrap());
        let mut options = OptionSettings::default().with(&layer);
        assert_eq!(options.escalation.tier1_models, ["a/one", "b/two"]);
        assert!((options.escalation.escalation_agreement_threshold - 0.75).abs() < f64::EPSILON);
        assert_eq!(options.escalation.escalation_min_confidence_threshold, 4);
        options.adversary.adversary_model = Some("a/one".into());
        assert_eq!(options.with(&OptionLayer::default()), options);
        let layer_of = |body| OptionLayer::read(&mut Fields::of(&body).unwrap());
        let none = layer_of(json!({"adversary_model": ""}));
        assert_eq!(options.with(&none).adversary.adversary_model, None);
        let newer = layer_of(json!({"tier1_models": []}));
        assert_eq!(layer.overlaid(newer).escalation.tier1_models, Some(Vec::new()));
    }

    #[test]
    fn settings_as_a_layer_leave_nothing_of_what_is_below() {
        let mut below = OptionSettings::default();
        below.adversary.adversary_model = Some("a/one".into());
        below.escalation.tier1_models = vec!["a/one".into(), "b/two".into()];
        let layer = OptionSettings::default().as_layer();
        let stored: OptionLayer = serde_json::from_value(json!(layer)).unwrap();
        assert_eq!(below.with(&stored), OptionSettings::default());
    }
}
