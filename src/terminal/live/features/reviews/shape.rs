//! The reviews: who ranks the answers, how, and what comes of it.

use crate::terminal::live::event::Fields;
use crate::terminal::live::piece::{CallStatus, Piece, Seat};
use serde::Serialize;

/// One reviewer's ballot. The text of the piece is what it wrote.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Review {
    pub piece: Piece,
    /// Its order of the answers, the best first: labels, as `Response A`.
    pub ranking: Vec<String>,
    /// The order, with labels that share a place grouped.
    pub tiers: Vec<Vec<String>>,
    /// How the order was read: `strict`, `lenient`, `fallback` or `none`.
    pub parse: Option<String>,
    pub counts: bool,
    /// What came of reading the answers a second time, in the reverse order.
    pub second: Option<Box<Review>>,
}

impl Review {
    /// Asked, and shown as working from the start: no part of a ballot is sent before it is whole.
    pub(in crate::terminal::live) fn writing(seat: Seat, since: Option<String>) -> Self {
        let piece = Piece { status: CallStatus::Writing, ..Piece::waiting(seat, since) };
        Self { piece, ..Self::default() }
    }

    pub(in crate::terminal::live) fn ended(result: Fields) -> Self {
        let texts = |value: &serde_json::Value| {
            value.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
        };
        let second = result.within("second");
        Self {
            piece: Piece::ended(result, "ranking"),
            ranking: result.texts("parsed_ranking"),
            tiers: result.values("tiers").iter().map(texts).collect(),
            parse: result.owned("parse"),
            counts: result.flag("counts"),
            second: second.is_there().then(|| Box::new(Self::ended(second))),
        }
    }
}

/// The result of the ballots.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ranking {
    /// The best first.
    pub rows: Vec<Row>,
    /// How many ballots count.
    pub ballots: u64,
    /// The member in the first place; `None` where there is none.
    pub winner: Option<String>,
    pub winner_is_tie: bool,
    pub certainty: Option<Certainty>,
    /// How much the ballots agree, 0 to 1.
    pub agreement: Option<f64>,
}

/// An answer's place. See `AggregateRow` of the API for how each number is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    pub seat: Seat,
    pub label: String,
    /// From 1; equal answers share a place.
    pub place: i64,
    pub average_rank: Option<f64>,
    pub weighted_average_rank: Option<f64>,
    pub borda: Option<f64>,
    pub weighted_borda: Option<f64>,
    pub weights_applied: bool,
    /// How many places it climbs by the weights.
    pub rank_change: i64,
    pub voters: u64,
    /// A ballot that puts two first gives each a half.
    pub first_place_votes: f64,
}

/// How sure the first place is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Certainty {
    pub verdict: String,
    /// The chance that the first one is the best, 0 to 1.
    pub first_is_best: Option<f64>,
    pub explanation: String,
}

/// How the reviewers judge, as far as the request decides that.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Judging {
    /// The criteria, if some were given: their name and their text.
    pub rubric: Option<(String, String)>,
    pub second_reading: Option<SecondReading>,
    pub weights: Option<Weights>,
}

/// Whether the answers were read a second time, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SecondReading {
    pub held: bool,
    pub reason: String,
}

/// What each reviewer's ballot weighed, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Weights {
    pub explanation: String,
    pub has_historical_data: bool,
    /// By member.
    pub weights: Vec<(String, f64)>,
}
