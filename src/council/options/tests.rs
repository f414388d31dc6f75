use serde_json::json;

use super::*;
use crate::council::field::{FieldError, Fields};
use crate::council::plan::settings_problems;
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
    assert!(settings_problems(&settings(options)).is_empty());
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
        fields(&settings_problems(&settings(wrong))),
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
