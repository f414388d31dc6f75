//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;

use super::event::{CacheEvent, MissReason, NotStored};
use crate::council::any_event::FeatureEvent;
use crate::council::note::{EVERYTHING, Note, NoteCategory, STAGES};

/// The process monitor's notes on the semantic cache.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum CacheNote {
    CacheLooking,
    /// `similarity` from 0 to 1.
    CacheOffered {
        similarity: f64,
    },
    CacheServed {
        similarity: f64,
    },
    CacheMissed {
        reason: MissReason,
    },
    CacheKept {
        size: u64,
    },
    CacheNotKept {
        reason: NotStored,
    },
}

impl fmt::Display for CacheNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CacheLooking => f.write_str("Looking for an earlier answer"),
            Self::CacheOffered { similarity } => {
                write!(f, "An earlier answer is offered: the questions are {:.0} % alike", similarity * 100.0)
            }
            Self::CacheServed { similarity } => {
                write!(f, "An earlier answer is given: the questions are {:.0} % alike", similarity * 100.0)
            }
            Self::CacheMissed { reason } => f.write_str(match reason {
                MissReason::Empty => "No earlier answer: nothing was asked in the same circumstances",
                MissReason::BelowThreshold => "No earlier answer: nothing like this was asked",
                MissReason::Differs => "No earlier answer: the nearest question asks something else",
                MissReason::Refused => "The earlier answer is not wanted",
                MissReason::Expired => "Nobody said in time whether to take the earlier answer",
                MissReason::EmbeddingFailed => {
                    "No earlier answer to the same text; others could not be compared, as the embedding model failed"
                }
                MissReason::TooLong => {
                    "No earlier answer to the same text; others were not compared, as the question is too long"
                }
                MissReason::Unavailable => "The cache cannot be asked; the run goes on without it",
            }),
            Self::CacheKept { size: 1 } => f.write_str("The answer is kept, to be given again; it is the first"),
            Self::CacheKept { size } => write!(f, "The answer is kept, to be given again; there are {size} now"),
            Self::CacheNotKept { reason: NotStored::Incomplete } => {
                f.write_str("The answer is not kept to be given again: something of it is missing")
            }
            Self::CacheNotKept { reason: NotStored::Corrected } => {
                f.write_str("The answer is not kept to be given again: the question was corrected meanwhile")
            }
            Self::CacheNotKept { reason: NotStored::Unavailable } => {
                f.write_str("The answer could not be kept to be given again")
            }
        }
    }
}

impl FeatureEvent for CacheEvent {
    fn waits_for_person(&self) -> bool {
        matches!(self, Self::CacheOffer { .. })
    }

    fn note(&self) -> Option<Note> {
        Some(match self {
            Self::CacheCheckStart { .. } => Note::of(STAGES, NoteCategory::Stage, &CacheNote::CacheLooking),
            Self::CacheOffer { cached, .. } => {
                let fact = CacheNote::CacheOffered { similarity: cached.similarity };
                Note::of(STAGES, NoteCategory::Info, &fact)
            }
            Self::CacheHit { cached, .. } => {
                let fact = CacheNote::CacheServed { similarity: cached.similarity };
                Note::of(STAGES, NoteCategory::Success, &fact)
            }
            Self::CacheMiss { reason, .. } => {
                let category = match reason {
                    MissReason::EmbeddingFailed | MissReason::Unavailable => NoteCategory::Warning,
                    MissReason::Empty
                    | MissReason::BelowThreshold
                    | MissReason::Differs
                    | MissReason::Refused
                    | MissReason::Expired
                    | MissReason::TooLong => NoteCategory::Info,
                };
                Note::of(STAGES, category, &CacheNote::CacheMissed { reason: *reason })
            }
            Self::CacheStored { cache_size, .. } => {
                Note::of(EVERYTHING, NoteCategory::Info, &CacheNote::CacheKept { size: *cache_size })
            }
            Self::CacheNotStored { reason } => {
                let category = match reason {
                    NotStored::Incomplete | NotStored::Corrected => NoteCategory::Info,
                    NotStored::Unavailable => NoteCategory::Warning,
                };
                Note::of(STAGES, category, &CacheNote::CacheNotKept { reason: *reason })
            }
        })
    }
}
