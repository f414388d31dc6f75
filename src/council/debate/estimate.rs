//! Which calls a debate will probably take.

use super::kind::{JUDGMENT, Kind, stage};
use crate::council::checking;
use crate::council::estimate::{ExpectedCall, Expecting, FENCE, Kept};
use crate::council::settings::Member;
use crate::council::stages::synthesis;
use crate::council::tool_use::estimate::with_tools;
use crate::llm::Purpose;

/// What a request says around its material, in tokens.
const FRAME: u64 = 260;

/// A whole debate in these rounds: each of these members speaks in each, and `reads` says which texts it reads in the
/// round at this place, from 0. Then the chairman reads everything. What is kept of an earlier run is not asked again.
pub(in crate::council) fn expected_calls(
    (expecting, kept): (Expecting<'_>, &Kept),
    members: &[Member],
    rounds: &[&Kind],
    reads: impl Fn(usize) -> Vec<&'static Purpose>,
) -> Vec<ExpectedCall> {
    let mut calls = Vec::new();
    for (place, (round_number, kind)) in (1_u32..).zip(rounds).enumerate() {
        let has_spoken =
            |member: &Member| kept.round(place).is_some_and(|round| round.seats.contains(member.name()));
        let speak: Vec<&Member> = members.iter().filter(|member| !has_spoken(member)).collect();
        calls.extend(expected_round(expecting, (round_number, kind), &speak, &reads(place)));
    }
    let everything: Vec<&Purpose> =
        rounds.iter().flat_map(|kind| members.iter().map(|_| kind.purpose)).collect();
    calls.extend(checking::estimate::before(expecting, vec![expected_judgment(expecting, &everything)]));
    calls
}

/// A round in which each of these members reads the question and texts of these kinds.
fn expected_round(
    expecting: Expecting<'_>,
    (round_number, kind): (u32, &Kind),
    members: &[&Member],
    reads: &[&Purpose],
) -> Vec<ExpectedCall> {
    // Nobody has spoken before the first round: it is asked as members of a council are.
    let asked = if round_number == 1 { expecting.asked() + expecting.history } else { expecting.quoted() };
    let prompt = FRAME + asked + texts(expecting, reads);
    let call = |member: &&Member| {
        let system = expecting.system_of(member);
        expecting.call(stage(round_number), &member.model, kind.purpose, system + prompt)
    };
    let expecting = Expecting { tools: expecting.tools && kind.tools, ..expecting };
    members.iter().map(call).flat_map(|call| with_tools(expecting, call)).collect()
}

/// The chairman's answer after it has read texts of these kinds.
fn expected_judgment(expecting: Expecting<'_>, reads: &[&Purpose]) -> ExpectedCall {
    let model = &expecting.brief.settings.chairman_model;
    let prompt =
        expecting.system_of_writer(model) + FRAME + expecting.quoted_with_sources() + texts(expecting, reads);
    expecting.call(synthesis::STAGE, model, &JUDGMENT, prompt)
}

fn texts(expecting: Expecting<'_>, reads: &[&Purpose]) -> u64 {
    reads.iter().map(|purpose| expecting.text(purpose) + FENCE).sum()
}
