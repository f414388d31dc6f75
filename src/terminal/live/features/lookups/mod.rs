//! What members look up themselves while they write.

pub mod asked;
pub mod shape;

use super::answers::seated;
use crate::terminal::live::event::{Event, Fields, member_of, number_of};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::Seat;
use crate::terminal::live::state::Run;
use shape::{Lookup, LookupStatus, Place};

impl FeatureState for Vec<Place> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "stage1_tool_call" => {
                seated(&mut run.answers, Seat::of(fields)).piece.think();
                lookup(self, None, fields);
            }
            "stage1_tool_result" => ends(self, None, fields),
            "tool_call" => _ = lookup(self, fields.whole("round"), fields),
            "tool_result" => ends(self, fields.whole("round"), fields),
            "call_restarted" | "member_retried" => restarts(self, fields),
            _ => {}
        }
    }

    /// Reads what is stored with the answers and statements of a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        message.each("stage1").for_each(|answer| read_one(self, None, answer));
        for round in message.each("rounds") {
            round.each("responses").for_each(|said| read_one(self, round.whole("round_number"), said));
        }
    }

    /// Look-ups that are still open when the run is over have failed.
    fn settle(&mut self) {
        let open = self.iter_mut().flat_map(|place| &mut place.lookups);
        open.filter(|lookup| lookup.status == LookupStatus::Running)
            .for_each(|lookup| lookup.status = LookupStatus::Failed);
    }
}

fn place<'a>(own: &'a mut Vec<Place>, round: Option<i64>, member: &str) -> &'a mut Vec<Lookup> {
    let known = own.iter().position(|place| place.round == round && place.member == member);
    let at = known.unwrap_or_else(|| {
        own.push(Place { round, member: member.to_owned(), lookups: Vec::new() });
        own.len() - 1
    });
    &mut own[at].lookups
}

/// The call with the event's id, which is added where it is new.
fn lookup<'a>(own: &'a mut Vec<Place>, round: Option<i64>, fields: Fields) -> &'a mut Lookup {
    let lookups = place(own, round, member_of(fields));
    let id = fields.string("call_id");
    let at = lookups.iter().position(|lookup| lookup.id == id).unwrap_or_else(|| {
        let query = fields.within("args").string("query");
        lookups.push(Lookup { id, tool: fields.string("tool"), query, ..Lookup::default() });
        lookups.len() - 1
    });
    &mut lookups[at]
}

fn ends(own: &mut Vec<Place>, round: Option<i64>, fields: Fields) {
    let lookup = lookup(own, round, fields);
    let failed = fields.words("error").is_some();
    lookup.status = if failed { LookupStatus::Failed } else { LookupStatus::Done };
    lookup.found = fields.each("sources").filter_map(|source| source.whole("n")).collect();
    lookup.ms = fields.count("ms");
    lookup.error = fields.owned("error");
}

/// A call that was lost, or has failed, and is made again: its look-ups are made again.
fn restarts(own: &mut [Place], fields: Fields) {
    let stage = fields.text("stage").unwrap_or_default();
    let round = number_of(stage);
    if stage != "stage1" && round.is_none() {
        return;
    }
    let member = member_of(fields);
    if let Some(place) = own.iter_mut().find(|place| place.round == round && place.member == member) {
        place.lookups.clear();
    }
}

/// Reads what the writer of a stored text looked up. A run that was followed knows it already.
fn read_one(own: &mut Vec<Place>, round: Option<i64>, result: Fields) {
    let calls: Vec<Lookup> = result.each("tool_calls_made").enumerate().map(stored).collect();
    if !calls.is_empty() {
        *place(own, round, &Seat::of(result).member) = calls;
    }
}

fn stored((at, made): (usize, Fields)) -> Lookup {
    let failed = made.words("error").is_some();
    Lookup {
        id: at.to_string(),
        tool: made.string("tool"),
        query: made.within("args").string("query"),
        status: if failed { LookupStatus::Failed } else { LookupStatus::Done },
        found: made.numbers("result_sources"),
        ms: made.count("ms"),
        error: made.owned("error"),
    }
}
