//! Runs that are being started here: their rows may exist, but they are not among the live ones yet.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::id::{ConversationId, RunId};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct StartingRuns(Mutex<HashMap<RunId, State>>);

#[derive(Debug)]
struct State {
    conversation: ConversationId,
    may_be_renamed: bool,
}

impl StartingRuns {
    /// Counts a run as executed here although it is only about to be, until the guard is dropped.
    pub(super) fn begin(&self, run: RunId, conversation: ConversationId) -> Starting<'_> {
        self.lock().insert(run, State { conversation, may_be_renamed: false });
        Starting { all: self, run }
    }

    pub(super) fn ids(&self) -> Vec<RunId> {
        self.lock().keys().copied().collect()
    }

    /// Notes that a person has named the conversation, or for `None` that the notice of any name may have been missed.
    pub(super) fn mark_renamed(&self, conversation: Option<ConversationId>) {
        for state in self.lock().values_mut() {
            state.may_be_renamed |= conversation.is_none_or(|named| named == state.conversation);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`StartingRuns::begin`].
#[must_use]
pub(super) struct Starting<'a> {
    all: &'a StartingRuns,
    run: RunId,
}

impl Starting<'_> {
    /// Whether a person may have named the run's conversation since this was begun.
    pub(super) fn may_be_renamed(&self) -> bool {
        self.all.lock().get(&self.run).is_some_and(|state| state.may_be_renamed)
    }
}

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        self.all.lock().remove(&self.run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_noted_for_the_runs_of_its_conversation_while_they_start() {
        let all = StartingRuns::default();
        let (named, other) = (ConversationId::generate(), ConversationId::generate());
        all.mark_renamed(Some(named));
        let first = all.begin(RunId::generate(), named);
        let second = all.begin(RunId::generate(), other);
        assert!(!first.may_be_renamed(), "that was before: the start itself sees it");
        all.mark_renamed(Some(named));
        assert!(first.may_be_renamed() && !second.may_be_renamed());
        all.mark_renamed(None);
        assert!(second.may_be_renamed());
        drop((first, second));
        assert_eq!(all.ids(), []);
    }
}
