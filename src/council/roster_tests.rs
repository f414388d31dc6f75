use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::council::options::routing::Category;
use crate::council::plan::{Context, Plan};
use crate::council::seat::seats;

fn settings() -> Settings {
    let mut settings = Settings {
        council_models: vec![
            Member { alias: Some("sceptic".into()), ..Member::plain("a/one") },
            Member::plain("b/two"),
        ],
        chairman_model: "a/one".into(),
        title_model: "t/title".into(),
        utility_model: "t/title".into(),
        ..Settings::default()
    };
    let pool = vec!["a/one".into(), "p/x".into(), "p/y".into()];
    settings.options.routing.routing_pools = BTreeMap::from([(Category::Coding, pool)]);
    settings
}

fn plan(mut body: Value, settings: Settings) -> Plan {
    body["content"] = json!("Why?");
    Plan::parse(&body, Context { settings, first: true, ..Context::default() }).unwrap()
}

fn ignored(plan: &Plan) -> Vec<(&str, &str)> {
    plan.ignored.iter().map(|one| (one.field.as_str(), one.reason.as_str())).collect()
}

#[test]
fn nothing_asked_for_is_everyone() {
    let plan = plan(json!({}), settings());
    assert_eq!((&plan.options.roster, plan.ignored.len()), (&Choice::Everyone, 0));
    // A plan that was stored before there was a choice.
    let mut stored = json!(plan);
    stored.as_object_mut().unwrap().remove("roster");
    assert_eq!(serde_json::from_value::<Plan>(stored).unwrap(), plan);
}

#[test]
fn routing_is_frozen_in_the_plan_with_its_pools() {
    let plan = plan(json!({"use_dynamic_routing": true, "quorum": 3}), settings());
    assert_eq!(plan.options.roster, Choice::Routing { pools: settings().options.routing.routing_pools });
    assert_eq!(serde_json::from_value::<Plan>(json!(plan)).unwrap(), plan);
}

#[test]
fn routing_gives_way_to_named_models_and_to_empty_pools() {
    let named = plan(json!({"use_dynamic_routing": true, "models": ["a/one", "b/two"]}), settings());
    assert_eq!(named.options.roster, Choice::Everyone);
    assert_eq!(ignored(&named), [("use_dynamic_routing", "the request names its models itself")]);
    let mut without = settings();
    without.options.routing.routing_pools = BTreeMap::from([(Category::Coding, vec!["p/x".into()])]);
    let without = plan(json!({"use_dynamic_routing": true}), without);
    assert_eq!(without.options.roster, Choice::Everyone);
    assert_eq!(ignored(&without)[0].0, "use_dynamic_routing");
}

#[test]
fn a_model_keeps_its_seat_and_no_two_seats_have_one_name() {
    let names = |settings: &Settings, models: &[&str]| -> Vec<String> {
        let models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
        seats(&settings.council_models, &models).iter().map(|seat| seat.name().to_owned()).collect()
    };
    let mut settings = settings();
    assert_eq!(names(&settings, &["p/x", "a/one", "p/x"]), ["p/x", "sceptic"]);
    settings.council_models[0].alias = Some("p/x".into());
    assert_eq!(names(&settings, &["p/x", "a/one"]), ["p/x", "a/one"]);
}

#[test]
fn escalation_is_frozen_in_the_plan_and_gives_way() {
    let mut tiered = settings();
    tiered.options.escalation.tier1_models = vec!["a/one".into(), "s/mall".into()];
    tiered.options.escalation.tier2_models = vec!["l/arge".into(), "a/one".into()];
    let escalating = plan(json!({"use_escalation": true}), tiered.clone());
    let Choice::Escalation(tiers) = &escalating.options.roster else {
        panic!("{:?}", escalating.options.roster)
    };
    let names = |members: &[Member]| members.iter().map(|one| one.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&tiers.first), ["sceptic", "s/mall"], "with its seat in the council");
    assert_eq!(names(&tiers.second), ["l/arge"], "nobody sits in both");
    assert_eq!(serde_json::from_value::<Plan>(json!(escalating)).unwrap(), escalating);

    let both = json!({"use_escalation": true, "use_dynamic_routing": true});
    let routed = plan(both.clone(), tiered.clone());
    assert!(matches!(routed.options.roster, Choice::Routing { .. }));
    assert_eq!(ignored(&routed), [("use_escalation", "dynamic routing chooses who answers")]);

    let mut named = both.clone();
    named["models"] = json!(["b/two", "c/three"]);
    let named = plan(named, settings());
    assert_eq!(named.options.roster, Choice::Everyone);
    let fields: Vec<&str> = named.ignored.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["use_dynamic_routing", "use_escalation"], "also where the tiers are empty");

    tiered.options.routing.routing_pools.clear();
    let unrouted = plan(both, tiered);
    assert!(matches!(unrouted.options.roster, Choice::Escalation(_)), "routing is not on");
}

#[test]
fn escalation_without_tiers_is_refused_by_the_name_of_the_setting() {
    let body = json!({"content": "Why?", "use_escalation": true});
    let errors =
        Plan::parse(&body, Context { settings: settings(), first: true, ..Context::default() }).unwrap_err();
    let said: Vec<_> = errors.iter().map(|error| (error.field.as_str(), error.message.as_str())).collect();
    assert_eq!(
        said,
        [
            ("use_escalation", "the setting tier1_models names no models; name some, or switch this off"),
            ("use_escalation", "the setting tier2_models names no models; name some, or switch this off"),
        ]
    );
}

#[test]
fn tiers_that_do_not_fit_together_any_more_are_refused() {
    let models = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let refused = |first: &[&str], second: &[&str]| -> Vec<(String, String)> {
        let mut settings = settings();
        settings.options.escalation.tier1_models = models(first);
        settings.options.escalation.tier2_models = models(second);
        let body = json!({"content": "Why?", "use_escalation": true});
        let plan = Plan::parse(&body, Context { settings, first: true, ..Context::default() });
        let errors = plan.err().unwrap_or_default();
        errors.into_iter().map(|error| (error.field, error.message)).collect()
    };
    let four = ["s/1", "s/2", "s/3", "s/4"];
    assert!(refused(&four, &["l/1", "l/2", "l/3", "s/1"]).is_empty(), "seven");
    let said = |message: &str| vec![("use_escalation".to_owned(), message.to_owned())];
    assert_eq!(
        refused(&four, &["l/1", "l/2", "l/3", "l/4"]),
        said("the settings tier1_models and tier2_models name 8 models together, and at most 7 are asked")
    );
    assert_eq!(
        refused(&four, &["s/2"]),
        said("all models of the setting tier2_models are in tier1_models too")
    );
}

#[test]
fn what_does_not_apply_needs_no_models_of_its_own() {
    let both = json!({"use_escalation": true, "use_multi_chairman": true});
    for (more, reasons) in [
        (json!({"mode": "arena"}), ["council_only", "council_only"]),
        (json!({"mode": "debate"}), ["council_only", "council_only"]),
        (json!({"direct_to": "chairman"}), ["alone", "alone"]),
    ] {
        let mut body = both.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let plan = plan(body, settings());
        let told: Vec<(String, Value)> = plan
            .ignored
            .iter()
            .map(|one| (one.field.clone(), json!(one.reason_fact)["code"].clone()))
            .collect();
        let expected = ["use_escalation", "use_multi_chairman"]
            .map(str::to_owned)
            .into_iter()
            .zip(reasons.map(Value::from));
        assert_eq!(told, expected.collect::<Vec<_>>(), "{more}");
    }
    for (body, field) in [
        (json!({"use_reviews": false, "use_escalation": true}), "use_escalation"),
        (json!({"final": "select", "use_multi_chairman": true}), "use_multi_chairman"),
    ] {
        let plan = plan(body, settings());
        assert_eq!(plan.ignored.iter().map(|one| one.field.as_str()).collect::<Vec<_>>(), [field]);
        assert!(plan.options.chairmen.is_empty() && !matches!(plan.options.roster, Choice::Escalation(_)));
    }
    for body in [
        json!({"use_multi_chairman": true}),
        json!({"use_reviews": false, "final": "select", "use_multi_chairman": true}),
        json!({"mode": "decomposition", "use_escalation": true}),
    ] {
        let mut body = body;
        body["content"] = json!("Why?");
        let context = Context { settings: settings(), first: true, ..Context::default() };
        assert!(Plan::parse(&body, context).is_err(), "{body}");
    }
}

#[test]
fn a_quorum_is_of_those_who_may_be_asked_at_once() {
    let mut tiered = settings();
    tiered.options.escalation.tier1_models = ["s/1", "s/2", "s/3"].map(str::to_owned).to_vec();
    tiered.options.escalation.tier2_models = vec!["l/1".into()];
    let body = |quorum: usize| json!({"use_escalation": true, "quorum": quorum});
    assert_eq!(plan(body(3), tiered.clone()).task.quorum, Some(3));
    let mut four = body(4);
    four["content"] = json!("Why?");
    let errors =
        Plan::parse(&four, Context { settings: tiered, first: true, ..Context::default() }).unwrap_err();
    assert_eq!(errors[0].field, "quorum");
}
