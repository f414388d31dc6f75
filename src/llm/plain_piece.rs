//! A fast path for the usual piece of a stream, one choice with new text or none, which is read without building a tree
//! of values: a reply has hundreds of them. Anything else is left to [`chat_completions`](super::chat_completions),
//! which reads every form; a test checks that the two agree.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A string that is copied out of the JSON only if it has escapes.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    choices: (Choice<'a>,),
    // Of the other fields only their presence is read: a piece with any of them is not plain.
    error: Option<IgnoredAny>,
    usage: Option<IgnoredAny>,
    citations: Option<IgnoredAny>,
    search_results: Option<IgnoredAny>,
    annotations: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
    #[serde(borrow, default)]
    finish_reason: Option<Text<'a>>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<Text<'a>>,
    #[serde(borrow, default)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow, default)]
    reasoning_content: Option<Text<'a>>,
    reasoning_details: Option<IgnoredAny>,
    refusal: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
    function_call: Option<IgnoredAny>,
    citations: Option<IgnoredAny>,
    search_results: Option<IgnoredAny>,
    annotations: Option<IgnoredAny>,
}

/// What a plain piece says. No text is empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainPiece<'a> {
    pub model: Option<Cow<'a, str>>,
    pub reasoning: Option<Cow<'a, str>>,
    /// Whether there is a `reasoning_content`, even if it is empty.
    pub by_content: bool,
    pub text: Option<Cow<'a, str>>,
}

impl<'a> PlainPiece<'a> {
    /// Reads one; `None` for any other piece, and for anything that is not JSON.
    pub fn read(json: &'a str) -> Option<Self> {
        let Event { model, choices: (choice,), error, usage, citations, search_results, annotations } =
            serde_json::from_str(json).ok()?;
        let Choice { delta, finish_reason, error: failed } = choice;
        let beside = [error, usage, citations, search_results, annotations, failed];
        let within = [
            delta.reasoning_details,
            delta.refusal,
            delta.tool_calls,
            delta.function_call,
            delta.citations,
            delta.search_results,
            delta.annotations,
        ];
        let is_plain = beside.iter().chain(&within).all(Option::is_none) && said(finish_reason).is_none();
        is_plain.then(|| Self {
            model: said(model),
            by_content: delta.reasoning_content.is_some(),
            // Some gateways send one text under both names.
            reasoning: said(delta.reasoning).or_else(|| said(delta.reasoning_content)),
            text: said(delta.content),
        })
    }
}

/// The text, unless it is empty.
fn said(text: Option<Text<'_>>) -> Option<Cow<'_, str>> {
    text.map(|Text(text)| text).filter(|text| !text.is_empty())
}
