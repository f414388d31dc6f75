//! Every feature, executed with a journal that dies after its n-th commit, for every n: the second
//! execution must end with the same answer, the same events, and no call paid twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use llm_council::council::option_settings::{Category, OptionSettings};
use llm_council::council::plan::Door;
use llm_council::council::ranking::weights::Record;
use llm_council::council::run::FinishedCall;
use llm_council::council::settings::{Member, Settings};
use llm_council::council::{self, Deliberation, Plan, Run};
use llm_council::id::RunId;
use llm_council::llm::{CallError, ChatRequest, ErrorKind, Purpose, Reply};
use llm_council::runs::memory::{MemoryHost, Shelf};
use serde_json::json;

use crate::support::models::{Scripted, labels_in, reply, sensible};

fn settings() -> Settings {
    Settings {
        council_models: ["a/one", "b/two", "c/three"].map(Member::plain).to_vec(),
        chairman_model: "a/chair".into(),
        chairman_alias: None,
        chairman_fallbacks: vec!["b/stand-in".into()],
        title_model: "t/title".into(),
        utility_model: "u/small".into(),
        use_system_prompt_stage2: true,
        use_system_prompt_stage3: true,
        count_self_votes: false,
        options: OptionSettings {
            routing_pools: BTreeMap::from([(
                Category::Coding,
                vec!["c/three".into(), "b/two".into(), "p/pool".into()],
            )]),
            tier1_models: ["a/one", "b/two", "c/three"].map(str::to_owned).to_vec(),
            tier2_models: ["d/four", "e/five"].map(str::to_owned).to_vec(),
            multi_chairman_models: ["d/one", "d/two", "d/three"].map(str::to_owned).to_vec(),
            ..OptionSettings::default()
        },
        sampling: BTreeMap::new(),
        timeouts: BTreeMap::new(),
        calls_in_flight: 16,
    }
}

type Script = fn(&ChatRequest) -> Result<Reply, CallError>;
/// Whether a call waits, as far as the journal tells: so that who is late is the same each time.
type Hold = fn(&ChatRequest, &Shelf) -> bool;

fn fine(request: &ChatRequest) -> Result<Reply, CallError> {
    Ok(sensible(request))
}

fn a_member_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "b/two" { Err(CallError::new(ErrorKind::Overloaded, "down")) } else { fine(request) }
}

fn the_chairman_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "a/chair" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else {
        fine(request)
    }
}

fn a_ballot_needs_repair(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Review && request.model == "c/three" {
        Ok(reply("I like Response B and also Response B, then Response A."))
    } else {
        fine(request)
    }
}

fn system_prompts_are_rejected(request: &ChatRequest) -> Result<Reply, CallError> {
    let with_system = request.messages.iter().any(|message| message.role == llm_council::llm::Role::System);
    if with_system && request.model == "a/one" {
        let mut error = CallError::new(ErrorKind::Refused, "no system prompts");
        error.status = Some(400);
        Err(error)
    } else {
        fine(request)
    }
}

fn the_utility_model_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "u/small" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else {
        fine(request)
    }
}

fn reviewers_differ(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Review && request.model == "c/three" {
        Ok(reply("FINAL RANKING:\n1. Response C\n2. Response B\n3. Response A"))
    } else {
        fine(request)
    }
}

fn is_second_tier(request: &ChatRequest) -> bool {
    request.model == "d/four" || request.model == "e/five"
}

fn answers_are_unsure(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Answer { Ok(reply("Perhaps.\n\nCONFIDENCE: 3")) } else { fine(request) }
}

fn reviewers_disagree(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Review {
        let labels = labels_in(&request.messages.last().unwrap().content);
        Ok(reply(format!("All alike.\n\nFINAL RANKING:\n1. {}", labels.join(" = "))))
    } else {
        fine(request)
    }
}

fn reviewers_disagree_and_nobody_else_answers(request: &ChatRequest) -> Result<Reply, CallError> {
    if is_second_tier(request) { nobody_answers(request) } else { reviewers_disagree(request) }
}

fn only_the_second_tier_answers(request: &ChatRequest) -> Result<Reply, CallError> {
    if is_second_tier(request) || request.purpose != Purpose::Answer {
        fine(request)
    } else {
        nobody_answers(request)
    }
}

/// After the first tier's quorum, before anybody of the second answers.
fn one_comes_while_the_second_tier_answers(request: &ChatRequest, shelf: &Shelf) -> bool {
    let is_there = shelf.events.iter().any(|(key, _)| key == "stage1/b/two/complete");
    (is_answer_of_two(request) && !shelf.decisions.contains_key("stage1/quorum"))
        || (is_second_tier(request) && request.purpose == Purpose::Answer && !is_there)
}

fn without(failing: &[&str], request: &ChatRequest) -> Result<Reply, CallError> {
    if failing.contains(&request.model.as_str()) {
        Err(CallError::new(ErrorKind::Overloaded, "down"))
    } else {
        fine(request)
    }
}

fn a_drafter_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["d/one"], request)
}

fn drafters_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["d/one", "d/three"], request)
}

fn all_drafters_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["d/one", "d/two", "d/three"], request)
}

fn a_choice_is_unreadable(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Selection && request.schema.is_none() {
        Ok(reply("I like them all."))
    } else {
        fine(request)
    }
}

fn nobody_answers(_: &ChatRequest) -> Result<Reply, CallError> {
    Err(CallError::new(ErrorKind::Overloaded, "down"))
}

fn most_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "c/three" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else {
        a_member_fails(request)
    }
}

/// One critic fails, two find faults; the second time nobody does.
fn a_critic_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    let second = request.messages.last().unwrap().content.contains("with figures");
    if request.purpose != Purpose::Critique {
        fine(request)
    } else if request.model == "b/two" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else if second {
        Ok(reply("No major issues."))
    } else {
        fine(request)
    }
}

/// Nor is the attack's severity said before it is asked for.
fn revisions_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Revision {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else if request.purpose == Purpose::Adversary {
        let alone = request.schema.is_some();
        Ok(reply(if alone { r#"{"severity": "critical"}"# } else { "It is wrong." }))
    } else {
        fine(request)
    }
}

fn the_attack_is_grave(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose == Purpose::Adversary {
        Ok(reply("It is wrong.\n\nSEVERITY: critical"))
    } else {
        system_prompts_are_rejected(request)
    }
}

fn nobody_waits(_: &ChatRequest, _: &Shelf) -> bool {
    false
}

fn is_answer_of_two(request: &ChatRequest) -> bool {
    request.model == "b/two" && request.purpose == Purpose::Answer
}

fn one_never_answers(request: &ChatRequest, _: &Shelf) -> bool {
    is_answer_of_two(request)
}

/// After the quorum, before the first ballot.
fn one_comes_late(request: &ChatRequest, shelf: &Shelf) -> bool {
    let others_wait = !shelf.events.iter().any(|(key, _)| key == "stage1/b/two/complete");
    (is_answer_of_two(request) && !shelf.decisions.contains_key("stage1/quorum"))
        || (request.purpose == Purpose::Review && others_wait)
}

fn one_comes_after_the_others(request: &ChatRequest, shelf: &Shelf) -> bool {
    let there = |key| shelf.calls.contains_key(key);
    is_answer_of_two(request) && !(there("stage1/a/one") && there("stage1/c/three"))
}

const SEVERAL: &str = r#"{"content": "Why?", "use_multi_chairman": true}"#;

/// Every feature joins here.
const FEATURES: &[(&str, Script, Hold, &str)] = &[
    ("plain", fine, nobody_waits, r#"{"content": "Why?"}"#),
    ("chain of thought", fine, nobody_waits, r#"{"content": "Why?", "use_cot": true}"#),
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
];

/// One reviewer is known, so that weights count.
fn records() -> BTreeMap<String, Record> {
    let known = Record { runs: 4, win_rate: 50.0, average_rank: Some(1.5), average_confidence: Some(7.5) };
    [("b/two".to_owned(), known)].into()
}

fn plan(body: &str) -> Plan {
    let door = Door { settings: settings(), history: vec![], first: true, records: records() };
    Plan::parse(&serde_json::from_str(body).unwrap(), door).unwrap()
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
fn timeless(mut event: serde_json::Value) -> serde_json::Value {
    if event["type"] == "process" {
        event["timestamp"].take();
    }
    event
}

struct Executed {
    seen: Seen,
    commits: usize,
}

/// Executes a plan, letting the host die after each given number of commits, then to the end.
async fn execute(plan: &Plan, (script, hold): (Script, Hold), id: RunId, deaths: &[usize]) -> Executed {
    let shelf = Arc::new(Mutex::new(Shelf::default()));
    let seen = shelf.clone();
    let models = Arc::new(Scripted::new(script).held(move |request| hold(request, &seen.lock().unwrap())));
    // Calls that had been sent and were not committed when the process died are asked again: their
    // first answers never arrived anywhere. Finished ones must not be.
    let mut lost: BTreeMap<String, usize> = BTreeMap::new();
    for (attempt, left) in deaths.iter().enumerate() {
        let host = Arc::new(MemoryHost::new(shelf.clone(), attempt as u32 + 1, Some(*left)));
        let run = Run::new(id, host.clone(), models.clone());
        tokio::select! {
            biased;
            () = host.death() => {}
            _ = council::deliberate(&run, plan) => {}
        }
        lost = models.calls();
        for call in shelf.lock().unwrap().calls.values() {
            *lost.get_mut(&format!("{:?} {}", call.purpose, call.model)).unwrap() -= 1;
        }
    }
    let host = Arc::new(MemoryHost::new(shelf.clone(), deaths.len() as u32 + 1, None));
    let run = Run::new(id, host.clone(), models.clone());
    let failed = council::deliberate(&run, plan).await.is_err();
    let shelf = shelf.lock().unwrap();
    let events = shelf
        .events
        .iter()
        .filter(|(key, _)| !key.starts_with("restart/"))
        .map(|(key, event)| (key.clone(), timeless(json!(event))))
        .collect();
    let mut calls = models.calls();
    for (call, count) in lost {
        *calls.get_mut(&call).unwrap() -= count;
    }
    // A straggler that was given up is not asked again to be given up again.
    let given_up =
        |call: &&FinishedCall| call.result.as_ref().is_err_and(|error| error.kind == ErrorKind::Cancelled);
    for call in shelf.calls.values().filter(given_up) {
        calls.remove(&format!("{:?} {}", call.purpose, call.model));
    }
    Executed {
        seen: Seen { deliberation: host.deliberation(), events, calls, failed },
        commits: shelf.commits,
    }
}

#[tokio::test]
async fn a_run_that_dies_after_any_commit_ends_as_if_it_had_not() {
    for (name, script, hold, body) in FEATURES {
        let plan = plan(body);
        let id = RunId::generate();
        let whole = execute(&plan, (*script, *hold), id, &[]).await;
        assert!(whole.commits > 3, "{name}: {} commits", whole.commits);
        for death in 0..whole.commits {
            let again = execute(&plan, (*script, *hold), id, &[death]).await;
            assert_eq!(again.seen, whole.seen, "{name}, dead after {death} commits");
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
