//! The JSON shapes of analytics, with the field names existing clients read.

use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::naive;
use crate::id::{ConversationId, RunId};
use crate::llm::pricing::BUILT_IN;
use crate::store::analytics as rows;

/// Figures by model, the one that wins most first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Analytics {
    #[serde(serialize_with = "in_order")]
    #[schema(value_type = BTreeMap<String, ModelFigures>)]
    pub models: Vec<(String, ModelFigures)>,
    pub summary: Summary,
}

/// A map that keeps its order.
fn in_order<T: Serialize, S: Serializer>(entries: &[(String, T)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(entries.len()))?;
    for (name, value) in entries {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// What calls cost, with what the sum does not hold, or holds only by estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Money {
    /// USD over the calls whose cost is known; null when none is.
    pub total_cost: Option<f64>,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    pub unknown_cost_calls: i64,
    /// Calls in the sum whose cost was worked out from list prices.
    pub estimated_cost_calls: i64,
}

impl From<rows::Money> for Money {
    fn from(money: rows::Money) -> Self {
        Self {
            total_cost: money.usd.map(rounded_usd),
            unknown_cost_calls: money.unknown_calls,
            estimated_cost_calls: money.estimated_calls,
        }
    }
}

/// Times in milliseconds.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub struct Latency {
    pub average: f64,
    pub median: f64,
    pub p95: f64,
}

impl From<rows::Latency> for Latency {
    fn from(latency: rows::Latency) -> Self {
        Self {
            average: rounded(latency.average_ms, 0),
            median: rounded(latency.median_ms, 0),
            p95: rounded(latency.p95_ms, 0),
        }
    }
}

/// One model's figures.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub struct ModelFigures {
    /// Its answers; a model that sits twice gives two in a run.
    pub total_queries: i64,
    /// How many of them were ranked: late answers, and those nobody reviewed, are not.
    pub ranked_queries: i64,
    /// First places among them; a shared one is a part of one.
    pub wins: f64,
    /// Percent of the ranked answers that came first; null without any.
    pub win_rate: Option<f64>,
    /// The mean of its average ranks, 1 the best; null without a ranked answer.
    pub average_rank: Option<f64>,
    /// The mean of the confidences it said, 1 to 10; null where it never said one.
    pub average_confidence: Option<f64>,
    /// How often it came to each place of the headline order.
    pub rank_distribution: BTreeMap<i16, i64>,
    /// All its calls, whatever they were for.
    pub total_calls: i64,
    /// Calls that ended with an error; stopped ones do not count.
    pub failures: i64,
    pub total_tokens: i64,
    pub total_prompt_tokens: i64,
    pub total_completion_tokens: i64,
    /// Prompt tokens of those that were read from the provider's cache.
    pub cached_tokens: i64,
    /// What that saved in USD, less the cost of writing to the cache; null where it is not known.
    pub cache_saved_usd: Option<f64>,
    #[serde(flatten)]
    pub money: Money,
    /// How long its answers take; null without any.
    pub latency_ms: Option<Latency>,
}

/// What holds for all runs together.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Summary {
    /// Runs that were asked for.
    pub total_queries: i64,
    /// Models that answered.
    pub unique_models: usize,
    /// When the first and the last of the runs were asked for; null without any.
    pub date_range: Option<DateRange>,
    pub total_calls: i64,
    /// Calls that ended with an error, but for stopped ones.
    pub failures: i64,
    pub total_tokens: i64,
    /// Prompt tokens of those that were read from providers' caches.
    pub cached_tokens: i64,
    /// What that saved in USD; null where it is not known of any.
    pub cache_saved_usd: Option<f64>,
    #[serde(flatten)]
    pub money: Money,
    /// When the caller cleared their analytics: nothing from before counts.
    pub cleared_at: Option<String>,
    /// The day of the built-in list of prices, by which some costs may be estimated.
    pub price_list_date: &'static str,
}

/// A span of time, both ends in it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DateRange {
    pub start: String,
    pub end: String,
}

impl Analytics {
    /// Puts together what was asked for one by one.
    #[must_use]
    pub fn new(
        filter: &rows::RowFilter,
        runs: rows::Runs,
        usage: Vec<rows::ModelUsage>,
        places: Vec<rows::ModelPlaces>,
        latencies: Vec<rows::ModelLatency>,
    ) -> Self {
        let mut summary = Summary {
            total_queries: runs.runs,
            unique_models: places.len(),
            date_range: runs
                .first
                .zip(runs.last)
                .map(|(first, last)| DateRange { start: naive(first), end: naive(last) }),
            total_calls: 0,
            failures: 0,
            total_tokens: 0,
            cached_tokens: 0,
            cache_saved_usd: None,
            money: Money::default(),
            cleared_at: filter.cleared_at.map(naive),
            price_list_date: &BUILT_IN.date,
        };
        let mut money = rows::Money::default();
        let mut models: BTreeMap<String, ModelFigures> = BTreeMap::new();
        for row in usage {
            summary.total_calls += row.calls;
            summary.failures += row.failed_calls;
            summary.total_tokens += row.total_tokens;
            money = money.plus(row.money);
            let figures = models.entry(row.model).or_default();
            figures.total_calls = row.calls;
            figures.failures = row.failed_calls;
            figures.total_tokens = row.total_tokens;
            figures.total_prompt_tokens = row.prompt_tokens;
            figures.total_completion_tokens = row.completion_tokens;
            figures.money = row.money.into();
        }
        summary.money = money.into();
        for row in places {
            let figures = models.entry(row.model).or_default();
            figures.total_queries = row.answers;
            figures.ranked_queries = row.ranked;
            figures.wins = rounded(row.wins, 2);
            figures.win_rate = percent(row.wins, row.ranked);
            figures.average_rank = row.average_rank.map(|rank| rounded(rank, 2));
            figures.average_confidence = row.average_confidence.map(|score| rounded(score, 2));
            figures.rank_distribution = row.places.into_iter().collect();
        }
        for row in latencies {
            models.entry(row.model).or_default().latency_ms = Some(row.latency.into());
        }
        let mut models: Vec<(String, ModelFigures)> = models.into_iter().collect();
        // Unranked ones last; equals in alphabetical order.
        models.sort_by(|(_, a), (_, b)| {
            let key = |figures: &ModelFigures| figures.win_rate.unwrap_or(-1.0);
            let rank = |figures: &ModelFigures| figures.average_rank.unwrap_or(f64::INFINITY);
            key(b).total_cmp(&key(a)).then_with(|| rank(a).total_cmp(&rank(b)))
        });
        Self { models, summary }
    }

    /// Adds what providers' caches did.
    #[must_use]
    pub fn with_cached(mut self, cached: Vec<rows::ModelCache>) -> Self {
        for row in cached {
            self.summary.cached_tokens += row.cached_tokens;
            if let Some(usd) = row.saved_usd {
                *self.summary.cache_saved_usd.get_or_insert(0.0) += usd;
            }
            if let Some((_, figures)) = self.models.iter_mut().find(|(model, _)| *model == row.model) {
                figures.cached_tokens = row.cached_tokens;
                figures.cache_saved_usd = row.saved_usd;
            }
        }
        self
    }
}

/// Costs over time.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Days {
    /// The days on which anything happened, the earliest first.
    pub days: Vec<DayFigures>,
}

/// One day, in UTC.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DayFigures {
    /// `2026-01-31`.
    pub day: String,
    /// Runs that were asked for on it.
    pub queries: i64,
    /// Calls that ended on it.
    pub calls: i64,
    pub total_tokens: i64,
    #[serde(flatten)]
    pub money: Money,
}

impl From<rows::Day> for DayFigures {
    fn from(row: rows::Day) -> Self {
        Self {
            day: row.day,
            queries: row.runs,
            calls: row.calls,
            total_tokens: row.total_tokens,
            money: row.money.into(),
        }
    }
}

/// Who wrote the final answers.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Chairmen {
    /// Who wrote most comes first.
    #[serde(serialize_with = "in_order")]
    #[schema(value_type = BTreeMap<String, ChairmanFigures>)]
    pub models: Vec<(String, ChairmanFigures)>,
    /// Final answers that were written.
    pub total_syntheses: i64,
}

/// A model as chairman.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ChairmanFigures {
    /// Final answers that it wrote.
    pub times_used: i64,
    /// How many of them in the place of a chairman that failed.
    pub times_stood_in: i64,
    /// What people thought of them.
    pub thumbs_up: i64,
    pub thumbs_down: i64,
    /// Its calls to write one.
    pub total_calls: i64,
    /// Calls that ended with an error; stopped ones do not count.
    pub failures: i64,
    pub total_tokens: i64,
    #[serde(flatten)]
    pub money: Money,
    /// How long it writes; null where it never came to an end.
    pub latency_ms: Option<Latency>,
}

impl From<Vec<rows::Chairman>> for Chairmen {
    fn from(rows: Vec<rows::Chairman>) -> Self {
        let total_syntheses = rows.iter().map(|row| row.written).sum();
        let models = rows.into_iter().map(|row| {
            let figures = ChairmanFigures {
                times_used: row.written,
                times_stood_in: row.stood_in,
                thumbs_up: row.thumbs_up,
                thumbs_down: row.thumbs_down,
                total_calls: row.calls,
                failures: row.failed_calls,
                total_tokens: row.total_tokens,
                money: row.money.into(),
                latency_ms: row.latency.map(Latency::from),
            };
            (row.model, figures)
        });
        Self { models: models.collect(), total_syntheses }
    }
}

/// A page of the caller's runs, newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Recent {
    pub queries: Vec<RecentRun>,
    /// How many there are on all pages.
    pub total: i64,
}

/// A run with its figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RecentRun {
    pub run_id: RunId,
    /// Null when the conversation was deleted.
    pub conversation_id: Option<ConversationId>,
    /// When it was asked for.
    pub timestamp: String,
    pub format: String,
    /// `queued`, `running`, `complete`, `failed`, `cancelled`.
    pub status: String,
    /// The members that answered, in the order of their seats.
    pub models: Vec<RecentAnswer>,
    pub total_models: usize,
    /// Who wrote the final answer.
    pub chairman_model: Option<String>,
    /// From the question to the end; null while it goes on.
    pub query_duration_ms: Option<i64>,
    pub total_tokens: i64,
    #[serde(flatten)]
    pub money: Money,
    /// What the caller thought of it: `up` or `down`.
    pub thumb: Option<String>,
}

/// One answer of a run.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RecentAnswer {
    pub model: String,
    /// Its place in the headline order; null when it was not ranked.
    pub place: Option<i16>,
    /// Its average rank.
    pub rank_position: Option<f64>,
    /// Whether it came first, alone or with others.
    pub was_top_ranked: bool,
    pub confidence: Option<i16>,
}

impl From<rows::RecentRun> for RecentRun {
    fn from(row: rows::RecentRun) -> Self {
        let models: Vec<RecentAnswer> = row
            .answers
            .into_iter()
            .map(|answer| RecentAnswer {
                model: answer.model,
                place: answer.place,
                rank_position: answer.average_rank,
                was_top_ranked: answer.place == Some(1),
                confidence: answer.confidence,
            })
            .collect();
        Self {
            run_id: row.id,
            conversation_id: row.conversation,
            timestamp: naive(row.created_at),
            format: row.format,
            status: row.status,
            total_models: models.len(),
            models,
            chairman_model: row.chairman,
            query_duration_ms: row
                .finished_at
                .map(|end| end.as_millisecond() - row.created_at.as_millisecond()),
            total_tokens: row.total_tokens,
            money: row.money.into(),
            thumb: row.thumb,
        }
    }
}

/// A sum of costs without what adding them up leaves. The vector of a short question costs less than a
/// millionth of a dollar, and is not free.
pub(super) fn rounded_usd(usd: f64) -> f64 {
    rounded(usd, 9)
}

pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

#[expect(clippy::cast_precision_loss, reason = "nobody has given 2^53 answers")]
fn percent(part: f64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| rounded(100.0 * part / whole as f64, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cost_next_to_nothing_did_not_cost_nothing() {
        let shown = |usd: f64| {
            let money = rows::Money { usd: Some(usd), ..rows::Money::default() };
            Money::from(money).total_cost
        };
        assert_eq!(shown(0.000_000_2), Some(0.000_000_2));
        assert_eq!(shown(0.1 + 0.2), Some(0.3));
    }
}
