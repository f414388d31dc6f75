//! A question taken apart: its parts, and what every member answers to each. What is put together from them is the
//! final answer.

pub mod asked;
pub mod section;
pub mod shape;

use super::answers::waiting;
use super::reviews::row;
use crate::terminal::live::event::{Event, Fields, member_of};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::{Answer, CallStatus, RunStatus, Seat};
use crate::terminal::live::state::Run;
use shape::{Complexity, Decomposition, Part, PartResult};

fn complexity(fields: Fields) -> Complexity {
    Complexity {
        is_complex: fields.flag("is_complex"),
        confidence: fields.number("confidence"),
        reasoning: fields.string("reasoning"),
        indicators: fields.texts("indicators"),
    }
}

fn answer(fields: Fields) -> Answer {
    if fields.flag("pending") { Answer::waiting(Seat::of(fields), None) } else { Answer::ended(fields) }
}

fn part(fields: Fields) -> Part {
    let answers: Vec<Answer> = fields.each("responses").map(answer).collect();
    let best_member = fields.words("best_member").map(str::to_owned);
    let has_failed = |answer: &Answer| answer.piece.status == CallStatus::Failed;
    let is_open = best_member.is_none() && !answers.iter().all(has_failed);
    let ranking = fields.each("ranking").map(row).collect();
    let result = PartResult { best_member, picked_by: fields.owned("picked_by"), ranking };
    Part {
        index: index(fields),
        question: fields.string("sub_question"),
        answers,
        result: (!is_open).then_some(result),
    }
}

fn index(fields: Fields) -> i64 {
    fields.whole("index").unwrap_or_default()
}

/// The server's name of a part's stage, and the run's phase while it is answered.
fn stage(index: i64) -> String {
    format!("sub{}", index.saturating_add(1))
}

impl FeatureState for Option<Decomposition> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "decomposition_start" => {
                run.status = RunStatus::Running;
                "decomposition".clone_into(&mut run.phase);
                run.queue_position = None;
                *self = Some(Decomposition::default());
            }
            "complexity_analyzed" => begun(self).complexity = Some(complexity(fields)),
            "decomposition_skip" => begun(self).skipped = Some(fields.string("reason")),
            "sub_questions_generated" => begun(self).questions = fields.texts("sub_questions"),
            "sub_council_start" => {
                run.phase = stage(index(fields));
                let question = fields.string("sub_question");
                put(self, Part { index: index(fields), question, answers: waiting(fields), result: None });
            }
            "sub_council_response" => {
                let data = fields.within("data");
                if let Some(entry) = data.text("member").and_then(|member| find(self, index(fields), member))
                {
                    let seat = std::mem::take(&mut entry.piece.seat);
                    *entry = Answer::ended(data);
                    entry.piece.seat = seat;
                }
            }
            "sub_council_complete" if fields.within("data").is_there() => {
                put(self, part(fields.within("data")));
            }
            // Answers to parts come whole, and a ballot that is asked for again takes none of them back.
            "call_restarted" => {
                let digits = fields.text("stage").and_then(|stage| stage.strip_prefix("sub"));
                let number = digits.and_then(|digits| digits.parse::<u32>().ok());
                let entry = number.and_then(|number| find(self, i64::from(number) - 1, member_of(fields)));
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
