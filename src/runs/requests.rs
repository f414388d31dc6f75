//! What a person requests of a run while it is executed: to go on without a member, to ask one again, to add something
//! to the question. Requests are stored on the run's row; kept here are those that this process knows of.

use tokio::sync::watch;

/// Requests of one kind, in the order in which they came to be known here.
#[derive(Debug)]
pub(super) struct Requests<T>(watch::Sender<Vec<T>>);

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Self(watch::Sender::default())
    }
}

impl<T: PartialEq> Requests<T> {
    /// Adds those of these requests that are new.
    pub(super) fn note(&self, requests: impl IntoIterator<Item = T>) {
        self.0.send_if_modified(|known| {
            let before = known.len();
            for request in requests {
                if !known.contains(&request) {
                    known.push(request);
                }
            }
            known.len() > before
        });
    }

    /// A receiver of all known requests.
    pub(super) fn subscribe(&self) -> watch::Receiver<Vec<T>> {
        self.0.subscribe()
    }
}
