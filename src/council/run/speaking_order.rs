//! Speaking one after another: a member that wants to speak takes a [`SpeakingTurn`], and may speak when all turns taken before
//! it are given back.
//!
//! A turn is kept until the member has said all it has to say: calls of tools, and a second try, are part of it. So
//! turns must be taken in the order of the seats, before anything is waited for, and a task that holds one must be
//! polled or dropped.

use std::collections::BTreeSet;

use tokio::sync::watch;

/// How long a call may take whose turn it is, in milliseconds, where less is not set: the others wait for it.
pub(super) const MOST_MS: u64 = 120_000;

/// The order in which members speak, where they speak one after another.
#[derive(Default)]
pub(super) struct SpeakingOrder {
    queue: watch::Sender<Queue>,
}

#[derive(Default)]
struct Queue {
    /// How many turns have been taken so far.
    taken: u64,
    /// The numbers of those that were not given back; the first one speaks.
    held: BTreeSet<u64>,
}

impl SpeakingOrder {
    /// The last place in the queue.
    pub(super) fn take(&self) -> SpeakingTurn<'_> {
        let mut number = 0;
        self.queue.send_modify(|queue| {
            number = queue.taken;
            queue.taken += 1;
            queue.held.insert(number);
        });
        SpeakingTurn { order: self, number }
    }

    /// Ends when nobody waits for a turn any more: the last one speaks, or has spoken.
    pub(super) async fn wait_for_last(&self) {
        self.queue.subscribe().wait_for(|queue| queue.held.len() < 2).await.expect("the sender is in `self`");
    }

    /// Whether a member waits for a turn.
    pub(super) fn has_waiting(&self) -> bool {
        self.queue.borrow().held.len() > 1
    }
}

/// A place among those who speak one after another, given back when it is dropped.
pub struct SpeakingTurn<'r> {
    order: &'r SpeakingOrder,
    number: u64,
}

impl SpeakingTurn<'_> {
    /// Ends when everybody before has spoken.
    pub(super) async fn wait(&self) {
        let is_first = |queue: &Queue| queue.held.first() == Some(&self.number);
        self.order.queue.subscribe().wait_for(is_first).await.expect("the sender is in what it refers to");
    }
}

impl Drop for SpeakingTurn<'_> {
    fn drop(&mut self) {
        self.order.queue.send_modify(|queue| {
            queue.held.remove(&self.number);
        });
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_turn_comes_when_those_before_are_given_back_in_whichever_order() {
        let order = SpeakingOrder::default();
        let [one, two, three] = [order.take(), order.take(), order.take()];
        let comes = |turn: &SpeakingTurn<'_>| turn.wait().now_or_never().is_some();
        assert_eq!([&one, &two, &three].map(comes), [true, false, false]);
        drop(two);
        assert_eq!([&one, &three].map(comes), [true, false]);
        assert!(order.has_waiting() && order.wait_for_last().now_or_never().is_none());
        drop(one);
        assert!(comes(&three));
        assert!(!order.has_waiting() && order.wait_for_last().now_or_never().is_some());
        let late = order.take();
        assert!(!comes(&late), "nobody goes before who was there");
        drop(three);
        assert!(comes(&late));
    }
}
