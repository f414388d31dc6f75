//! The call that finding out the kind of a question will probably take.

use super::{QUOTED_CHARS, ROUTING, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting, FENCE, Kept};
use crate::council::pricing::tokens_of;

/// What the request says around its material, in tokens.
const FRAME: u64 = 270;

pub(in crate::council) fn expected_call(expecting: Expecting<'_>, kept: &Kept) -> Option<ExpectedCall> {
    if !kept.answers.is_empty() {
        return None;
    }
    let quoted = |text: &str| FENCE + tokens_of(text.chars().take(QUOTED_CHARS).count());
    let brief = expecting.brief;
    let earlier = brief.history.last().map_or(0, |turn| quoted(&turn.question));
    let prompt = FRAME + quoted(&brief.question) + earlier;
    Some(expecting.call_without_files(STAGE, &brief.settings.utility_model, &ROUTING, prompt))
}
