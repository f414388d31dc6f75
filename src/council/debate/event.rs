//! The events of a debate, as formats without names of their own for them tell it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::neutral_event::{DebateStart, NeutralEvent, RoundStart};
use super::notes;
use super::statement::Statement;
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::Note;
use crate::council::seat::Seat;
use crate::council::stages::abstention::Abstention;
use crate::council::stages::reviews::{Review, ReviewsMetadata};
use crate::council::stages::synthesis::Synthesis;
use crate::llm::fact::known;
use crate::llm::{CallFact, ErrorKind};

/// A round of participants, as one existing client reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ParticipantsRound {
    pub round_number: u32,
    pub round_type: String,
    pub responses: Vec<ParticipantResponse>,
}

/// One of its texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ParticipantResponse {
    pub participant: String,
    pub model: String,
    pub response: String,
    pub metrics: CallMetrics,
}

/// What a call took, as one existing client reads it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CallMetrics {
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

/// A final answer with the names under which clients of other formats than the council know its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DebateSynthesis {
    #[serde(flatten)]
    pub synthesis: Synthesis,
    /// The same text as `response`.
    pub content: String,
    pub metrics: CallMetrics,
}

impl From<&Synthesis> for DebateSynthesis {
    fn from(synthesis: &Synthesis) -> Self {
        let metrics = CallMetrics {
            cost: synthesis.cost,
            total_tokens: synthesis.usage.map(|usage| usage.total_tokens),
            latency_ms: synthesis.latency_ms,
        };
        Self { content: synthesis.response.clone(), metrics, synthesis: synthesis.clone() }
    }
}

/// The events of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DebateEvent {
    /// The debate begins.
    DebateStart(Box<DebateStart>),
    /// A round begins.
    RoundStart(RoundStart),
    /// A speaker is asked.
    ModelStart { round_number: u32, model: String, member: String, label: String },
    /// A piece of what a speaker says.
    Token { round_number: u32, model: String, member: String, label: String, token: String },
    /// A piece of a speaker's reasoning, shown apart; in every format with speakers.
    ReasoningToken { round_number: u32, model: String, member: String, label: String, content: String },
    /// A speaker has spoken.
    ModelComplete {
        round_number: u32,
        round_type: String,
        model: String,
        member: String,
        label: String,
        data: Box<Statement>,
    },
    /// A speaker has failed, and is out of the rounds that follow; `data` holds what had arrived. In every format
    /// with speakers.
    ModelError {
        round_number: u32,
        round_type: String,
        model: String,
        member: String,
        label: String,
        error: String,
        error_kind: ErrorKind,
        data: Box<Statement>,
    },
    /// Every speaker of a round has spoken or failed.
    RoundComplete {
        round_number: u32,
        round_type: String,
        responses: Vec<Statement>,
        /// `responses` without those that failed, as one existing client reads it.
        data: ParticipantsRound,
    },
    /// A chairman begins to write; a second one means that the first failed: clear its text.
    SynthesisStart {
        model: String,
        /// When it is asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A piece of the answer.
    SynthesisToken { model: String, content: String },
    /// A piece of the chairman's reasoning, shown apart; in every format with speakers.
    SynthesisReasoningToken { model: String, content: String },
    /// A chairman failed.
    SynthesisError {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// The answer is whole.
    SynthesisComplete { data: Box<DebateSynthesis>, participant_mapping: BTreeMap<String, String> },
    /// Some members are asked to rank the openings blind, while the debate goes on. In every format with speakers.
    FormatBallotsStart {
        members: Vec<Seat>,
        /// The members that are not asked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        abstained: Vec<Abstention>,
        /// When they are asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// One of those members has ranked the openings, or failed. In every format with speakers.
    FormatBallotsModelComplete { model: String, member: String, data: Box<Review> },
    /// The members have ranked the openings blind. The debate does not depend on it. In every format with speakers.
    FormatBallotsComplete { data: Vec<Review>, metadata: Box<ReviewsMetadata> },
}

impl DebateEvent {
    /// What it says of the debate, in no format's words; nothing where it is a piece of a text.
    #[must_use]
    pub fn neutral(&self) -> Option<NeutralEvent<'_>> {
        Some(match self {
            Self::DebateStart(start) => NeutralEvent::Begins(start),
            Self::RoundStart(start) => NeutralEvent::RoundBegins(start),
            Self::ModelComplete { round_number, data, .. } | Self::ModelError { round_number, data, .. } => {
                NeutralEvent::Said { round_number: *round_number, statement: data }
            }
            Self::RoundComplete { round_number, .. } => {
                NeutralEvent::RoundIsOver { round_number: *round_number }
            }
            Self::SynthesisStart { model, .. } => NeutralEvent::Judges { model },
            Self::SynthesisError { model, error, error_kind, error_fact } => {
                NeutralEvent::NotJudged { model, error, kind: *error_kind, fact: error_fact.as_ref() }
            }
            Self::SynthesisComplete { data, .. } => NeutralEvent::Judged(&data.synthesis),
            Self::FormatBallotsStart { members, abstained, .. } => {
                NeutralEvent::RankingBegins { reviewers: members, abstained }
            }
            Self::FormatBallotsModelComplete { data, .. } => NeutralEvent::Voted(data),
            Self::FormatBallotsComplete { data, metadata } => {
                NeutralEvent::Ranked { reviews: data, metadata }
            }
            Self::ModelStart { .. }
            | Self::Token { .. }
            | Self::ReasoningToken { .. }
            | Self::SynthesisToken { .. }
            | Self::SynthesisReasoningToken { .. } => return None,
        })
    }
}

impl FeatureEvent for DebateEvent {
    fn note(&self) -> Option<Note> {
        self.neutral().and_then(notes::note)
    }

    fn asking(&self) -> Option<Asking> {
        self.neutral().and_then(notes::asking)
    }
}
