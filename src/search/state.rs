//! The results of the last searches, for operators.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::llm::{CallError, ErrorKind};

/// Why something failed, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub at: Timestamp,
    pub kind: ErrorKind,
    /// For people, in this program's words alone: an engine's own may repeat what a user searched for.
    pub message: String,
    pub status: Option<u16>,
}

impl Failure {
    fn of(error: &CallError) -> Self {
        // After the status come the engine's own words.
        let ours = error.status.and_then(|status| error.message.split_once(&format!(" (HTTP {status})")));
        let message = ours.map_or(error.message.as_str(), |(ours, _)| ours).to_owned();
        Self { at: Timestamp::now(), kind: error.kind, message, status: error.status }
    }
}

/// What is known of a backend since this server started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// When it was last checked, and the result.
    pub checked: Option<(Timestamp, Option<Failure>)>,
    /// When a search last succeeded.
    pub last_success: Option<Timestamp>,
    /// The last search that failed: one try of it.
    pub last_failure: Option<Failure>,
}

/// The shared snapshot.
#[derive(Debug, Default)]
pub struct State(Mutex<Snapshot>);

impl State {
    /// What is known now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn checked(&self, result: &Result<(), CallError>) {
        let failure = result.as_ref().err().map(Failure::of);
        self.change(|state| state.checked = Some((Timestamp::now(), failure)));
    }

    pub(super) fn searched(&self, error: Option<&CallError>) {
        self.change(|state| match error {
            None => state.last_success = Some(Timestamp::now()),
            Some(error) => state.last_failure = Some(Failure::of(error)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engines_own_words_are_not_kept() {
        let message = "tavily refused the search (HTTP 400): no results for my secret plan";
        let error = CallError { status: Some(400), ..CallError::new(ErrorKind::Refused, message) };
        let state = State::default();
        state.searched(Some(&error));
        state.checked(&Err(error));
        let known = state.snapshot();
        assert_eq!(known.last_failure.unwrap().message, "tavily refused the search");
        assert_eq!(known.checked.unwrap().1.unwrap().message, "tavily refused the search");
        state.searched(None);
        state.checked(&Ok(()));
        assert!(state.snapshot().last_success.is_some() && state.snapshot().last_failure.is_some());
        assert_eq!(state.snapshot().checked.unwrap().1, None);
    }
}
