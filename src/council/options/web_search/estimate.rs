//! What one search for the question will probably cost.

use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::pricing::tokens;
use crate::council::searching::{SEARCH, STAGE};

/// One search; none where nothing can be searched.
pub(in crate::council) fn expected_call(expecting: Expecting<'_>) -> Option<ExpectedCall> {
    let plan = expecting.brief.search.as_ref()?;
    Some(expecting.call_without_files(STAGE, &plan.model, &SEARCH, tokens(&expecting.brief.question)))
}
