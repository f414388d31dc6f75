//! A debate: rounds of statements by speakers who answer each other. Its ballots stand with the reviews, its
//! judgment is the final answer.

pub mod asked;
pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields, member_of, number_of};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::RunStatus;
use crate::terminal::live::state::Run;
use shape::{Debate, Round, Statement};

impl FeatureState for Option<Debate> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "debate_start" | "arena_start" => {
                run.status = RunStatus::Running;
                run.queue_position = None;
                *self = Some(Debate {
                    mode: fields.string("mode"),
                    style: fields.owned("debate_style"),
                    round_types: fields.texts("round_types"),
                    rounds: Vec::new(),
                });
            }
            "round_start" | "round1_start" | "round2_start" | "round3_start" => begin(self, run, fields),
            "token" => write(self, fields, "token"),
            "position_token" | "debate_critique_token" | "rebuttal_token" => write(self, fields, "content"),
            "reasoning_token" => {
                if let (Some(text), Some(entry)) = (fields.words("content"), speaker(self, fields)) {
                    entry.piece.reason(text);
                }
            }
            "model_complete"
            | "position_complete"
            | "debate_critique_complete"
            | "rebuttal_complete"
            | "model_error" => said(self, round_of(fields), fields.within("data")),
            "round_complete" => fields.each("responses").for_each(|data| said(self, round_of(fields), data)),
            // What was written before something was looked up is a thought, and no part of the statement.
            "tool_call" => {
                if let Some(entry) =
                    fields.whole("round").and_then(|round| find(self, round, member_of(fields)))
                {
                    entry.piece.think();
                }
            }
            "call_restarted" => {
                let round = fields.text("stage").and_then(number_of);
                if let Some(entry) = round.and_then(|round| find(self, round, member_of(fields))) {
                    entry.piece.restart();
                    let Statement { label, piece, replies_to, .. } = std::mem::take(entry);
                    *entry = Statement { label, piece, replies_to, ..Statement::default() };
                }
            }
            // The end of a round, or of them all, repeats what was sent statement by statement.
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, run: &mut Run, message: Fields, is_live: bool) {
        let held = message.each("rounds").map(|round| Round {
            number: round_of(round),
            kind: round.string("round_type"),
            statements: round.each("responses").map(Statement::of).collect(),
        });
        let debate = Debate {
            mode: message.string("mode"),
            style: message.owned("debate_style"),
            round_types: message.texts("round_types"),
            rounds: held.collect(),
        };
        let begun = debate.rounds.len();
        if debate.mode.is_empty() || debate.round_types.len() + begun == 0 {
            return;
        }
        *self = Some(debate);
        if !is_live {
            self.settle();
        } else if run.final_answer.piece.outcome.is_none() {
            run.phase = format!("round{}", begun.max(1));
        }
    }

    fn settle(&mut self) {
        let rounds = self.iter_mut().flat_map(|debate| &mut debate.rounds);
        rounds.flat_map(|round| &mut round.statements).for_each(|entry| entry.piece.settle());
    }
}

fn round_of(fields: Fields) -> i64 {
    fields.whole("round_number").unwrap_or_default()
}

fn begin(own: &mut Option<Debate>, run: &mut Run, fields: Fields) {
    let since = fields.owned("started_at");
    let statements = fields.each("speakers").map(|speaker| Statement::waiting(speaker, since.clone()));
    let round = Round {
        number: round_of(fields),
        kind: fields.string("round_type"),
        statements: statements.collect(),
    };
    run.phase = format!("round{}", round.number);
    let rounds = &mut own.get_or_insert_default().rounds;
    rounds.retain(|held| held.number != round.number);
    rounds.push(round);
}

/// What a member says in a round; `None` if it does not speak there.
fn find<'a>(own: &'a mut Option<Debate>, round: i64, member: &str) -> Option<&'a mut Statement> {
    let held = own.as_mut()?.rounds.iter_mut().find(|held| held.number == round)?;
    held.statements.iter_mut().find(|entry| entry.piece.seat.member == member)
}

fn speaker<'a>(own: &'a mut Option<Debate>, fields: Fields) -> Option<&'a mut Statement> {
    find(own, round_of(fields), member_of(fields))
}

fn write(own: &mut Option<Debate>, fields: Fields, field: &str) {
    if let (Some(text), Some(entry)) = (fields.words(field), speaker(own, fields)) {
        entry.piece.write(text);
    }
}

/// A result keeps its piece's place and the seat that was asked.
fn said(own: &mut Option<Debate>, round: i64, data: Fields) {
    if let Some(entry) = data.text("member").and_then(|member| find(own, round, member)) {
        let seat = std::mem::take(&mut entry.piece.seat);
        *entry = Statement::of(data);
        entry.piece.seat = seat;
    }
}
