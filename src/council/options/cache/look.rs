//! The course: looking before a run does anything else, and keeping its answer at its end.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{CacheEvent, Cached, EmbeddingMethod, MissReason, NotStored};
use super::{CacheMode, CachePlan, EMBEDDING, STAGE, metrics};
use crate::cache::hash_embedding;
use crate::council::brief::Brief;
use crate::council::earlier::{
    AnswerToKeep, EarlierAnswer, EarlierLookup, EarlierQuery, Embedded, KeepOutcome,
};
use crate::council::run::Run;
use crate::llm::{ChatRequest, Timeouts};

/// How long a person is asked.
const OFFERED_FOR: SignedDuration = SignedDuration::from_secs(60);
/// The longest question of which a vector says enough: embedding models read some thousand tokens, and what two long
/// questions differ in may be one line.
const MAX_EMBEDDED_CHARS: usize = 8_000;

/// The longest that a vector is waited for, tries and pauses included, in milliseconds: everything waits for it.
const PATIENCE_MS: u64 = 15_000;

/// The key of the moment until which a person is asked.
const OFFER: &str = "cache/offer";

/// How a person answers an offer: the names that stand in [`Skip::member`](crate::council::skip::Skip).
pub const TAKE: &str = "take";
/// See [`TAKE`].
pub const ASK_ANYWAY: &str = "ask_anyway";

/// An earlier answer to be given: the events of its run, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat(pub Vec<Value>);

/// What looking came to.
#[derive(Debug)]
pub struct Lookup {
    pub hit: Option<Repeat>,
    /// The question, for [`keep`].
    embedded: Embedded,
}

/// How a person answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered {
    Take,
    AskAnyway,
    /// Not in time.
    Nothing,
}

/// Looks for an earlier answer, asks the person where that is wanted, and tells what came of it.
pub async fn look_up(run: &Run, brief: &Brief, plan: &CachePlan) -> Lookup {
    let question = brief.question.as_str();
    if !plan.looks {
        let embedded = embed(run, brief, plan).await.unwrap_or_else(|_| by_hash(question));
        return Lookup { hit: None, embedded };
    }
    run.emit("cache/start", CacheEvent::start(plan)).await;
    let same = EarlierQuery { scope: plan.scope, question, near: None };
    let mut lookup = run.decide("cache/same", run.earlier(&same)).await;
    // A run that is given the answer to the same text needs no vector, and pays for none.
    let mut embedded = None;
    if plan.mode != CacheMode::Exact && matches!(lookup, EarlierLookup::Nothing { .. }) {
        let made = embed(run, brief, plan).await;
        if let Ok(embedded) = &made {
            let near = EarlierQuery { near: Some((embedded, plan.threshold)), ..same };
            lookup = run.decide("cache/near", run.earlier(&near)).await;
        }
        embedded = Some(made);
    }
    let failed = embedded.as_ref().and_then(|made| made.as_ref().err().copied());
    let hit = settle(run, plan, lookup, failed).await;
    let embedded = match embedded {
        Some(made) => made,
        // The new answer is kept like any other.
        None if hit.is_none() => embed(run, brief, plan).await,
        None => Ok(by_hash(question)),
    };
    Lookup { hit, embedded: embedded.unwrap_or_else(|_| by_hash(question)) }
}

/// What is given, if anything; a miss is sent as an event.
async fn settle(
    run: &Run,
    plan: &CachePlan,
    lookup: EarlierLookup,
    failed: Option<MissReason>,
) -> Option<Repeat> {
    let embedding_failed = failed == Some(MissReason::EmbeddingFailed);
    let miss = async |event: CacheEvent| {
        let unavailable = matches!(event, CacheEvent::CacheMiss { reason: MissReason::Unavailable, .. });
        let outcome = if unavailable { metrics::UNAVAILABLE } else { metrics::MISS };
        // Within the decision, so that an execution after a crash does not count it again.
        let noted = async {
            metrics::looked(outcome);
            run.note_look(None, embedding_failed).await
        };
        run.decide("cache/noted", noted).await;
        run.emit("cache/outcome", event).await;
        None
    };
    let answer = match lookup {
        EarlierLookup::Answer(answer) => *answer,
        EarlierLookup::Nothing { best: best_similarity, difference } => {
            let reason = match (failed, difference, best_similarity) {
                (Some(failed), ..) => failed,
                (None, Some(_), _) => MissReason::Differs,
                (None, None, Some(_)) => MissReason::BelowThreshold,
                (None, None, None) => MissReason::Empty,
            };
            return miss(CacheEvent::CacheMiss { reason, best_similarity, difference }).await;
        }
        EarlierLookup::Unavailable => return miss(CacheEvent::miss(MissReason::Unavailable)).await,
    };
    let offers = plan.mode == CacheMode::Offer;
    if offers {
        // A person who adds to the question after the offer has seen what it is an answer to.
        if run.decided::<Timestamp>(OFFER).is_none() && !run.is_as_asked(false).await {
            return miss(CacheEvent::miss(MissReason::Differs)).await;
        }
        let refused = match offer(run, &answer).await {
            Answered::Take => None,
            Answered::AskAnyway => Some(MissReason::Refused),
            Answered::Nothing => Some(MissReason::Expired),
        };
        if let Some(reason) = refused {
            let best_similarity = Some(answer.similarity);
            return miss(CacheEvent::CacheMiss { reason, best_similarity, difference: None }).await;
        }
    }
    let events = run.decide("cache/events", run.events_of(&answer)).await;
    let Some(events) = events else { return miss(CacheEvent::miss(MissReason::Unavailable)).await };
    // It knows nothing of what was added to the question.
    if !run.is_as_asked(true).await && !offers {
        return miss(CacheEvent::miss(MissReason::Differs)).await;
    }
    let noted = async {
        metrics::looked(metrics::HIT);
        run.note_look(Some(&answer), false).await
    };
    let hit_count = run.decide("cache/noted", noted).await;
    let cached = Cached { hit_count: hit_count.unwrap_or(answer.hit_count + 1), ..Cached::of(&answer) };
    run.emit("cache/outcome", CacheEvent::CacheHit { cached, cached_response: answer.answer }).await;
    Some(Repeat(events))
}

/// Asks the person.
async fn offer(run: &Run, answer: &EarlierAnswer) -> Answered {
    let until = run.decide(OFFER, async { run.time() + OFFERED_FOR }).await;
    let event = CacheEvent::CacheOffer { cached: Cached::of(answer), expires_at: format!("{until:.3}") };
    run.emit("cache/offered", event).await;
    run.decide("cache/answered", answered(run, until)).await
}

async fn answered(run: &Run, until: Timestamp) -> Answered {
    let left = time_left(run.time(), until);
    let stage = STAGE;
    let (answered, told) = tokio::select! {
        biased;
        () = run.skipped(&stage, TAKE) => (Answered::Take, metrics::TAKEN),
        () = run.skipped(&stage, ASK_ANYWAY) => (Answered::AskAnyway, metrics::REFUSED),
        () = tokio::time::sleep(left) => (Answered::Nothing, metrics::EXPIRED),
    };
    metrics::answered(told);
    answered
}

/// How long an offer still stands: no longer than it did at first. The clock that said until when may have been another server's, or may
/// have been set back since.
fn time_left(now: Timestamp, until: Timestamp) -> Duration {
    Duration::try_from(now.duration_until(until).min(OFFERED_FOR)).unwrap_or_default()
}

/// The question as a vector, or why there is none. Whether a model is asked was decided with the plan
/// ([`Plan::compared_as`](crate::council::Plan::compared_as)).
async fn embed(run: &Run, brief: &Brief, plan: &CachePlan) -> Result<Embedded, MissReason> {
    let question = brief.question.as_str();
    let settings = &brief.settings.options.cache;
    if plan.mode == CacheMode::Exact || !settings.use_api_embeddings {
        return Ok(by_hash(question));
    }
    if question.chars().count() > MAX_EMBEDDED_CHARS {
        return Err(MissReason::TooLong);
    }
    let model = settings.embedding_model.clone();
    let set = brief.settings.timeouts(&EMBEDDING);
    let request = ChatRequest {
        timeouts: Timeouts { total_ms: set.total_ms.min(PATIENCE_MS), ..set },
        ..ChatRequest::embedding(&model, &EMBEDDING, question)
    };
    let reply = run.call(STAGE, "cache/embedding", request).send().await;
    let embedding = reply.ok().and_then(|reply| reply.embedding).ok_or(MissReason::EmbeddingFailed)?;
    Ok(Embedded::Model { model, vector: embedding.into_components() })
}

fn by_hash(question: &str) -> Embedded {
    Embedded::Hash(hash_embedding::embed(question))
}

/// Tells why the answer is not kept.
pub async fn do_not_keep(run: &Run, reason: NotStored) {
    run.emit("cache/stored", CacheEvent::CacheNotStored { reason }).await;
}

/// Keeps the answer, now that it is whole and paid for, to be given again.
/// `reveals_question`: its events say what was asked, so it is for nobody else.
pub async fn keep(run: &Run, brief: &Brief, plan: &CachePlan, (lookup, reveals_question): (&Lookup, bool)) {
    let keep = AnswerToKeep {
        scope: plan.scope,
        question: &brief.question,
        embedded: &lookup.embedded,
        cost_usd: run.costs().total_cost,
        may_be_shared: !reveals_question,
    };
    let event = match run.decide("cache/kept", run.keep(&keep)).await {
        KeepOutcome::As { id: cache_id, size: cache_size } => {
            let embedding_model = lookup.embedded.model().map(str::to_owned);
            let embedding_method =
                if embedding_model.is_some() { EmbeddingMethod::Api } else { EmbeddingMethod::Hash };
            CacheEvent::CacheStored { cache_id, embedding_method, embedding_model, cache_size }
        }
        KeepOutcome::Incomplete => CacheEvent::CacheNotStored { reason: NotStored::Incomplete },
        KeepOutcome::Unavailable => CacheEvent::CacheNotStored { reason: NotStored::Unavailable },
    };
    run.emit("cache/stored", event).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_stands_no_longer_than_at_first_whatever_a_clock_says() {
        let until: Timestamp = "2026-11-28T12:01:00Z".parse().unwrap();
        let left = |now: &str| time_left(now.parse().unwrap(), until).as_secs();
        assert_eq!(left("2026-11-28T12:00:00Z"), 60);
        assert_eq!(left("2026-11-28T12:00:45Z"), 15);
        assert_eq!(left("2026-11-28T12:07:00Z"), 0, "it is over");
        assert_eq!(left("2026-11-28T09:00:00Z"), 60, "this clock is three hours behind the one that said so");
    }
}
