//! What the process monitor says of its events.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::AdversaryEvent;
use super::severity::Severity;
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, seconds, short};
use crate::llm::{CallFact, ErrorKind, Reason};

/// The process monitor's notes on the devil's advocate.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AdversaryNote {
    Attacks {
        model: String,
    },
    Objects {
        model: String,
        severity: Severity,
        latency_ms: u64,
    },
    NothingToObject {
        model: String,
        latency_ms: u64,
    },
    AttackFailed {
        model: String,
        reason: Reason,
    },
    AnswerRevising {
        model: String,
    },
    AnswerRevised {
        model: String,
        latency_ms: u64,
    },
    AnswerNotRevised {
        model: String,
        reason: Reason,
    },
    /// What came of it.
    AttackOver {
        revised: bool,
        issues_found: bool,
    },
}

impl fmt::Display for AdversaryNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attacks { model } => write!(f, "Devil's advocate: {model} attacks the answer"),
            Self::Objects { model, severity, latency_ms } => {
                write!(f, "{model} raises {} objections{}", severity.as_str(), seconds(Some(*latency_ms)))
            }
            Self::NothingToObject { model, latency_ms } => {
                write!(f, "{model} has nothing to object{}", seconds(Some(*latency_ms)))
            }
            Self::AttackFailed { model, reason } => {
                write!(f, "{model} could not attack the answer: {reason}")
            }
            Self::AnswerRevising { model } => write!(f, "{model} revises the answer"),
            Self::AnswerRevised { model, latency_ms } => {
                write!(f, "{model} has revised the answer{}", seconds(Some(*latency_ms)))
            }
            Self::AnswerNotRevised { model, reason } => {
                write!(f, "{model} could not revise the answer: {reason}")
            }
            Self::AttackOver { revised, issues_found } => f.write_str(match (issues_found, revised) {
                (_, true) => "Devil's advocate: the answer was revised",
                (true, false) => "Devil's advocate: the answer stays, with objections",
                (false, false) => "Devil's advocate: the answer stays",
            }),
        }
    }
}

impl FeatureEvent for AdversaryEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }
}

fn note(event: &AdversaryEvent) -> Option<Note> {
    Some(match event {
        AdversaryEvent::AdversaryStart { adversary_model: model } => {
            Note::of(STAGES, NoteCategory::Stage, &AdversaryNote::Attacks { model: model.clone() })
                .with(json!({ "model": model }))
        }
        AdversaryEvent::AdversaryComplete { model, severity, has_issues, latency_ms, .. } => {
            let (severity, latency_ms) = (*severity, *latency_ms);
            let details = json!({ "model": model, "severity": severity, "latency_ms": latency_ms });
            let model = model.clone();
            let (category, fact) = if *has_issues {
                (NoteCategory::Warning, AdversaryNote::Objects { model, severity, latency_ms })
            } else {
                (NoteCategory::Success, AdversaryNote::NothingToObject { model, latency_ms })
            };
            Note::of(MODELS, category, &fact).with(details)
        }
        AdversaryEvent::AdversaryError { model, error, error_kind, error_fact, .. } => {
            let reason = reason(*error_kind, error_fact.as_ref(), error);
            let fact = AdversaryNote::AttackFailed { model: model.clone(), reason };
            Note::of(STAGES, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        AdversaryEvent::AdversaryRevisionStart { chairman_model: model, severity } => {
            Note::of(MODELS, NoteCategory::Model, &AdversaryNote::AnswerRevising { model: model.clone() })
                .with(json!({ "model": model, "severity": severity }))
        }
        AdversaryEvent::AdversaryRevisionComplete { model, latency_ms, .. } => {
            let fact = AdversaryNote::AnswerRevised { model: model.clone(), latency_ms: *latency_ms };
            Note::of(MODELS, NoteCategory::Success, &fact)
                .with(json!({ "model": model, "latency_ms": latency_ms }))
        }
        AdversaryEvent::AdversaryRevisionError { model, error, error_kind, error_fact } => {
            let reason = reason(*error_kind, error_fact.as_ref(), error);
            let fact = AdversaryNote::AnswerNotRevised { model: model.clone(), reason };
            Note::of(STAGES, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        AdversaryEvent::AdversaryValidationComplete { severity, revised, issues_found, .. } => {
            let fact = AdversaryNote::AttackOver { revised: *revised, issues_found: *issues_found };
            Note::of(STAGES, NoteCategory::Success, &fact)
                .with(json!({ "severity": severity, "revised": revised }))
        }
        AdversaryEvent::AdversaryToken { .. } | AdversaryEvent::AdversaryRevisionToken { .. } => return None,
    })
}

/// The sentences here have always said the error itself, whatever its kind.
fn reason(kind: ErrorKind, fact: Option<&CallFact>, error: &str) -> Reason {
    Reason { error_kind: Some(kind), error_fact: fact.cloned(), error: short(error) }
}
