//! The JSON shapes of what models are like as reviewers.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::store::analytics as rows;

/// What the ballots of each model show. Figures are parts of the whole ranking: 1 is from the first place to the last.
/// All but that for the position are measured against the other reviewers of the same answers, since an answer may be long,
/// or one's own, and good.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Reviewers {
    /// By model id.
    pub models: BTreeMap<String, Reviewer>,
}

/// One model's ballots.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Reviewer {
    /// Its counted ballots.
    pub ballots: i64,
    /// How much better it places its own answers than others do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<Leaning>,
    /// How much worse it places what it reads last than what it reads first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Leaning>,
    /// How much better than the others it places the longest answer, compared with the shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Leaning>,
    /// How much better than the others it places answers by other models of its maker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Leaning>,
}

/// A mean over ballots.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Leaning {
    /// The ballots that show it.
    pub ballots: i64,
    /// To 3 decimals.
    pub mean: f64,
    /// The standard error of the mean: the truth is within twice as much in 19 of 20 cases. Absent for one ballot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

impl From<Vec<rows::ModelLeanings>> for Reviewers {
    fn from(rows: Vec<rows::ModelLeanings>) -> Self {
        let one = |row: rows::ModelLeanings| {
            let reviewer = Reviewer {
                ballots: row.ballots,
                own: row.own.map(Into::into),
                position: row.position.map(Into::into),
                length: row.length.map(Into::into),
                family: row.family.map(Into::into),
            };
            (row.model, reviewer)
        };
        Self { models: rows.into_iter().map(one).collect() }
    }
}

impl From<rows::Mean> for Leaning {
    fn from(mean: rows::Mean) -> Self {
        Self { ballots: mean.ballots, mean: thousandths(mean.value), error: mean.error.map(thousandths) }
    }
}

fn thousandths(value: f64) -> f64 {
    // Never minus zero.
    (value * 1e3).round() / 1e3 + 0.0
}
