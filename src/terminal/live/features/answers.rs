//! The members' answers.

use std::collections::HashSet;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::piece::{Answer, CallStatus, Confidence, Failure, Outcome, RunStatus, Seat};
use crate::terminal::live::state::Run;

pub(super) fn apply(run: &mut Run, event: Event) {
    let fields = event.fields;
    match event.kind {
        "stage1_start" => {
            run.status = RunStatus::Running;
            "stage1".clone_into(&mut run.phase);
            run.queue_position = None;
            run.answers = waiting(fields);
        }
        "stage1_token" => {
            if let Some(text) = fields.words("content") {
                seated(&mut run.answers, Seat::of(fields)).piece.write(text);
            }
        }
        "stage1_reasoning_token" => {
            if let Some(text) = fields.words("content") {
                seated(&mut run.answers, Seat::of(fields)).piece.reason(text);
            }
        }
        "stage1_model_complete" => {
            let data = fields.within("data");
            if data.is_there() {
                ends(seated(&mut run.answers, Seat::of(fields)), data);
            }
        }
        "stage1_error" => fails(seated(&mut run.answers, Seat::of(fields)), fields),
        "stage1_complete" | "tier1_complete" => complete(run, fields),
        "member_retried" if fields.text("stage") == Some("stage1") => {
            seated(&mut run.answers, Seat::of(fields)).piece.again(fields.owned("started_at"));
        }
        "call_restarted" if fields.text("stage") == Some("stage1") => {
            seated(&mut run.answers, Seat::of(fields)).piece.restart();
        }
        _ => {}
    }
}

/// The members that an event names, before the first of them has written a word.
pub(super) fn waiting(fields: Fields) -> Vec<Answer> {
    let since = fields.owned("started_at");
    fields.each("members").map(|member| Answer::waiting(Seat::of(member), since.clone())).collect()
}

/// The answer of this seat, which is added where it is new.
pub(super) fn seated(answers: &mut Vec<Answer>, seat: Seat) -> &mut Answer {
    let at = answers.iter().position(|answer| answer.piece.seat.member == seat.member);
    let at = at.unwrap_or_else(|| {
        answers.push(Answer::waiting(seat, None));
        answers.len() - 1
    });
    &mut answers[at]
}

fn ends(answer: &mut Answer, data: Fields) {
    let mut done = Answer::ended(data);
    done.piece.seat = std::mem::take(&mut answer.piece.seat);
    done.late |= answer.late;
    done.tier = done.tier.or(answer.tier);
    *answer = done;
}

/// Fields that the event's result lacks come from what had arrived, and from the event itself.
fn fails(answer: &mut Answer, fields: Fields) {
    let data = fields.within("data");
    let written = std::mem::take(&mut answer.piece.text);
    let late = answer.late;
    ends(answer, data);
    answer.late = late;
    answer.piece.status = CallStatus::Failed;
    if !data.has("response") {
        answer.piece.text = written;
    }
    if !data.has("error") && fields.words("error").is_some() {
        let model = answer.piece.seat.model.clone();
        let error = Some(Failure { model, ..Failure::of(fields) });
        answer.piece.outcome = Some(Outcome { error, ..answer.piece.outcome.take().unwrap_or_default() });
    }
}

/// The reviews begin: the stored answers count, and those that are still missing are late.
fn complete(run: &mut Run, fields: Fields) {
    let stored: Vec<Answer> =
        fields.each("data").filter(|data| !data.flag("pending")).map(Answer::ended).collect();
    store(&mut run.answers, stored);
    if fields.within("metadata").has_value("aggregate_confidence") {
        let confidence = fields.within("metadata").within("aggregate_confidence");
        run.confidence = Some(Confidence {
            average: confidence.number("average"),
            min: confidence.whole("min"),
            max: confidence.whole("max"),
            count: confidence.count("count").unwrap_or_default(),
        });
    }
}

fn store(answers: &mut Vec<Answer>, stored: Vec<Answer>) {
    if stored.is_empty() {
        return;
    }
    let known: HashSet<String> = stored.iter().map(|answer| answer.piece.seat.member.clone()).collect();
    for answer in answers.iter_mut().filter(|answer| !known.contains(&answer.piece.seat.member)) {
        answer.late |= answer.piece.outcome.is_none();
    }
    for answer in stored {
        let seat = answer.piece.seat.clone();
        *seated(answers, seat) = answer;
    }
}

pub(super) fn settle(run: &mut Run) {
    run.answers.iter_mut().for_each(|answer| answer.piece.settle());
}
