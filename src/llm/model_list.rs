//! Reading a provider's list of models, in the shapes that servers give it.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::bedrock::regions;
use super::presets;
use super::usage_json::number;
use super::{ModelInfo, Pricing};

/// The models that can write text and are still on offer, in the provider's order, with ids as
/// the provider writes them. `None` if the document is not a list of models.
pub(super) fn read(document: &Value, provider: &str, now: Timestamp) -> Option<Vec<ModelInfo>> {
    let items = ["data", "models"]
        .into_iter()
        .find_map(|name| document.get(name).and_then(Value::as_array))
        .or_else(|| document.as_array());
    let Some(items) = items else { return is_empty_list(document).then(Vec::new) };
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

/// Whether it is Ollama's empty list: before the first model is pulled, its `data` is null.
fn is_empty_list(document: &Value) -> bool {
    document.get("object").and_then(Value::as_str) == Some("list")
        && document.get("data").is_some_and(Value::is_null)
}

/// Providers that serve models of many makers without naming these: such a provider's name before an id is not a maker.
const OF_MANY_MAKERS: [&str; 7] = ["bedrock", "groq", "litellm", "llamacpp", "lmstudio", "ollama", "vllm"];

/// The maker in a model's id: `openai/gpt-5.1` → `openai`, and `~openai/gpt-latest` too. An id
/// without a maker is grouped by its first word: `llama3:8b` → `llama`.
#[must_use]
pub fn family(id: &str) -> &str {
    // A local model ends in a tag, so a third part before both is a provider, whatever its name: `local:llama3:8b`.
    let is_tagged = |own: &str| own.contains(':') && !own.contains('/');
    let own = match id.split_once(':') {
        Some((provider, own)) if OF_MANY_MAKERS.contains(&provider) => own,
        Some((provider, own)) if is_tagged(own) && !presets::NAMES.contains(&provider) => own,
        Some(_) | None => id,
    };
    let after_a_prefix = || own.split_once(':').and_then(|(_, own)| maker_at_bedrock(own));
    if let Some(maker) = maker_at_bedrock(own).or_else(after_a_prefix) {
        return maker;
    }
    // A folder is not a maker: `models/gemini-2.5-pro` of Google, `accounts/fireworks/models/qwen3-8b`.
    if let Some((before, own)) = own.rsplit_once("models/")
        && (before.is_empty() || before.ends_with(['/', ':']))
    {
        return first_word(if before.ends_with(':') { before } else { own });
    }
    if own.contains('/') {
        let maker = maker(own);
        return maker.strip_prefix('~').unwrap_or(maker);
    }
    first_word(own)
}

fn first_word(id: &str) -> &str {
    let word = id.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if word.is_empty() { id } else { word }
}

/// The maker in an id that begins with one of Bedrock's profiles or regions (`global.anthropic.claude-…`), or is an
/// ARN. An account's own profile, which does not say whose model it leads to, is a family of its own.
fn maker_at_bedrock(id: &str) -> Option<&str> {
    let (region, model) = regions::split(id);
    let own = model.rsplit('/').next().unwrap_or(model);
    let (profile, plain) = regions::split_profile(own);
    (region.is_some() || profile.is_some()).then(|| plain.split('.').next().unwrap_or(plain))
}

/// The part before the `/`, without the provider's prefix.
fn maker(id: &str) -> &str {
    let maker = id.split_once('/').map_or(id, |(maker, _)| maker);
    maker.rsplit_once(':').map_or(maker, |(_, maker)| maker)
}

/// Whether it is a floating name for the newest model, as OpenRouter writes them (`~openai/gpt-latest`): another model
/// may answer to it tomorrow.
#[must_use]
pub fn floats(id: &str) -> bool {
    maker(id).starts_with('~')
}

/// Whether it is one of OpenRouter's routers (`openrouter/auto`), each of which chooses a model for every request.
/// OpenRouter does not list all of them.
pub(super) fn is_router(id: &str) -> bool {
    id.starts_with("openrouter/")
}

/// The name under which a call counts in figures, weights and prices: that of the model that was asked, unless it is a
/// floating name and the reply names the model that wrote it.
#[must_use]
pub fn counted_as<'a>(asked: &'a str, served_by: Option<&'a str>) -> &'a str {
    served_by.filter(|_| floats(asked)).unwrap_or(asked)
}

/// Whether the model outputs text, which is assumed if the server does not say.
fn writes_text(item: &Value) -> bool {
    // Mistral's list also has models for vectors, moderation and documents, Fireworks' also models for images.
    let chats = item.pointer("/capabilities/completion_chat").or_else(|| item.get("supports_chat"));
    if chats.and_then(Value::as_bool) == Some(false) {
        return false;
    }
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

/// Whether the model accepts images, as OpenRouter and lists like its own say it, or Mistral (`capabilities.vision`),
/// Fireworks, gateways like `LiteLLM`, or llama.cpp (`capabilities` with `multimodal`).
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

/// Whether a model accepts this parameter: OpenRouter lists the parameters of each. An empty list says nothing.
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

/// No model costs more per token, in US dollars. A larger figure is a price per million tokens, as Chutes lists them
/// (<https://github.com/Kilo-Org/kilocode/pull/2787>).
const MAX_USD_PER_TOKEN: f64 = 0.02;

/// Prices per token; a negative one means "it depends" (OpenRouter's router) and counts as unknown.
fn pricing(item: &Value) -> Option<Pricing> {
    let pricing = item.get("pricing")?;
    // Models that search the web also charge per request.
    let request = match pricing.get("request") {
        None | Some(Value::Null) => 0.0,
        Some(price) => number(price)?,
    };
    let per_token = |name: &str| pricing.get(name).and_then(number).filter(|usd| *usd <= MAX_USD_PER_TOKEN);
    Some(Pricing {
        prompt: per_token("prompt")?,
        completion: per_token("completion")?,
        request,
        cache_read: pricing.get("input_cache_read").and_then(number),
        cache_write: pricing.get("input_cache_write").and_then(number),
    })
}

#[cfg(test)]
#[path = "model_list_tests.rs"]
mod tests;
