use proptest::prelude::*;
use serde_json::json;

use super::*;

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn ids(document: &Value) -> Vec<String> {
    read(document, "gate", now()).unwrap().into_iter().map(|model| model.id).collect()
}

#[test]
fn an_openrouter_entry_is_read_with_its_prices() {
    let list = json!({"data": [{
        "id": "openai/gpt-5.1", "name": "OpenAI: GPT-5.1", "context_length": 400_000,
        "canonical_slug": "openai/gpt-5.1-20251113",
        "architecture": {"modality": "text+image->text", "output_modalities": ["text"]},
        "pricing": {"prompt": "0.00000125", "completion": "0.00001", "request": "0"},
        "expiration_date": null,
        "supported_parameters": ["max_tokens", "response_format", "structured_outputs", "tools"],
    }]});
    assert_eq!(
        read(&list, "openrouter", now()).unwrap(),
        [ModelInfo {
            id: "openai/gpt-5.1".into(),
            name: "OpenAI: GPT-5.1".into(),
            context_length: Some(400_000),
            pricing: Some(Pricing { prompt: 0.000_001_25, completion: 0.000_01, ..Pricing::default() }),
            provider: "openrouter".into(),
            family: "openai".into(),
            structured_outputs: true,
            tools: Some(true),
            images: Some(true),
            canonical: Some("openai/gpt-5.1-20251113".into()),
            region: None,
        }]
    );
}

#[test]
fn models_that_write_no_text_or_are_past_are_left_out() {
    let list = json!({"data": [
        {"id": "a", "architecture": {"output_modalities": ["image"]}},
        {"id": "b", "architecture": {"modality": "text->audio"}},
        {"id": "c", "architecture": {"modality": "text->text+image"}},
        {"id": "d", "deprecated": true},
        {"id": "e", "expiration_date": "2026-11-21"},
        {"id": "f", "expiration_date": "2027-01-01"},
        {"id": "g", "active": false},
        {"id": "h", "type": "embeddings"},
        {"id": ""}, {"id": 7}, null,
        {"id": "i", "expiration_date": "soon"},
        {"id": "mistral-embed", "type": "base", "capabilities": {"completion_chat": false, "vision": false}},
        {"id": "mistral-small", "type": "base", "capabilities": {"completion_chat": true, "vision": true}},
        {"id": "accounts/fireworks/models/flux-1-dev", "supports_chat": false},
    ]});
    assert_eq!(ids(&list), ["c", "f", "i", "mistral-small"]);
}

#[test]
fn other_servers_shapes_are_read() {
    assert_eq!(ids(&json!([{"id": "x"}])), ["x"]);
    assert_eq!(ids(&json!({"models": [{"name": "llama3:8b"}]})), ["llama3:8b"]);
    let vllm = json!({"object": "list", "data": [{"id": "q", "max_model_len": 4096, "pricing": {"prompt": "-1", "completion": "-1"}}]});
    let model = read(&vllm, "gate", now()).unwrap().remove(0);
    assert_eq!((model.context_length, model.pricing), (Some(4096), None));
    assert_eq!(ids(&json!({"object": "list", "data": null})), [""; 0], "Ollama without a model");
    for none in [json!({"error": "no"}), json!({"data": null}), json!({"object": "list"})] {
        assert!(read(&none, "gate", now()).is_none(), "{none}");
    }
}

#[test]
fn a_price_of_a_million_tokens_is_not_taken_for_one_of_a_token() {
    for (prompt, completion, is_known) in [
        (json!(0.28), json!(0.42), false),
        (json!("0.01"), json!("0.034"), false),
        (json!(3), json!(0), false),
        // The dearest there has been, and models that are free.
        (json!("0.00015"), json!("0.0006"), true),
        (json!(0), json!("0"), true),
    ] {
        let entry = json!({"pricing": {"prompt": prompt, "completion": completion}});
        assert_eq!(pricing(&entry).is_some(), is_known, "{entry}");
    }
}

#[test]
fn who_sees_pictures_is_read_of_each_kind_of_list() {
    for (entry, expected) in [
        (json!({"architecture": {"input_modalities": ["text", "image"]}}), Some(true)),
        (
            json!({"architecture": {"input_modalities": ["text"], "modality": "text+image->text"}}),
            Some(false),
        ),
        (json!({"architecture": {"modality": "text->text"}}), Some(false)),
        (json!({"input_modalities": ["image"]}), Some(true)),
        (json!({"capabilities": {"vision": true}}), Some(true)),
        (json!({"capabilities": {"completion_chat": true}}), None),
        (json!({"capabilities": ["completion", "multimodal"]}), Some(true)),
        (json!({"capabilities": ["completion"]}), Some(false)),
        (json!({"supports_image_input": false}), Some(false)),
        (json!({"supports_vision": true}), Some(true)),
        (json!({"description": "sees images"}), None),
    ] {
        assert_eq!(sees_images(&entry), expected, "{entry}");
    }
}

#[test]
fn a_family_is_the_maker_or_the_first_word() {
    for (id, expected) in [
        ("openai/gpt-5.1", "openai"),
        ("~openai/gpt-latest", "openai"),
        ("router:~openai/gpt-latest", "openai"),
        ("llama3:8b", "llama"),
        ("gpt-4o", "gpt"),
        ("7b", "7b"),
        ("ollama:llama3:8b", "llama"),
        ("local:llama3:8b", "llama"),
        ("local:qwen3:8b-instruct", "qwen"),
        ("local:deepseek/r1:8b", "deepseek"),
        ("anthropic:claude-sonnet-4-5:beta", "anthropic"),
        ("groq:openai/gpt-oss-120b", "openai"),
        ("anthropic:claude-sonnet-4-5", "anthropic"),
        ("fireworks:accounts/fireworks/models/qwen3-8b", "qwen"),
        ("models/gemini-2.5-pro", "gemini"),
        ("google:models/gemini-2.5-pro", "google"),
        ("google:gemini-2.5-pro", "google"),
        ("some-models/one", "some-models"),
    ] {
        assert_eq!(family(id), expected);
    }
}

#[test]
fn a_family_at_bedrock_is_the_maker_and_not_the_profile_or_the_region() {
    for (id, expected) in [
        ("anthropic.claude-sonnet-4-6", "anthropic"),
        ("global.anthropic.claude-sonnet-4-6", "anthropic"),
        ("global.amazon.nova-2-lite-v1:0", "amazon"),
        ("us-gov.anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic"),
        ("bedrock:anthropic.claude-sonnet-4-6", "anthropic"),
        ("bedrock:eu.amazon.nova-pro-v1:0", "amazon"),
        ("aws:eu-west-1/eu.meta.llama4-scout-v1:0", "meta"),
        ("aws:amazon.nova-pro-v1:0", "amazon"),
        ("eu-west-2/mistral.mistral-large-2402-v1:0", "mistral"),
        ("arn:aws:bedrock:eu-west-3:123456789012:inference-profile/eu.anthropic.claude-x", "anthropic"),
        ("arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/a1b2", "a1b2"),
    ] {
        assert_eq!(family(id), expected, "{id}");
    }
}

#[test]
fn only_a_floating_name_gives_way_to_the_model_that_answered() {
    let dated = Some("openai/gpt-5.5");
    for (asked, served_by, counted) in [
        ("~openai/gpt-latest", dated, "openai/gpt-5.5"),
        ("router:~openai/gpt-latest", dated, "openai/gpt-5.5"),
        ("~openai/gpt-latest", None, "~openai/gpt-latest"),
        ("gpt-4o", Some("gpt-4o-2024-08-06"), "gpt-4o"),
        ("llama3:8b", Some("gpt-3.5-turbo"), "llama3:8b"),
    ] {
        assert_eq!(counted_as(asked, served_by), counted);
    }
}

proptest! {
    #[test]
    fn any_json_is_read_without_panic(text in "[\\[{]{0,2}.{0,40}", id in any::<String>(), date in any::<String>(), price in any::<f64>()) {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            read(&value, "gate", now());
        }
        read(&json!({"data": [{"id": id, "expiration_date": date, "pricing": {"prompt": price, "completion": price}, "context_length": price}]}), "gate", now());
        prop_assert!(id.contains(family(&id)));
    }
}
