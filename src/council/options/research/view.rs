//! What a request may say of it.

/// See the module.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct ResearchFields {
    /// Whether the question is researched before anybody answers: split into two or three searches, whose results every
    /// member reads. Refused where no search backend is configured.
    #[schema(default = false)]
    use_research: Option<bool>,
}
