//! What the process monitor says of its events, and who is being asked by them.

use serde_json::json;

use super::{Refinement, RefinementEvent, STAGE};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{EVERYTHING, MODELS, Note, NoteCategory, STAGES, failed, seconds, short};
use crate::council::options::refinement::critique::Critique;
use crate::llm::ErrorKind;

impl FeatureEvent for RefinementEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::CritiquesStart { members, .. } => Some(Asking::begins(STAGE, members)),
            Self::CritiqueComplete { data, .. } => Some(Asking::ends(STAGE, &data.member)),
            Self::RefinementStart { .. }
            | Self::IterationStart { .. }
            | Self::CritiquesComplete { .. }
            | Self::RevisionStart { .. }
            | Self::RevisionToken { .. }
            | Self::RevisionComplete { .. }
            | Self::RevisionError { .. }
            | Self::IterationComplete { .. }
            | Self::RefinementConverged { .. }
            | Self::RefinementComplete(_) => None,
        }
    }
}

fn note(event: &RefinementEvent) -> Option<Note> {
    Some(match event {
        RefinementEvent::RefinementStart { max_iterations } => {
            let message = format!("Refinement: at most {max_iterations} rounds of critique and revision");
            Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "max_iterations": max_iterations }))
        }
        RefinementEvent::IterationStart { iteration } => {
            Note::new(EVERYTHING, NoteCategory::Info, format!("Refinement: round {iteration}"))
                .with(json!({ "iteration": iteration }))
        }
        RefinementEvent::CritiquesStart { iteration, model_count, .. } => {
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
        RefinementEvent::RevisionError { model, error, error_kind, .. } => {
            let reason = ErrorKind::reason_or(Some(*error_kind), error);
            failed(STAGES, model, model, "could not revise the draft", reason)
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
        let reason = ErrorKind::reason_or(critique.error_kind, error);
        return failed(MODELS, member, model, "gave no critique", reason);
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
