//! What weights are made of.

use std::collections::BTreeMap;

use sqlx::Row as _;

use crate::store::{StoreError, Tx};

/// How many of a user's ranked answers count: the newest. A model's weight follows what it does now
/// and not what its provider offered under that name long ago; and as every run begins with this
/// question, its answer must not take longer with every run.
pub const NEWEST: i64 = 2_000;

/// Read backwards out of `placings_by_user`, and nothing else.
pub(super) const RECORDS: &str =
    "SELECT model, count(*) AS runs, sum(won) AS wins, avg(average_rank) AS average_rank,
            avg(confidence)::float8 AS average_confidence
     FROM (SELECT model, won, average_rank, confidence FROM placings
           WHERE user_id = $1 AND place IS NOT NULL ORDER BY finished_at DESC LIMIT 2000) AS newest
     GROUP BY model";

/// One model's record over its user's newest ranked answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// Its ranked answers.
    pub runs: u32,
    /// How many of them came first, in percent; a shared first place is a part of one.
    pub win_rate: f64,
    /// The mean of its average ranks.
    pub average_rank: Option<f64>,
    /// The mean of its confidences, where it said any.
    pub average_confidence: Option<f64>,
}

/// The records of this user's models, by model: one short statement, whatever the user's history.
#[expect(clippy::cast_precision_loss, reason = "at most NEWEST answers are counted")]
pub async fn records(tx: &mut Tx) -> Result<BTreeMap<String, Record>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(RECORDS).bind(user.as_str()).fetch_all(&mut **tx).await?;
    let read = |row: &sqlx::postgres::PgRow| {
        let runs: i64 = row.try_get("runs")?;
        let wins: f64 = row.try_get::<Option<f64>, _>("wins")?.unwrap_or_default();
        let record = Record {
            runs: u32::try_from(runs).unwrap_or(u32::MAX),
            win_rate: 100.0 * wins / runs as f64,
            average_rank: row.try_get("average_rank")?,
            average_confidence: row.try_get("average_confidence")?,
        };
        Ok((row.try_get("model")?, record))
    };
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_counts_as_many_as_it_says() {
        assert!(RECORDS.contains(&format!("LIMIT {NEWEST})")));
    }
}
