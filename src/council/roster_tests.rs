use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::council::option_settings::{Category, OptionSettings};
use crate::council::plan::Door;

fn settings() -> Settings {
    Settings {
        council_models: vec![
            Member { alias: Some("sceptic".into()), ..Member::plain("a/one") },
            Member::plain("b/two"),
        ],
        chairman_model: "a/one".into(),
        chairman_alias: None,
        chairman_fallbacks: vec![],
        title_model: "t/title".into(),
        utility_model: "t/title".into(),
        use_system_prompt_stage2: true,
        use_system_prompt_stage3: true,
        count_self_votes: false,
        options: OptionSettings {
            routing_pools: BTreeMap::from([(
                Category::Coding,
                vec!["a/one".into(), "p/x".into(), "p/y".into()],
            )]),
            ..OptionSettings::default()
        },
        sampling: BTreeMap::new(),
        timeouts: BTreeMap::new(),
        calls_in_flight: 16,
    }
}

fn plan(mut body: Value, settings: Settings) -> Plan {
    body["content"] = json!("Why?");
    Plan::parse(&body, Door { settings, history: vec![], first: true }).unwrap()
}

fn ignored(plan: &Plan) -> Vec<(&str, &str)> {
    plan.ignored.iter().map(|one| (one.field.as_str(), one.reason.as_str())).collect()
}

#[test]
fn nothing_asked_for_is_everyone() {
    let plan = plan(json!({}), settings());
    assert_eq!((&plan.roster, plan.ignored.len()), (&Choice::Everyone, 0));
    // A plan that was stored before there was a choice.
    let mut stored = json!(plan);
    stored.as_object_mut().unwrap().remove("roster");
    assert_eq!(serde_json::from_value::<Plan>(stored).unwrap(), plan);
}

#[test]
fn routing_is_frozen_in_the_plan_with_its_pools() {
    let plan = plan(json!({"use_dynamic_routing": true, "quorum": 3}), settings());
    assert_eq!(plan.roster, Choice::Routing { pools: settings().options.routing_pools });
    assert_eq!(serde_json::from_value::<Plan>(json!(plan)).unwrap(), plan);
}

#[test]
fn routing_gives_way_to_named_models_and_to_empty_pools() {
    let named = plan(json!({"use_dynamic_routing": true, "models": ["a/one", "b/two"]}), settings());
    assert_eq!(named.roster, Choice::Everyone);
    assert_eq!(ignored(&named), [("use_dynamic_routing", "the request names its models itself")]);
    let mut without = settings();
    without.options.routing_pools = BTreeMap::from([(Category::Coding, vec!["p/x".into()])]);
    let without = plan(json!({"use_dynamic_routing": true}), without);
    assert_eq!(without.roster, Choice::Everyone);
    assert_eq!(ignored(&without)[0].0, "use_dynamic_routing");
}

#[test]
fn a_model_keeps_its_seat_and_no_two_seats_have_one_name() {
    let names = |settings: &Settings, models: &[&str]| -> Vec<String> {
        let models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
        seats(settings, &models).iter().map(|seat| seat.name().to_owned()).collect()
    };
    let mut settings = settings();
    assert_eq!(names(&settings, &["p/x", "a/one", "p/x"]), ["p/x", "sceptic"]);
    settings.council_models[0].alias = Some("p/x".into());
    assert_eq!(names(&settings, &["p/x", "a/one"]), ["p/x", "a/one"]);
}
