//! Every feature, executed with a journal that dies after its n-th commit, for every n: the second
//! execution must end with the same answer, the same events, and no call paid twice.

mod cache;
pub mod debates;
pub mod features;
pub mod harness;
mod retries;
pub mod scripts;

use std::sync::{Arc, Mutex};

use llm_council::council::options::refinement;
use llm_council::council::skip::Skip;
use llm_council::council::stages::{answers, reviews, synthesis, title};
use llm_council::council::{self, Run, debate};
use llm_council::id::RunId;
use llm_council::runs::memory::{MemoryHost, MemoryStore};

use crate::support::models::Scripted;
use debates::{DEBATES, DECOMPOSITIONS};
use features::{FEATURES, TOGETHER};
use harness::{Seen, check, execute, execute_without, plan};
use scripts::{fine, nobody_waits};

#[tokio::test]
async fn a_title_takes_no_place_for_calls_from_the_run() {
    let mut plan = plan(r#"{"content": "Why?"}"#);
    plan.task.brief.settings.calls_in_flight = 1;
    let host = Arc::new(MemoryHost::new(Arc::new(Mutex::new(MemoryStore::default())), 1, None));
    let models = Scripted::new(fine).held(|request| request.purpose.name == "title");
    let run = Run::new(RunId::generate(), host.clone(), Arc::new(models));
    council::deliberate(&run, &plan).await.unwrap();
    let costs = host.deliberation().metadata.costs.unwrap();
    assert_eq!(costs.by_stage[&title::STAGE].unknown_cost_calls, 1, "it was given up");
    assert_eq!(costs.by_stage[&answers::STAGE].calls, 3);
}

#[tokio::test]
async fn a_run_that_dies_after_any_commit_ends_as_if_it_had_not() {
    check(FEATURES).await;
}

#[tokio::test]
async fn a_debate_that_dies_after_any_commit_ends_as_if_it_had_not() {
    for (seen, feature) in check(DEBATES).await.into_iter().zip(DEBATES) {
        let debate = seen.deliberation.format.debate;
        assert!(!debate.rounds.is_empty() && debate.mode.is_some(), "{}", feature.0);
        assert!(
            debate.rounds.iter().flat_map(|round| &round.responses).all(|one| !one.pending),
            "{}",
            feature.0
        );
    }
}

#[tokio::test]
async fn a_decomposition_that_dies_after_any_commit_ends_as_if_it_had_not() {
    for (seen, feature) in check(DECOMPOSITIONS).await.into_iter().zip(DECOMPOSITIONS) {
        let decomposition = seen.deliberation.format.decomposition.unwrap();
        assert_eq!(
            decomposition.skip_reason.is_none(),
            !decomposition.sub_results.is_empty(),
            "{}",
            feature.0
        );
        let answers = decomposition.sub_results.iter().flat_map(|part| &part.responses);
        assert!(answers.into_iter().all(|answer| !answer.pending), "{}", feature.0);
    }
}

#[tokio::test]
async fn a_run_with_every_option_that_dies_after_any_commit_ends_as_if_it_had_not() {
    for seen in check(TOGETHER).await {
        let (metadata, stage3) = (seen.deliberation.metadata, seen.deliberation.stage3.unwrap());
        assert!(metadata.routing_info.is_some() || metadata.escalation_info.is_some());
        assert!(metadata.weights_info.is_some_and(|weights| weights.has_historical_data));
        assert!(metadata.process_log);
        if metadata.consensus_info.unwrap().is_consensus {
            continue;
        }
        assert_eq!(stage3.syntheses.len(), 3);
        assert_eq!(metadata.refinement.unwrap().iterations.iter().flat_map(|one| &one.revision).count(), 2);
        assert!(metadata.adversary.unwrap().revised);
    }
}

/// Without what skipped calls may have cost: the second execution cannot know whether one was sent.
fn costless(mut seen: Seen) -> Seen {
    seen.events.remove("costs");
    if let Some(complete) = seen.events.get_mut("refine/complete") {
        complete["unknown_cost_calls"].take();
    }
    let metadata = &mut seen.deliberation.metadata;
    metadata.costs = None;
    if let Some(refinement) = &mut metadata.refinement {
        refinement.unknown_cost_calls = 0;
    }
    seen
}

#[tokio::test]
async fn a_run_that_goes_on_without_somebody_and_dies_after_any_commit_ends_as_if_it_had_not() {
    let plan = plan(r#"{"content": "Why?", "use_refinement": true, "refinement_max_iterations": 1}"#);
    for (stage, member, calls) in [
        (answers::STAGE, "b/two", "answer b/two"),
        (reviews::STAGE, "b/two", "review b/two"),
        (refinement::STAGE, "b/two", "critique b/two"),
        (synthesis::STAGE, "a/chair", "synthesis a/chair"),
    ] {
        let skips = [Skip { stage, member: member.to_owned() }];
        let id = RunId::generate();
        let whole = execute_without(&skips, &plan, (fine, nobody_waits), id, &[]).await;
        assert!(!whole.seen.failed && !whole.seen.calls.contains_key(calls), "{calls}");
        let told = whole.seen.events.values().filter(|event| event["type"] == "member_skipped").count();
        assert_eq!(told, 1, "{calls}");
        let (whole, commits) = (costless(whole.seen), whole.commits);
        for death in 0..commits {
            let again = execute_without(&skips, &plan, (fine, nobody_waits), id, &[death]).await;
            assert_eq!(costless(again.seen), whole, "{calls}, dead after {death} commits");
        }
    }
}

#[tokio::test]
async fn a_debate_that_goes_on_without_somebody_and_dies_after_any_commit_ends_as_if_it_had_not() {
    let plan = plan(r#"{"content": "Why?", "mode": "debate"}"#);
    for (stage, member, calls) in [
        (debate::kind::stage(1), "b/two", "debate_opening b/two"),
        (debate::kind::stage(2), "b/two", "debate_critique b/two"),
        (debate::kind::stage(3), "b/two", "debate_reply b/two"),
        (synthesis::STAGE, "a/chair", "debate_judgment a/chair"),
    ] {
        let skips = [Skip { stage, member: member.to_owned() }];
        let id = RunId::generate();
        let whole = execute_without(&skips, &plan, (fine, nobody_waits), id, &[]).await;
        let told = whole.seen.events.values().filter(|event| event["type"] == "member_skipped").count();
        assert_eq!((told, whole.seen.failed), (1, false), "{calls}");
        let (whole, commits) = (costless(whole.seen), whole.commits);
        for death in 0..commits {
            let again = execute_without(&skips, &plan, (fine, nobody_waits), id, &[death]).await;
            assert_eq!(costless(again.seen), whole, "{calls}, dead after {death} commits");
        }
    }
}

#[tokio::test]
async fn a_run_that_dies_twice_pays_for_no_finished_call_again() {
    let plan = plan(r#"{"content": "Why?"}"#);
    let id = RunId::generate();
    let whole = execute(&plan, (fine, nobody_waits), id, &[]).await;
    for first in (0..whole.commits).step_by(3) {
        let again = execute(&plan, (fine, nobody_waits), id, &[first, 2]).await;
        assert_eq!(again.seen, whole.seen, "dead after {first} commits and 2 more");
    }
}
