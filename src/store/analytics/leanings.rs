//! What ballots show of their authors, over many runs.

use std::collections::BTreeMap;

use serde::Deserialize;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::filter::{RowFilter, in_time, within};
use crate::store::{StoreError, Tx};

/// A query for the [`OfModel`]s of a user (`$1`). Read backwards out of `leanings_by_user`, and nothing else: the start of
/// every run asks this. The newest count, as for weights.
macro_rules! reviewer_rows {
    () => {
        "SELECT model, json_build_array(count(own), coalesce(sum(own), 0)) AS own,
                json_build_array(count(position), coalesce(sum(position), 0)) AS position
         FROM (SELECT model, own, position FROM leanings
               WHERE user_id = $1 ORDER BY finished_at DESC LIMIT 2000) AS newest
         GROUP BY model"
    };
}
pub(in crate::store) use reviewer_rows;

/// A query for how far the ballots of a user's (`$1`) newest runs agree, as an [`Agreement`]; out of `run_figures_by_user`.
macro_rules! agreement {
    () => {
        "SELECT json_build_object('ballots', json_build_array(count(agreement), coalesce(sum(agreement), 0)),
                                  'reading', json_build_array(count(agreement), coalesce(sum(reading_agreement), 0)))
         FROM (SELECT agreement, reading_agreement FROM run_figures
               WHERE user_id = $1 ORDER BY finished_at DESC LIMIT 500) AS newest
         WHERE agreement IS NOT NULL"
    };
}
pub(in crate::store) use agreement;

/// The two queries as statements of their own.
pub(super) const REVIEWERS: &str = reviewer_rows!();
pub(super) const AGREEMENT: &str = agreement!();

const OF_EVERYBODY: &str =
    "SELECT model, count(own) AS owns, sum(own) AS own, count(position) AS positions, sum(position) AS position
     FROM leanings WHERE finished_at > now() - interval '90 days' GROUP BY model";

/// The newest picks of a member's answer as the best, where the run had stated how likely the first answer is to be the
/// best.
const PICKS: &str = "SELECT r.first_is_best, p.place = 1 AS is_first
     FROM (SELECT run_id, better_seat FROM feedback
           WHERE better = 'member' AND updated_at > now() - interval '365 days'
           ORDER BY updated_at DESC LIMIT 1000) AS pick
     JOIN run_figures r USING (run_id)
     JOIN placings p ON p.run_id = pick.run_id AND p.seat = pick.better_seat
     WHERE r.first_is_best IS NOT NULL AND p.place IS NOT NULL";

pub(super) const MEANS: &str = concat!(
    "SELECT model, count(*) AS ballots, count(own) AS owns, avg(own) AS own, stddev_samp(own) AS own_sd,
            count(position) AS positions, avg(position) AS position, stddev_samp(position) AS position_sd,
            count(length) AS lengths, avg(length) AS length, stddev_samp(length) AS length_sd,
            count(family) AS families, avg(family) AS family, stddev_samp(family) AS family_sd
     FROM leanings WHERE ",
    within!("finished_at"),
    " GROUP BY model ORDER BY model"
);

/// A count and a sum.
pub type CountAndSum = (u32, f64);

/// What the start of a run needs of one model's ballots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct ReviewerSums {
    pub own: CountAndSum,
    pub position: CountAndSum,
}

/// A row of [`reviewer_rows`].
#[derive(Deserialize)]
pub(in crate::store) struct OfModel {
    pub model: String,
    #[serde(flatten)]
    pub sums: ReviewerSums,
}

/// How far the ballots of one user's runs agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Agreement {
    /// The mean correlation of two ballots, one value for each run.
    pub ballots: CountAndSum,
    /// The mean correlation of two reading orders, one value for each of those runs.
    pub reading: CountAndSum,
}

/// What everybody's ballots of the last 90 days show, in the admins' scope.
pub async fn everybodys_reviewers(tx: &mut Tx) -> Result<BTreeMap<String, ReviewerSums>, StoreError> {
    let rows = sqlx::query(OF_EVERYBODY).fetch_all(&mut **tx).await?;
    let read = |row: &PgRow| Ok((row.try_get("model")?, reviewer(row)?));
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

/// The stated probability that the first answer is the best, and whether it was picked: everybody's
/// newest 1,000 picks of a year, in the admins' scope.
pub async fn picks(tx: &mut Tx) -> Result<Vec<(f64, bool)>, StoreError> {
    let rows = sqlx::query(PICKS).fetch_all(&mut **tx).await?;
    let read = |row: &PgRow| Ok((row.try_get("first_is_best")?, row.try_get("is_first")?));
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

fn reviewer(row: &PgRow) -> Result<ReviewerSums, sqlx::Error> {
    Ok(ReviewerSums {
        own: count_and_sum(row, "owns", "own")?,
        position: count_and_sum(row, "positions", "position")?,
    })
}

fn count_and_sum(row: &PgRow, count: &str, sum: &str) -> Result<CountAndSum, sqlx::Error> {
    let count: i64 = row.try_get(count)?;
    Ok((u32::try_from(count).unwrap_or(u32::MAX), row.try_get::<Option<f64>, _>(sum)?.unwrap_or_default()))
}

/// A mean over ballots, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub ballots: i64,
    pub value: f64,
    /// Absent for a single ballot.
    pub error: Option<f64>,
}

/// What one model's ballots show; see the columns of `leanings`.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelLeanings {
    pub model: String,
    pub ballots: i64,
    pub own: Option<Mean>,
    pub position: Option<Mean>,
    pub length: Option<Mean>,
    pub family: Option<Mean>,
}

/// What the ballots of each model show.
pub async fn leanings(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<ModelLeanings>, StoreError> {
    let rows = filter.query(MEANS).fetch_all(&mut **tx).await?;
    let read = |row: &PgRow| {
        Ok(ModelLeanings {
            model: row.try_get("model")?,
            ballots: row.try_get("ballots")?,
            own: mean(row, ["owns", "own", "own_sd"])?,
            position: mean(row, ["positions", "position", "position_sd"])?,
            length: mean(row, ["lengths", "length", "length_sd"])?,
            family: mean(row, ["families", "family", "family_sd"])?,
        })
    };
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

#[expect(clippy::cast_precision_loss, reason = "ballots are not that many")]
fn mean(row: &PgRow, [count, mean, sd]: [&str; 3]) -> Result<Option<Mean>, sqlx::Error> {
    let ballots: i64 = row.try_get(count)?;
    let sd: Option<f64> = row.try_get(sd)?;
    let value: Option<f64> = row.try_get(mean)?;
    Ok(value.map(|value| Mean { ballots, value, error: sd.map(|sd| sd / (ballots as f64).sqrt()) }))
}
