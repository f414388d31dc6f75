//! What the process monitor says of its events, and who is being asked by them.

use serde_json::json;

use super::{Answer, AnswersEvent, AnswersMetadata, STAGE};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, failed, seconds, stage_of};
use crate::llm::ErrorKind;

impl FeatureEvent for AnswersEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::Stage1Start { members, .. } => Some(Asking::begins(STAGE, members)),
            Self::Stage1ModelComplete { member, .. } | Self::Stage1Error { member, .. } => {
                Some(Asking::ends(STAGE, member))
            }
            Self::Stage1Token { .. } | Self::Stage1ReasoningToken { .. } | Self::Stage1Complete { .. } => {
                None
            }
        }
    }
}

fn note(event: &AnswersEvent) -> Option<Note> {
    Some(match event {
        AnswersEvent::Stage1Start { members, .. } => stage_of("Stage 1", "are asked", members),
        AnswersEvent::Stage1ModelComplete { member, data, .. } => answered(member, data),
        AnswersEvent::Stage1Error { member, model, error, error_kind, .. } => {
            failed(MODELS, member, model, "gave no answer", ErrorKind::reason_or(Some(*error_kind), error))
        }
        AnswersEvent::Stage1Complete { data, metadata } => stage1_over(data, metadata),
        AnswersEvent::Stage1Token { .. } | AnswersEvent::Stage1ReasoningToken { .. } => return None,
    })
}

fn answered(member: &str, answer: &Answer) -> Note {
    let late = if answer.late { ", late" } else { "" };
    let sure = answer.confidence.map_or_else(String::new, |score| format!(", confidence {score} of 10"));
    let took = seconds(answer.latency_ms);
    let details = json!({
        "model": answer.model, "confidence": answer.confidence, "latency_ms": answer.latency_ms,
        "tokens": answer.usage.map(|usage| usage.total_tokens),
    });
    Note::new(MODELS, NoteCategory::Success, format!("{member} answered{took}{sure}{late}")).with(details)
}

fn stage1_over(answers: &[Answer], metadata: &AnswersMetadata) -> Note {
    let good = answers.iter().filter(|answer| answer.is_good()).count();
    let pending = answers.iter().filter(|answer| answer.pending).count();
    let still = if pending > 0 { format!(", {pending} still at it") } else { String::new() };
    let confidence = &metadata.aggregate_confidence;
    let sure =
        confidence.average.map_or_else(String::new, |average| format!(", confidence {average:.1} of 10"));
    let category = if good == answers.len() { NoteCategory::Success } else { NoteCategory::Warning };
    let details = json!({
        "answered": good, "asked": answers.len(), "pending": pending, "average_confidence": confidence.average,
    });
    let message = format!("Stage 1: {good} of {} members answered{still}{sure}", answers.len());
    Note::new(STAGES, category, message).with(details)
}
