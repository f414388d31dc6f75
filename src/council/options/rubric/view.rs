//! What its field in a request means.

use crate::id::LibraryEntryId;

/// What a request may say of the criteria for its reviewers.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct RubricFields {
    /// By which criteria the reviewers judge: a rubric of the library, or a text. It is frozen with the run.
    #[schema(inline)]
    rubric: Option<ChosenRubric>,
}

/// A rubric of the library, by its id, or a text.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub struct ChosenRubric {
    /// One of the library: the caller's own, or a shared one.
    id: Option<LibraryEntryId>,
    /// Which version of it; the newest by default.
    #[schema(minimum = 1)]
    version: Option<i32>,
    /// The criteria themselves, 8,000 characters at most; an empty text asks without any, whatever the default is.
    text: Option<String>,
    /// What such a text is called, 100 characters at most.
    name: Option<String>,
}
