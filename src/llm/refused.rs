//! Recognises what a provider refused a request for: each server words it differently.

use super::error::{CallError, ErrorKind};

/// Whether the error says that the model accepts no temperature, or only its default. Servers write: `temperature` is
/// deprecated for this model; models don't support temperature=0.2; only the default (1) value is supported. A
/// temperature that is out of range is another matter.
pub(super) fn means_the_temperature(error: &CallError) -> bool {
    const WORDS: [&str; 6] =
        ["deprecated", "not support", "n't support", "unsupported", "only the default", "only 1 is allowed"];
    let said = error.message.to_lowercase();
    may_mean_a_parameter(error)
        && said.contains("temperature")
        && WORDS.iter().any(|words| said.contains(words))
}

/// Whether the error says that a message with tool calls may not have `reasoning_content`. Servers behind a gateway
/// write: property 'reasoning_content' is unsupported; extra inputs are not permitted.
pub(super) fn means_the_thoughts(error: &CallError) -> bool {
    const WORDS: [&str; 5] = ["unsupported", "not support", "not permitted", "unknown", "unexpected"];
    let said = error.message.to_lowercase();
    may_mean_a_parameter(error)
        && said.contains("reasoning_content")
        && WORDS.iter().any(|words| said.contains(words))
}

/// Whether a provider may have refused a request for one of its parameters, such as its schema. Only the status tells,
/// since servers word it in many ways.
pub(super) fn may_mean_a_parameter(error: &CallError) -> bool {
    error.kind == ErrorKind::Refused && matches!(error.status, Some(400 | 422))
}
