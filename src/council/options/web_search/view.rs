//! What a request may say of it.

/// See the module.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct WebSearchFields {
    /// Whether the question is searched for on the web first, and every member reads what was found. Refused where no
    /// search backend is configured.
    #[schema(default = false)]
    use_web_search: Option<bool>,
}
