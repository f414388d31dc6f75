//! How debates are asked for, refused, and held by defaults and presets.

use serde_json::{Value, json};

use super::*;

async fn wrong(user: &User<'_>, body: Value) -> Vec<String> {
    let id = user.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let mut body = body;
    body.as_object_mut().unwrap().entry("content").or_insert(json!("Why?"));
    let fields = user.post(&path, body.clone()).await.wrong_fields();
    for other in [format!("{path}/stream"), format!("{path}/estimate")] {
        assert_eq!(user.post(&other, body.clone()).await.wrong_fields(), fields, "{other}: {body}");
    }
    fields
}

#[tokio::test]
async fn a_request_is_refused_with_every_field_that_is_wrong() {
    let app = debating().await;
    let ann = app.user("ann");
    let rotation = |more: Value| json_with(json!({"mode": "debate"}), &more);
    let crossing = |more: Value| json_with(json!({"mode": "debate", "debate_style": "all_to_all"}), &more);
    let arena = |more: Value| json_with(json!({"mode": "arena"}), &more);
    for (body, fields) in [
        (json!({"mode": "quarrel"}), vec!["mode"]),
        (json!({"mode": 7}), vec!["mode"]),
        (json!({"mode": "quarrel", "use_debate": true, "quorum": 0}), vec!["mode", "use_debate", "quorum"]),
        (json!({"mode": "arena", "use_debate": true}), vec!["use_debate"]),
        (json!({"mode": "council", "use_debate": true}), vec!["use_debate"]),
        (json!({"use_debate": "yes"}), vec!["use_debate"]),
        (rotation(json!({"debate_style": "round_robin"})), vec!["debate_style"]),
        (rotation(json!({"debate_style": 3})), vec!["debate_style"]),
        (rotation(json!({"num_rounds": 1})), vec!["num_rounds"]),
        (
            rotation(json!({"num_rounds": 4, "include_rebuttal": "no"})),
            vec!["include_rebuttal", "num_rounds"],
        ),
        (rotation(json!({"num_rounds": 2, "include_rebuttal": true})), vec!["num_rounds"]),
        (rotation(json!({"num_rounds": 3, "include_rebuttal": false})), vec!["num_rounds"]),
        (rotation(json!({"format_ballots": "yes", "num_rounds": 2.5})), vec!["num_rounds", "format_ballots"]),
        (crossing(json!({"debate_rounds": 1})), vec!["debate_rounds"]),
        (
            crossing(json!({"debate_rounds": 7, "debate_names": "nicknames"})),
            vec!["debate_rounds", "debate_names"],
        ),
        (crossing(json!({"debate_rounds": -2, "content": ""})), vec!["content", "debate_rounds"]),
        (arena(json!({"arena_rounds": 1})), vec!["arena_rounds"]),
        (arena(json!({"arena_rounds": 11, "format_ballots": 1})), vec!["arena_rounds", "format_ballots"]),
        (arena(json!({"arena_config": {"round_count": 11}})), vec!["arena_config.round_count"]),
        (arena(json!({"arena_config": {"round_count": "three"}})), vec!["arena_config.round_count"]),
        (arena(json!({"arena_config": 3})), vec!["arena_config"]),
        (
            arena(json!({"arena_rounds": 4, "arena_config": {"round_count": 3}})),
            vec!["arena_config.round_count"],
        ),
        (
            arena(json!({"arena_rounds": 99, "use_debate": true, "models": ["m/one"], "verbosity": 9})),
            vec!["models", "use_debate", "arena_rounds", "verbosity"],
        ),
    ] {
        let told = wrong(&ann, body.clone()).await;
        let sorted = |mut fields: Vec<String>| {
            fields.sort();
            fields
        };
        assert_eq!(sorted(told), sorted(fields.into_iter().map(str::to_owned).collect()), "{body}");
    }
    assert!(app.models.records().is_empty());
    app.close().await;
}

fn json_with(mut body: Value, more: &Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn what_says_the_same_in_other_words_is_understood() {
    let app = debating().await;
    let ann = app.user("ann");
    for (body, calls) in [
        (json!({"use_debate": true}), 9),
        (json!({"use_debate": true, "mode": "debate"}), 9),
        (json!({"use_debate": true, "include_rebuttal": false}), 6),
        (json!({"mode": "debate", "num_rounds": 2}), 6),
        (json!({"mode": "debate", "num_rounds": 3, "include_rebuttal": true}), 9),
        (json!({"use_debate": true, "debate_style": "all_to_all"}), 9),
        (json!({"mode": "debate", "debate_style": "all_to_all", "debate_rounds": 3}), 12),
        (json!({"mode": "arena"}), 9),
        (json!({"mode": "arena", "use_debate": false, "arena_config": null}), 9),
        (json!({"mode": "arena", "arena_config": {"round_count": 2}}), 6),
        (json!({"mode": "arena", "arena_config": {"round_count": 4}, "arena_rounds": 4}), 12),
        (json!({"mode": "arena", "arena_config": {}}), 9),
        // What another format would read says nothing here.
        (json!({"mode": "arena", "debate_rounds": 99, "num_rounds": 99}), 9),
    ] {
        let id = ann.conversation().await;
        let whole = json_with(json!({"content": "Why?", "models": MODELS[..3]}), &body);
        let path = format!("/api/conversations/{id}/message/estimate");
        let estimate = ann.post(&path, whole.clone()).await.ok();
        // Three ballots, a judgment and a title.
        assert_eq!(estimate["calls"], calls + 5, "{whole}");
    }
    assert!(app.models.records().is_empty(), "nobody was asked");
    app.close().await;
}

#[tokio::test]
async fn options_of_the_council_are_told_as_ignored() {
    let app = debating().await;
    let options = json!({
        "use_dynamic_routing": true, "use_early_consensus": true, "use_multi_chairman": true,
        "use_refinement": true, "use_adversary": true, "use_weighted_consensus": true, "use_second_reading": true,
        "use_reviews": false, "quorum": 2, "straggler_grace_ms": 5,
    });
    let ann = app.user("ann");
    let settings = json!({"multi_chairman_models": ["m/one", "m/two"],
        "routing_pools": {"coding": ["m/one", "m/two"]}});
    ann.put("/api/config", settings).await.ok();
    for format in every() {
        let mut body = format.request(3, &options.clone());
        // Whoever names models leaves routing nothing to do.
        body.as_object_mut().unwrap().remove("models");
        let before = app.models.records().len();
        let debated = Debated::of(&app, body).await;
        let ignored = debated.events[0].json["ignored"].as_array().expect("a list").clone();
        let mut fields: Vec<&str> = ignored.iter().map(|one| one["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        let mut expected: Vec<&str> = options.as_object().unwrap().keys().map(String::as_str).collect();
        expected.sort_unstable();
        assert_eq!(fields, expected);
        for one in &ignored {
            let fact = json!({"code": "council_only", "mode": format.options["mode"]});
            assert_eq!(one["reason_fact"], fact, "{one}");
        }
        assert_eq!(app.models.records().len() - before, 12 + 1 + 4 + 1, "{format:?}: nothing more is asked");
        assert_eq!(debated.end()["type"], "complete");
    }
    let plain = Debated::of(&app, arena(2).request(3, &json!({}))).await;
    assert_eq!(plain.events[0].json.get("ignored"), None);
    app.close().await;
}

#[tokio::test]
async fn a_format_can_be_the_default_and_a_request_that_names_another_has_its_way() {
    let app = debating().await;
    let ann = app.user("ann");
    let defaults = json!({"mode": "debate", "debate_style": "all_to_all", "debate_rounds": 3, "arena_rounds": 4,
        "debate_names": "models", "format_ballots": false});
    let config = ann.put("/api/config", json!({"default_options": defaults})).await.ok();
    assert_eq!(config["default_options"], defaults);
    for (body, rounds) in [
        (json!({}), vec!["initial", "critique", "defense", "critique"]),
        (json!({"debate_style": "rotation"}), vec!["position", "critique", "rebuttal"]),
        (json!({"debate_rounds": 2}), vec!["initial", "critique", "defense"]),
        (json!({"mode": "arena"}), vec!["opening", "rebuttal", "rebuttal", "closing"]),
    ] {
        let debated = Debated::of(&app, json_with(json!({"content": "Why?"}), &body.clone())).await;
        assert_eq!(debated.stored["round_types"], json!(rounds), "{body}");
        assert_eq!(debated.all("format_ballots_complete").len(), 0);
        assert_eq!(debated.events[0].json.get("ignored"), None, "{body}");
    }
    // Another's settings are another's.
    let others = app.user("bob").conversation().await;
    let path = format!("/api/conversations/{others}/message/estimate");
    assert_eq!(app.user("bob").post(&path, json!({"content": "Why?"})).await.ok()["calls"], 10);
    // The council, although the default is a debate.
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message/estimate");
    assert_eq!(ann.post(&path, json!({"content": "Why?", "mode": "council"})).await.ok()["calls"], 10);
    // An older client's flag is as good as the mode.
    ann.put("/api/config", json!({"default_options": {"mode": "arena"}})).await.ok();
    let debated = Debated::of(&app, json!({"content": "Why?", "use_debate": true})).await;
    assert_eq!(debated.stored["debate_style"], "rotation");
    app.close().await;
}

#[tokio::test]
async fn a_request_has_its_way_in_whichever_spelling_it_says_what_a_default_says() {
    let app = debating().await;
    let ann = app.user("ann");
    let defaults = json!({"arena_rounds": 5, "include_rebuttal": false});
    ann.put("/api/config", json!({"default_options": defaults})).await.ok();
    let preset = json!({"name": "Long", "options": defaults});
    let preset = ann.post("/api/settings/presets", preset).await.ok()["preset"]["id"].clone();
    // Four members, as many ballots, a judgment and a title.
    let calls = |rounds: usize| rounds * 4 + 6;
    for (body, rounds) in [
        (json!({"mode": "arena"}), 5),
        (json!({"mode": "arena", "arena_config": {}}), 5),
        (json!({"mode": "arena", "arena_config": {"round_count": 2}}), 2),
        (json!({"mode": "arena", "arena_rounds": 3}), 3),
        (json!({"mode": "debate"}), 2),
        (json!({"mode": "debate", "num_rounds": 3}), 3),
        (json!({"mode": "debate", "include_rebuttal": true}), 3),
    ] {
        for more in [json!({"content": "Why?"}), json!({"content": "Why?", "preset_id": preset})] {
            let id = ann.conversation().await;
            let path = format!("/api/conversations/{id}/message/estimate");
            let whole = json_with(more, &body);
            assert_eq!(ann.post(&path, whole.clone()).await.ok()["calls"], calls(rounds), "{whole}");
        }
    }
    // The request itself still has to agree with itself.
    let both = json!({"mode": "debate", "num_rounds": 3, "include_rebuttal": false});
    assert_eq!(wrong(&ann, both).await, ["num_rounds"]);
    app.close().await;
}

#[tokio::test]
async fn a_default_that_no_request_could_say_is_refused_whichever_format_reads_it() {
    let app = debating().await;
    let ann = app.user("ann");
    for (field, value) in [
        ("mode", json!("quarrel")),
        ("debate_style", json!("round_robin")),
        ("include_rebuttal", json!(3)),
        ("debate_rounds", json!(9)),
        ("debate_names", json!("nicknames")),
        ("arena_rounds", json!(1)),
        ("format_ballots", json!("yes")),
    ] {
        let defaults = json!({field: value});
        let refused = ann.put("/api/config", json!({"default_options": defaults})).await;
        assert_eq!(refused.wrong_fields(), [format!("default_options.{field}")]);
        let preset = json!({"name": "Loud", "options": defaults});
        let refused = ann.post("/api/settings/presets", preset).await;
        assert_eq!(refused.status, 422, "{field}: {}", refused.text);
        assert!(refused.wrong_fields()[0].ends_with(field), "{}", refused.text);
    }
    app.close().await;
}

#[tokio::test]
async fn a_preset_brings_its_format() {
    let app = debating().await;
    let ann = app.user("ann");
    let preset = json!({"name": "Quarrel", "settings": {"council_models": ["m/one", "m/two"]},
        "options": {"mode": "arena", "arena_rounds": 2, "format_ballots": false}});
    let saved = ann.post("/api/settings/presets", preset).await.ok();
    let preset = &saved["preset"]["id"];
    let debated = Debated::of(&app, json!({"content": "Why?", "preset_id": preset})).await;
    assert_eq!(debated.stored["round_types"], json!(["opening", "closing"]));
    assert_eq!(debated.round(1).len(), 2);
    let debated = Debated::of(&app, json!({"content": "Why?", "preset_id": preset, "arena_rounds": 3})).await;
    assert_eq!(debated.stored["round_types"].as_array().unwrap().len(), 3);
    let debated =
        Debated::of(&app, json!({"content": "Why?", "preset_id": preset, "use_debate": true})).await;
    assert_eq!(debated.stored["mode"], "debate");
    app.close().await;
}

#[tokio::test]
async fn an_existing_client_is_told_what_an_arena_may_be() {
    let app = debating().await;
    let config = app.user("ann").get("/api/config").await.ok();
    assert_eq!(config["arena"], json!({"default_rounds": 3, "min_rounds": 2, "max_rounds": 10}));
    assert_eq!(config["features"]["arena"], true, "{config}");
    app.close().await;
}
