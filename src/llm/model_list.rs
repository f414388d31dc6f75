//! Reading a provider's list of models, in the shapes that servers give it.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::chat_completions::number;
use super::{ModelInfo, Pricing};

/// The models that can write text and are still on offer, in the provider's order, with ids as
/// the provider writes them. `None` when the document is no list of models.
pub(super) fn read(document: &Value, provider: &str, now: Timestamp) -> Option<Vec<ModelInfo>> {
    let items = ["data", "models"]
        .into_iter()
        .find_map(|name| document.get(name).and_then(Value::as_array))
        .or_else(|| document.as_array())?;
    Some(
        items
            .iter()
            .filter(|item| writes_text(item) && is_on_offer(item, now))
            .filter_map(|item| {
                let id = ["id", "model", "name"]
                    .into_iter()
                    .find_map(|name| item.get(name))
                    .and_then(Value::as_str)?
                    .trim();
                if id.is_empty() || id.chars().any(char::is_control) {
                    return None;
                }
                let name =
                    item.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
                Some(ModelInfo {
                    id: id.to_owned(),
                    name: name.unwrap_or(id).to_owned(),
                    context_length: context_length(item),
                    pricing: pricing(item),
                    provider: provider.to_owned(),
                    family: family(id).to_owned(),
                    structured_outputs: takes_schemas(item),
                    tools: takes_tools(item),
                    images: sees_images(item),
                    canonical: item.get("canonical_slug").and_then(Value::as_str).map(str::to_owned),
                    region: None,
                })
            })
            .collect(),
    )
}

/// The maker in a model's id: `openai/gpt-5.1` → `openai`, and `~openai/gpt-latest` too. An id
/// without a maker is grouped by its first word: `llama3:8b` → `llama`.
#[must_use]
pub fn family(id: &str) -> &str {
    if id.contains('/') {
        let maker = maker(id);
        return maker.strip_prefix('~').unwrap_or(maker);
    }
    let word = id.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if word.is_empty() { id } else { word }
}

/// The part before the `/`, without the provider's prefix.
fn maker(id: &str) -> &str {
    let maker = id.split_once('/').map_or(id, |(maker, _)| maker);
    maker.rsplit_once(':').map_or(maker, |(_, maker)| maker)
}

/// Whether it is a name for whatever is newest, as OpenRouter writes them (`~openai/gpt-latest`): another
/// model may answer under it tomorrow.
#[must_use]
pub fn floats(id: &str) -> bool {
    maker(id).starts_with('~')
}

/// Under which name a call counts, in figures, weights and prices: under the one that was asked, unless
/// that one floats, and the reply names the model that wrote it.
#[must_use]
pub fn counted_as<'a>(asked: &'a str, served_by: Option<&'a str>) -> &'a str {
    served_by.filter(|_| floats(asked)).unwrap_or(asked)
}

/// Whether text is among what it puts out; servers that do not say it are believed to.
fn writes_text(item: &Value) -> bool {
    let architecture = item.get("architecture").unwrap_or(item);
    if let Some(outputs) = architecture.get("output_modalities").and_then(Value::as_array) {
        return outputs.iter().any(|output| output.as_str() == Some("text"));
    }
    if let Some((_, outputs)) =
        architecture.get("modality").and_then(Value::as_str).and_then(|modality| modality.split_once("->"))
    {
        return outputs.split('+').any(|output| output.trim() == "text");
    }
    let kind =
        item.get("type").or_else(|| item.get("model_type")).and_then(Value::as_str).unwrap_or_default();
    !matches!(
        kind,
        "embedding" | "embeddings" | "image" | "video" | "audio" | "rerank" | "moderation" | "transcribe"
    )
}

/// `response_format` alone may mean JSON of any form.
fn takes_schemas(item: &Value) -> bool {
    takes(item, "structured_outputs").unwrap_or(false)
}

fn takes_tools(item: &Value) -> Option<bool> {
    takes(item, "tools")
}

/// Whether images are among what it takes, in the words of OpenRouter and those who list models like it; of Mistral
/// (`capabilities.vision`), Fireworks and gateways like `LiteLLM`; of llama.cpp (`capabilities` with `multimodal`).
fn sees_images(item: &Value) -> Option<bool> {
    let architecture = item.get("architecture").unwrap_or(item);
    if let Some(inputs) = architecture.get("input_modalities").and_then(Value::as_array) {
        return Some(inputs.iter().any(|input| input.as_str() == Some("image")));
    }
    if let Some((inputs, _)) =
        architecture.get("modality").and_then(Value::as_str).and_then(|modality| modality.split_once("->"))
    {
        return Some(inputs.split('+').any(|input| input.trim() == "image"));
    }
    let capabilities = item.get("capabilities");
    let says = |of: Option<&Value>, name: &str| of.and_then(|of| of.get(name)).and_then(Value::as_bool);
    says(capabilities, "vision")
        .or_else(|| says(Some(item), "supports_image_input"))
        .or_else(|| says(Some(item), "supports_vision"))
        .or_else(|| {
            let names = capabilities.and_then(Value::as_array)?;
            Some(names.iter().any(|name| matches!(name.as_str(), Some("multimodal" | "vision"))))
        })
}

/// Whether a model takes this parameter: OpenRouter lists those of each. An empty list says nothing.
fn takes(item: &Value, parameter: &str) -> Option<bool> {
    let names =
        item.get("supported_parameters").and_then(Value::as_array).filter(|names| !names.is_empty())?;
    Some(names.iter().any(|name| name.as_str() == Some(parameter)))
}

fn is_on_offer(item: &Value, now: Timestamp) -> bool {
    let says = |name: &str| item.get(name).and_then(Value::as_bool);
    if says("deprecated") == Some(true) || says("active") == Some(false) || says("archived") == Some(true) {
        return false;
    }
    let ends = ["expiration_date", "deprecation_date", "deprecated_at"]
        .into_iter()
        .filter_map(|name| item.get(name).and_then(read_time));
    !ends.into_iter().any(|end| end <= now)
}

/// A point in time as text or Unix seconds; a bare date means its beginning in UTC.
fn read_time(value: &Value) -> Option<Timestamp> {
    if let Some(text) = value.as_str() {
        let day =
            || text.parse::<Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|day| day.timestamp());
        return text.parse().ok().or_else(day);
    }
    Timestamp::from_second(value.as_i64()?).ok()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, and number() lets no negative through"
)]
fn context_length(item: &Value) -> Option<u64> {
    let known = ["context_length", "context_window", "max_model_len", "max_context_length"]
        .into_iter()
        .find_map(|name| item.get(name).and_then(number));
    let trained = || item.get("meta").and_then(|meta| meta.get("n_ctx_train")).and_then(number);
    known.or_else(trained).filter(|tokens| *tokens >= 1.0).map(|tokens| tokens as u64)
}

/// Prices per token; a negative one means "it depends" (OpenRouter's router) and counts as unknown.
fn pricing(item: &Value) -> Option<Pricing> {
    let pricing = item.get("pricing")?;
    // Models that search the web ask for something per request as well.
    let request = match pricing.get("request") {
        None | Some(Value::Null) => 0.0,
        Some(price) => number(price)?,
    };
    Some(Pricing {
        prompt: number(pricing.get("prompt")?)?,
        completion: number(pricing.get("completion")?)?,
        request,
        cache_read: pricing.get("input_cache_read").and_then(number),
        cache_write: pricing.get("input_cache_write").and_then(number),
    })
}

#[cfg(test)]
mod tests {
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
        ]});
        assert_eq!(ids(&list), ["c", "f", "i"]);
    }

    #[test]
    fn other_servers_shapes_are_read() {
        assert_eq!(ids(&json!([{"id": "x"}])), ["x"]);
        assert_eq!(ids(&json!({"models": [{"name": "llama3:8b"}]})), ["llama3:8b"]);
        let vllm = json!({"object": "list", "data": [{"id": "q", "max_model_len": 4096, "pricing": {"prompt": "-1", "completion": "-1"}}]});
        let model = read(&vllm, "gate", now()).unwrap().remove(0);
        assert_eq!((model.context_length, model.pricing), (Some(4096), None));
        assert!(read(&json!({"error": "no"}), "gate", now()).is_none());
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
        ] {
            assert_eq!(family(id), expected);
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
}
