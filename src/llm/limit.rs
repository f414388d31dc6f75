//! How many calls one provider serves at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limit on one provider's calls in flight; waiting calls are served in the order in which they came.
#[derive(Debug, Clone)]
pub(super) struct InFlight(Arc<Semaphore>);

impl InFlight {
    /// At most `max` (at least one) calls at once.
    pub fn new(max: usize) -> Self {
        Self(Arc::new(Semaphore::new(max.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Waits for a free slot; dropping the permit frees it.
    pub async fn acquire(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0).acquire_owned().await.expect("the semaphore is never closed")
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_place_is_free_again_when_its_permit_is_dropped() {
        let limit = InFlight::new(1);
        let first = limit.acquire().await;
        let mut second = Box::pin(limit.acquire());
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_limit_of_zero_still_lets_one_call_through() {
        assert!(InFlight::new(0).acquire().now_or_never().is_some());
    }
}
