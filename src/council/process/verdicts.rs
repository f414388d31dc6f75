//! What is said of the options that decide what the answer is.

use serde_json::json;

use super::{MODELS, Note, NoteCategory, STAGES, failed};
use crate::council::options::consensus::ConsensusEvent;
use crate::council::options::multi_chairman::{MultiChairmanEvent, Selection, SynthesisDraft};

pub(super) fn of_consensus(event: &ConsensusEvent) -> Note {
    let ConsensusEvent::ConsensusDetected { data } = event;
    let whose = data.consensus_member.as_deref().or(data.consensus_model.as_deref()).unwrap_or("one member");
    Note::new(STAGES, NoteCategory::Success, format!("The council agrees on the answer by {whose}"))
        .with(json!({ "model": data.consensus_model }))
}

pub(super) fn of_multi_chairman(event: &MultiChairmanEvent) -> Option<Note> {
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
        MultiChairmanEvent::SelectionError { model, error, .. } => {
            failed(STAGES, model, model, "could not choose", error)
        }
        MultiChairmanEvent::SelectionToken { .. } => return None,
    })
}

fn drafted(draft: &SynthesisDraft) -> Note {
    match &draft.error {
        Some(error) => failed(MODELS, &draft.model, &draft.model, "could not write a draft", error),
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
