//! Which calls refinement will probably take.

use super::{CRITIQUE, RefinementOptions, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting, FENCE};
use crate::council::revision;
use crate::council::settings::Member;
use crate::council::stages::synthesis;

/// What a request for a critique says around its material, in tokens.
const FRAME: u64 = 270;

/// Critics find something each time.
pub(in crate::council) fn expected_calls(
    expecting: Expecting<'_>,
    options: &RefinementOptions,
    members: &[Member],
) -> Vec<ExpectedCall> {
    let prompt = FRAME + expecting.quoted() + synthesis::estimate::quoted(expecting);
    let critique = |member: &Member| {
        expecting.call(STAGE, &member.model, &CRITIQUE, expecting.system_of_judge(member) + prompt)
    };
    let critiques = members.len() as u64 * (expecting.text(&CRITIQUE) + FENCE);
    let iteration =
        || members.iter().map(critique).chain([revision::expected_call(expecting, STAGE, critiques)]);
    (0..options.max_iterations).flat_map(|_| iteration()).collect()
}
