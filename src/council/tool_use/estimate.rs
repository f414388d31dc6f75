//! What tools will probably take.

use super::prompts;
use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::pricing::tokens;
use crate::council::searching::{SEARCH, STAGE};

/// How much of a search a model reads next, in tokens; a quarter of the characters that it may be.
const FOUND: u64 = super::RESULTS_CHARS as u64 / 4;
/// What a query and its call take.
const QUERY: u64 = 40;

/// The calls of a member that may have tools, where without them they would be `alone`. With tools one search is
/// expected, so it is asked twice, the second time with what was found. It may be asked `max_rounds` times, as in the
/// plan, and once more.
pub(in crate::council) fn with_tools(expecting: Expecting<'_>, alone: ExpectedCall) -> Vec<ExpectedCall> {
    let brief = expecting.brief;
    if !expecting.tools {
        return vec![alone];
    }
    let tool = prompts::search_tool(brief);
    let offered = tokens(&tool.description) + tokens(&tool.parameters.to_string());
    let plan = brief.search.as_ref();
    let asks = ExpectedCall {
        prompt_tokens: alone.prompt_tokens + offered,
        completion_tokens: QUERY,
        ..alone.clone()
    };
    let answers = ExpectedCall { prompt_tokens: alone.prompt_tokens + offered + QUERY + FOUND, ..alone };
    let model = plan.map_or("", |plan| plan.model.as_str());
    vec![asks, expecting.call_without_files(STAGE, model, &SEARCH, QUERY), answers]
}
