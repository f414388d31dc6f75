//! What members look up themselves while they write.

use super::answers::seated;
use crate::terminal::live::event::{Event, Fields, member_of, number_of};
use crate::terminal::live::piece::Seat;
use crate::terminal::live::state::LiveRun;
use shape::{Lookup, LookupStatus, Place};

impl LiveRun {
    /// What a member looked up in a round, or in the answers of a council.
    #[must_use]
    pub fn lookups_of(&self, round: Option<i64>, member: &str) -> &[Lookup] {
        let place = self.lookups.iter().find(|place| place.round == round && place.member == member);
        place.map_or(&[], |place| &place.lookups)
    }
}

pub(super) fn apply(run: &mut LiveRun, event: Event) {
    let told = event.fields;
    match event.kind {
        "stage1_tool_call" => {
            seated(&mut run.answers, Seat::of(told)).piece.think();
            begins(run, None, told);
        }
        "stage1_tool_result" => ends(run, None, told),
        "tool_call" => begins(run, told.whole("round"), told),
        "tool_result" => ends(run, told.whole("round"), told),
        "call_restarted" => restarts(run, told),
        _ => {}
    }
}

fn place<'a>(run: &'a mut LiveRun, round: Option<i64>, member: &str) -> &'a mut Vec<Lookup> {
    let known = run.lookups.iter().position(|place| place.round == round && place.member == member);
    let at = known.unwrap_or_else(|| {
        run.lookups.push(Place { round, member: member.to_owned(), lookups: Vec::new() });
        run.lookups.len() - 1
    });
    &mut run.lookups[at].lookups
}

/// The call with the event's id, which is added where it is new.
fn lookup<'a>(run: &'a mut LiveRun, round: Option<i64>, told: Fields) -> &'a mut Lookup {
    let lookups = place(run, round, member_of(told));
    let id = told.string("call_id");
    let at = lookups.iter().position(|lookup| lookup.id == id).unwrap_or_else(|| {
        let query = told.within("args").string("query");
        lookups.push(Lookup { id, tool: told.string("tool"), query, ..Lookup::default() });
        lookups.len() - 1
    });
    &mut lookups[at]
}

fn begins(run: &mut LiveRun, round: Option<i64>, told: Fields) {
    lookup(run, round, told);
}

fn ends(run: &mut LiveRun, round: Option<i64>, told: Fields) {
    let lookup = lookup(run, round, told);
    let failed = told.words("error").is_some();
    lookup.status = if failed { LookupStatus::Failed } else { LookupStatus::Done };
    lookup.found = told.each("sources").filter_map(|source| source.whole("n")).collect();
    lookup.ms = told.count("ms");
    lookup.error = told.owned("error");
}

/// A call that was lost and is made again: what it had looked up is looked up again.
fn restarts(run: &mut LiveRun, told: Fields) {
    let stage = told.text("stage").unwrap_or_default();
    let round = number_of(stage);
    if stage != "stage1" && round.is_none() {
        return;
    }
    let member = member_of(told);
    if let Some(place) = run.lookups.iter_mut().find(|place| place.round == round && place.member == member) {
        place.lookups.clear();
    }
}

/// What is still being looked up when the run is over came to nothing.
pub(super) fn settle(run: &mut LiveRun) {
    let open = run.lookups.iter_mut().flat_map(|place| &mut place.lookups);
    open.filter(|lookup| lookup.status == LookupStatus::Running)
        .for_each(|lookup| lookup.status = LookupStatus::Failed);
}

/// What is stored of the answers' with a message.
pub(super) fn read(run: &mut LiveRun, message: Fields, _is_live: bool) {
    message.each("stage1").for_each(|answer| read_one(run, None, answer));
}

/// What a stored text's writer had looked up. A run that was followed knows it already.
pub(super) fn read_one(run: &mut LiveRun, round: Option<i64>, result: Fields) {
    let calls: Vec<Lookup> = result.each("tool_calls_made").enumerate().map(stored).collect();
    if !calls.is_empty() {
        *place(run, round, &Seat::of(result).member) = calls;
    }
}

pub mod shape;

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
