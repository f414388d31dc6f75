//! Which calls several chairmen will probably take.

use super::SELECTION;
use crate::council::checking;
use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::settings::Member;
use crate::council::stages::synthesis::{self, estimate};

/// What a request says around its material, in tokens.
const FRAME: u64 = 330;

/// Each of these chairmen writes what the members have said, and the chairman chooses.
pub(in crate::council) fn expected_calls(
    expecting: Expecting<'_>,
    chairmen: &[String],
    members: &[Member],
) -> Vec<ExpectedCall> {
    let chairman = &expecting.brief.settings.chairman_model;
    let all = FRAME + expecting.quoted() + chairmen.len() as u64 * estimate::quoted(expecting);
    let prompt = expecting.system_of_writer(chairman) + all;
    let choice = expecting.call(synthesis::STAGE, chairman, &SELECTION, prompt);
    let write = |model: &String| estimate::expected_call(expecting, members, model);
    let drafts = checking::estimate::before(expecting, chairmen.iter().map(write).collect());
    drafts.into_iter().chain([choice]).collect()
}
