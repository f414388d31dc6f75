//! Which calls research will probably take.

use super::split::{self, MAX_QUERIES};
use super::stage::{SPLIT, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::searching::{self, SEARCH};

/// What the request says around its material, in tokens.
const FRAME: u64 = 260;
/// A query, in tokens.
const QUERY: u64 = 20;

/// As many searches as there may be: the question needs research.
pub(in crate::council) fn expected_calls(expecting: Expecting<'_>) -> Vec<ExpectedCall> {
    let Some(plan) = &expecting.brief.search else { return Vec::new() };
    let model = split::model(&expecting.brief.settings);
    let split = expecting.call_without_files(STAGE, model, &SPLIT, FRAME + expecting.quoted());
    let search = expecting.call_without_files(searching::STAGE, &plan.model, &SEARCH, QUERY);
    [split].into_iter().chain(std::iter::repeat_n(search, MAX_QUERIES)).collect()
}
