//! What a request may say of it.

use super::CacheMode;

/// See the module.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct CacheFields {
    /// Whether an earlier answer to the same question, asked in the same circumstances, may be given again, and this one
    /// kept for later.
    #[schema(default = false)]
    use_cache: Option<bool>,
    /// From which similarity on two questions count as the same; 0.5 to 1.
    #[schema(default = 0.92, minimum = 0.5, maximum = 1.0)]
    cache_similarity_threshold: Option<f64>,
    /// What becomes of an earlier answer that is found: it is given (`serve`), the person is asked first (`offer`,
    /// which waits up to 60 seconds for `POST /api/runs/{id}/cache`), or only the very same question counts (`exact`).
    #[schema(default = "serve")]
    cache_mode: Option<CacheMode>,
}
