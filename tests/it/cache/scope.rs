//! Whatever an answer depends on besides its question makes a miss.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use llm_council::council::Plan;
use llm_council::council::plan::Context;

use super::{ask, find, has, kinds};
use crate::replay::harness::{search, settings};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;

/// Each field of a request with a value that is not its default, and whether an answer depends on it.
const FIELDS: &str = r#"{
    "content": ["What else?", null],
    "system_prompt": ["Be brief.", true],
    "models": [["m/one", "m/two"], true],
    "chairman_model": ["m/two", true],
    "mode": ["debate", true],
    "use_debate": [true, "the same as its mode"],
    "debate_style": ["all_to_all", "needs a debate"],
    "use_cot": [true, true],
    "use_reviews": [false, true],
    "direct_to": ["m/one", true],
    "use_weighted_consensus": [false, true],
    "use_early_consensus": [true, true],
    "use_multi_chairman": [true, "needs chairmen"],
    "final": ["select", true],
    "use_dynamic_routing": [true, "needs pools"],
    "use_escalation": [true, "needs tiers"],
    "use_refinement": [true, true],
    "refinement_min_critiques": [3, "needs refinement"],
    "use_adversary": [true, true],
    "adversary_revision_threshold": ["minor", "needs a devil's advocate"],
    "self_votes": ["counted", true],
    "count_self_votes": [true, "the same as self_votes"],
    "reviewer_models": [["m/one", "m/five"], true],
    "reviews_per_answer": [2, true],
    "use_second_reading": [true, true],
    "rubric": [{"text": "Be right."}, true],
    "quorum": [2, true],
    "straggler_grace_ms": [50, true],
    "one_at_a_time": [true, false],
    "verbosity": [3, false],
    "cache_mode": ["exact", false],
    "cache_similarity_threshold": [0.99, false]
}"#;

#[tokio::test]
async fn a_field_that_an_answer_depends_on_makes_a_miss_and_another_does_not() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ask(&ann, "Why do tides turn?", json!({})).await;
    let fields: serde_json::Map<String, Value> = serde_json::from_str(FIELDS).unwrap();
    for (name, row) in &fields {
        if let Some(depends) = row[1].as_bool() {
            let events = ask(&ann, "Why do tides turn?", json!({ name: row[0] })).await;
            assert_eq!(has(&events, "cache_hit"), !depends, "{name}: {:?}", kinds(&events));
        }
    }
    let later = ask(&ann, "Why do tides turn?", json!({})).await;
    assert!(has(&later, "cache_hit"), "and the first is still there");
    app.close().await;
}

/// Two requests have one scope only where they come to the same plan, whatever is combined.
#[test]
fn every_combination_of_options_has_a_scope_of_its_own() {
    const FLAGS: [&str; 12] = [
        "use_cot",
        "use_weighted_consensus",
        "use_early_consensus",
        "use_multi_chairman",
        "use_dynamic_routing",
        "use_escalation",
        "use_refinement",
        "use_adversary",
        "use_research",
        "use_web_search",
        "use_tools",
        "use_react",
    ];
    let formats = [
        json!({}),
        json!({"final": "select"}),
        json!({"mode": "debate"}),
        json!({"mode": "debate", "debate_style": "all_to_all"}),
        json!({"mode": "arena"}),
        json!({"mode": "decomposition"}),
    ];
    let mut plans: BTreeMap<String, Value> = BTreeMap::new();
    for format in &formats {
        // All of the council's; of the others, to whom most options mean nothing, some.
        let step = if *format == json!({}) { 1 } else { 13 };
        for number in (0..1 << FLAGS.len()).step_by(step) {
            let mut body = format.clone();
            for (bit, flag) in FLAGS.iter().enumerate() {
                body[*flag] = json!(number & (1 << bit) != 0);
            }
            body["content"] = json!("Why?");
            body["use_cache"] = json!(true);
            let context = Context { settings: settings(), search: Some(search()), ..Context::default() };
            let plan = Plan::parse(&body, context).unwrap();
            let mut plan = serde_json::to_value(&plan).unwrap();
            let scope = plan["cache"]["scope"].as_str().unwrap().to_owned();
            let fields = plan.as_object_mut().unwrap();
            // Only what is said about the run, of which each combination says something else.
            fields.retain(|name, _| !["ignored", "cache", "weighing"].contains(&name.as_str()));
            let known = plans.entry(scope).or_insert_with(|| plan.clone());
            assert_eq!(*known, plan, "{body}");
        }
    }
    assert!(plans.len() > 3_000, "{}", plans.len());
}

/// Whoever gives a request a new field says here, or in the table above, whether an answer depends on it.
#[tokio::test]
async fn every_field_of_a_request_is_known_to_matter_or_not() {
    let app = TestApp::start().await;
    let document = app.user("ann").get("/openapi.json").await.ok();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let fields: serde_json::Map<String, Value> = serde_json::from_str(FIELDS).unwrap();
    known.extend(fields.keys().cloned());
    // Where the request goes, and what a combination of others already tells: each is part of the plan, and so of the scope.
    known.extend(
        [
            "new_conversation",
            "parent_message_id",
            "preset_id",
            // As what it says and sets: `projects::asking` asks with both.
            "project_id",
            "use_cache",
            "refinement_max_iterations",
            "use_arena",
            "use_decomposition",
            "include_rebuttal",
            "num_rounds",
            "debate_rounds",
            "debate_names",
            "arena_rounds",
            "arena_config",
            "pick",
            "format_ballots",
            "use_react",
            "use_web_search",
            "use_research",
            "use_tools",
            // In the plan with what they say: `attachments::questions` asks with others.
            "attachments",
        ]
        .map(str::to_owned),
    );
    let mut there = BTreeSet::new();
    properties(
        &document,
        &document["paths"]["/api/conversations/{id}/message"]["post"]["requestBody"],
        &mut there,
    );
    let unknown: Vec<&String> = there.difference(&known).collect();
    assert!(unknown.is_empty(), "does an answer depend on {unknown:?}?");
    assert!(there.len() > 30, "{there:?}");
    app.close().await;
}

/// The names of all fields in a schema and in those it is made of.
fn properties(document: &Value, schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                properties(
                    document,
                    &document["components"]["schemas"][reference.rsplit('/').next().unwrap()],
                    names,
                );
            }
            if let Some(Value::Object(found)) = fields.get("properties") {
                names.extend(found.keys().cloned());
                return;
            }
            fields.values().for_each(|value| properties(document, value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| properties(document, item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_follow_up_is_only_given_an_answer_to_the_same_conversation() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let body = |question: &str| json!({"content": question, "use_cache": true});
    ask(&ann, "And why?", json!({})).await;
    let mut follow_ups = Vec::new();
    for opening in ["Do tides turn?", "Do stars turn?", "Do tides turn?"] {
        let id = ann.conversation().await;
        ann.ask(&id, body(opening)).await.rest().await;
        follow_ups.push(ann.ask(&id, body("And why?")).await.rest().await);
    }
    assert_eq!(find(&follow_ups[0], "cache_miss")["reason"], "empty");
    assert_eq!(find(&follow_ups[1], "cache_miss")["reason"], "empty");
    assert!(has(&follow_ups[2], "cache_hit"), "the same conversation again");
    app.close().await;
}

#[tokio::test]
async fn other_words_to_ask_the_models_with_make_a_miss() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let own = program.clone().set("prompts.chairman", "Decide.\n{material}\n{rule}\n{notes}");
    let not_of_the_run = program.clone().set("prompts.attack", "{material}{rule}{instructions}{form}");
    for (program, is_there) in [(&program, false), (&own, false), (&own, true), (&not_of_the_run, true)] {
        let server = program.serve().await;
        let events = ask(&server.user("ann"), "Why do tides turn?", json!({})).await;
        assert_eq!(has(&events, "cache_hit"), is_there, "{:?}", kinds(&events));
    }
}

#[tokio::test]
async fn other_settings_of_the_council_make_a_miss_and_names_on_the_page_do_not() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ask(&ann, "Why?", json!({})).await;
    ann.put("/api/config", json!({"chairman_alias": "Chair", "title_model": "m/one"})).await.ok();
    assert!(has(&ask(&ann, "Why?", json!({})).await, "cache_hit"));
    ann.put("/api/config", json!({"chairman_model": "m/four"})).await.ok();
    assert!(!has(&ask(&ann, "Why?", json!({})).await, "cache_hit"));
    app.close().await;
}
