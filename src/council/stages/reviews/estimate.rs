//! Which calls the reviews will probably take.

use super::{REVIEW, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting, FENCE, Kept};
use crate::council::options::jury;
use crate::council::settings::Member;
use crate::council::stages::answers::ANSWER;

/// What a request says around its material, in tokens.
const FRAME: u64 = 330;

/// `most` of the reviewers, by their order from one of them on.
pub(in crate::council) fn expected_calls(
    expecting: Expecting<'_>,
    kept: &Kept,
    members: &[Member],
    (most, from): (Option<usize>, usize),
) -> Vec<ExpectedCall> {
    if kept.reviews || expecting.without_reviews {
        return Vec::new();
    }
    let answers = members.len() as u64 * (expecting.text(&ANSWER) + FENCE);
    let prompt = FRAME + expecting.quoted() + expecting.criteria + answers;
    let call = |member: &Member| {
        expecting.call(STAGE, &member.model, &REVIEW, expecting.system_of_judge(member) + prompt)
    };
    let reviewers = jury::reviewers(&expecting.brief.settings, members);
    let round = reviewers.iter().cycle().skip(from % reviewers.len().max(1));
    round.take(most.unwrap_or(reviewers.len()).min(reviewers.len())).map(call).collect()
}
