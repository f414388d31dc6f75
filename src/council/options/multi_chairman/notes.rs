//! What the process monitor says of it.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::event::{MultiChairmanEvent, Selection};
use super::info::SynthesisDraft;
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, reason};
use crate::llm::Reason;

/// The process monitor's notes on several chairmen.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum MultiChairmanNote {
    ChairmenWrite {
        models: usize,
    },
    Drafted {
        model: String,
        /// The draft's letter.
        draft: String,
    },
    NotDrafted {
        model: String,
        reason: Reason,
    },
    DraftsWritten {
        written: usize,
        asked: usize,
    },
    Chooses {
        model: String,
    },
    Chose {
        model: String,
        draft: String,
        /// Who wrote that draft.
        by: String,
    },
    /// The first draft is taken.
    ChoiceUnread {
        draft: String,
        by: String,
    },
    NotChosen {
        model: String,
        reason: Reason,
    },
}

impl fmt::Display for MultiChairmanNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChairmenWrite { models } => write!(f, "Stage 3: {models} chairmen write a draft each"),
            Self::Drafted { model, draft } => write!(f, "{model} has written draft {draft}"),
            Self::NotDrafted { model, reason } => write!(f, "{model} could not write a draft: {reason}"),
            Self::DraftsWritten { written, asked } => {
                write!(f, "Stage 3: {written} of {asked} drafts are there")
            }
            Self::Chooses { model } => write!(f, "{model} chooses among the drafts"),
            Self::Chose { model, draft, by } => write!(f, "{model} has chosen draft {draft} by {by}"),
            Self::ChoiceUnread { draft, by } => {
                write!(f, "No choice could be read: draft {draft} by {by} is taken")
            }
            Self::NotChosen { model, reason } => write!(f, "{model} could not choose: {reason}"),
        }
    }
}

impl FeatureEvent for MultiChairmanEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }
}

fn note(event: &MultiChairmanEvent) -> Option<Note> {
    Some(match event {
        MultiChairmanEvent::MultiSynthesisStart { models } => {
            let fact = MultiChairmanNote::ChairmenWrite { models: models.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "models": models }))
        }
        MultiChairmanEvent::SynthesisComplete { data } => drafted(data),
        MultiChairmanEvent::MultiSynthesisComplete { syntheses } => {
            let written = syntheses.iter().filter(|draft| draft.error.is_none()).count();
            let fact = MultiChairmanNote::DraftsWritten { written, asked: syntheses.len() };
            Note::of(STAGES, NoteCategory::Info, &fact)
        }
        MultiChairmanEvent::SelectionStart { model } => {
            Note::of(MODELS, NoteCategory::Model, &MultiChairmanNote::Chooses { model: model.clone() })
                .with(json!({ "model": model }))
        }
        MultiChairmanEvent::SelectionComplete { data } => selected(data),
        MultiChairmanEvent::SelectionError { model, error, error_kind, error_fact } => {
            let reason = reason(Some(*error_kind), error_fact.as_ref(), error);
            let fact = MultiChairmanNote::NotChosen { model: model.clone(), reason };
            Note::of(STAGES, NoteCategory::Error, &fact).with(json!({ "model": model }))
        }
        MultiChairmanEvent::SelectionToken { .. } => return None,
    })
}

fn drafted(draft: &SynthesisDraft) -> Note {
    let model = draft.model.clone();
    let (category, fact) = match &draft.error {
        Some(error) => {
            let reason = reason(draft.error_kind, draft.error_fact.as_ref(), error);
            (NoteCategory::Error, MultiChairmanNote::NotDrafted { model, reason })
        }
        None => {
            let draft = draft.label.to_string();
            (NoteCategory::Success, MultiChairmanNote::Drafted { model, draft })
        }
    };
    Note::of(MODELS, category, &fact).with(json!({ "model": draft.model }))
}

fn selected(selection: &Selection) -> Note {
    let Selection { model, selected_synthesis, selected_model, .. } = selection;
    let (draft, by) = (selected_synthesis.to_string(), selected_model.clone());
    let (category, fact) = if selection.is_read {
        (NoteCategory::Success, MultiChairmanNote::Chose { model: model.clone(), draft, by })
    } else {
        (NoteCategory::Warning, MultiChairmanNote::ChoiceUnread { draft, by })
    };
    let details = json!({ "model": model, "selected_model": selected_model });
    Note::of(STAGES, category, &fact).with(details)
}
