//! Corrections on their way into a run: reading them from its log, and passing on those on its row.

use std::convert::Infallible;

use super::live::LiveRun;
use crate::council::correction::Corrections;
use crate::council::options::cache::event::CacheEvent;
use crate::council::stages::reviews::ReviewsEvent;
use crate::council::stages::synthesis::SynthesisEvent;
use crate::council::{AnyEvent, Run, RunEvent};

/// What a run with these events has taken in, and whether it takes in more.
pub(super) fn after<'e>(events: impl IntoIterator<Item = &'e AnyEvent>) -> Corrections {
    let mut corrections = Corrections::default();
    for event in events {
        if let Some(RunEvent::CorrectionAdded { data }) = event.get() {
            corrections.taken.push(data.clone());
        } else if closes(event) {
            corrections.closed = true;
        }
    }
    corrections
}

/// Whether a run takes in no more corrections after this event: a reviewer or the chairman has been asked with those
/// that there were, or an earlier answer is given.
pub(super) fn closes(event: &AnyEvent) -> bool {
    matches!(event.get(), Some(CacheEvent::CacheHit { .. }))
        || matches!(event.get(), Some(ReviewsEvent::Stage2Start { .. }))
        || matches!(event.get(), Some(SynthesisEvent::Stage3Start { .. }))
        || event.ends_the_run()
}

/// Passes each requested correction to the run as soon as it is known here.
pub(super) async fn forward(run: &Run, live: &LiveRun) -> Infallible {
    let mut wanted = live.corrections.subscribe();
    loop {
        let known = wanted.borrow_and_update().clone();
        for correction in &known {
            run.correct(correction).await;
        }
        // The sender lives in `live`.
        if wanted.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
