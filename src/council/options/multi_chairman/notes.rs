//! What the process monitor says of it.

use serde_json::json;

use super::event::{MultiChairmanEvent, Selection};
use super::info::SynthesisDraft;
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, failed};
use crate::llm::ErrorKind;

impl FeatureEvent for MultiChairmanEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }
}

fn note(event: &MultiChairmanEvent) -> Option<Note> {
    Some(match event {
        MultiChairmanEvent::MultiSynthesisStart { models } => {
            let message = format!("Stage 3: {} chairmen write a draft each", models.len());
            Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "models": models }))
        }
        MultiChairmanEvent::SynthesisComplete { data } => drafted(data),
        MultiChairmanEvent::MultiSynthesisComplete { syntheses } => {
            let good = syntheses.iter().filter(|draft| draft.error.is_none()).count();
            let message = format!("Stage 3: {good} of {} drafts are there", syntheses.len());
            Note::new(STAGES, NoteCategory::Info, message)
        }
        MultiChairmanEvent::SelectionStart { model } => {
            Note::new(MODELS, NoteCategory::Model, format!("{model} chooses among the drafts"))
                .with(json!({ "model": model }))
        }
        MultiChairmanEvent::SelectionComplete { data } => selected(data),
        MultiChairmanEvent::SelectionError { model, error, error_kind, .. } => {
            failed(STAGES, model, model, "could not choose", ErrorKind::reason_or(Some(*error_kind), error))
        }
        MultiChairmanEvent::SelectionToken { .. } => return None,
    })
}

fn drafted(draft: &SynthesisDraft) -> Note {
    match &draft.error {
        Some(error) => {
            let reason = ErrorKind::reason_or(draft.error_kind, error);
            failed(MODELS, &draft.model, &draft.model, "could not write a draft", reason)
        }
        None => {
            let message = format!("{} has written draft {}", draft.model, draft.label);
            Note::new(MODELS, NoteCategory::Success, message).with(json!({ "model": draft.model }))
        }
    }
}

fn selected(selection: &Selection) -> Note {
    let Selection { model, selected_synthesis, selected_model, .. } = selection;
    let details = json!({ "model": model, "selected_model": selected_model });
    if selection.is_read {
        let message = format!("{model} has chosen draft {selected_synthesis} by {selected_model}");
        return Note::new(STAGES, NoteCategory::Success, message).with(details);
    }
    let message = format!("No choice could be read: draft {selected_synthesis} by {selected_model} is taken");
    Note::new(STAGES, NoteCategory::Warning, message).with(details)
}
