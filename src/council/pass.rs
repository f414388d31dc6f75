//! How often the answers have been completed and reviewed: a council that is widened by a second tier does both twice.

/// Whether answers are completed and reviewed for the first or the second time; keys show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    First,
    /// Both tiers together, after the first one has reviewed itself.
    Widened,
}

impl Pass {
    /// The key of a call in this pass.
    #[must_use]
    pub fn key(self, place: &str) -> String {
        match self {
            Self::First => place.to_owned(),
            Self::Widened => format!("tier2/{place}"),
        }
    }
}
