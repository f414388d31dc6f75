//! A question taken apart: its parts, and what every member answers to each. What is put together from them is the
//! final answer.

pub mod asked;
pub mod section;
pub mod shape;

use super::answers::waiting;
use super::reviews::row;
use crate::terminal::live::event::{Event, Fields, member_of};
use crate::terminal::live::family::Family;
use crate::terminal::live::piece::{Answer, CallStatus, RunStatus, Seat};
use crate::terminal::live::state::Run;
use shape::{Complexity, Decomposition, Part, PartResult};

fn complexity(told: Fields) -> Complexity {
    Complexity {
        is_complex: told.flag("is_complex"),
        confidence: told.number("confidence"),
        reasoning: told.string("reasoning"),
        indicators: told.texts("indicators"),
    }
}

fn answer(told: Fields) -> Answer {
    if told.flag("pending") { Answer::waiting(Seat::of(told), None) } else { Answer::ended(told) }
}

fn part(told: Fields) -> Part {
    let answers: Vec<Answer> = told.each("responses").map(answer).collect();
    let best_member = told.words("best_member").map(str::to_owned);
    let has_failed = |answer: &Answer| answer.piece.status == CallStatus::Failed;
    let is_open = best_member.is_none() && !answers.iter().all(has_failed);
    let ranking = told.each("ranking").map(row).collect();
    let result = PartResult { best_member, picked_by: told.owned("picked_by"), ranking };
    Part {
        index: index(told),
        question: told.string("sub_question"),
        answers,
        result: (!is_open).then_some(result),
    }
}

fn index(told: Fields) -> i64 {
    told.whole("index").unwrap_or_default()
}

/// The server's name of a part's stage, and the run's phase while it is answered.
fn stage(index: i64) -> String {
    format!("sub{}", index.saturating_add(1))
}

impl Family for Option<Decomposition> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let told = event.fields;
        match event.kind {
            "decomposition_start" => {
                run.status = RunStatus::Running;
                "decomposition".clone_into(&mut run.phase);
                run.queue_position = None;
                *self = Some(Decomposition::default());
            }
            "complexity_analyzed" => begun(self).complexity = Some(complexity(told)),
            "decomposition_skip" => begun(self).skipped = Some(told.string("reason")),
            "sub_questions_generated" => begun(self).questions = told.texts("sub_questions"),
            "sub_council_start" => {
                run.phase = stage(index(told));
                let question = told.string("sub_question");
                put(self, Part { index: index(told), question, answers: waiting(told), result: None });
            }
            "sub_council_response" => {
                let data = told.within("data");
                if let Some(entry) = data.text("member").and_then(|member| find(self, index(told), member)) {
                    let seat = std::mem::take(&mut entry.piece.seat);
                    *entry = Answer::ended(data);
                    entry.piece.seat = seat;
                }
            }
            "sub_council_complete" if told.within("data").is_there() => put(self, part(told.within("data"))),
            // Answers to parts come whole, and a ballot that is asked for again takes none of them back.
            "call_restarted" => {
                let digits = told.text("stage").and_then(|stage| stage.strip_prefix("sub"));
                let number = digits.and_then(|digits| digits.parse::<u32>().ok());
                let entry = number.and_then(|number| find(self, i64::from(number) - 1, member_of(told)));
                if let Some(entry) = entry.filter(|entry| entry.piece.outcome.is_none()) {
                    entry.piece.restarted = true;
                }
            }
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, run: &mut Run, message: Fields, is_live: bool) {
        let held = message.within("decomposition");
        if !held.is_there() {
            return;
        }
        let judged = held.within("complexity");
        let mut state = Decomposition {
            complexity: judged.is_there().then(|| complexity(judged)),
            skipped: held.owned("skip_reason"),
            questions: held.texts("sub_questions"),
            parts: held.each("sub_results").map(part).collect(),
        };
        state.parts.sort_by_key(|part| part.index);
        let stage = state.parts.last().map_or_else(|| "decomposition".to_owned(), |last| stage(last.index));
        let is_apart = state.skipped.is_none();
        *self = Some(state);
        if !is_live {
            self.settle();
        } else if is_apart && run.final_answer.piece.outcome.is_none() {
            run.phase = stage;
        }
    }

    fn settle(&mut self) {
        let parts = self.iter_mut().flat_map(|state| &mut state.parts);
        parts.flat_map(|part| &mut part.answers).for_each(|entry| entry.piece.settle());
    }
}

fn begun(own: &mut Option<Decomposition>) -> &mut Decomposition {
    own.get_or_insert_default()
}

/// The part in its place among those that are there.
fn put(own: &mut Option<Decomposition>, part: Part) {
    let parts = &mut begun(own).parts;
    match parts.binary_search_by_key(&part.index, |known| known.index) {
        Ok(at) => parts[at] = part,
        Err(at) => parts.insert(at, part),
    }
}

/// A member's answer to a part; `None` if it is not asked.
fn find<'a>(own: &'a mut Option<Decomposition>, index: i64, member: &str) -> Option<&'a mut Answer> {
    let part = own.as_mut()?.parts.iter_mut().find(|part| part.index == index)?;
    part.answers.iter_mut().find(|entry| entry.piece.seat.member == member)
}
