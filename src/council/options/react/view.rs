//! What a request may say of it.

/// See the module.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct ReactFields {
    /// Whether whoever writes the answer may look up facts first, at most three times, in every format. Without a word
    /// from the request it may in a debate of all with all where search is available. Refused where no search backend is
    /// configured.
    #[schema(default = false)]
    use_react: Option<bool>,
}
