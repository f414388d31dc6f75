//! What the process monitor says of a debate, and who is being asked in it.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::kind::stage;
use super::neutral_event::NeutralEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, asked_in, reason, seconds};
use crate::council::seat::{self, Seat};
use crate::council::stages::reviews;
use crate::council::stages::synthesis::{self, Synthesis};
use crate::llm::Reason;

/// The process monitor's notes on a debate.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum DebateNote {
    DebateBegins {
        speakers: usize,
        rounds: usize,
    },
    DebateRoundBegins {
        round: u32,
        round_type: String,
        speakers: usize,
    },
    Spoke {
        member: String,
        label: String,
        round: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
    },
    FellSilent {
        member: String,
        round: u32,
        reason: Reason,
    },
    Judges {
        model: String,
    },
    NotJudged {
        model: String,
        reason: Reason,
    },
    Judged {
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
    },
    NobodyJudged,
    OpeningsReviewed {
        reviewers: usize,
    },
    OpeningsRanked {
        ballots: usize,
    },
}

impl fmt::Display for DebateNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DebateBegins { speakers, rounds } => {
                write!(f, "The debate begins: {speakers} speakers, {rounds} rounds")
            }
            Self::DebateRoundBegins { round, round_type, speakers } => {
                write!(f, "Round {round} ({round_type}): {speakers} speakers are asked")
            }
            Self::Spoke { member, label, round, latency_ms } => {
                write!(f, "Round {round}: {member} has spoken as {label}{}", seconds(*latency_ms))
            }
            Self::FellSilent { member, round, reason } => {
                write!(f, "Round {round}: {member} is out of the debate: {reason}")
            }
            Self::Judges { model } => write!(f, "{model} judges the debate"),
            Self::NotJudged { model, reason } => write!(f, "{model} could not judge the debate: {reason}"),
            Self::Judged { model, latency_ms } => {
                write!(f, "{model} has judged the debate{}", seconds(*latency_ms))
            }
            Self::NobodyJudged => f.write_str("Nobody could judge the debate"),
            Self::OpeningsReviewed { reviewers } => {
                f.write_str(&asked_in("Openings", *reviewers, "rank them without knowing whose they are"))
            }
            Self::OpeningsRanked { ballots } => write!(f, "The openings are ranked by {ballots} ballots"),
        }
    }
}

pub fn note(event: NeutralEvent<'_>) -> Option<Note> {
    Some(match event {
        NeutralEvent::Begins(start) => {
            let fact =
                DebateNote::DebateBegins { speakers: start.speakers.len(), rounds: start.round_types.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "models": start.models }))
        }
        NeutralEvent::RoundBegins(start) => {
            let (round, round_type) = (start.round_number, start.round_type.clone());
            let fact = DebateNote::DebateRoundBegins { round, round_type, speakers: start.speakers.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "round": round }))
        }
        NeutralEvent::Said { round_number, statement } => {
            let (member, round) = (statement.member.clone(), round_number);
            let details = json!({ "model": statement.model, "round": round });
            if let Some(error) = &statement.error {
                let reason = reason(statement.error_kind, statement.error_fact.as_ref(), error);
                Note::of(MODELS, NoteCategory::Error, &DebateNote::FellSilent { member, round, reason })
                    .with(details)
            } else {
                let (label, latency_ms) = (statement.label.clone(), statement.latency_ms);
                let fact = DebateNote::Spoke { member, label, round, latency_ms };
                Note::of(MODELS, NoteCategory::Model, &fact).with(details)
            }
        }
        NeutralEvent::RoundIsOver { .. } => return None,
        NeutralEvent::Judges { model } => {
            Note::of(STAGES, NoteCategory::Stage, &DebateNote::Judges { model: model.to_owned() })
                .with(json!({ "model": model }))
        }
        NeutralEvent::NotJudged { model, error, kind, fact } => {
            let reason = reason(Some(kind), fact, error);
            let fact = DebateNote::NotJudged { model: model.to_owned(), reason };
            Note::of(STAGES, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        NeutralEvent::Judged(synthesis) => judged(synthesis),
        NeutralEvent::RankingBegins { reviewers, .. } => {
            let fact = DebateNote::OpeningsReviewed { reviewers: reviewers.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "members": seat::names(reviewers) }))
        }
        NeutralEvent::Voted(review) => reviews::reviewed(review),
        NeutralEvent::Ranked { reviews, .. } => {
            let ballots = reviews.iter().filter(|review| review.counts).count();
            Note::of(STAGES, NoteCategory::Success, &DebateNote::OpeningsRanked { ballots })
        }
    })
}

fn judged(synthesis: &Synthesis) -> Note {
    let Synthesis { model, latency_ms, .. } = synthesis;
    if synthesis.error.is_some() {
        return Note::of(STAGES, NoteCategory::Error, &DebateNote::NobodyJudged);
    }
    let fact = DebateNote::Judged { model: model.clone(), latency_ms: *latency_ms };
    Note::of(STAGES, NoteCategory::Success, &fact).with(json!({ "model": model, "latency_ms": latency_ms }))
}

pub fn asking(event: NeutralEvent<'_>) -> Option<Asking> {
    Some(match event {
        NeutralEvent::RoundBegins(start) => {
            let seats: Vec<Seat> = start.speakers.iter().map(|speaker| speaker.seat.clone()).collect();
            Asking::begins(stage(start.round_number), &seats)
        }
        NeutralEvent::Said { round_number, statement } => {
            Asking::ends(stage(round_number), &statement.member)
        }
        NeutralEvent::RoundIsOver { round_number } => Asking::Over { stage: stage(round_number) },
        NeutralEvent::Judges { model } => {
            let seat = Seat { model: model.to_owned(), member: model.to_owned(), alias: None };
            Asking::begins(synthesis::STAGE, &[seat])
        }
        NeutralEvent::NotJudged { model, .. } => Asking::ends(synthesis::STAGE, model),
        NeutralEvent::Judged(_) => Asking::Over { stage: synthesis::STAGE },
        NeutralEvent::RankingBegins { reviewers, .. } => Asking::begins(reviews::STAGE, reviewers),
        NeutralEvent::Voted(review) => Asking::ends(reviews::STAGE, &review.member),
        NeutralEvent::Ranked { .. } => Asking::Over { stage: reviews::STAGE },
        NeutralEvent::Begins(_) => return None,
    })
}
