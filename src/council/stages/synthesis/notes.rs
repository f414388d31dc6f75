//! What the process monitor says of its events, and who is being asked by them.

use serde_json::json;

use super::{STAGE, Synthesis, SynthesisEvent};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{Note, NoteCategory, STAGES, failed, seconds};
use crate::council::seat::Seat;
use crate::llm::ErrorKind;

impl FeatureEvent for SynthesisEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::Stage3Start { model, use_multi_chairman: false, .. } => {
                let seat = Seat { model: model.clone(), member: model.clone(), alias: None };
                Some(Asking::begins(STAGE, &[seat]))
            }
            Self::Stage3Error { model, .. } => Some(Asking::ends(STAGE, model)),
            Self::Stage3Complete { .. } => Some(Asking::Over { stage: STAGE }),
            Self::Stage3Start { use_multi_chairman: true, .. }
            | Self::Stage3Token { .. }
            | Self::Stage3ReasoningToken { .. } => None,
        }
    }
}

fn note(event: &SynthesisEvent) -> Option<Note> {
    Some(match event {
        // What follows tells of it.
        SynthesisEvent::Stage3Start { use_multi_chairman: true, .. } => return None,
        SynthesisEvent::Stage3Start { model, .. } => {
            Note::new(STAGES, NoteCategory::Stage, format!("Stage 3: {model} writes the answer"))
                .with(json!({ "model": model }))
        }
        SynthesisEvent::Stage3Error { model, error, error_kind, .. } => {
            let reason = ErrorKind::reason_or(Some(*error_kind), error);
            failed(STAGES, model, model, "could not write the answer", reason)
        }
        SynthesisEvent::Stage3Complete { is_consensus: true, .. } => return None,
        SynthesisEvent::Stage3Complete { data, .. } => written(data),
        SynthesisEvent::Stage3Token { .. } | SynthesisEvent::Stage3ReasoningToken { .. } => return None,
    })
}

fn written(synthesis: &Synthesis) -> Note {
    if synthesis.error.is_some() {
        return Note::new(STAGES, NoteCategory::Error, "Stage 3: nobody could write the answer");
    }
    if let Some(member) = &synthesis.selected_member {
        let message = format!("Stage 3: the answer of {member} is taken as it is");
        return Note::new(STAGES, NoteCategory::Success, message).with(json!({ "model": synthesis.model }));
    }
    let took = seconds(synthesis.latency_ms);
    let message = format!("Stage 3: {} has written the answer{took}", synthesis.model);
    Note::new(STAGES, NoteCategory::Success, message)
        .with(json!({ "model": synthesis.model, "latency_ms": synthesis.latency_ms }))
}
