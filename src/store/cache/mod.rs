//! The semantic cache: which answers may be given again, and statistics about looking for them. An entry points at the
//! run that has the answer; it goes with the message.

mod entries;
mod keep;
mod look;
mod statistics;

use super::Limits;

pub use entries::{Entry, Listed, clear, list, remove};
pub use keep::{Kept, NewEntry, Sharing, keep, sign, unsigned};
pub use look::{
    Candidate, EntryOwner, Found, LookUp, MOST_COMPARED, NEAREST, STATEMENTS, exact, found, log_of, vectors,
};
pub use statistics::{Counts, LookedUp, Overview, forget, mine, of_everybody, overview, record};

/// How long a statement about earlier answers may take: a run waits for it, and goes on without the cache where it takes longer.
/// A look takes thirty milliseconds at most (docs/cache.md).
const LIMITS: Limits = Limits { statement_ms: 5_000, lock_ms: 0, is_frequent: false };

/// How a vector came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method<'m> {
    /// By this embedding model.
    Model(&'m str),
    /// From the text itself, without a model.
    Hash,
}

impl<'m> Method<'m> {
    /// The name in JSON and in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Model(_) => "api",
            Self::Hash => "hash",
        }
    }

    /// Who made the vector; of the hash method nobody.
    #[must_use]
    pub fn model(self) -> Option<&'m str> {
        match self {
            Self::Model(model) => Some(model),
            Self::Hash => None,
        }
    }
}
