//! Slots, which limit how many runs this process executes, and the runs that wait for one. The queue itself is
//! a query over the runs of all servers; what is kept here is its last result.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::metrics;
use crate::id::RunId;
use crate::store::leases::Waiting;

/// The right to execute a run in this process; dropping it frees the slot.
pub type Slot = OwnedSemaphorePermit;

/// This process's slots, and the queue when it was last read.
#[derive(Debug)]
pub struct Queue {
    slots: Arc<Semaphore>,
    /// The position of each waiting run, 1 for the next.
    positions: watch::Sender<Arc<HashMap<RunId, u32>>>,
}

impl Queue {
    /// A queue with this many slots in this process.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let slots = Arc::new(Semaphore::new(slots.clamp(1, Semaphore::MAX_PERMITS)));
        Self { slots, positions: watch::Sender::default() }
    }

    /// A free slot, unless other runs wait for one.
    #[must_use]
    pub fn slot_for_new(&self) -> Option<Slot> {
        if self.is_empty() { self.slot() } else { None }
    }

    /// A free slot, even if other runs wait for one.
    #[must_use]
    pub fn slot(&self) -> Option<Slot> {
        // The semaphore is never closed: an error means that no slot is free.
        self.slots.clone().try_acquire_owned().ok()
    }

    /// How many runs waited when the queue was last read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.borrow().len()
    }

    /// Whether no run waited when the queue was last read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Up to `most` free slots.
    #[must_use]
    pub fn slots(&self, most: usize) -> Vec<Slot> {
        std::iter::from_fn(|| self.slot()).take(most).collect()
    }

    /// Records what the queue held when it was read: the runs that wait, the next one first.
    pub fn update(&self, waiting: &[Waiting]) {
        let waiting = waiting.iter().filter(|one| !one.cancelled).map(|one| one.run);
        metrics::waiting(waiting.clone());
        let positions: HashMap<RunId, u32> = waiting.zip(1..).collect();
        self.positions.send_if_modified(|known| {
            let differs = **known != positions;
            if differs {
                *known = Arc::new(positions);
            }
            differs
        });
    }

    /// A receiver of the position of each waiting run, 1 for the next.
    #[must_use]
    pub fn positions(&self) -> watch::Receiver<Arc<HashMap<RunId, u32>>> {
        self.positions.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_takes_no_slot_while_others_wait() {
        let queue = Queue::new(2);
        let first = queue.slot_for_new();
        assert!(first.is_some());
        let run = RunId::generate();
        queue.update(&[Waiting { run, cancelled: false }]);
        assert!(queue.slot_for_new().is_none());
        assert_eq!(queue.positions().borrow().get(&run), Some(&1));
        assert!(queue.slot().is_some(), "there is one for whoever waits");
        queue.update(&[Waiting { run, cancelled: true }]);
        drop(first);
        assert!(queue.slot_for_new().is_some());
    }
}
