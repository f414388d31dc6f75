//! What was used and paid, day by day.

use std::collections::BTreeMap;

use sqlx::Row as _;

use super::filter::{RowFilter, in_time, runs_within, within};
use super::sums::{Money, sums};
use crate::store::{StoreError, Tx};

/// Grouped by the date: to write each row's day out as text takes as long as the sums.
pub(super) const USAGE: &str = concat!(
    "SELECT to_char((finished_at AT TIME ZONE 'UTC')::date, 'YYYY-MM-DD') AS day, ",
    sums!(),
    " FROM calls WHERE ",
    within!("finished_at"),
    " GROUP BY (finished_at AT TIME ZONE 'UTC')::date"
);

pub(super) const RUNS: &str = concat!(
    "SELECT to_char((created_at AT TIME ZONE 'UTC')::date, 'YYYY-MM-DD') AS day, count(*) AS runs
     FROM runs WHERE ",
    runs_within!("created_at"),
    " GROUP BY (created_at AT TIME ZONE 'UTC')::date"
);

/// One day, in UTC.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Day {
    /// `2026-01-31`.
    pub day: String,
    /// Runs that were asked for on it.
    pub runs: i64,
    /// Calls that ended on it.
    pub calls: i64,
    pub total_tokens: i64,
    pub money: Money,
}

/// The days on which anything was asked or ended, the earliest first.
pub async fn days(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<Day>, StoreError> {
    let mut days: BTreeMap<String, Day> = BTreeMap::new();
    for row in filter.query(USAGE).fetch_all(&mut **tx).await? {
        let day: String = row.try_get("day")?;
        let entry = days.entry(day).or_default();
        entry.calls = row.try_get("calls")?;
        entry.total_tokens = row.try_get("total_tokens")?;
        entry.money = Money::of(&row)?;
    }
    for row in filter.query(RUNS).fetch_all(&mut **tx).await? {
        let day: String = row.try_get("day")?;
        days.entry(day).or_default().runs = row.try_get("runs")?;
    }
    Ok(days.into_iter().map(|(day, entry)| Day { day, ..entry }).collect())
}
