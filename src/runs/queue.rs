//! Places and whose turn it is: how many runs this process executes, and the runs that wait. The
//! queue itself is a query over the runs of all servers; what is here is the last look at it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::id::RunId;

/// A run's place among those this process executes; dropping it frees it.
pub type Place = OwnedSemaphorePermit;

/// See the module.
#[derive(Debug)]
pub struct Queue {
    places: Arc<Semaphore>,
    /// Each waiting run's place in line, 1 for the next.
    line: watch::Sender<Arc<HashMap<RunId, u32>>>,
}

impl Queue {
    /// With this many places in this process.
    #[must_use]
    pub fn new(places: usize) -> Self {
        let places = Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS)));
        Self { places, line: watch::Sender::default() }
    }

    /// A free place, unless others wait for one.
    #[must_use]
    pub fn place_for_new(&self) -> Option<Place> {
        if self.is_empty() { self.place() } else { None }
    }

    /// A free place.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        // The semaphore is never closed: an error means that no place is free.
        self.places.clone().try_acquire_owned().ok()
    }

    /// How many runs waited when somebody last looked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.line.borrow().len()
    }

    /// Whether none waited then.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Somebody looked: these wait, next one first.
    pub fn seen(&self, waiting: Vec<RunId>) {
        let line: HashMap<RunId, u32> = waiting.into_iter().zip(1..).collect();
        self.line.send_if_modified(|known| {
            let differs = **known != line;
            if differs {
                *known = Arc::new(line);
            }
            differs
        });
    }

    /// The line as it changes.
    #[must_use]
    pub fn line(&self) -> watch::Receiver<Arc<HashMap<RunId, u32>>> {
        self.line.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_takes_no_place_while_others_wait() {
        let queue = Queue::new(2);
        let first = queue.place_for_new();
        assert!(first.is_some());
        let run = RunId::generate();
        queue.seen(vec![run]);
        assert!(queue.place_for_new().is_none());
        assert_eq!(queue.line().borrow().get(&run), Some(&1));
        assert!(queue.place().is_some(), "there is one for whoever waits");
        queue.seen(Vec::new());
        drop(first);
        assert!(queue.place_for_new().is_some());
    }
}
