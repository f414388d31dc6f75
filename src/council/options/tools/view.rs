//! What a request may say of it.

/// See the module.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct ToolsFields {
    /// Whether members may search the web before they answer, and decide themselves what for. In the council those who
    /// answer; in debates those who state a position, answer their critics or make a statement, never critics; in a
    /// decomposition those who answer a part. By default only in debates of all against all, where a search backend is
    /// configured; refused where none is.
    #[schema(default = false)]
    use_tools: Option<bool>,
}
