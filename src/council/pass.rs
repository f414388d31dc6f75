//! Which time the answers are complete and reviewed: a council that is widened by a second tier does both twice.

/// Which time it is that answers are complete and reviewed, as keys tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    First,
    /// Both tiers together, after the first one has reviewed itself.
    Widened,
}

impl Pass {
    /// The key of a place in this pass.
    #[must_use]
    pub fn key(self, place: &str) -> String {
        match self {
            Self::First => place.to_owned(),
            Self::Widened => format!("tier2/{place}"),
        }
    }
}
