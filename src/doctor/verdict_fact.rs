//! Whether a council can be held, as a code with parameters; the sentence is made of it.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// Whether a council can be held, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schema(as = CheckVerdict)]
pub enum Verdict {
    /// The database can be used, enough members answer, and there is a model to write the final answer.
    CouncilReady { answering: usize, members: usize },
    /// Every run is kept in the database, and it cannot be used.
    DatabaseUnusable,
    /// Too few members answer.
    TooFewMembers { answering: usize, members: usize },
    /// Too few members were asked to say.
    TooFewAsked { asked: usize, members: usize },
}

impl Verdict {
    /// Whether it can.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::CouncilReady { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CouncilReady { answering, members } => {
                write!(f, "A council can be held: {answering} of {members} members answer.")
            }
            Self::DatabaseUnusable => f.write_str("No council can be held: the database cannot be used."),
            Self::TooFewMembers { answering, members } => write!(
                f,
                "No council can be held: {answering} of {members} members answer, and two are needed."
            ),
            Self::TooFewAsked { asked, members } => write!(
                f,
                "Whether a council can be held is not known: {asked} of {members} members were asked."
            ),
        }
    }
}
