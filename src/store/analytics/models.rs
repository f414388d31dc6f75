//! What each model did.

use jiff::Timestamp;
use sqlx::Row as _;

use super::filter::{RowFilter, in_time, runs_within, within};
use super::sums::{Latency, Money, sums};
use crate::store::{StoreError, Tx, time_or_null};

pub(super) const USAGE: &str = concat!(
    "SELECT model, ",
    sums!(),
    " FROM calls WHERE ",
    within!("finished_at"),
    " GROUP BY model ORDER BY model"
);

/// Apart from [`USAGE`]: few calls read from a cache or paid for writing to one, and there is an index over only those.
pub(super) const CACHED: &str = concat!(
    "SELECT model, coalesce(sum(cached_tokens), 0)::bigint AS cached_tokens, sum(cache_saved_usd) AS saved_usd
     FROM calls WHERE (cached_tokens > 0 OR cache_saved_usd < 0) AND ",
    within!("finished_at"),
    " GROUP BY model ORDER BY model"
);

pub(super) const LATENCIES: &str = concat!(
    "SELECT model, avg(latency_ms)::float8 AS average_ms,
            percentile_cont('{0.5, 0.95}'::float8[]) WITHIN GROUP (ORDER BY latency_ms) AS quantiles_ms
     FROM calls WHERE purpose IN ('answer', 'debate_opening') AND outcome = 'ok' AND ",
    within!("finished_at"),
    " GROUP BY model ORDER BY model"
);

pub(super) const PLACES: &str = concat!(
    "SELECT model, place, count(*) AS answers, coalesce(sum(won), 0) AS wins,
            coalesce(sum(average_rank), 0) AS ranks, count(confidence) AS confidences,
            coalesce(sum(confidence), 0)::bigint AS confidence
     FROM placings WHERE ",
    within!("finished_at"),
    " GROUP BY model, place ORDER BY model, place"
);

pub(super) const RUNS: &str = concat!(
    "SELECT count(*) AS runs, min(created_at) AS first, max(created_at) AS last FROM runs WHERE ",
    runs_within!("created_at")
);

/// What the calls of one model used, whatever they were for.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelUsage {
    pub model: String,
    pub calls: i64,
    /// Calls that ended with an error; stopped ones do not count.
    pub failed_calls: i64,
    pub prompt_tokens: i64,
    pub completion_tokens: i64,
    pub total_tokens: i64,
    pub money: Money,
}

/// What each model used.
pub async fn usage(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<ModelUsage>, StoreError> {
    let rows = filter.query(USAGE).fetch_all(&mut **tx).await?;
    let read = |row: &sqlx::postgres::PgRow| {
        Ok(ModelUsage {
            model: row.try_get("model")?,
            calls: row.try_get("calls")?,
            failed_calls: row.try_get("failed_calls")?,
            prompt_tokens: row.try_get("prompt_tokens")?,
            completion_tokens: row.try_get("completion_tokens")?,
            total_tokens: row.try_get("total_tokens")?,
            money: Money::of(row)?,
        })
    };
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

/// What providers' caches did for one model's calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCache {
    pub model: String,
    /// Prompt tokens that were read from a cache.
    pub cached_tokens: i64,
    /// What that saved in USD, less the cost of writing to one, where the prices are known.
    pub saved_usd: Option<f64>,
}

/// The models whose prompts were read from a cache, in part, or paid for being written to one.
pub async fn cached(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<ModelCache>, StoreError> {
    let rows = filter.query(CACHED).fetch_all(&mut **tx).await?;
    let read = |row: &sqlx::postgres::PgRow| {
        Ok(ModelCache {
            model: row.try_get("model")?,
            cached_tokens: row.try_get("cached_tokens")?,
            saved_usd: row.try_get("saved_usd")?,
        })
    };
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

/// How long one model takes to answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelLatency {
    pub model: String,
    pub latency: Latency,
}

/// How long each model takes to answer: whole answers to the question only, since a title says nothing about that.
pub async fn latencies(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<ModelLatency>, StoreError> {
    let rows = filter.query(LATENCIES).fetch_all(&mut **tx).await?;
    let mut models = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(latency) = Latency::of(row)? {
            models.push(ModelLatency { model: row.try_get("model")?, latency });
        }
    }
    Ok(models)
}

/// How the answers of one model were placed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelPlaces {
    pub model: String,
    /// Its answers; a model that sits twice gives two in a run.
    pub answers: i64,
    /// How many of them were ranked.
    pub ranked: i64,
    /// First places, shared ones in parts.
    pub wins: f64,
    /// The mean of the average ranks; none without a ranked answer.
    pub average_rank: Option<f64>,
    /// The mean of the confidences, where it said any.
    pub average_confidence: Option<f64>,
    /// How often it came to each place of the headline order, the best first.
    pub places: Vec<(i16, i64)>,
}

/// How the answers of each model were placed.
#[expect(clippy::cast_precision_loss, reason = "nobody has given 2^53 answers")]
pub async fn places(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<ModelPlaces>, StoreError> {
    let rows = filter.query(PLACES).fetch_all(&mut **tx).await?;
    let mut models: Vec<ModelPlaces> = Vec::new();
    // Accumulates until a model's rows end.
    let (mut ranks, mut confidence, mut confidences) = (0.0, 0, 0);
    for row in &rows {
        let model: String = row.try_get("model")?;
        if models.last().is_none_or(|last| last.model != model) {
            models.push(ModelPlaces { model, ..ModelPlaces::default() });
            (ranks, confidence, confidences) = (0.0, 0_i64, 0_i64);
        }
        let Some(model) = models.last_mut() else { continue };
        let answers: i64 = row.try_get("answers")?;
        model.answers += answers;
        if let Some(place) = row.try_get::<Option<i16>, _>("place")? {
            model.ranked += answers;
            model.wins += row.try_get::<f64, _>("wins")?;
            model.places.push((place, answers));
            ranks += row.try_get::<f64, _>("ranks")?;
            model.average_rank = Some(ranks / model.ranked as f64);
        }
        confidence += row.try_get::<i64, _>("confidence")?;
        confidences += row.try_get::<i64, _>("confidences")?;
        model.average_confidence = (confidences > 0).then(|| confidence as f64 / confidences as f64);
    }
    Ok(models)
}

/// How many runs there were, and between when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    pub runs: i64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

/// The runs that were asked for.
pub async fn runs(tx: &mut Tx, filter: &RowFilter) -> Result<Runs, StoreError> {
    let row = filter.query(RUNS).fetch_one(&mut **tx).await?;
    Ok(Runs {
        runs: row.try_get("runs")?,
        first: time_or_null(&row, "first")?,
        last: time_or_null(&row, "last")?,
    })
}
