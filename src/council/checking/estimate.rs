//! What checks will probably take.

use super::{OBSERVATION, OBSERVATION_CHARS};
use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::pricing::tokens;
use crate::council::searching::{SEARCH, STAGE};

/// What a thought and an action take, in tokens.
const TURN: u64 = 80;
/// What the instructions take, in tokens.
const INSTRUCTIONS: u64 = 230;

/// The calls before each of these texts that are written for the council: one check is expected, so the writer is asked
/// twice and a search is made. It may be asked [`MAX_ITERATIONS`](super::MAX_ITERATIONS) times and once more.
pub(in crate::council) fn before(expecting: Expecting<'_>, texts: Vec<ExpectedCall>) -> Vec<ExpectedCall> {
    let Some(plan) = expecting.brief.search.as_ref().filter(|_| expecting.brief.checks > 0) else {
        return texts;
    };
    let found = OBSERVATION_CHARS as u64 / 4 + tokens(OBSERVATION.text);
    let with_check = |text: ExpectedCall| {
        let check = ExpectedCall {
            prompt_tokens: text.prompt_tokens + INSTRUCTIONS,
            completion_tokens: TURN,
            ..text.clone()
        };
        let search = expecting.call_without_files(STAGE, &plan.model, &SEARCH, TURN);
        let write = ExpectedCall { prompt_tokens: text.prompt_tokens + INSTRUCTIONS + TURN + found, ..text };
        [check, search, write]
    };
    texts.into_iter().flat_map(with_check).collect()
}
