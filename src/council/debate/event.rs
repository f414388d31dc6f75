//! The events of a debate, as formats without names of their own for them tell it, and what the events of every
//! format have in common.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::dialect::{Dialect, Turn};
use super::speaker::Speaker;
use super::statement::{DebateRound, Statement};
use crate::council::any_event::{AnyEvent, FeatureEvent};
use crate::council::asking::Asking;
use crate::council::note::Note;
use crate::council::seat::Seat;
use crate::council::stages::reviews::{Review, ReviewsMetadata};
use crate::council::stages::synthesis::Synthesis;
use crate::council::token::TokenHead;
use crate::llm::fact::known;
use crate::llm::{CallError, CallFact, ErrorKind};

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
        /// The same without those that failed, as one existing client reads it.
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
    /// The members have ranked the openings blind. The debate does not go by it. In every format with speakers.
    FormatBallotsComplete { data: Vec<Review>, metadata: Box<ReviewsMetadata> },
}

/// What an event tells of a debate, whatever its format calls it.
#[derive(Debug, Clone, Copy)]
pub enum Told<'e> {
    Begins(&'e DebateStart),
    RoundBegins(&'e RoundStart),
    Said { round_number: u32, statement: &'e Statement },
    RoundIsOver { round_number: u32 },
    Judges { model: &'e str },
    NotJudged { model: &'e str, error: &'e str, kind: ErrorKind, fact: Option<&'e CallFact> },
    Judged(&'e Synthesis),
    Ranked { reviews: &'e [Review], metadata: &'e ReviewsMetadata },
}

impl DebateEvent {
    /// What it tells; nothing where it is a piece of a text.
    #[must_use]
    pub fn told(&self) -> Option<Told<'_>> {
        Some(match self {
            Self::DebateStart(start) => Told::Begins(start),
            Self::RoundStart(start) => Told::RoundBegins(start),
            Self::ModelComplete { round_number, data, .. } | Self::ModelError { round_number, data, .. } => {
                Told::Said { round_number: *round_number, statement: data }
            }
            Self::RoundComplete { round_number, .. } => Told::RoundIsOver { round_number: *round_number },
            Self::SynthesisStart { model, .. } => Told::Judges { model },
            Self::SynthesisError { model, error, error_kind, error_fact } => {
                Told::NotJudged { model, error, kind: *error_kind, fact: error_fact.as_ref() }
            }
            Self::SynthesisComplete { data, .. } => Told::Judged(&data.synthesis),
            Self::FormatBallotsComplete { data, metadata } => Told::Ranked { reviews: data, metadata },
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
        self.told().and_then(super::notes::note)
    }

    fn asking(&self) -> Option<Asking> {
        self.told().and_then(super::notes::asking)
    }
}

/// The dialect of formats without names of their own.
pub struct Rounds;

impl Dialect for Rounds {
    fn round_start(&self, start: RoundStart) -> AnyEvent {
        DebateEvent::RoundStart(start).into()
    }

    fn asked(&self, turn: Turn<'_>) -> Option<AnyEvent> {
        let event = DebateEvent::ModelStart {
            round_number: turn.round_number,
            model: turn.speaker.member.model.clone(),
            member: turn.speaker.member.name().to_owned(),
            label: turn.speaker.label.clone(),
        };
        Some(event.into())
    }

    fn token(&self, turn: Turn<'_>) -> TokenHead {
        TokenHead::with_text_in("token", &turn.fields(), "token")
    }

    fn said(&self, turn: Turn<'_>, statement: &Statement) -> AnyEvent {
        DebateEvent::ModelComplete {
            round_number: turn.round_number,
            round_type: turn.round_type.to_owned(),
            model: statement.model.clone(),
            member: statement.member.clone(),
            label: statement.label.clone(),
            data: Box::new(statement.clone()),
        }
        .into()
    }

    fn round_complete(&self, round: &DebateRound) -> AnyEvent {
        let response = |statement: &Statement| ParticipantResponse {
            participant: statement.label.clone(),
            model: statement.model.clone(),
            response: statement.text.clone(),
            metrics: CallMetrics {
                cost: statement.cost,
                total_tokens: statement.usage.map(|usage| usage.total_tokens),
                latency_ms: statement.latency_ms,
            },
        };
        let good = round.responses.iter().filter(|statement| statement.is_good());
        DebateEvent::RoundComplete {
            round_number: round.round_number,
            round_type: round.round_type.clone(),
            responses: round.responses.clone(),
            data: ParticipantsRound {
                round_number: round.round_number,
                round_type: round.round_type.clone(),
                responses: good.map(response).collect(),
            },
        }
        .into()
    }

    fn judgment_start(&self, model: &str, started_at: String) -> AnyEvent {
        DebateEvent::SynthesisStart { model: model.to_owned(), started_at: Some(started_at) }.into()
    }

    fn judgment_token(&self, model: &str) -> TokenHead {
        TokenHead::new("synthesis_token", &json!({ "model": model }))
    }

    fn judgment_error(&self, model: &str, error: &CallError) -> AnyEvent {
        DebateEvent::SynthesisError {
            model: model.to_owned(),
            error: error.message.clone(),
            error_kind: error.kind,
            error_fact: error.fact.clone(),
        }
        .into()
    }

    fn judged(&self, synthesis: &Synthesis, speakers: &[Speaker], _rounds: &[DebateRound]) -> Vec<AnyEvent> {
        let mapping = |speaker: &Speaker| (speaker.label.clone(), speaker.member.model.clone());
        let complete = DebateEvent::SynthesisComplete {
            data: Box::new(synthesis.into()),
            participant_mapping: speakers.iter().map(mapping).collect(),
        };
        vec![complete.into()]
    }
}
