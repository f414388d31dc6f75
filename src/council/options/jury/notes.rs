//! What the process monitor says of a second reading, and who is being asked by its events.

use std::fmt;

use serde::Serialize;

use super::info::{SecondReading, SecondReadingFact};
use super::second::SecondReadingEvent;
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, reason};
use crate::council::stages::reviews::STAGE;
use crate::llm::Reason;

/// The process monitor's notes on a second reading.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum SecondReadingNote {
    /// This many reviewers are asked again.
    ReadingAgain {
        asked: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<SecondReadingFact>,
    },
    ReadAgain {
        member: String,
    },
    NotReadAgain {
        member: String,
        reason: Reason,
    },
}

impl fmt::Display for SecondReadingNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadingAgain { asked, why } => {
                match asked {
                    1 => f.write_str("Stage 2: one reviewer reads again")?,
                    asked => write!(f, "Stage 2: {asked} reviewers read again")?,
                }
                why.as_ref().map_or(Ok(()), |why| write!(f, ". {why}"))
            }
            Self::ReadAgain { member } => write!(f, "{member} has read the answers again"),
            Self::NotReadAgain { member, reason } => {
                write!(f, "{member} did not read the answers again: {reason}")
            }
        }
    }
}

impl FeatureEvent for SecondReadingEvent {
    fn note(&self) -> Option<Note> {
        Some(match self {
            Self::SecondReadingStart { members, data: SecondReading { reason_fact, .. }, .. } => {
                let fact = SecondReadingNote::ReadingAgain { asked: members.len(), why: reason_fact.clone() };
                Note::of(STAGES, NoteCategory::Stage, &fact)
            }
            Self::SecondReadingModelComplete { member, data, .. } => match &data.error {
                Some(error) => {
                    let reason = reason(data.error_kind, data.error_fact.as_ref(), error);
                    let fact = SecondReadingNote::NotReadAgain { member: member.clone(), reason };
                    Note::of(MODELS, NoteCategory::Error, &fact)
                }
                None => {
                    let fact = SecondReadingNote::ReadAgain { member: member.clone() };
                    Note::of(MODELS, NoteCategory::Success, &fact)
                }
            },
        })
    }

    fn asking(&self) -> Option<Asking> {
        Some(match self {
            Self::SecondReadingStart { members, .. } => Asking::begins(STAGE, members),
            Self::SecondReadingModelComplete { member, .. } => Asking::ends(STAGE, member),
        })
    }
}
