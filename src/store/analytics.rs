//! Figures over many runs: of one user, in their scope, or of everybody, in the admins'. All of them
//! are queries over the ledger (`calls`) and what the ends of runs left in `placings` and
//! `run_figures`.
//!
//! Start reading at [`Reach`]: whose rows and of which time a query counts.

mod chairmen;
mod clear;
mod comparisons;
mod days;
mod models;
mod recent;
mod records;

use jiff::Timestamp;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{Postgres, Row as _};

use super::usage::Span;
use super::{Scope, StoreError, Tx, time_or_null};

pub use chairmen::{Chairman, chairmen};
pub use clear::clear;
pub use comparisons::{
    AgainstBest, Duel, MAX_COMPARED_RUNS, Preferred, against_best, ballots, duels, preferences,
};
pub use days::{Day, days};
pub use models::{ModelLatency, ModelPlaces, ModelUsage, Runs, latencies, places, runs, usage};
pub use recent::{RecentAnswer, RecentRun, recent};
pub use records::{NEWEST, Record, records};

/// The statements by name, for whoever wants to see their plans. `$1` is the user or null for
/// everybody, `$2` and `$3` the span of time; [`recent`] and the tag's ask for more.
#[doc(hidden)]
pub const STATEMENTS: &[(&str, &str)] = &[
    ("records", records::RECORDS),
    ("usage by model", models::USAGE),
    ("latency by model", models::LATENCIES),
    ("places by model", models::PLACES),
    ("runs", models::RUNS),
    ("usage by day", days::USAGE),
    ("runs by day", days::RUNS),
    ("chairmen", chairmen::WRITTEN),
    ("chairmen's calls", chairmen::CALLS),
    ("head to head", comparisons::DUELS),
    ("ballots", comparisons::BALLOTS),
    ("people's preferences", comparisons::PREFERENCES),
    ("council against its best member", comparisons::AGAINST_BEST),
];

/// Whose rows and of which time figures count. `until` does not belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Everybody's where none.
    user: Option<String>,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
    /// When the user cleared their analytics: nothing from before that moment counts.
    pub cleared_at: Option<Timestamp>,
}

impl Reach {
    /// The transaction's own user, or everybody in the admins' scope, over a span of time. The
    /// transaction is made ready for queries that read much.
    ///
    /// # Errors
    /// [`StoreError::WrongScope`] in the engine's scope.
    pub async fn of(tx: &mut Tx, span: Span) -> Result<Self, StoreError> {
        let user = match tx.scope() {
            Scope::User(user) => Some(user.to_string()),
            Scope::Admin => None,
            Scope::Engine => return Err(StoreError::WrongScope { needed: "user or admin" }),
        };
        // Sorting in memory, and no compiling: it takes longer than any of these queries.
        sqlx::raw_sql("SELECT set_config('work_mem', '32MB', true), set_config('jit', 'off', true)")
            .execute(&mut **tx)
            .await?;
        let cleared_at = match &user {
            Some(user) => sqlx::query("SELECT cleared_at FROM analytics_cleared WHERE user_id = $1")
                .bind(user)
                .fetch_optional(&mut **tx)
                .await?
                .map(|row| time_or_null(&row, "cleared_at"))
                .transpose()?
                .flatten(),
            None => None,
        };
        Ok(Self { user, from: span.from.max(cleared_at), until: span.until, cleared_at })
    }

    /// The statement with `$1` to `$3` bound. It is planned with these very values: whether it is
    /// about one user or all, a day or years, decides which way is the short one.
    fn query<'q>(&self, sql: &'static str) -> Query<'q, Postgres, PgArguments> {
        sqlx::query(sql)
            .persistent(false)
            .bind(self.user.clone())
            .bind(self.from.map(jiff_sqlx::Timestamp::from))
            .bind(self.until.map(jiff_sqlx::Timestamp::from))
    }
}

/// What calls cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Money {
    /// The sum of the known costs in USD; none when none is known.
    pub usd: Option<f64>,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    pub unknown_calls: i64,
    /// Calls in the sum whose cost was worked out from list prices.
    pub estimated_calls: i64,
}

impl Money {
    /// Reads `cost_usd`, `unknown_cost_calls` and `estimated_cost_calls`.
    fn of(row: &sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            usd: row.try_get("cost_usd")?,
            unknown_calls: row.try_get("unknown_cost_calls")?,
            estimated_calls: row.try_get("estimated_cost_calls")?,
        })
    }

    /// Both together.
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
    /// Reads `average_ms` and `quantiles_ms` (median, 95 %); none of no calls.
    fn of(row: &sqlx::postgres::PgRow) -> Result<Option<Self>, sqlx::Error> {
        let average: Option<f64> = row.try_get("average_ms")?;
        let quantiles: Option<Vec<f64>> = row.try_get("quantiles_ms")?;
        Ok(average.zip(quantiles).and_then(|(average_ms, quantiles)| match quantiles.as_slice() {
            [median_ms, p95_ms] => Some(Self { average_ms, median_ms: *median_ms, p95_ms: *p95_ms }),
            _ => None,
        }))
    }
}

/// The figures of calls that several statements sum, with the names that are read above. A call that
/// never reached a model has no latency: its missing cost is not unknown, it is nothing.
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

/// The rows that a [`Reach`] counts, by a column of time.
macro_rules! within {
    ($at:literal) => {
        within!("", $at)
    };
    ($table:literal, $at:literal) => {
        concat!(
            "($1::text IS NULL OR ",
            $table,
            "user_id = $1)
             AND ($2::timestamptz IS NULL OR ",
            $table,
            $at,
            " >= $2)
             AND ($3::timestamptz IS NULL OR ",
            $table,
            $at,
            " < $3)"
        )
    };
}

use {sums, within};
