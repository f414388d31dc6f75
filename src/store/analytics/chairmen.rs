//! Who wrote the final answers.

use std::collections::BTreeMap;

use sqlx::Row as _;

use super::filter::{RowFilter, in_time, within};
use super::sums::{Latency, Money, sums};
use crate::store::{StoreError, Tx};

pub(super) const WRITTEN: &str = concat!(
    "SELECT f.chairman AS model, count(*) AS written, count(*) FILTER (WHERE f.stood_in) AS stood_in,
            count(*) FILTER (WHERE p.thumb = 'up') AS thumbs_up,
            count(*) FILTER (WHERE p.thumb = 'down') AS thumbs_down
     FROM run_figures f LEFT JOIN feedback p ON p.run_id = f.run_id AND p.user_id = f.user_id
     WHERE f.chairman IS NOT NULL AND ",
    within!("f.", "finished_at"),
    " GROUP BY f.chairman"
);

pub(super) const CALLS: &str = concat!(
    "SELECT model, ",
    sums!(),
    ", avg(latency_ms) FILTER (WHERE outcome = 'ok')::float8 AS average_ms,
       percentile_cont('{0.5, 0.95}'::float8[]) WITHIN GROUP (ORDER BY latency_ms)
           FILTER (WHERE outcome = 'ok') AS quantiles_ms
     FROM calls WHERE purpose IN ('synthesis', 'debate_judgment', 'merge') AND ",
    within!("finished_at"),
    " GROUP BY model"
);

/// A model as chairman.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chairman {
    pub model: String,
    /// Final answers that it wrote.
    pub written: i64,
    /// How many of them in the place of a chairman that failed.
    pub stood_in: i64,
    /// What people thought of them.
    pub thumbs_up: i64,
    pub thumbs_down: i64,
    /// Its calls to write one.
    pub calls: i64,
    /// How many of them ended with an error; stopped ones do not count.
    pub failed_calls: i64,
    pub total_tokens: i64,
    pub money: Money,
    pub latency: Option<Latency>,
}

/// Every model that wrote, or was asked to write, a final answer; who wrote most comes first.
pub async fn chairmen(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<Chairman>, StoreError> {
    let mut chairmen: BTreeMap<String, Chairman> = BTreeMap::new();
    for row in filter.query(WRITTEN).fetch_all(&mut **tx).await? {
        let chairman = chairmen.entry(row.try_get("model")?).or_default();
        chairman.written = row.try_get("written")?;
        chairman.stood_in = row.try_get("stood_in")?;
        chairman.thumbs_up = row.try_get("thumbs_up")?;
        chairman.thumbs_down = row.try_get("thumbs_down")?;
    }
    for row in filter.query(CALLS).fetch_all(&mut **tx).await? {
        let chairman = chairmen.entry(row.try_get("model")?).or_default();
        chairman.calls = row.try_get("calls")?;
        chairman.failed_calls = row.try_get("failed_calls")?;
        chairman.total_tokens = row.try_get("total_tokens")?;
        chairman.money = Money::of(&row)?;
        chairman.latency = Latency::of(&row)?;
    }
    let mut chairmen: Vec<Chairman> =
        chairmen.into_iter().map(|(model, chairman)| Chairman { model, ..chairman }).collect();
    // Stable: those that wrote as many stay in alphabetical order.
    chairmen.sort_by_key(|chairman| std::cmp::Reverse(chairman.written));
    Ok(chairmen)
}
