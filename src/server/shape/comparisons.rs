//! The JSON shapes of models compared with each other.

use serde::Serialize;

use super::analytics::{rounded, rounded_usd};
use crate::council::ranking::bradley_terry::Rated;
use crate::store::analytics as rows;

/// Models head to head.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct HeadToHead {
    /// Each pair that met, in alphabetical order.
    pub pairs: Vec<Pair>,
}

/// Two models that answered the same runs.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Pair {
    pub a: String,
    pub b: String,
    /// Runs in which both were ranked.
    pub runs: i64,
    /// In how many of them a came before b …
    pub a_above: i64,
    /// … b before a …
    pub b_above: i64,
    /// … and in how many they shared a place.
    pub ties: i64,
}

impl From<rows::Duel> for Pair {
    fn from(row: rows::Duel) -> Self {
        Self {
            ties: row.runs - row.a_above - row.b_above,
            a: row.a,
            b: row.b,
            runs: row.runs,
            a_above: row.a_above,
            b_above: row.b_above,
        }
    }
}

/// Where comparisons come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The reviewers' counted ballots.
    Ballots,
    /// People's words on which answer was better.
    People,
}

/// Models by strength (Bradley–Terry), the strongest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Leaderboard {
    pub source: Source,
    /// Runs that compare anything; at most the newest 10,000.
    pub runs: usize,
    /// How often the runs were drawn again for the intervals.
    pub draws: usize,
    pub models: Vec<Rank>,
}

/// A model on the leaderboard.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Rank {
    pub rank: usize,
    pub model: String,
    /// 1000 is average strength, 400 more ten times as strong: it is put before an average one ten
    /// times as often as behind.
    pub rating: f64,
    /// The middle 95 % of the ratings over the draws lie from here …
    pub low: f64,
    /// … to here. Where the intervals of two models overlap much, their order means little.
    pub high: f64,
    /// Runs that compare it with another model.
    pub runs: u64,
    /// Comparisons with other models.
    pub comparisons: u64,
    /// How many of them it won; a tie is half of one.
    pub wins: f64,
}

impl Rank {
    /// The rows of a leaderboard.
    #[must_use]
    pub fn of(rated: Vec<Rated>) -> Vec<Self> {
        let row = |(at, rated): (usize, Rated)| Self {
            rank: at + 1,
            model: rated.model,
            rating: rounded(rated.rating, 1),
            low: rounded(rated.low, 1),
            high: rounded(rated.high, 1),
            runs: rated.runs,
            comparisons: rated.comparisons,
            wins: rated.wins,
        };
        rated.into_iter().enumerate().map(row).collect()
    }
}

/// The council compared with the member that its reviewers put first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AgainstBest {
    /// Runs that one member won alone, with no second seat of its model.
    pub runs: i64,
    /// How many of them have a known cost; the costs below are means over these.
    pub priced_runs: i64,
    /// USD for a whole run, without its title.
    pub council_cost: Option<f64>,
    /// USD for the first-placed answer alone.
    pub member_cost: Option<f64>,
    /// How many times as much the council costs.
    pub cost_ratio: Option<f64>,
    /// Which answer people called the best, where they said so.
    pub people: PeopleSay,
}

/// Which answer people called the best.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PeopleSay {
    /// The council's.
    pub council: i64,
    /// The first-placed member's.
    pub best_member: i64,
    /// Another member's.
    pub other_member: i64,
}

impl From<rows::AgainstBest> for AgainstBest {
    fn from(row: rows::AgainstBest) -> Self {
        let ratio = row.council_usd.zip(row.member_usd).filter(|(_, member)| *member > 0.0);
        Self {
            runs: row.runs,
            priced_runs: row.priced_runs,
            council_cost: row.council_usd.map(rounded_usd),
            member_cost: row.member_usd.map(rounded_usd),
            cost_ratio: ratio.map(|(council, member)| rounded(council / member, 2)),
            people: PeopleSay {
                council: row.council_preferred,
                best_member: row.member_preferred,
                other_member: row.other_preferred,
            },
        }
    }
}
