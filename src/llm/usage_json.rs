//! The `usage` object in which servers of OpenAI's API say what a call took and cost, in the spellings of several makers.

use serde_json::{Map, Value};

use super::reply::{Usage, plausible_cost, plausible_tokens};

/// xAI says what a call costs in ten-billionths of a dollar (<https://docs.x.ai/docs/api-reference>).
const TICKS_PER_USD: f64 = 1e10;

/// Token counts and cost; `None` when it is no usage object.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let fields = usage.as_object().filter(|fields| !fields.is_empty())?;
    Some(Usage { cost_usd: cost(usage), ..counts(fields).unwrap_or_default() })
}

/// The token counts; `None` if one of them is impossible: a server that miscounts one is not trusted with the others,
/// from which the cost would be computed.
fn counts(fields: &Map<String, Value>) -> Option<Usage> {
    let count = |value: Option<&Value>| value.and_then(number).map(plausible_tokens);
    let within = |group: &str, name: &str| count(fields.get(group).and_then(|group| group.get(name)));
    let either = |name: &str, other: &str| count(fields.get(name).or_else(|| fields.get(other)));
    let prompt_tokens = either("prompt_tokens", "input_tokens").unwrap_or(Some(0))?;
    let completion_tokens = either("completion_tokens", "output_tokens").unwrap_or(Some(0))?;
    let usage = Usage {
        prompt_tokens,
        completion_tokens,
        reasoning_tokens: within("completion_tokens_details", "reasoning_tokens")
            .or_else(|| count(fields.get("reasoning_tokens")))
            .unwrap_or(Some(0))?,
        cached_tokens: within("prompt_tokens_details", "cached_tokens")
            .or_else(|| count(fields.get("prompt_cache_hit_tokens")))
            .or_else(|| count(fields.get("cache_read_input_tokens")))
            // Kimi and Together.
            .or_else(|| count(fields.get("cached_tokens")))
            .unwrap_or(Some(0))?,
        cache_write_tokens: within("prompt_tokens_details", "cache_write_tokens")
            .or_else(|| count(fields.get("cache_creation_input_tokens")))
            .unwrap_or(Some(0))?,
        total_tokens: count(fields.get("total_tokens"))
            .unwrap_or_else(|| Some(prompt_tokens + completion_tokens))?,
        ..Usage::default()
    };
    Some(with_thoughts(with_cached(usage)))
}

/// Counts tokens read from and written to the cache as part of the prompt. Gateways to Anthropic's models may count
/// them only in the total (<https://github.com/Portkey-AI/gateway/pull/1754>).
fn with_cached(usage: Usage) -> Usage {
    let of_cache = usage.cached_tokens + usage.cache_write_tokens;
    let prompt_tokens = usage.prompt_tokens + of_cache;
    let is_left_out = of_cache > 0 && usage.total_tokens == prompt_tokens + usage.completion_tokens;
    if is_left_out { Usage { prompt_tokens, ..usage } } else { usage }
}

/// Counts reasoning as part of the completion, as it is charged. Gemini and xAI count it only in the total; Gemini does
/// not even say how much it is.
fn with_thoughts(usage: Usage) -> Usage {
    let beyond = usage.total_tokens.saturating_sub(usage.prompt_tokens + usage.completion_tokens);
    // Some gateways give nothing but a total.
    let is_of_prompt = usage.prompt_tokens == 0;
    let fits = usage.reasoning_tokens == 0 || usage.reasoning_tokens == beyond;
    if beyond == 0 || is_of_prompt || !fits {
        return usage;
    }
    Usage { completion_tokens: usage.completion_tokens + beyond, reasoning_tokens: beyond, ..usage }
}

fn cost(usage: &Value) -> Option<f64> {
    let said = || {
        let cost = usage.get("cost").or_else(|| usage.get("total_cost"))?;
        number(cost).or_else(|| cost.get("total_cost").and_then(number))
    };
    let in_ticks = || Some(number(usage.get("cost_in_usd_ticks")?)? / TICKS_PER_USD);
    let mut usd = said().or_else(in_ticks)?;
    // With the customer's own key at the maker, OpenRouter's `cost` is only its fee; the maker's charge is separate.
    if usage.get("is_byok").and_then(Value::as_bool) == Some(true) {
        usd += usage
            .get("cost_details")
            .and_then(|details| details.get("upstream_inference_cost"))
            .and_then(number)
            .unwrap_or(0.0);
    }
    plausible_cost(usd)
}

/// A finite number that is not negative, also written as a string.
pub(super) fn number(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
#[path = "usage_json_tests.rs"]
mod tests;
