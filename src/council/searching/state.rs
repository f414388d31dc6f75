//! What a run has searched for so far.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use super::findings::Found;
use super::numbers::Numbers;
use crate::llm::CallError;

/// A search that is made once, whichever member asks first.
pub(super) type Once = Arc<OnceCell<Result<Found, CallError>>>;

/// What a run has searched for.
#[derive(Default)]
pub struct Searches {
    /// By the query in lower case, as journal keys know it.
    by_query: Mutex<HashMap<String, Once>>,
    numbers: Mutex<Numbers>,
    /// Held while a search gets its numbers: one after the other.
    pub(super) numbering: tokio::sync::Mutex<()>,
}

impl Searches {
    pub(super) fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search for this, made already or to be made.
    pub(super) fn of(&self, query: &str) -> Once {
        let mut queries = self.by_query.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(queries.entry(query.to_lowercase()).or_default())
    }
}
