//! What a call cost: the provider's own figure, else its list price, else the built-in list's, else
//! unknown.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::offers::without_folder;
use super::reply::plausible_cost;
use super::{CostSource, Pricing, Usage};

/// List prices that are built into this program.
#[derive(Debug)]
pub struct PriceList {
    /// The day on which these were the prices.
    pub date: String,
    prices: HashMap<String, ListPrice>,
}

#[derive(Debug, Clone, Copy)]
struct ListPrice {
    pricing: Pricing,
    up_to_prompt_tokens: Option<u64>,
}

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    date: String,
    #[expect(dead_code, reason = "for whoever checks the file")]
    source: String,
    models: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    #[serde(default)]
    also: Vec<String>,
    /// USD per million tokens, like `completion`.
    prompt: f64,
    /// Absent for models that write nothing.
    #[serde(default)]
    completion: f64,
    up_to_prompt_tokens: Option<u64>,
}

/// The list of `prices.toml`.
pub static BUILT_IN: LazyLock<PriceList> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("prices.toml")).expect("built in, and read by a test");
    let mut prices = HashMap::new();
    for entry in file.models {
        let per_token = |million: f64| million / 1e6;
        let price = ListPrice {
            pricing: Pricing {
                prompt: per_token(entry.prompt),
                completion: per_token(entry.completion),
                ..Pricing::default()
            },
            up_to_prompt_tokens: entry.up_to_prompt_tokens,
        };
        for id in entry.also.into_iter().chain([entry.id]) {
            prices.insert(id, price);
        }
    }
    PriceList { date: file.date, prices }
});

impl PriceList {
    /// The price of a model by the id that its provider knows, for a prompt of this length: exact
    /// names only, since `x:free` does not cost what `x` does.
    #[must_use]
    pub fn price(&self, id: &str, prompt_tokens: u64) -> Option<Pricing> {
        let price = self.prices.get(without_folder(id))?;
        price.up_to_prompt_tokens.is_none_or(|most| prompt_tokens <= most).then_some(price.pricing)
    }
}

/// Fills in the cost and where it comes from. The provider's own figure stays, and so does a source that is already
/// set; without any price, or if no tokens were counted, the cost stays unknown. If a list has no cache prices, cached
/// tokens count as any prompt token, which errs on the high side. `id` is the model that answered, `asked` the name
/// that it was asked by, which may be a floating one.
pub(super) fn price(usage: &mut Usage, listed: Option<Pricing>, id: &str, asked: &str) {
    let known_price = known(listed, id, asked, usage.prompt_tokens);
    usage.cache_saved_usd = known_price.and_then(|(pricing, _)| saved(usage, pricing));
    let (cost, source) = if let Some(cost) = usage.cost_usd {
        (cost, usage.cost_source.unwrap_or(CostSource::Reported))
    } else if usage.prompt_tokens + usage.completion_tokens > 0
        && let Some((pricing, source)) = known_price
        && let Some(cost) = plausible_cost(cost(usage, pricing))
    {
        (cost, source)
    } else {
        return;
    };
    usage.cost_usd = Some(cost);
    usage.cost_source = Some(source);
}

/// The price of a model for a prompt of this length: its provider's, else the built-in one of its own
/// name, else of the name by which it was asked.
pub(super) fn known(
    listed: Option<Pricing>,
    id: &str,
    asked: &str,
    prompt_tokens: u64,
) -> Option<(Pricing, CostSource)> {
    let built_in = || {
        let price = BUILT_IN.price(id, prompt_tokens).or_else(|| BUILT_IN.price(asked, prompt_tokens))?;
        Some((price, CostSource::BuiltIn))
    };
    listed.map(|pricing| (pricing, CostSource::Listed)).or_else(built_in)
}

#[expect(clippy::cast_precision_loss, reason = "no call has 2^53 tokens")]
fn cost(usage: &Usage, pricing: Pricing) -> f64 {
    let tokens =
        usage.prompt_tokens as f64 * pricing.prompt + usage.completion_tokens as f64 * pricing.completion;
    tokens + pricing.request - saved(usage, pricing).unwrap_or_default()
}

/// What the provider's cache saved. Impossible counts, more cached tokens than the prompt had, count as none.
#[expect(clippy::cast_precision_loss, reason = "no call has 2^53 tokens")]
fn saved(usage: &Usage, pricing: Pricing) -> Option<f64> {
    let part = usage.cached_tokens + usage.cache_write_tokens;
    if part == 0 || part > usage.prompt_tokens {
        return None;
    }
    let read = usage.cached_tokens as f64 * (pricing.prompt - pricing.cache_read?);
    let written =
        usage.cache_write_tokens as f64 * (pricing.cache_write.unwrap_or(pricing.prompt) - pricing.prompt);
    Some(read - written)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICING: Pricing = Pricing {
        prompt: 0.000_001,
        completion: 0.000_002,
        request: 0.0,
        cache_read: None,
        cache_write: None,
    };

    fn priced(usage: Usage, listed: Option<Pricing>, id: &str) -> (Option<f64>, Option<CostSource>) {
        let mut usage = usage;
        price(&mut usage, listed, id, id);
        (usage.cost_usd.map(|cost| (cost * 1e9).round() / 1e9), usage.cost_source)
    }

    #[test]
    fn the_providers_own_figure_comes_first_then_its_list_then_the_built_in_one() {
        let usage = Usage { prompt_tokens: 1_000, completion_tokens: 500, ..Usage::default() };
        let reported = Usage { cost_usd: Some(0.5), ..usage };
        let known = "openai/gpt-5.1";
        let built_in = 1_000.0 * 1.25e-6 + 500.0 * 10e-6;
        let table = [
            (reported, Some(PRICING), known, Some(0.5), Some(CostSource::Reported)),
            (
                Usage { cost_usd: Some(0.0), ..usage },
                Some(PRICING),
                known,
                Some(0.0),
                Some(CostSource::Reported),
            ),
            (usage, Some(PRICING), known, Some(0.002), Some(CostSource::Listed)),
            (usage, None, known, Some(built_in), Some(CostSource::BuiltIn)),
            (usage, None, "gpt-5.1", Some(built_in), Some(CostSource::BuiltIn)),
            (usage, None, "models/gemini-2.5-pro", Some(built_in), Some(CostSource::BuiltIn)),
            (usage, None, "openai/gpt-5.1:free", None, None),
            (usage, None, "m/one", None, None),
            (Usage::default(), Some(PRICING), known, None, None),
            (usage, Some(Pricing { prompt: 20.0, ..PRICING }), known, None, None),
            (usage, Some(Pricing { request: 0.01, ..PRICING }), known, Some(0.012), Some(CostSource::Listed)),
        ];
        for (usage, listed, id, cost, source) in table {
            assert_eq!(priced(usage, listed, id), (cost, source), "{id} {usage:?} {listed:?}");
        }
    }

    #[test]
    fn what_came_from_the_cache_costs_what_the_list_says() {
        let cached = Pricing { cache_read: Some(0.000_000_1), cache_write: Some(0.000_001_25), ..PRICING };
        let usage = Usage {
            prompt_tokens: 1_000,
            completion_tokens: 500,
            cached_tokens: 600,
            cache_write_tokens: 200,
            ..Usage::default()
        };
        // By hand: 200 + 600 / 10 + 200 * 1.25 + 500 * 2 = 1,510 millionths of a dollar instead of 2,000.
        let (reads, all) =
            (Usage { cache_write_tokens: 0, ..usage }, Usage { cached_tokens: 1_000, ..usage });
        let table = [
            (usage, cached, Some(0.001_51), Some(0.000_49)),
            (reads, cached, Some(0.001_46), Some(0.000_54)),
            (usage, PRICING, Some(0.002), None),
            (all, cached, Some(0.002), None),
            (Usage { cost_usd: Some(0.5), ..usage }, cached, Some(0.5), Some(0.000_49)),
        ];
        for (mut usage, pricing, cost, saved) in table {
            price(&mut usage, Some(pricing), "m/one", "m/one");
            let near = |usd: Option<f64>| usd.map(|usd| (usd * 1e9).round() / 1e9);
            assert_eq!((near(usage.cost_usd), near(usage.cache_saved_usd)), (cost, saved), "{usage:?}");
        }
    }

    #[test]
    fn a_prompt_that_is_dearer_than_the_list_says_stays_unknown() {
        let usage = |prompt_tokens| Usage { prompt_tokens, ..Usage::default() };
        let model = "anthropic/claude-sonnet-4.5";
        assert_eq!(priced(usage(200_000), None, model).0, Some(0.6));
        assert_eq!(priced(usage(200_001), None, model), (None, None));
        assert_eq!(priced(usage(200_000), None, "claude-sonnet-4-5-20250929").0, Some(0.6));
    }

    #[test]
    fn the_built_in_list_is_dated_and_names_no_model_twice() {
        assert!(BUILT_IN.date.parse::<jiff::civil::Date>().is_ok(), "{}", BUILT_IN.date);
        let file: File = toml::from_str(include_str!("prices.toml")).unwrap();
        let names = file.models.iter().map(|entry| 1 + entry.also.len()).sum::<usize>();
        assert_eq!(BUILT_IN.prices.len(), names);
        for (id, price) in &BUILT_IN.prices {
            let Pricing { prompt, completion, .. } = price.pricing;
            let writes = !id.contains("embed");
            assert!(prompt > 0.0 && completion < 1e-3, "{id}: {price:?}");
            assert!(if writes { completion >= prompt } else { completion == 0.0 }, "{id}: {price:?}");
        }
    }
}
