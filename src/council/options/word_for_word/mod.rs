//! How the final answer comes about: the chairman writes it, or the answer that the ballots put first is taken
//! word for word (`final`).

mod select;

pub use select::select;
use serde::{Deserialize, Serialize};

use crate::council::field::{FieldErrorKind, Fields};

/// How the final answer comes about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinalAnswer {
    /// The chairman writes it.
    #[default]
    Write,
    /// It is the answer that the ballots put first, word for word.
    Select,
    /// It is that answer where the ballots are clear, as with early consensus, and the chairman writes where they are
    /// not.
    Auto,
}

/// Reads a request's field; none where it leaves it out.
pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Option<FinalAnswer> {
    let given: String = fields.take("final", "a string")?;
    let choice = match given.as_str() {
        "write" => Some(FinalAnswer::Write),
        "select" => Some(FinalAnswer::Select),
        "auto" => Some(FinalAnswer::Auto),
        _ => None,
    };
    if choice.is_none() {
        fields.refuse("final", FieldErrorKind::Value, "must be write, select or auto");
    }
    choice
}

/// What a request may say of the final answer.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct FinalFields {
    /// How the final answer comes about: `write`, the chairman writes it; `select`, it is the answer that the ballots
    /// put first, word for word; `auto`, the same where the ballots are clear, and the chairman writes where they are
    /// not.
    #[schema(rename = "final", default = "write", inline)]
    choice: Option<FinalAnswer>,
}
