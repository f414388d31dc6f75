//! What is said of the options that better a draft.

use serde_json::json;

use super::{EVERYTHING, MODELS, Note, NoteCategory, STAGES, failed, seconds, short};
use crate::council::options::adversary::AdversaryEvent;
use crate::council::options::critique::Critique;
use crate::council::options::refinement::{Refinement, RefinementEvent};

pub(super) fn of_refinement(event: &RefinementEvent) -> Option<Note> {
    Some(match event {
        RefinementEvent::RefinementStart { max_iterations } => {
            let message = format!("Refinement: at most {max_iterations} rounds of critique and revision");
            Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "max_iterations": max_iterations }))
        }
        RefinementEvent::IterationStart { iteration } => {
            Note::new(EVERYTHING, NoteCategory::Info, format!("Refinement: round {iteration}"))
                .with(json!({ "iteration": iteration }))
        }
        RefinementEvent::CritiquesStart { iteration, model_count } => {
            let message = format!("{model_count} members look for faults in the draft");
            Note::new(EVERYTHING, NoteCategory::Model, message)
                .with(json!({ "iteration": iteration, "model_count": model_count }))
        }
        RefinementEvent::CritiqueComplete { data, .. } => criticised(data),
        RefinementEvent::CritiquesComplete { iteration, substantive_count, critiques } => {
            let message = format!("{substantive_count} of {} critics name faults", critiques.len());
            Note::new(EVERYTHING, NoteCategory::Data, message)
                .with(json!({ "iteration": iteration, "substantive_count": substantive_count }))
        }
        RefinementEvent::RevisionStart { iteration, model } => {
            Note::new(MODELS, NoteCategory::Model, format!("{model} revises the draft"))
                .with(json!({ "iteration": iteration, "model": model }))
        }
        RefinementEvent::RevisionComplete { iteration, model, latency_ms, .. } => {
            let message = format!("{model} has revised the draft{}", seconds(Some(*latency_ms)));
            Note::new(MODELS, NoteCategory::Success, message)
                .with(json!({ "iteration": iteration, "model": model, "latency_ms": latency_ms }))
        }
        RefinementEvent::RevisionError { model, error, .. } => {
            failed(STAGES, model, model, "could not revise the draft", error)
        }
        RefinementEvent::IterationComplete { iteration, stop_reason, .. } => match stop_reason {
            Some(reason) => Note::new(MODELS, NoteCategory::Warning, short(reason)),
            None => {
                Note::new(EVERYTHING, NoteCategory::Info, format!("Refinement: round {iteration} is over"))
            }
        },
        RefinementEvent::RefinementConverged { reason, .. } => {
            Note::new(STAGES, NoteCategory::Success, format!("Refinement converged: {reason}"))
        }
        RefinementEvent::RefinementComplete(refinement) => refined(refinement),
        RefinementEvent::RevisionToken { .. } => return None,
    })
}

fn criticised(critique: &Critique) -> Note {
    let Critique { model, member, .. } = critique;
    if let Some(error) = &critique.error {
        return failed(MODELS, member, model, "gave no critique", error);
    }
    let found = if critique.is_substantive { "names faults" } else { "finds no fault" };
    Note::new(MODELS, NoteCategory::Info, format!("{member} {found}"))
        .with(json!({ "model": model, "is_substantive": critique.is_substantive }))
}

fn refined(refinement: &Refinement) -> Note {
    let revisions = refinement.iterations.iter().filter(|iteration| iteration.revision.is_some()).count();
    let message = match revisions {
        0 => "Refinement: the draft stays as it was".to_owned(),
        1 => "Refinement: the draft was revised once".to_owned(),
        more => format!("Refinement: the draft was revised {more} times"),
    };
    Note::new(STAGES, NoteCategory::Success, message).with(json!({
        "total_iterations": refinement.total_iterations, "revisions": revisions,
        "converged": refinement.converged, "total_cost": refinement.total_cost,
    }))
}

pub(super) fn of_adversary(event: &AdversaryEvent) -> Option<Note> {
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
