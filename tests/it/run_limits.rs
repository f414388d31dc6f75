//! How many calls one run has in flight.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::future::join_all;
use llm_council::council::Run;
use llm_council::council::stages::answers::{ANSWER, STAGE};
use llm_council::id::RunId;
use llm_council::llm::{CallError, CallFact, ChatRequest, DeltaSink, Models, Reply};
use llm_council::runs::memory::{MemoryHost, MemoryStore};

use crate::support::models::reply;

/// Counts the calls under way.
#[derive(Default)]
struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Models for Counting {
    async fn chat(&self, request: &ChatRequest, _: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        self.now.fetch_sub(1, Ordering::Relaxed);
        Ok(reply(&request.model))
    }

    fn is_simulated(&self, _: &str) -> bool {
        false
    }
}

/// Keeps every call waiting, sent or not.
struct Waiting {
    sends: bool,
}

#[async_trait]
impl Models for Waiting {
    async fn chat(&self, _: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        if self.sends {
            sink.sent();
        }
        std::future::pending().await
    }

    fn is_simulated(&self, _: &str) -> bool {
        false
    }
}

fn request(model: &str) -> ChatRequest {
    ChatRequest::new(model, &ANSWER, vec![])
}

#[tokio::test]
async fn a_call_that_only_waited_for_its_place_at_the_provider_costs_nothing_when_it_is_dropped() {
    for (sends, attempt, unknown) in [(true, 1, 1), (false, 1, 0), (false, 2, 1)] {
        let host = Arc::new(MemoryHost::new(Arc::new(Mutex::new(MemoryStore::default())), attempt, None));
        let run = Run::new(RunId::generate(), host, Arc::new(Waiting { sends }));
        let call = run.call(STAGE, "stage1/m", request("m")).send();
        assert!(futures_util::poll!(Box::pin(call)).is_pending());
        let dropped = run.under_way()[0].dropped(CallFact::Unfinished);
        assert_eq!(dropped.reached, unknown == 1, "sent: {sends}, execution {attempt}");
        assert_eq!(run.costs().unknown_cost_calls, unknown, "sent: {sends}, execution {attempt}");
    }
}

async fn most_at_once(limit: Option<usize>) -> usize {
    let models = Arc::new(Counting::default());
    let host = Arc::new(MemoryHost::new(Arc::new(Mutex::new(MemoryStore::default())), 1, None));
    let run = Run::new(RunId::generate(), host, models.clone());
    if let Some(limit) = limit {
        run.limit_calls(limit);
    }
    let calls = (0..35).map(|at| run.call(STAGE, format!("stage1/{at}"), request(&format!("m/{at}"))).send());
    let replies = join_all(calls).await;
    assert!(replies.iter().enumerate().all(|(at, reply)| reply.as_ref().unwrap().text == format!("m/{at}")));
    models.most.load(Ordering::Relaxed)
}

#[tokio::test]
async fn a_run_has_no_more_calls_in_flight_than_it_may() {
    assert_eq!(most_at_once(Some(16)).await, 16);
    assert_eq!(most_at_once(Some(1)).await, 1);
    assert_eq!(most_at_once(None).await, 35);
}
