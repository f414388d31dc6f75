//! Every feature, executed with a journal that dies after its n-th commit, for every n: the second
//! execution must end with the same answer, the same events, and no call paid twice.

mod cache;
pub mod debates;
mod retries;
pub mod scripts;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use llm_council::council::options::refinement;
use llm_council::council::options::routing::Category;
use llm_council::council::plan::Context;
use llm_council::council::prompts::own::OwnTexts;
use llm_council::council::ranking::weights::Record;
use llm_council::council::run::FinishedCall;
use llm_council::council::searching::plan::SearchContext;
use llm_council::council::settings::{Member, Settings};
use llm_council::council::skip::Skip;
use llm_council::council::stages::{answers, reviews, synthesis, title};
use llm_council::council::{self, Deliberation, Plan, Run, debate};
use llm_council::id::RunId;
use llm_council::llm::{CallError, ChatRequest, ErrorKind, Reply, Sampling, SearchBackend};
use llm_council::runs::memory::{MemoryHost, MemoryStore};

use crate::support::models::Scripted;
use debates::{DEBATES, DECOMPOSITIONS};
use scripts::*;

pub fn settings() -> Settings {
    let mut settings = Settings {
        council_models: ["a/one", "b/two", "c/three"].map(Member::plain).to_vec(),
        chairman_model: "a/chair".into(),
        chairman_fallbacks: vec!["b/stand-in".into()],
        title_model: "t/title".into(),
        utility_model: "u/small".into(),
        ..Settings::default()
    };
    let models = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
    let options = &mut settings.options;
    options.routing.routing_pools =
        BTreeMap::from([(Category::Coding, models(&["c/three", "b/two", "p/pool"]))]);
    options.escalation.tier1_models = models(&["a/one", "b/two", "c/three"]);
    options.escalation.tier2_models = models(&["d/four", "e/five"]);
    options.multi_chairman.multi_chairman_models = models(&["d/one", "d/two", "d/three"]);
    settings
}

const SEVERAL: &str = r#"{"content": "Why?", "use_multi_chairman": true}"#;

/// Routing goes before escalation: with both on, nobody is asked in tiers.
const EVERYTHING_ROUTED: &str = r#"{"content": "Why?", "use_cot": true, "use_weighted_consensus": true,
    "use_early_consensus": true, "use_multi_chairman": true, "use_dynamic_routing": true,
    "use_escalation": true, "use_refinement": true, "use_adversary": true, "verbosity": 3, "quorum": 2}"#;
const EVERYTHING_ESCALATED: &str = r#"{"content": "Why?", "use_cot": true, "use_weighted_consensus": true,
    "use_early_consensus": true, "use_multi_chairman": true, "use_escalation": true,
    "use_refinement": true, "use_adversary": true, "verbosity": 3, "quorum": 2,
    "straggler_grace_ms": 600000}"#;

/// Its name, what the models do, who of them waits, and the request.
pub type Feature = (&'static str, Script, Hold, &'static str);

/// Every feature joins here.
pub const FEATURES: &[Feature] = &[
    ("plain", fine, nobody_waits, r#"{"content": "Why?"}"#),
    ("chain of thought", fine, nobody_waits, r#"{"content": "Why?", "use_cot": true}"#),
    ("the cache cannot be asked", fine, nobody_waits, r#"{"content": "Why?", "use_cache": true}"#),
    ("a member fails", a_member_fails, nobody_waits, r#"{"content": "Why?"}"#),
    ("the chairman fails", the_chairman_fails, nobody_waits, r#"{"content": "Why?"}"#),
    ("a ballot needs repair", a_ballot_needs_repair, nobody_waits, r#"{"content": "Why?"}"#),
    (
        "system prompts are rejected",
        system_prompts_are_rejected,
        nobody_waits,
        r#"{"content": "Why?", "system_prompt": "Be kind."}"#,
    ),
    ("the council agrees", fine, nobody_waits, r#"{"content": "Why?", "use_early_consensus": true}"#),
    (
        "the council differs",
        reviewers_differ,
        nobody_waits,
        r#"{"content": "Why?", "use_early_consensus": true}"#,
    ),
    (
        "two of a jury of three",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "reviewer_models": ["j/one", "a/one", "j/two"], "reviews_per_answer": 2}"#,
    ),
    (
        "a second reading",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_second_reading": true, "verbosity": 2}"#,
    ),
    (
        "a second reading by two tiers",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_second_reading": true, "use_escalation": true}"#,
    ),
    (
        "a rubric",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_second_reading": true, "rubric": {"text": "- Right", "name": "Short"}}"#,
    ),
    ("one seat alone", fine, nobody_waits, r#"{"content": "Why?", "direct_to": "b/two"}"#),
    (
        "the chairman alone",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "direct_to": "chairman", "use_cot": true}"#,
    ),
    ("one seat alone fails", a_member_fails, nobody_waits, r#"{"content": "Why?", "direct_to": "b/two"}"#),
    ("nobody reviews", fine, nobody_waits, r#"{"content": "Why?", "use_reviews": false, "verbosity": 3}"#),
    (
        "nobody reviews, and a straggler is left behind",
        fine,
        one_never_answers,
        r#"{"content": "Why?", "use_reviews": false, "quorum": 2}"#,
    ),
    (
        "the answer has a form",
        the_chairman_needs_two_tries_at_json,
        nobody_waits,
        r#"{"content": "Why?", "form": {"name": "answer"}, "use_adversary": true}"#,
    ),
    (
        "the chairman writes no JSON",
        the_chairman_writes_no_json,
        nobody_waits,
        r#"{"content": "Why?", "form": {"name": "answer"}, "use_reviews": false}"#,
    ),
    ("no second reading", fine, nobody_waits, r#"{"content": "Why?", "use_second_reading": true}"#),
    (
        "the winner is taken word for word",
        reviewers_differ,
        nobody_waits,
        r#"{"content": "Why?", "final": "select", "verbosity": 1}"#,
    ),
    (
        "no winner to take word for word",
        no_ballot_is_readable,
        nobody_waits,
        r#"{"content": "Why?", "final": "select"}"#,
    ),
    ("a clear winner is taken", answers_are_unsure, nobody_waits, r#"{"content": "Why?", "final": "auto"}"#),
    ("several chairmen write", fine, nobody_waits, SEVERAL),
    ("one of several chairmen fails", a_drafter_fails, nobody_waits, SEVERAL),
    ("all but one of several chairmen fail", drafters_fail, nobody_waits, SEVERAL),
    ("all of several chairmen fail", all_drafters_fail, nobody_waits, SEVERAL),
    ("the chairman cannot choose", the_chairman_fails, nobody_waits, SEVERAL),
    ("a choice is asked for again", a_choice_is_unreadable, nobody_waits, SEVERAL),
    ("nobody answers", nobody_answers, nobody_waits, r#"{"content": "Why?"}"#),
    ("a straggler is left behind", fine, one_never_answers, r#"{"content": "Why?", "quorum": 2}"#),
    ("a straggler comes late", fine, one_comes_late, r#"{"content": "Why?", "quorum": 2}"#),
    (
        "the grace lets a straggler in",
        fine,
        one_comes_after_the_others,
        r#"{"content": "Why?", "quorum": 2, "straggler_grace_ms": 600000}"#,
    ),
    ("too many fail for the quorum", most_fail, nobody_waits, r#"{"content": "Why?", "quorum": 2}"#),
    ("routing", fine, nobody_waits, r#"{"content": "Why?", "use_dynamic_routing": true}"#),
    (
        "routing without the utility model",
        the_utility_model_fails,
        nobody_waits,
        r#"{"content": "Compare Rust and Python code.", "use_dynamic_routing": true}"#,
    ),
    (
        "routing with a straggler",
        fine,
        one_never_answers,
        r#"{"content": "Why?", "use_dynamic_routing": true, "quorum": 2}"#,
    ),
    ("escalation not called for", fine, nobody_waits, r#"{"content": "Why?", "use_escalation": true}"#),
    (
        "escalation by confidence",
        answers_are_unsure,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    (
        "escalation by agreement",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    (
        "escalation in vain",
        reviewers_disagree_and_nobody_else_answers,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    (
        "escalation without a first tier",
        only_the_second_tier_answers,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    ("escalation of nobody", nobody_answers, nobody_waits, r#"{"content": "Why?", "use_escalation": true}"#),
    (
        "a straggler of the first tier comes while the second answers",
        answers_are_unsure,
        one_comes_while_the_second_tier_answers,
        r#"{"content": "Why?", "use_escalation": true, "quorum": 2}"#,
    ),
    (
        "a straggler of the first tier is stopped when the second has answered",
        answers_are_unsure,
        one_never_answers,
        r#"{"content": "Why?", "use_escalation": true, "quorum": 2}"#,
    ),
    (
        "a straggler of the first tier is stopped before the second is asked",
        reviewers_disagree,
        one_never_answers,
        r#"{"content": "Why?", "use_escalation": true, "quorum": 2}"#,
    ),
    (
        "a straggler's provider rejects system prompts",
        system_prompts_are_rejected,
        one_never_answers,
        r#"{"content": "Why?", "system_prompt": "Be kind.", "quorum": 2}"#,
    ),
    (
        "a member fails before a refinement",
        a_member_fails,
        nobody_waits,
        r#"{"content": "Why?", "use_refinement": true}"#,
    ),
    ("refinement converges", a_critic_fails, nobody_waits, r#"{"content": "Why?", "use_refinement": true}"#),
    (
        "refinement and a devil's advocate",
        the_attack_is_grave,
        nobody_waits,
        r#"{"content": "Why?", "system_prompt": "Be kind.", "use_refinement": true, "use_adversary": true, "verbosity": 3}"#,
    ),
    (
        "revisions fail",
        revisions_fail,
        nobody_waits,
        r#"{"content": "Why?", "use_refinement": true, "use_adversary": true}"#,
    ),
    (
        "a member searches",
        a_member_searches,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true, "verbosity": 3}"#,
    ),
    (
        "research and a web search",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "use_research": true, "use_web_search": true, "verbosity": 3}"#,
    ),
    (
        "half of the research fails",
        half_of_the_research_fails,
        nobody_waits,
        r#"{"content": "Why?", "use_research": true, "verbosity": 3}"#,
    ),
    (
        "the chairman checks",
        the_chairman_checks,
        nobody_waits,
        r#"{"content": "Why?", "use_react": true, "use_web_search": true, "verbosity": 3}"#,
    ),
    (
        "the chairman checks without end",
        the_chairman_checks_without_end,
        nobody_waits,
        r#"{"content": "Why?", "use_react": true}"#,
    ),
    (
        "several chairmen check",
        the_chairman_checks,
        nobody_waits,
        r#"{"content": "Why?", "use_react": true, "use_multi_chairman": true}"#,
    ),
    (
        "a member searches without end",
        a_member_searches_without_end,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true}"#,
    ),
    (
        "a member searches in vain",
        a_member_searches_in_vain,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true}"#,
    ),
    (
        "one after another, and one searches",
        a_member_searches,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true, "one_at_a_time": true}"#,
    ),
    (
        "one after another, and system prompts are rejected",
        system_prompts_are_rejected,
        nobody_waits,
        r#"{"content": "Why?", "system_prompt": "Be kind.", "one_at_a_time": true}"#,
    ),
    (
        "one after another, and the last is left behind",
        fine,
        the_last_never_answers,
        r#"{"content": "Why?", "quorum": 1, "one_at_a_time": true}"#,
    ),
    (
        "one after another, and the last of the first tier comes before the second",
        answers_are_unsure,
        the_last_comes_late,
        r#"{"content": "Why?", "quorum": 2, "use_escalation": true, "one_at_a_time": true}"#,
    ),
];

/// All options that go together in one run.
pub const TOGETHER: &[Feature] = &[
    (
        "every option, and the question is routed",
        every_option_and_a_ballot_to_repair,
        one_never_answers,
        EVERYTHING_ROUTED,
    ),
    (
        "every option, and the first tier disagrees",
        every_option_and_reviewers_that_disagree,
        nobody_waits,
        EVERYTHING_ESCALATED,
    ),
    (
        "every option, and the first tier is unsure",
        every_option_and_members_that_are_unsure,
        nobody_waits,
        EVERYTHING_ESCALATED,
    ),
    ("every option, and the council agrees", fine, nobody_waits, EVERYTHING_ESCALATED),
];

/// Two reviewers are known, so that weights count.
pub fn records() -> BTreeMap<String, Record> {
    let known =
        |win_rate| Record { runs: 4, win_rate, average_rank: Some(1.5), average_confidence: Some(7.5) };
    [("b/two".to_owned(), known(50.0)), ("c/three".to_owned(), known(25.0))].into()
}

/// What can be searched.
pub fn search() -> SearchContext {
    let backend = SearchBackend { model: "search:tavily".into(), name: "tavily", simulated: false };
    SearchContext { backend, today: "2026-11-23".into() }
}

fn plan(body: &str) -> Plan {
    let context = Context {
        settings: settings(),
        history: vec![],
        first: true,
        records: records(),
        search: Some(search()),
        ..Context::default()
    };
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let plan = Plan::parse(&body, context).unwrap();
    // As a program asks for it.
    match body.get("form") {
        Some(form) => {
            let form = serde_json::from_value(form.clone()).unwrap();
            plan.for_program(Sampling::default(), Some(form), &OwnTexts::default())
        }
        None => plan,
    }
}

/// What must come out the same.
#[derive(Debug, PartialEq)]
struct Seen {
    deliberation: Deliberation,
    events: BTreeMap<String, serde_json::Value>,
    calls: BTreeMap<String, usize>,
    failed: bool,
}

/// An event without the time of its writing, which is another in every run.
pub fn timeless(mut event: serde_json::Value) -> serde_json::Value {
    if event["type"] == "process" {
        event["timestamp"].take();
    }
    for time in ["started_at", "expires_at"] {
        if let Some(time) = event.get_mut(time) {
            time.take();
        }
    }
    event
}

struct Executed {
    seen: Seen,
    commits: usize,
}

/// Executes a plan, letting the host die after each given number of commits, then to the end.
async fn execute(plan: &Plan, how: (Script, Hold), id: RunId, deaths: &[usize]) -> Executed {
    execute_without(&[], plan, how, id, deaths).await
}

/// The same for a run that is told from its beginning to go on without these.
async fn execute_without(
    skips: &[Skip],
    plan: &Plan,
    how: (Script, Hold),
    id: RunId,
    deaths: &[usize],
) -> Executed {
    execute_over(MemoryStore::default(), skips, plan, how, id, deaths).await
}

/// The same over what others have left.
async fn execute_over(
    store: MemoryStore,
    skips: &[Skip],
    plan: &Plan,
    (script, hold): (Script, Hold),
    id: RunId,
    deaths: &[usize],
) -> Executed {
    let wishes = |run: &Run| skips.iter().for_each(|skip| run.skip(skip));
    let script = move |request: &ChatRequest, _: &MemoryStore| script(request);
    execute_wishing(store, wishes, plan, (script, hold), id, deaths).await
}

/// The same for a run of which somebody wants this from its beginning on. What models do may depend on what is stored.
async fn execute_wishing(
    store: MemoryStore,
    wishes: impl Fn(&Run),
    plan: &Plan,
    (script, hold): (
        impl Fn(&ChatRequest, &MemoryStore) -> Result<Reply, CallError> + Send + Sync + 'static,
        Hold,
    ),
    id: RunId,
    deaths: &[usize],
) -> Executed {
    let store = Arc::new(Mutex::new(store));
    let (known, seen) = (store.clone(), store.clone());
    let models = Scripted::new(move |request| script(request, &known.lock().unwrap()))
        .held(move |request| hold(request, &seen.lock().unwrap()));
    let models = Arc::new(models);
    // Calls that had been sent and were not committed when the process died are asked again: their
    // first answers never arrived anywhere. Finished ones must not be.
    let mut lost: BTreeMap<String, usize> = BTreeMap::new();
    for (attempt, left) in deaths.iter().enumerate() {
        let host = Arc::new(MemoryHost::new(store.clone(), attempt as u32 + 1, Some(*left)));
        let run = Run::new(id, host.clone(), models.clone());
        wishes(&run);
        tokio::select! {
            biased;
            () = host.death() => {}
            _ = council::deliberate(&run, plan) => {}
        }
        lost = models.calls();
        for call in store.lock().unwrap().calls.values() {
            // One that was skipped before it was sent never reached a model.
            if let Some(count) = lost.get_mut(&format!("{} {}", call.purpose, call.model)) {
                *count -= 1;
            }
        }
    }
    let host = Arc::new(MemoryHost::new(store.clone(), deaths.len() as u32 + 1, None));
    let run = Run::new(id, host.clone(), models.clone());
    wishes(&run);
    let failed = council::deliberate(&run, plan).await.is_err();
    let store = store.lock().unwrap();
    assert!(store.mismatches.is_empty(), "asks something else: {:?}", store.mismatches);
    let events = store
        .events
        .iter()
        .filter(|(key, _)| !key.starts_with("restart/"))
        .map(|(key, event)| (key.clone(), timeless(event.value())))
        .collect();
    let mut calls = models.calls();
    for (call, count) in lost {
        *calls.get_mut(&call).unwrap() -= count;
    }
    // A straggler that was given up is not asked again to be given up again.
    let given_up =
        |call: &&FinishedCall| call.result.as_ref().is_err_and(|error| error.kind == ErrorKind::Cancelled);
    for call in store.calls.values().filter(given_up) {
        calls.remove(&format!("{} {}", call.purpose, call.model));
    }
    Executed {
        seen: Seen { deliberation: host.deliberation(), events, calls, failed },
        commits: store.commits,
    }
}

/// Gives what came of each without a death.
async fn check(features: &[Feature]) -> Vec<Seen> {
    let mut undisturbed = Vec::new();
    for (name, script, hold, body) in features {
        let plan = plan(body);
        let id = RunId::generate();
        let whole = execute(&plan, (*script, *hold), id, &[]).await;
        assert!(whole.commits > 3, "{name}: {} commits", whole.commits);
        for death in 0..whole.commits {
            let again = execute(&plan, (*script, *hold), id, &[death]).await;
            assert_eq!(again.seen, whole.seen, "{name}, dead after {death} commits");
        }
        undisturbed.push(whole.seen);
    }
    undisturbed
}

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
