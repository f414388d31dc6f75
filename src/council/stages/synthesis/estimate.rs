//! Which call the council's answer will probably take.

use super::{STAGE, SYNTHESIS};
use crate::council::estimate::{ExpectedCall, Expecting, FENCE};
use crate::council::pricing::tokens;
use crate::council::settings::Member;
use crate::council::stages::answers::ANSWER;
use crate::council::stages::editorial;
use crate::council::stages::reviews::REVIEW;

/// What a request says around its material, in tokens.
const FRAME: u64 = 330;

/// `model` writes what these members have said.
pub(in crate::council) fn expected_call(
    expecting: Expecting<'_>,
    members: &[Member],
    model: &str,
) -> ExpectedCall {
    let review = if expecting.without_reviews { 0 } else { expecting.text(&REVIEW) + FENCE };
    let said = expecting.text(&ANSWER) + FENCE + review;
    let prompt = FRAME
        + tokens(expecting.brief.prompts.text(&editorial::INSTRUCTIONS))
        + expecting.quoted_with_sources()
        + members.len() as u64 * said;
    expecting.call(STAGE, model, &SYNTHESIS, expecting.system_of_writer(model) + prompt)
}

/// The council's answer inside another prompt, in tokens.
pub(in crate::council) fn quoted(expecting: Expecting<'_>) -> u64 {
    expecting.text(&SYNTHESIS) + FENCE
}
