//! What several statements sum up of calls.

use sqlx::Row as _;

/// What calls cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Money {
    /// The sum of the known costs in USD; none when none is known.
    pub usd: Option<f64>,
    /// Calls that reached a model and whose cost is not known: not in the sum.
    pub unknown_calls: i64,
    /// Calls in the sum whose cost was worked out from list prices.
    pub estimated_calls: i64,
}

impl Money {
    /// Reads `cost_usd`, `unknown_cost_calls` and `estimated_cost_calls`.
    pub(super) fn of(row: &sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            usd: row.try_get("cost_usd")?,
            unknown_calls: row.try_get("unknown_cost_calls")?,
            estimated_calls: row.try_get("estimated_cost_calls")?,
        })
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            usd: match (self.usd, other.usd) {
                (Some(one), Some(two)) => Some(one + two),
                (one, two) => one.or(two),
            },
            unknown_calls: self.unknown_calls + other.unknown_calls,
            estimated_calls: self.estimated_calls + other.estimated_calls,
        }
    }
}

/// Times of calls, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Latency {
    pub average_ms: f64,
    pub median_ms: f64,
    pub p95_ms: f64,
}

impl Latency {
    /// Reads `average_ms` and `quantiles_ms` (median, 95 %); `None` without calls.
    pub(super) fn of(row: &sqlx::postgres::PgRow) -> Result<Option<Self>, sqlx::Error> {
        let average: Option<f64> = row.try_get("average_ms")?;
        let quantiles: Option<Vec<f64>> = row.try_get("quantiles_ms")?;
        Ok(average.zip(quantiles).and_then(|(average_ms, quantiles)| match quantiles.as_slice() {
            [median_ms, p95_ms] => Some(Self { average_ms, median_ms: *median_ms, p95_ms: *p95_ms }),
            _ => None,
        }))
    }
}

/// The figures of calls that several statements sum, with the names that are read above. A call that
/// never reached a model has no latency: its missing cost is not unknown but zero.
macro_rules! sums {
    () => {
        "count(*) AS calls,
         count(*) FILTER (WHERE outcome NOT IN ('ok', 'cancelled')) AS failed_calls,
         coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
         coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens,
         coalesce(sum(total_tokens), 0)::bigint AS total_tokens,
         sum(cost_usd) AS cost_usd,
         count(*) FILTER (WHERE cost_usd IS NULL AND latency_ms IS NOT NULL) AS unknown_cost_calls,
         count(*) FILTER (WHERE cost_source IN ('listed', 'built_in')) AS estimated_cost_calls"
    };
}

pub(super) use sums;
