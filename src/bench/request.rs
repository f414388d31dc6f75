//! The single calls of a bench: a model asked alone, and a judge.

use super::graders::judge::JUDGE;
use super::suite::Single;
use crate::council::stage::Stage;
use crate::council::stages::answers;
use crate::llm::{ChatMessage, ChatRequest, Purpose};

/// What single calls are for, as a format of the ledger.
pub const FORMAT: &str = "bench";
/// Where judges' calls are summed.
pub(super) const GRADING: Stage = Stage::named("grading");

/// A question to a model alone: what a member is asked, without what only a council needs.
pub(super) fn answer(model: &Single, prompt: &str) -> ChatRequest {
    request(model, &answers::ANSWER, prompt)
}

/// A judge's question.
pub(super) fn judgement(model: &Single, prompt: &str) -> ChatRequest {
    request(model, &JUDGE, prompt)
}

fn request(model: &Single, purpose: &'static Purpose, prompt: &str) -> ChatRequest {
    ChatRequest {
        sampling: model.sampling,
        timeouts: model.timeouts,
        ..ChatRequest::new(&model.model, purpose, vec![ChatMessage::user(prompt)])
    }
}
