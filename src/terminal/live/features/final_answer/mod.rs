//! The final answer, whoever writes it: a chairman, a judge, or whoever puts together the parts of a question.

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::piece::{CallStatus, Failure, Piece};
use crate::terminal::live::state::Run;
use shape::FinalAnswer;

pub(super) fn apply(run: &mut Run, event: Event) {
    let fields = event.fields;
    match event.kind {
        "stage3_start" | "judgment_start" | "synthesis_start" | "merge_start" => start(run, fields),
        "stage3_token" | "judgment_token" | "synthesis_token" | "merge_token" => {
            if let Some(text) = fields.words("content") {
                token(run, fields, text);
            }
        }
        "stage3_reasoning_token" | "synthesis_reasoning_token" | "merge_reasoning_token" => {
            if let Some(text) = fields.words("content").filter(|_| run.final_answer.piece.outcome.is_none()) {
                in_stage3(run);
                run.final_answer.piece.reason(text);
            }
        }
        "stage3_error" | "judgment_error" | "synthesis_error" | "merge_error" => {
            in_stage3(run);
            run.final_answer.piece.status = CallStatus::Failed;
            run.final_answer.failures.push(Failure::of(fields));
        }
        "stage3_complete" | "judgment_complete" | "merge_complete" => complete(run, fields.within("data")),
        // With a label it is a draft, one of several.
        "synthesis_complete" if !fields.within("data").has("label") => complete(run, fields.within("data")),
        "call_restarted" if fields.text("stage") == Some("stage3") => restart(run),
        _ => {}
    }
}

fn in_stage3(run: &mut Run) {
    "stage3".clone_into(&mut run.phase);
}

/// Possibly the fallback's start: the failed chairman's partial text goes.
fn start(run: &mut Run, fields: Fields) {
    in_stage3(run);
    let mut piece =
        Piece { status: CallStatus::Writing, since: fields.owned("started_at"), ..Piece::default() };
    piece.seat.model = fields.string("model");
    let failures = std::mem::take(&mut run.final_answer.failures);
    run.final_answer = FinalAnswer { piece, failures, ..FinalAnswer::default() };
}

fn token(run: &mut Run, fields: Fields, text: &str) {
    if run.final_answer.piece.outcome.is_some() {
        return;
    }
    in_stage3(run);
    let piece = &mut run.final_answer.piece;
    if let Some(model) = fields.text("model") {
        model.clone_into(&mut piece.seat.model);
    }
    piece.write(text);
}

fn complete(run: &mut Run, data: Fields) {
    if data.is_there() {
        in_stage3(run);
        let failures = std::mem::take(&mut run.final_answer.failures);
        run.final_answer = FinalAnswer::ended(data, failures);
    }
}

pub mod shape;

/// The call was lost and is made again: what it had written goes.
fn restart(run: &mut Run) {
    in_stage3(run);
    let piece = &mut run.final_answer.piece;
    piece.text.clear();
    piece.reasoning.clear();
    piece.restarted = true;
    // Its notes go with its result.
    if piece.outcome.take().is_some() {
        let (piece, failures) = (std::mem::take(piece), std::mem::take(&mut run.final_answer.failures));
        run.final_answer = FinalAnswer { piece, failures, ..FinalAnswer::default() };
    }
}

pub(super) fn settle(run: &mut Run) {
    run.final_answer.settle();
}
