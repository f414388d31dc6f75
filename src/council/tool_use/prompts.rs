//! The instructions about tools, and what tools return to models.

use serde_json::json;

use super::order::{NotCarriedOut, SEARCH};
use crate::council::brief::Brief;
use crate::council::prompts::fence;
use crate::council::prompts::template::Template;
use crate::council::searching::material::CITING;
use crate::llm::{Reason, Tool};

/// What the tool does.
static DESCRIPTION: Template = Template {
    name: "search_tool",
    about: "What models read of the tool that searches the web.",
    text: "Searches the web and gives back numbered sources with excerpts. Today is {today}. Use it for what you do not \
        know or what may have changed since you learned it: facts, figures, prices, versions, events. Not for what \
        you know well. Write what you would type into a search engine, for one thing at a time.",
    places: &["today"],
    marks: &[],
};
/// What a query is.
static QUERY: Template = Template {
    name: "search_tool_query",
    about: "What models read of the query of that tool.",
    text: "A few words to search for.",
    places: &[],
    marks: &[],
};
/// What was found.
static FOUND: Template = Template {
    name: "search_tool_found",
    about: "What the search tool gives back.",
    text: "{material}\n\n{rule}\n\n{citing}",
    places: &["material", "rule", "citing"],
    marks: &[],
};
/// A search that failed.
static FAILED: Template = Template {
    name: "search_tool_failed",
    about: "What the search tool gives back where the search failed.",
    text: "The search failed: {reason}. Answer from what you know, and say what you could not look up.",
    places: &["reason"],
    marks: &[],
};
/// A tool that there is not.
static NO_SUCH_TOOL: Template = Template {
    name: "no_such_tool",
    about: "What a model is told that calls another tool.",
    text: "There is no such tool. There is only `{tool}`; or answer without.",
    places: &["tool"],
    marks: &[],
};
/// Arguments that cannot be read.
static BAD_ARGUMENTS: Template = Template {
    name: "bad_arguments",
    about: "What a model is told whose call cannot be read.",
    text: "The arguments could not be read. Write them as a JSON object with one text, \"query\"; or answer without.",
    places: &[],
    marks: &["\"query\""],
};
/// More calls than are carried out.
static TOO_MANY: Template = Template {
    name: "too_many_calls",
    about: "What a model is told that makes too many calls at once.",
    text: "This call was not carried out: there were too many at once. Make fewer; or answer with what you have.",
    places: &[],
    marks: &[],
};
/// The last turn.
pub(in crate::council) static ENOUGH: Template = Template {
    name: "enough_searched",
    about: "What a model is told when it may search no more.",
    text: "There are no more searches. Answer the question now with what you have; call nothing.",
    places: &[],
    marks: &[],
};

/// Everything that a run with tools asks models with.
pub static TEMPLATES: &[&Template] = &[
    &DESCRIPTION,
    &QUERY,
    &FOUND,
    &FAILED,
    &NO_SUCH_TOOL,
    &BAD_ARGUMENTS,
    &TOO_MANY,
    &ENOUGH,
    &CITING,
    &fence::RULE,
];

/// The tool that a member may call.
pub(in crate::council) fn search_tool(brief: &Brief) -> Tool {
    let today = brief.search.as_ref().map_or("", |plan| plan.today.as_str());
    Tool {
        name: SEARCH.into(),
        description: brief.prompts.fill(&DESCRIPTION, &[("today", today)]),
        parameters: json!({
            "type": "object",
            "properties": {"query": {"type": "string", "description": brief.prompts.text(&QUERY)}},
            "required": ["query"],
        }),
    }
}

pub(in crate::council) fn found(brief: &Brief, material: &str) -> String {
    let prompts = &brief.prompts;
    prompts.fill(
        &FOUND,
        &[("material", material), ("rule", prompts.text(&fence::RULE)), ("citing", prompts.text(&CITING))],
    )
}

pub(in crate::council) fn failed(brief: &Brief, reason: &Reason) -> String {
    brief.prompts.fill(&FAILED, &[("reason", &reason.to_string())])
}

pub(in crate::council) fn not_carried_out(brief: &Brief, why: NotCarriedOut) -> String {
    match why {
        NotCarriedOut::NoSuchTool => brief.prompts.fill(&NO_SUCH_TOOL, &[("tool", SEARCH)]),
        NotCarriedOut::BadArguments => brief.prompts.text(&BAD_ARGUMENTS).to_owned(),
        NotCarriedOut::TooMany => brief.prompts.text(&TOO_MANY).to_owned(),
    }
}
