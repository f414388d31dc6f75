//! What a reply says that it took and cost.

use serde_json::json;

use super::*;

#[test]
fn the_providers_cost_is_read_where_it_says_one() {
    let cost = |usage: Value| read_usage(&usage).and_then(|usage| usage.cost_usd);
    assert_eq!(cost(json!({"prompt_tokens": 1, "cost": 0.25})), Some(0.25));
    assert_eq!(cost(json!({"cost": {"input_tokens_cost": 1, "total_cost": 0.5}})), Some(0.5));
    assert_eq!(
        cost(json!({"cost": 0.25, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.5}})),
        Some(0.75)
    );
    assert_eq!(cost(json!({"prompt_tokens": 1, "cost_in_usd_ticks": 2_709_000})), Some(0.000_270_9));
    assert_eq!(
        cost(json!({"cost": 0.25, "cost_in_usd_ticks": 2_709_000})),
        Some(0.25),
        "a gateway's figure comes first"
    );
    for unknown in
        [json!({"prompt_tokens": 1}), json!({"cost": null}), json!({"cost": -1}), json!({"cost": "much"})]
    {
        assert_eq!(cost(unknown), None, "unknown is not zero");
    }
}

#[test]
fn token_counts_are_read_in_detail() {
    let usage = read_usage(&json!({
        "prompt_tokens": 10, "completion_tokens": 5.0, "total_tokens": "15",
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }));
    let expected = Usage {
        prompt_tokens: 10,
        completion_tokens: 5,
        reasoning_tokens: 2,
        cached_tokens: 4,
        total_tokens: 15,
        cost_usd: None,
        cost_source: None,
        ..Usage::default()
    };
    assert_eq!(usage, Some(expected));
    assert_eq!(read_usage(&json!(null)), None);
    assert_eq!(read_usage(&json!({})), None);
}

#[test]
fn thoughts_that_only_the_total_counts_are_among_what_the_model_wrote() {
    let counts = |usage: Value| {
        let usage = read_usage(&usage).unwrap();
        (usage.completion_tokens, usage.reasoning_tokens, usage.total_tokens)
    };
    let xai = json!({"prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135,
        "prompt_tokens_details": {"cached_tokens": 6}, "completion_tokens_details": {"reasoning_tokens": 94}});
    assert_eq!(counts(xai), (103, 94, 135));
    let gemini = json!({"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 103});
    assert_eq!(counts(gemini), (94, 93, 103));
    for (usage, as_it_is) in [
        // As OpenAI counts, within the completion.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17,
                "completion_tokens_details": {"reasoning_tokens": 5}}),
            (7, 5, 17),
        ),
        // A gateway that counts what came from the cache in the total alone.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 57,
                "prompt_tokens_details": {"cached_tokens": 40}}),
            (7, 0, 57),
        ),
        // A gateway whose count of reasoning is not what the total has beyond the others.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 57,
                "completion_tokens_details": {"reasoning_tokens": 5}}),
            (7, 5, 57),
        ),
        (json!({"total_tokens": 57}), (0, 0, 57)),
        (json!({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 3}), (7, 0, 3)),
    ] {
        assert_eq!(counts(usage.clone()), as_it_is, "{usage}");
    }
}

#[test]
fn what_came_from_the_cache_is_part_of_the_prompt() {
    let counts = |prompt: u64, total: u64| {
        let details = json!({"cached_tokens": 40, "cache_write_tokens": 5});
        let usage = json!({"prompt_tokens": prompt, "completion_tokens": 7, "total_tokens": total,
            "prompt_tokens_details": details});
        let usage = read_usage(&usage).unwrap();
        (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.total_tokens)
    };
    assert_eq!(counts(50, 57), (50, 7, 40, 57), "as OpenAI counts");
    assert_eq!(counts(10, 62), (55, 7, 40, 62), "in the total alone");
    assert_eq!(counts(10, 17), (10, 7, 40, 17), "nobody says what it is part of");
    let of_kimi =
        json!({"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57, "cached_tokens": 40});
    let usage = read_usage(&of_kimi).unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens), (50, 7, 40));
    let of_gateway = json!({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 62,
        "prompt_tokens_details": {"cached_tokens": 40},
        "cache_read_input_tokens": 40, "cache_creation_input_tokens": 5});
    let usage = read_usage(&of_gateway).unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens), (55, 7, 0));
    assert_eq!((usage.cached_tokens, usage.cache_write_tokens), (40, 5));
}

#[test]
fn counts_and_costs_that_no_call_has_are_not_believed() {
    let usage = |usage: Value| read_usage(&usage).unwrap();
    for field in ["prompt_tokens", "output_tokens", "total_tokens", "reasoning_tokens"] {
        let mut told = json!({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25});
        told.as_object_mut().unwrap().remove(if field == "output_tokens" {
            "completion_tokens"
        } else {
            field
        });
        told[field] = json!(1e19);
        assert_eq!(usage(told), Usage { cost_usd: Some(0.25), ..Usage::default() }, "{field}");
    }
    let most = usage(json!({"prompt_tokens": 1e9, "completion_tokens": 1e9, "cost": 10_000}));
    assert_eq!((most.total_tokens, most.cost_usd), (2_000_000_000, Some(10_000.0)));
    let dear = usage(json!({"prompt_tokens": 10, "cost": 10_001}));
    assert_eq!((dear.prompt_tokens, dear.cost_usd), (10, None));
}
