//! The stages of a deliberation.

use serde::{Deserialize, Serialize};

/// A stage of the deliberation, as costs are summed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Before the answers: who is to answer.
    Routing,
    Stage1,
    Stage2,
    Stage3,
    Refinement,
    Adversary,
    Title,
}

impl Stage {
    /// The name in JSON and in the ledger.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Routing => "routing",
            Self::Stage1 => "stage1",
            Self::Stage2 => "stage2",
            Self::Stage3 => "stage3",
            Self::Refinement => "refinement",
            Self::Adversary => "adversary",
            Self::Title => "title",
        }
    }
}
