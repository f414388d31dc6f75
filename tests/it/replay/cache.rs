//! The semantic cache, dead after any commit: what is given, offered and kept comes out the same, and nobody is asked
//! for what is there.

use llm_council::council::earlier::EarlierAnswer;
use llm_council::council::options::cache::{ASK_ANYWAY, STAGE, TAKE};
use llm_council::council::skip::Skip;
use llm_council::id::RunId;
use llm_council::runs::memory::MemoryStore;

use super::harness::{Seen, execute, execute_over, plan};
use super::scripts::{fine, nobody_waits};

const QUESTION: &str = r#"{"content": "Why?", "use_cache": true}"#;
const OFFERING: &str = r#"{"content": "Why?", "use_cache": true, "cache_mode": "offer", "verbosity": 3}"#;

/// A store that has an answer to this question, as a run gave it.
async fn answered() -> (MemoryStore, Seen) {
    let first =
        execute(&plan(r#"{"content": "Why?"}"#), (fine, nobody_waits), RunId::generate(), &[]).await.seen;
    let told = first.events.values().filter(|event| {
        let kind = event["type"].as_str().unwrap();
        !["run_started", "costs_complete", "title_complete"].contains(&kind)
    });
    let answer = EarlierAnswer {
        id: "an entry".into(),
        run: RunId::generate(),
        own: true,
        question: Some("Why?".into()),
        answer: first.deliberation.answer_text().unwrap().to_owned(),
        similarity: 1.0,
        exact: true,
        created_at: "2026-11-23T10:00:00.000Z".into(),
        hit_count: 2,
        cost_usd: Some(0.5),
        took_ms: 1_000,
    };
    let earlier = Some(vec![(answer, told.cloned().collect())]);
    (MemoryStore { earlier, ..MemoryStore::default() }, first)
}

/// The same store once more.
fn again(store: &MemoryStore) -> MemoryStore {
    MemoryStore { earlier: store.earlier.clone(), ..MemoryStore::default() }
}

async fn check(store: &MemoryStore, body: &str, skips: &[Skip]) -> Seen {
    let (plan, id, how) = (plan(body), RunId::generate(), (fine as _, nobody_waits as _));
    let whole = execute_over(again(store), skips, &plan, how, id, &[]).await;
    let (whole, commits) = (timeless(whole.seen), whole.commits);
    assert!(commits > 3, "{commits} commits");
    for death in 0..commits {
        let after = execute_over(again(store), skips, &plan, how, id, &[death]).await;
        assert_eq!(timeless(after.seen), whole, "dead after {death} commits");
    }
    whole
}

/// Without the moment until which an offer stands, which is another in every run.
fn timeless(mut seen: Seen) -> Seen {
    if let Some(cache) = &mut seen.deliberation.metadata.cache {
        cache.expires_at = None;
    }
    seen
}

fn says(word: &str) -> [Skip; 1] {
    [Skip { stage: STAGE, member: word.to_owned() }]
}

#[tokio::test]
async fn an_answer_that_is_given_again_is_given_whole_and_counted_once() {
    let (store, first) = answered().await;
    let hit = check(&store, QUESTION, &[]).await;
    assert_eq!(hit.events["cache/outcome"]["hit_count"], 3);
    assert_eq!(
        (&hit.deliberation.stage1, &hit.deliberation.stage3),
        (&first.deliberation.stage1, &first.deliberation.stage3)
    );
    assert!(hit.calls.values().all(|count| *count == 0), "{:?}", hit.calls);
}

#[tokio::test]
async fn what_a_person_says_to_an_offer_holds() {
    let (store, first) = answered().await;
    let taken = check(&store, OFFERING, &says(TAKE)).await;
    assert_eq!(taken.deliberation.stage3, first.deliberation.stage3);
    let refused = check(&store, OFFERING, &says(ASK_ANYWAY)).await;
    assert_eq!(refused.events["cache/outcome"]["reason"], "refused");
    assert_eq!(refused.events["cache/stored"]["type"], "cache_stored");
}

#[tokio::test]
async fn a_new_answer_is_kept_once() {
    let store = MemoryStore { earlier: Some(Vec::new()), ..MemoryStore::default() };
    let asked = check(&store, QUESTION, &[]).await;
    assert_eq!(asked.events["cache/outcome"]["reason"], "empty");
    assert_eq!(asked.events["cache/stored"]["cache_id"], "kept");
    let embeddings = asked.calls.iter().filter(|(call, _)| call.starts_with("embedding "));
    assert_eq!(embeddings.map(|(_, count)| *count).sum::<usize>(), 1);
}
