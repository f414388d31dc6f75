//! What a call cost, when the provider does not say it.

use super::{Pricing, Usage};

/// Fills in the cost from list prices. The provider's own figure stays; without a price the cost
/// stays unknown. List prices know nothing of cache discounts, so this errs on the high side.
pub(super) fn price(usage: &mut Usage, pricing: Option<Pricing>) {
    if usage.cost_usd.is_none()
        && let Some(pricing) = pricing
    {
        usage.cost_usd = Some(cost(usage, pricing));
    }
}

#[expect(clippy::cast_precision_loss, reason = "no call has 2^53 tokens")]
fn cost(usage: &Usage, pricing: Pricing) -> f64 {
    usage.prompt_tokens as f64 * pricing.prompt + usage.completion_tokens as f64 * pricing.completion
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICING: Pricing = Pricing { prompt: 0.000_001, completion: 0.000_002 };

    #[test]
    fn the_providers_own_figure_stays() {
        let mut usage = Usage { prompt_tokens: 10, cost_usd: Some(0.5), ..Usage::default() };
        price(&mut usage, Some(PRICING));
        assert_eq!(usage.cost_usd, Some(0.5));
    }

    #[test]
    fn list_prices_fill_the_gap() {
        let mut usage = Usage { prompt_tokens: 1_000, completion_tokens: 500, ..Usage::default() };
        price(&mut usage, Some(PRICING));
        assert!((usage.cost_usd.unwrap() - 0.002).abs() < 1e-12);
    }

    #[test]
    fn an_unknown_price_is_not_zero() {
        let mut usage = Usage { prompt_tokens: 1_000, ..Usage::default() };
        price(&mut usage, None);
        assert_eq!(usage.cost_usd, None);
    }
}
