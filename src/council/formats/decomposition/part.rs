//! What came of one part of a question.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::council::ranking::aggregate::AggregateRow;
use crate::council::ranking::label::Label;
use crate::council::stages::answers::Answer;
use crate::council::stages::reviews::Review;

/// Why this answer is the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PickedBy {
    /// The members' ballots put it first.
    Ballot,
    /// Its author is the most confident.
    Confidence,
    /// There is no other.
    Only,
    /// No ballot counts, or nobody said a confidence: it is the first in the council's order.
    First,
}

/// What came of one part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SubResult {
    /// From 0.
    pub index: usize,
    pub sub_question: String,
    /// One per member, failed ones included.
    pub responses: Vec<Answer>,
    /// The members' ballots, where the best answer was found by them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ballots: Vec<Review>,
    /// `Response A` → the seat's name, as the ballots have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_member: BTreeMap<Label, String>,
    /// What the ballots add up to, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<AggregateRow>,
    /// Absent where no member answered.
    pub best_answer: Option<String>,
    pub best_model: Option<String>,
    #[serde(default)]
    pub best_member: Option<String>,
    #[serde(default)]
    pub picked_by: Option<PickedBy>,
}

impl SubResult {
    /// A part with these answers, before the best of them is found.
    #[must_use]
    pub fn of(index: usize, sub_question: &str, responses: Vec<Answer>) -> Self {
        Self { index, sub_question: sub_question.to_owned(), responses, ..Self::default() }
    }

    /// Names the best answer, that of this member.
    pub(super) fn choose(&mut self, member: Option<&str>, picked_by: PickedBy) {
        let best = self.responses.iter().find(|answer| Some(answer.member.as_str()) == member);
        self.best_answer = best.map(|answer| answer.response.clone());
        self.best_model = best.map(|answer| answer.model.clone());
        self.best_member = best.map(|answer| answer.member.clone());
        self.picked_by = best.map(|_| picked_by);
    }
}
