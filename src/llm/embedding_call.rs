//! What every call for a vector has, whoever is asked.

use super::error::{CallError, ErrorKind};
use super::request::ChatRequest;

/// Longest reply with an embedding: one of 4096 components, with all their digits and white space, has a fifth of it.
pub(super) const MAX_REPLY_BYTES: usize = 1 << 20;

/// What is to be embedded.
///
/// # Errors
/// When there is nothing.
pub(super) fn text_of(request: &ChatRequest) -> Result<&str, CallError> {
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
