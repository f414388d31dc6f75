//! What a provider refused a request for: servers say it in words of their own.

use super::error::{CallError, ErrorKind};

/// Whether a model takes no temperature, or none but its own, as servers word it: `temperature` is deprecated for this
/// model; models don't support temperature=0.2; only the default (1) value is supported. One that is out of range is
/// another matter.
pub(super) fn means_the_temperature(error: &CallError) -> bool {
    const WORDS: [&str; 6] =
        ["deprecated", "not support", "n't support", "unsupported", "only the default", "only 1 is allowed"];
    let said = error.message.to_lowercase();
    may_mean_a_parameter(error)
        && said.contains("temperature")
        && WORDS.iter().any(|words| said.contains(words))
}

/// Whether a message may not have the thoughts before its calls, as servers word it that a gateway passes them on to:
/// property 'reasoning_content' is unsupported; extra inputs are not permitted.
pub(super) fn means_the_thoughts(error: &CallError) -> bool {
    const WORDS: [&str; 5] = ["unsupported", "not support", "not permitted", "unknown", "unexpected"];
    let said = error.message.to_lowercase();
    may_mean_a_parameter(error)
        && said.contains("reasoning_content")
        && WORDS.iter().any(|words| said.contains(words))
}

/// Whether a provider may have refused a request for something that is in it, such as its schema: servers word that in
/// many ways.
pub(super) fn may_mean_a_parameter(error: &CallError) -> bool {
    error.kind == ErrorKind::Refused && matches!(error.status, Some(400 | 422))
}
