//! What calls for a vector have in common, whichever provider serves them.

use std::borrow::Cow;

use super::error::{CallError, ErrorKind};
use super::request::ChatRequest;

/// Longest reply with an embedding. One of 4096 components, with all digits and white space, takes a fifth of it.
pub(super) const MAX_REPLY_BYTES: usize = 1 << 20;

/// The text to embed.
///
/// # Errors
/// When it is blank.
pub(super) fn text_of(request: &ChatRequest) -> Result<Cow<'_, str>, CallError> {
    let text = request.last_of_user();
    if text.trim().is_empty() {
        return Err(CallError::new(ErrorKind::Refused, "there is no text to embed"));
    }
    Ok(text)
}

/// The refusal of a provider that has no embeddings.
pub(super) fn offered_by_none(provider: &str) -> CallError {
    CallError::new(ErrorKind::Refused, format!("{provider} offers no embeddings"))
}
