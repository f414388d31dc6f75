//! What weights are made of.

use std::collections::BTreeMap;

use serde::Deserialize;
use sqlx::types::Json;

use crate::store::{StoreError, Tx};

/// How many of a user's ranked answers count: the newest. A model's weight follows what it does now
/// and not what its provider offered under that name long ago; and as every run begins with this
/// question, its answer must not take longer with every run.
pub const NEWEST: i64 = 2_000;

/// A query for the [`Row`]s of a user (`$1`). Read backwards out of `placings_by_user`, and nothing else.
macro_rules! record_rows {
    () => {
        "SELECT model, count(*) AS runs, coalesce(sum(won), 0) AS wins, avg(average_rank) AS average_rank,
                avg(confidence)::float8 AS average_confidence
         FROM (SELECT model, won, average_rank, confidence FROM placings
               WHERE user_id = $1 AND place IS NOT NULL ORDER BY finished_at DESC LIMIT 2000) AS newest
         GROUP BY model"
    };
}
pub(in crate::store) use record_rows;

/// The query of `record_rows!` as a statement of its own.
pub(super) const RECORDS: &str = record_rows!();

/// A row of [`record_rows`].
#[derive(Deserialize)]
pub(in crate::store) struct Row {
    model: String,
    runs: u32,
    /// A shared first place is a part of one.
    wins: f64,
    average_rank: Option<f64>,
    average_confidence: Option<f64>,
}

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
pub async fn records(tx: &mut Tx) -> Result<BTreeMap<String, Record>, StoreError> {
    let user = tx.user()?;
    let rows: Json<Vec<Row>> = sqlx::query_scalar(concat!("SELECT ", rows_as_json!(record_rows!())))
        .bind(user.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok(by_model(rows.0))
}

pub(in crate::store) fn by_model(rows: Vec<Row>) -> BTreeMap<String, Record> {
    let record = |row: Row| {
        let record = Record {
            runs: row.runs,
            win_rate: 100.0 * row.wins / f64::from(row.runs),
            average_rank: row.average_rank,
            average_confidence: row.average_confidence,
        };
        (row.model, record)
    };
    rows.into_iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_counts_as_many_as_it_says() {
        assert!(RECORDS.contains(&format!("LIMIT {NEWEST})")));
    }
}
