//! What looking for an earlier answer will probably cost: the vector. Whether one is found cannot be known beforehand.

use super::{CacheMode, CachePlan, EMBEDDING, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting};

/// The question as a vector, where a model makes it.
pub(in crate::council) fn expected_call(expecting: Expecting<'_>, plan: &CachePlan) -> Option<ExpectedCall> {
    let settings = &expecting.brief.settings.options.cache;
    if plan.mode == CacheMode::Exact || !settings.use_api_embeddings {
        return None;
    }
    let call = expecting.call_without_files(STAGE, &settings.embedding_model, &EMBEDDING, expecting.question);
    Some(ExpectedCall { completion_tokens: 0, ..call })
}
