//! What a request says of a decomposition.

use serde::{Deserialize, Serialize};

use crate::council::field::Fields;

/// How the best answer to a part is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// The members rank the answers blind.
    #[default]
    Ballot,
    /// It is that of the most confident member.
    Confidence,
}

/// What a plan says of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecompositionOptions {
    #[serde(default)]
    pub pick: Pick,
}

impl DecompositionOptions {
    /// Reads a request's fields.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        Self { pick: fields.take("pick", "ballot or confidence").unwrap_or_default() }
    }
}
