//! The events of a debate in rotation, under the names that an existing client knows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::rounds::CRITIQUE;
use crate::council::any_event::{AnyEvent, FeatureEvent};
use crate::council::asking::Asking;
use crate::council::debate::dialect::{Dialect, Turn};
use crate::council::debate::neutral_event::{NeutralEvent, RoundStart};
use crate::council::debate::notes;
use crate::council::debate::speaker::Speaker;
use crate::council::debate::statement::{DebateRound, Statement};
use crate::council::note::Note;
use crate::council::stages::synthesis::Synthesis;
use crate::council::token::TokenHead;
use crate::llm::fact::known;
use crate::llm::{CallError, CallFact, ErrorKind};

/// The beginning of a round, also in the words of an existing client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RotationRoundStart {
    #[serde(flatten)]
    pub start: RoundStart,
    /// The same as `round_number`.
    pub round: u32,
    /// What the round is called, in English.
    pub name: String,
    pub model_count: usize,
    /// Who criticises whom; only in the round of critiques.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub critique_pairs: Vec<CritiquePair>,
}

/// Who criticises whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CritiquePair {
    pub critic: String,
    pub critic_label: String,
    pub target: String,
    pub target_label: String,
}

/// A position, as lists have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PositionRow {
    pub label: String,
    pub model: String,
    pub position: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// A critique, as lists have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CritiqueRow {
    pub critic: String,
    pub critic_label: String,
    pub target: String,
    pub target_label: String,
    pub critique: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// A rebuttal, as lists have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RebuttalRow {
    pub label: String,
    pub model: String,
    pub rebuttal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// The events of a debate in rotation. It begins with `debate_start`, and the failure of a speaker is a `model_error`,
/// as in every format with speakers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RotationEvent {
    /// The speakers state their positions.
    Round1Start(RotationRoundStart),
    /// A piece of a position.
    PositionToken { round_number: u32, model: String, member: String, label: String, content: String },
    /// A position is whole.
    PositionComplete {
        round_number: u32,
        #[serde(flatten)]
        row: PositionRow,
        data: Box<Statement>,
    },
    /// All positions are there.
    Round1Complete { round_number: u32, positions: Vec<PositionRow>, total_cost: Option<f64> },
    /// The speakers criticise each other.
    Round2Start(RotationRoundStart),
    /// A piece of a critique.
    DebateCritiqueToken { round_number: u32, model: String, member: String, label: String, content: String },
    /// A critique is whole.
    DebateCritiqueComplete {
        round_number: u32,
        #[serde(flatten)]
        row: CritiqueRow,
        data: Box<Statement>,
    },
    /// All critiques are there.
    Round2Complete { round_number: u32, critiques: Vec<CritiqueRow>, total_cost: Option<f64> },
    /// The speakers answer their critics.
    Round3Start(RotationRoundStart),
    /// A piece of an answer to critics.
    RebuttalToken { round_number: u32, model: String, member: String, label: String, content: String },
    /// An answer to critics is whole.
    RebuttalComplete {
        round_number: u32,
        #[serde(flatten)]
        row: RebuttalRow,
        data: Box<Statement>,
    },
    /// All answers to critics are there.
    Round3Complete { round_number: u32, rebuttals: Vec<RebuttalRow>, total_cost: Option<f64> },
    /// A chairman begins to write; a second one means that the first failed: clear its text.
    JudgmentStart {
        model: String,
        /// When it is asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A piece of the judgment.
    JudgmentToken { model: String, content: String },
    /// A chairman failed.
    JudgmentError {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// The judgment is whole.
    JudgmentComplete {
        model: String,
        judgment: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        data: Box<Synthesis>,
    },
    /// The debate is over: everything that was said in it.
    DebateComplete {
        positions: Vec<PositionRow>,
        critiques: Vec<CritiqueRow>,
        rebuttals: Vec<RebuttalRow>,
        judgment: String,
        model_to_label: BTreeMap<String, String>,
        label_to_model: BTreeMap<String, String>,
        num_rounds: usize,
        total_cost: Option<f64>,
    },
}

impl RotationEvent {
    /// The note on this event; none where it is a piece of a text, or repeats an earlier event.
    #[must_use]
    pub fn neutral(&self) -> Option<NeutralEvent<'_>> {
        Some(match self {
            Self::Round1Start(start) | Self::Round2Start(start) | Self::Round3Start(start) => {
                NeutralEvent::RoundBegins(&start.start)
            }
            Self::PositionComplete { round_number, data, .. }
            | Self::DebateCritiqueComplete { round_number, data, .. }
            | Self::RebuttalComplete { round_number, data, .. } => {
                NeutralEvent::Said { round_number: *round_number, statement: data }
            }
            Self::Round1Complete { round_number, .. }
            | Self::Round2Complete { round_number, .. }
            | Self::Round3Complete { round_number, .. } => {
                NeutralEvent::RoundIsOver { round_number: *round_number }
            }
            Self::JudgmentStart { model, .. } => NeutralEvent::Judges { model },
            Self::JudgmentError { model, error, error_kind, error_fact } => {
                NeutralEvent::NotJudged { model, error, kind: *error_kind, fact: error_fact.as_ref() }
            }
            Self::JudgmentComplete { data, .. } => NeutralEvent::Judged(data),
            Self::PositionToken { .. }
            | Self::DebateCritiqueToken { .. }
            | Self::RebuttalToken { .. }
            | Self::JudgmentToken { .. }
            | Self::DebateComplete { .. } => return None,
        })
    }
}

impl FeatureEvent for RotationEvent {
    fn note(&self) -> Option<Note> {
        self.neutral().and_then(notes::note)
    }

    fn asking(&self) -> Option<Asking> {
        self.neutral().and_then(notes::asking)
    }
}

/// The dialect of this format.
pub struct Rotation {
    /// Label → model id.
    models: BTreeMap<String, String>,
}

impl Rotation {
    /// Of a debate between these.
    #[must_use]
    pub fn of(speakers: &[Speaker]) -> Self {
        let model = |speaker: &Speaker| (speaker.label.clone(), speaker.member.model.clone());
        Self { models: speakers.iter().map(model).collect() }
    }

    fn model(&self, label: &str) -> String {
        self.models.get(label).cloned().unwrap_or_default()
    }

    fn critique(&self, statement: &Statement) -> CritiqueRow {
        let target_label = statement.critique_of.clone().unwrap_or_default();
        CritiqueRow {
            critic: statement.model.clone(),
            critic_label: statement.label.clone(),
            target: self.model(&target_label),
            target_label,
            critique: statement.text.clone(),
            cost: statement.cost,
        }
    }
}

impl Dialect for Rotation {
    fn round_start(&self, start: RoundStart) -> AnyEvent {
        let pairs = start.speakers.iter().flat_map(|critic| {
            critic.replies_to.iter().map(|target| CritiquePair {
                critic: critic.seat.model.clone(),
                critic_label: critic.label.clone(),
                target: self.model(target),
                target_label: target.clone(),
            })
        });
        let is_critique = start.round_type == CRITIQUE.round_type;
        let event = RotationRoundStart {
            round: start.round_number,
            name: match start.round_number {
                1 => "Positions",
                2 => "Critiques",
                _ => "Rebuttals",
            }
            .to_owned(),
            model_count: start.speakers.len(),
            critique_pairs: if is_critique { pairs.collect() } else { Vec::new() },
            start: start.clone(),
        };
        match start.round_number {
            1 => RotationEvent::Round1Start(event),
            2 => RotationEvent::Round2Start(event),
            _ => RotationEvent::Round3Start(event),
        }
        .into()
    }

    fn token(&self, turn: Turn<'_>) -> TokenHead {
        let kind = match turn.round_number {
            1 => "position_token",
            2 => "debate_critique_token",
            _ => "rebuttal_token",
        };
        TokenHead::new(kind, &turn.fields())
    }

    fn said(&self, turn: Turn<'_>, statement: &Statement) -> AnyEvent {
        let (round_number, data) = (turn.round_number, Box::new(statement.clone()));
        match round_number {
            1 => RotationEvent::PositionComplete { round_number, row: position(statement), data },
            2 => RotationEvent::DebateCritiqueComplete { round_number, row: self.critique(statement), data },
            _ => RotationEvent::RebuttalComplete { round_number, row: rebuttal(statement), data },
        }
        .into()
    }

    fn round_complete(&self, round: &DebateRound) -> AnyEvent {
        let (round_number, total_cost) = (round.round_number, cost(&round.responses));
        let good = || round.responses.iter().filter(|statement| statement.is_good());
        match round_number {
            1 => RotationEvent::Round1Complete {
                round_number,
                positions: good().map(position).collect(),
                total_cost,
            },
            2 => RotationEvent::Round2Complete {
                round_number,
                critiques: good().map(|one| self.critique(one)).collect(),
                total_cost,
            },
            _ => RotationEvent::Round3Complete {
                round_number,
                rebuttals: good().map(rebuttal).collect(),
                total_cost,
            },
        }
        .into()
    }

    fn judgment_start(&self, model: &str, started_at: String) -> AnyEvent {
        RotationEvent::JudgmentStart { model: model.to_owned(), started_at: Some(started_at) }.into()
    }

    fn judgment_token(&self, model: &str) -> TokenHead {
        TokenHead::new("judgment_token", &json!({ "model": model }))
    }

    fn judgment_error(&self, model: &str, error: &CallError) -> AnyEvent {
        RotationEvent::JudgmentError {
            model: model.to_owned(),
            error: error.message.clone(),
            error_kind: error.kind,
            error_fact: error.fact.clone(),
        }
        .into()
    }

    fn judged(&self, synthesis: &Synthesis, _speakers: &[Speaker], rounds: &[DebateRound]) -> Vec<AnyEvent> {
        let judgment = RotationEvent::JudgmentComplete {
            model: synthesis.model.clone(),
            judgment: synthesis.response.clone(),
            cost: synthesis.cost,
            data: Box::new(synthesis.clone()),
        };
        let said = |place: usize| {
            let round = rounds.get(place).map(|round| round.responses.as_slice()).unwrap_or_default();
            round.iter().filter(|statement| statement.is_good())
        };
        let costs = rounds.iter().map(|round| cost(&round.responses)).chain([synthesis.cost]);
        let complete = RotationEvent::DebateComplete {
            positions: said(0).map(position).collect(),
            critiques: said(1).map(|one| self.critique(one)).collect(),
            rebuttals: said(2).map(rebuttal).collect(),
            judgment: synthesis.response.clone(),
            model_to_label: self.models.iter().map(|(label, model)| (model.clone(), label.clone())).collect(),
            label_to_model: self.models.clone(),
            num_rounds: rounds.len(),
            total_cost: sum(costs),
        };
        vec![judgment.into(), complete.into()]
    }
}

fn position(statement: &Statement) -> PositionRow {
    PositionRow {
        label: statement.label.clone(),
        model: statement.model.clone(),
        position: statement.text.clone(),
        cost: statement.cost,
    }
}

fn rebuttal(statement: &Statement) -> RebuttalRow {
    RebuttalRow {
        label: statement.label.clone(),
        model: statement.model.clone(),
        rebuttal: statement.text.clone(),
        cost: statement.cost,
    }
}

/// USD over the statements whose cost is known; none when none is.
fn cost(statements: &[Statement]) -> Option<f64> {
    sum(statements.iter().map(|statement| statement.cost))
}

fn sum(costs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    costs.flatten().fold(None, |sum, cost| Some(sum.unwrap_or(0.0) + cost))
}
