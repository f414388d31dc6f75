//! What a request says of every debate.

use serde::{Deserialize, Serialize};

use crate::council::field::Fields;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateOptions {
    /// Whether the members rank the openings.
    #[serde(default = "on")]
    pub ballots: bool,
}

fn on() -> bool {
    true
}

impl DebateOptions {
    /// Reads a request's fields.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        Self { ballots: fields.take("format_ballots", "true or false").unwrap_or(true) }
    }
}

/// What a request may say of a debate in any format, for its documentation.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct DebateFields {
    /// Whether the members rank the openings of a debate blind, once. The debate does not depend on it.
    #[schema(default = true)]
    format_ballots: Option<bool>,
}
