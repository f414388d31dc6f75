//! What the process monitor says of its events.

use serde_json::json;

use super::AdversaryEvent;
use crate::council::any_event::FeatureEvent;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, failed, seconds};

impl FeatureEvent for AdversaryEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }
}

fn note(event: &AdversaryEvent) -> Option<Note> {
    Some(match event {
        AdversaryEvent::AdversaryStart { adversary_model } => {
            let message = format!("Devil's advocate: {adversary_model} attacks the answer");
            Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "model": adversary_model }))
        }
        AdversaryEvent::AdversaryComplete { model, severity, has_issues, latency_ms, .. } => {
            let details = json!({ "model": model, "severity": severity, "latency_ms": latency_ms });
            let took = seconds(Some(*latency_ms));
            let note = if *has_issues {
                let message = format!("{model} raises {} objections{took}", severity.as_str());
                Note::new(MODELS, NoteCategory::Warning, message)
            } else {
                Note::new(MODELS, NoteCategory::Success, format!("{model} has nothing to object{took}"))
            };
            note.with(details)
        }
        AdversaryEvent::AdversaryError { model, error, .. } => {
            failed(STAGES, model, model, "could not attack the answer", error)
        }
        AdversaryEvent::AdversaryRevisionStart { chairman_model, severity } => {
            Note::new(MODELS, NoteCategory::Model, format!("{chairman_model} revises the answer"))
                .with(json!({ "model": chairman_model, "severity": severity }))
        }
        AdversaryEvent::AdversaryRevisionComplete { model, latency_ms, .. } => {
            let message = format!("{model} has revised the answer{}", seconds(Some(*latency_ms)));
            Note::new(MODELS, NoteCategory::Success, message)
                .with(json!({ "model": model, "latency_ms": latency_ms }))
        }
        AdversaryEvent::AdversaryRevisionError { model, error, .. } => {
            failed(STAGES, model, model, "could not revise the answer", error)
        }
        AdversaryEvent::AdversaryValidationComplete { severity, revised, issues_found, .. } => {
            let what = match (issues_found, revised) {
                (_, true) => "the answer was revised",
                (true, false) => "the answer stays, with objections",
                (false, false) => "the answer stays",
            };
            Note::new(STAGES, NoteCategory::Success, format!("Devil's advocate: {what}"))
                .with(json!({ "severity": severity, "revised": revised }))
        }
        AdversaryEvent::AdversaryToken { .. } | AdversaryEvent::AdversaryRevisionToken { .. } => return None,
    })
}
