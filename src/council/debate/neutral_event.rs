//! What the events of every format with speakers have in common, whatever a format calls them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::speaker::Speaker;
use super::statement::Statement;
use crate::council::seat::Seat;
use crate::council::stages::abstention::Abstention;
use crate::council::stages::reviews::{Review, ReviewsMetadata};
use crate::council::stages::synthesis::Synthesis;
use crate::llm::{CallFact, ErrorKind};

/// The beginning of a debate: who speaks, under which names, and in how many rounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DebateStart {
    /// The request's `mode`.
    pub mode: String,
    /// Which kind of debate, where the mode has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate_style: Option<String>,
    pub models: Vec<String>,
    pub chairman: String,
    /// The number of rounds as requests give it. What one of them is, the format says.
    pub num_rounds: u32,
    /// Whether the critics are answered, where a request can leave that out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_rebuttal: Option<bool>,
    /// What the speakers do in each round, in order.
    pub round_types: Vec<String>,
    pub speakers: Vec<SpeakerSeat>,
    pub model_to_label: BTreeMap<String, String>,
    pub label_to_model: BTreeMap<String, String>,
    /// Whether the members rank the openings.
    pub format_ballots: bool,
}

/// A speaker, as events name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SpeakerSeat {
    pub label: String,
    #[serde(flatten)]
    pub seat: Seat,
    /// The labels of those whose words it is asked to answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies_to: Vec<String>,
}

impl From<&Speaker> for SpeakerSeat {
    fn from(speaker: &Speaker) -> Self {
        Self { label: speaker.label.clone(), seat: Seat::from(&speaker.member), replies_to: Vec::new() }
    }
}

/// The beginning of a round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RoundStart {
    /// From 1.
    pub round_number: u32,
    /// What the speakers do in it.
    pub round_type: String,
    /// Who speaks in it.
    pub speakers: Vec<SpeakerSeat>,
    /// When they are asked (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
}

/// What an event says of a debate, whatever its format calls it.
#[derive(Debug, Clone, Copy)]
pub enum NeutralEvent<'e> {
    Begins(&'e DebateStart),
    RoundBegins(&'e RoundStart),
    Said { round_number: u32, statement: &'e Statement },
    RoundIsOver { round_number: u32 },
    Judges { model: &'e str },
    NotJudged { model: &'e str, error: &'e str, kind: ErrorKind, fact: Option<&'e CallFact> },
    Judged(&'e Synthesis),
    RankingBegins { reviewers: &'e [Seat], abstained: &'e [Abstention] },
    Voted(&'e Review),
    Ranked { reviews: &'e [Review], metadata: &'e ReviewsMetadata },
}
