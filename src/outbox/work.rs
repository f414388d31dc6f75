//! Takes due messages from the outbox and sends them, whatever the receivers are.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use reqwest::StatusCode;

use super::pauses;
use super::receiver::{Answer, TIMEOUT};
use crate::id::DeliveryId;
use crate::store::outbox::Attempt;
use crate::store::webhooks::DeliveryStatus;
use crate::store::{Db, StoreError};

/// How often the outbox is looked at.
const EVERY: Duration = Duration::from_secs(2);
/// Receivers that one server sends to at the same time.
const AT_ONCE: usize = 8;
/// How long a server has a receiver to itself: longer than sending everything that it claims takes.
const LEASE: Duration = Duration::from_secs(90);
/// How long a receiver that has just failed is left alone, whatever else is due for it.
const REST: Duration = Duration::from_secs(5);

/// Receivers of one kind.
pub(super) trait Receivers: Sync {
    /// What they are called in the log.
    const ARE: &str;
    /// The pauses between attempts, in seconds.
    const PAUSES: &[u64];

    /// A receiver of messages, claimed for this server, with what it is to be sent.
    type Target: Send + Sync;
    /// One thing it is to be told.
    type Due: Send + Sync;

    /// Claims the next receiver for `lease`.
    fn claim(
        &self,
        db: &Db,
        lease: Duration,
    ) -> impl Future<Output = Result<Option<Self::Target>, StoreError>> + Send;
    /// What it is to be told, oldest first.
    fn due(target: &Self::Target) -> &[Self::Due];
    /// A thing's id, and how often it was tried before.
    fn tried(due: &Self::Due) -> (DeliveryId, u32);
    /// What the receiver answered, or why it was not reached, for people.
    fn send(
        &self,
        target: &Self::Target,
        due: &Self::Due,
    ) -> impl Future<Output = Result<Answer, String>> + Send;
    /// Stores the result; a receiver that says that it is gone gets nothing more.
    fn record(
        &self,
        db: &Db,
        target: &Self::Target,
        due: &Self::Due,
        attempt: &Attempt,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
    /// Gives a claimed receiver back, to be told more after a pause.
    fn release(
        &self,
        db: &Db,
        target: &Self::Target,
        pause: Duration,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Sends what is due, until it is dropped. Any number of servers may do so side by side.
pub(super) async fn work<R: Receivers>(receivers: &R, db: &Db) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut sending = FuturesUnordered::new();
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            Some(()) = sending.next() => {}
        }
        while sending.len() < AT_ONCE {
            match receivers.claim(db, LEASE).await {
                Ok(Some(target)) => sending.push(tell(receivers, db, target)),
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        to = R::ARE,
                        "the outbox could not be read; trying again"
                    );
                    break;
                }
            }
        }
    }
}

/// Tells a receiver what is due, one thing after the other, until one fails.
async fn tell<R: Receivers>(receivers: &R, db: &Db, target: R::Target) {
    if let Err(error) = try_tell(receivers, db, &target).await {
        // The lease runs out, and whatever was not recorded is sent once more.
        tracing::warn!(
            to = R::ARE,
            error = &error as &dyn std::error::Error,
            "the outcome of a delivery could not be recorded"
        );
    }
}

async fn try_tell<R: Receivers>(receivers: &R, db: &Db, target: &R::Target) -> Result<(), StoreError> {
    for due in R::due(target) {
        let (id, tried) = R::tried(due);
        let attempt = attempt(receivers, target, due).await;
        receivers.record(db, target, due, &attempt).await?;
        if attempt.status != DeliveryStatus::Delivered {
            tracing::info!(to = R::ARE, delivery = %id, attempt = tried + 1, answered = attempt.answered,
                error = attempt.error, "a delivery failed");
            return receivers.release(db, target, REST).await;
        }
    }
    receivers.release(db, target, Duration::ZERO).await
}

async fn attempt<R: Receivers>(receivers: &R, target: &R::Target, due: &R::Due) -> Attempt {
    let (answered, asked, error) = match tokio::time::timeout(TIMEOUT, receivers.send(target, due)).await {
        Ok(Ok(Answer { status, .. })) if status.is_success() => {
            return Attempt {
                status: DeliveryStatus::Delivered,
                again_in: None,
                answered: Some(status.as_u16()),
                error: None,
            };
        }
        Ok(Ok(Answer { status, retry_after })) => (Some(status.as_u16()), retry_after, refusal(status)),
        Ok(Err(error)) => (None, None, error),
        Err(_) => (None, None, format!("there was no answer within {} seconds", TIMEOUT.as_secs())),
    };
    let (id, tried) = R::tried(due);
    let again_in = pauses::pause(R::PAUSES, tried.saturating_add(1), asked, id);
    Attempt {
        status: if again_in.is_some() { DeliveryStatus::Pending } else { DeliveryStatus::Failed },
        again_in,
        answered,
        error: Some(error),
    }
}

fn refusal(status: StatusCode) -> String {
    if status.is_redirection() {
        format!("the receiver answered {status}; redirects are not followed")
    } else {
        format!("the receiver answered {status}")
    }
}
