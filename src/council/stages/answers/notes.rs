//! What the process monitor says of its events, and who is being asked by them.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{Answer, AnswersEvent, AnswersMetadata, STAGE};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{EVERYTHING, MODELS, Note, NoteCategory, STAGES, asked_in, reason, seconds};
use crate::council::options::confidence::AggregateConfidence;
use crate::council::seat;
use crate::llm::Reason;

/// The process monitor's notes on the answers.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AnswersNote {
    MembersAsked {
        asked: usize,
    },
    Answered {
        member: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
        /// From 1 to 10.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
        late: bool,
    },
    NotAnswered {
        member: String,
        reason: Reason,
    },
    /// The number at the end of an answer.
    ConfidenceRead {
        member: String,
        /// From 1 to 10.
        confidence: u8,
    },
    NoConfidence {
        member: String,
    },
    /// How sure the members are together.
    ConfidenceTogether {
        count: usize,
        asked: usize,
        average: f64,
        lowest: u8,
        highest: u8,
    },
    AnswersDone {
        answered: usize,
        asked: usize,
        /// Members whose answers may still come.
        pending: usize,
        /// The average, of 10.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
}

impl fmt::Display for AnswersNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MembersAsked { asked } => f.write_str(&asked_in("Stage 1", *asked, "are asked")),
            Self::Answered { member, latency_ms, confidence, late } => {
                write!(f, "{member} answered{}", seconds(*latency_ms))?;
                if let Some(score) = confidence {
                    write!(f, ", confidence {score} of 10")?;
                }
                f.write_str(if *late { ", late" } else { "" })
            }
            Self::NotAnswered { member, reason } => write!(f, "{member} gave no answer: {reason}"),
            Self::ConfidenceRead { member, confidence } => {
                write!(f, "{member} says how sure it is: {confidence} of 10")
            }
            Self::NoConfidence { member } => write!(f, "{member} does not say how sure it is"),
            Self::ConfidenceTogether { count, asked, average, lowest, highest } => write!(
                f,
                "{count} of {asked} members say how sure they are: {average:.1} of 10 on average, from {lowest} to {highest}"
            ),
            Self::AnswersDone { answered, asked, pending, confidence } => {
                write!(f, "Stage 1: {answered} of {asked} members answered")?;
                if *pending > 0 {
                    write!(f, ", {pending} still at it")?;
                }
                match confidence {
                    Some(average) => write!(f, ", confidence {average:.1} of 10"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl FeatureEvent for AnswersEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn remark(&self) -> Option<Note> {
        match self {
            Self::Stage1ModelComplete { data, .. } => confidence(data),
            Self::Stage1Complete { metadata, .. } => together(&metadata.aggregate_confidence),
            Self::Stage1Start { .. }
            | Self::Stage1Token { .. }
            | Self::Stage1ReasoningToken { .. }
            | Self::Stage1Error { .. } => None,
        }
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::Stage1Start { members, .. } => Some(Asking::begins(STAGE, members)),
            Self::Stage1ModelComplete { member, .. } | Self::Stage1Error { member, .. } => {
                Some(Asking::ends(STAGE, member))
            }
            Self::Stage1Token { .. } | Self::Stage1ReasoningToken { .. } | Self::Stage1Complete { .. } => {
                None
            }
        }
    }
}

fn note(event: &AnswersEvent) -> Option<Note> {
    Some(match event {
        AnswersEvent::Stage1Start { members, .. } => {
            let fact = AnswersNote::MembersAsked { asked: members.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "members": seat::names(members) }))
        }
        AnswersEvent::Stage1ModelComplete { member, data, .. } => answered(member, data),
        AnswersEvent::Stage1Error { member, model, error, error_kind, data } => {
            let reason = reason(Some(*error_kind), data.error_fact.as_ref(), error);
            let fact = AnswersNote::NotAnswered { member: member.clone(), reason };
            Note::of(MODELS, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        AnswersEvent::Stage1Complete { data, metadata } => stage1_over(data, metadata),
        AnswersEvent::Stage1Token { .. } | AnswersEvent::Stage1ReasoningToken { .. } => return None,
    })
}

fn answered(member: &str, answer: &Answer) -> Note {
    let fact = AnswersNote::Answered {
        member: member.to_owned(),
        latency_ms: answer.latency_ms,
        confidence: answer.confidence,
        late: answer.late,
    };
    Note::of(MODELS, NoteCategory::Success, &fact).with(json!({
        "model": answer.model, "confidence": answer.confidence, "latency_ms": answer.latency_ms,
        "tokens": answer.usage.map(|usage| usage.total_tokens),
    }))
}

/// The note on the confidence in an answer, if there is an answer.
fn confidence(answer: &Answer) -> Option<Note> {
    let member = answer.member.clone();
    let fact = match answer.confidence {
        Some(confidence) => AnswersNote::ConfidenceRead { member, confidence },
        None => AnswersNote::NoConfidence { member },
    };
    let note = Note::of(EVERYTHING, NoteCategory::Data, &fact).with(json!({ "model": answer.model }));
    Some(note).filter(|_| answer.is_good())
}

/// The note on the members' confidences together, where any stated one.
fn together(confidence: &AggregateConfidence) -> Option<Note> {
    let AggregateConfidence { average, min, max, count, total_models, distribution, .. } = confidence;
    let fact = AnswersNote::ConfidenceTogether {
        count: *count,
        asked: *total_models,
        average: (*average)?,
        lowest: (*min)?,
        highest: (*max)?,
    };
    let details = json!({ "distribution": distribution });
    Some(Note::of(EVERYTHING, NoteCategory::Data, &fact).with(details))
}

fn stage1_over(answers: &[Answer], metadata: &AnswersMetadata) -> Note {
    let answered = answers.iter().filter(|answer| answer.is_good()).count();
    let pending = answers.iter().filter(|answer| answer.pending).count();
    let (asked, confidence) = (answers.len(), metadata.aggregate_confidence.average);
    let category = if answered == asked { NoteCategory::Success } else { NoteCategory::Warning };
    let fact = AnswersNote::AnswersDone { answered, asked, pending, confidence };
    Note::of(STAGES, category, &fact).with(json!({
        "answered": answered, "asked": asked, "pending": pending, "average_confidence": confidence,
    }))
}
