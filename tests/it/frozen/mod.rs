//! What earlier versions stored: plans, journals, logs and messages of every option, kept as fixtures. Each of
//! them must load, and a run that an earlier version began must end under this one without paying again for
//! what was paid.
//!
//! `LLM_COUNCIL_RECORD=<name> cargo test --test it frozen` records the same of this version, into a folder of
//! that name under `fixtures/frozen/`; the recordings that are there stay as they are.

mod database;
mod recorded;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use llm_council::council::features::purposes;
use llm_council::council::plan::Context;
use llm_council::council::prompts::history::Turn;
use llm_council::council::rerun::{Part, RerunScope};
use llm_council::council::run::FinishedCall;
use llm_council::council::{self, Deliberation, Event, Plan, Run};
use llm_council::id::RunId;
use llm_council::llm::ErrorKind;
use llm_council::runs::memory::{MemoryHost, MemoryStore};
use serde_json::{Value, json};

use crate::replay::debates::{DEBATES, DECOMPOSITIONS};
use crate::replay::features::{FEATURES, TOGETHER};
use crate::replay::harness::{self, Feature};
use crate::replay::scripts::nobody_waits;
use crate::support::models::Scripted;
use recorded::{Recorded, Recorder, Written, directories, lacks, recording};

/// What is recorded, and whether it is a conversation's second question.
const RECORDED: &[(&str, bool)] = &[
    ("plain", false),
    ("plain", true),
    ("chain of thought", true),
    ("a member fails", false),
    ("the chairman fails", true),
    ("a ballot needs repair", false),
    ("system prompts are rejected", false),
    ("the council agrees", false),
    ("several chairmen write", true),
    ("a choice is asked for again", false),
    ("a straggler is left behind", false),
    ("a straggler comes late", false),
    ("routing", true),
    ("escalation by confidence", false),
    ("escalation by agreement", false),
    ("refinement converges", false),
    ("refinement and a devil's advocate", true),
    ("revisions fail", false),
    ("every option, and the question is routed", true),
    ("every option, and the first tier disagrees", false),
    ("a rotation", true),
    ("all with all", false),
    ("an arena", true),
    ("all with all under their names", false),
    ("a rotation that loses a speaker", false),
    ("an arena that is broken off", false),
    ("the chairman of a rotation fails", false),
    ("a speaker reads less, and another has no system prompt", false),
    ("two of a jury of three", false),
    ("a second reading", false),
    ("the winner is taken word for word", false),
    ("a clear winner is taken", true),
    ("a member searches", false),
    ("research and a web search", true),
    ("the chairman checks", false),
    ("several chairmen check", false),
    ("one after another, and one searches", false),
    ("all with all, and one searches", false),
    ("a rotation after research, and the chairman checks", false),
    ("two of a jury of three rank the openings", false),
    ("a decomposition", true),
    ("a decomposition by confidence", false),
    ("a decomposition, and one searches", false),
];

fn feature(name: &str) -> &'static Feature {
    let debates = DEBATES.iter().chain(DECOMPOSITIONS);
    let mut features = FEATURES.iter().chain(TOGETHER).chain(debates);
    features.find(|feature| feature.0 == name).unwrap_or_else(|| panic!("there is no feature {name:?}"))
}

fn plan(feature: &Feature, second: bool) -> Plan {
    let turn = Turn { question: "What is new?".into(), answer: "Nothing that is old.".into() };
    let history = if second { vec![turn] } else { Vec::new() };
    let context = Context {
        settings: harness::settings(),
        history,
        first: !second,
        records: harness::records(),
        search: Some(harness::search()),
        ..Context::default()
    };
    Plan::parse(&serde_json::from_str(feature.3).unwrap(), context).unwrap()
}

/// One execution over what an earlier one left.
struct Executed {
    written: Vec<Written>,
    /// How often each model was asked for each purpose.
    asked: BTreeMap<String, usize>,
    message: Deliberation,
    failed: bool,
}

impl Executed {
    fn events(&self) -> BTreeMap<&str, Value> {
        events(&self.written)
    }
}

/// What is told, but for when it was and how often the run was taken up.
fn events(written: &[Written]) -> BTreeMap<&str, Value> {
    let told = written.iter().filter_map(|written| match written {
        Written::Event(key, event) if !key.starts_with("restart/") => {
            Some((key.as_str(), harness::timeless(event.clone())))
        }
        Written::Event(..) | Written::Call(_) | Written::Decision(..) => None,
    });
    told.collect()
}

fn calls(written: &[Written]) -> impl Iterator<Item = FinishedCall> + '_ {
    written.iter().filter_map(|written| match written {
        Written::Call(call) => Some(serde_json::from_value(call.clone()).expect("a call that can be read")),
        Written::Decision(..) | Written::Event(..) => None,
    })
}

fn store(written: &[Written]) -> MemoryStore {
    let mut store = MemoryStore::default();
    for written in written {
        match written {
            Written::Call(call) => {
                let call: FinishedCall =
                    serde_json::from_value(call.clone()).expect("a call that can be read");
                store.calls.insert(call.key.clone(), call);
            }
            Written::Decision(key, value) => {
                store.decisions.insert(key.clone(), value.clone());
            }
            Written::Event(key, event) => {
                let event = Event::read(event.to_string().as_bytes()).expect("an event that can be read");
                store.events.push((key.clone(), event.into()));
            }
        }
    }
    store
}

async fn execute(
    feature: &Feature,
    id: RunId,
    plan: &Plan,
    left: &[Written],
    carried: Vec<FinishedCall>,
) -> Executed {
    let (name, script, hold, _) = *feature;
    // What was there when it was asked again comes at once, whoever was late then.
    let hold = if plan.rerun.is_some() { nobody_waits } else { hold };
    let store = Arc::new(Mutex::new(store(left)));
    let seen = store.clone();
    let models = Arc::new(Scripted::new(script).held(move |request| hold(request, &seen.lock().unwrap())));
    let attempt = if left.is_empty() { 1 } else { 2 };
    let host = Arc::new(Recorder::new(MemoryHost::new(store.clone(), attempt, None), left.to_vec(), carried));
    let mut run = Run::new(id, host.clone(), models.clone());
    if let Some(rerun) = &plan.rerun {
        run = run.choosing_like(rerun.seed);
    }
    let failed = council::deliberate(&run, plan).await.is_err();
    let mismatches = &store.lock().unwrap().mismatches;
    assert!(mismatches.is_empty(), "{name} asks something else: {mismatches:?}");
    Executed { written: host.written(), asked: models.calls(), message: host.deliberation(), failed }
}

fn kind_of(call: &FinishedCall) -> String {
    format!("{} {}", call.purpose, call.model)
}

/// Whether a call was given up: such a one is not asked again only to be given up again.
fn is_given_up(call: &FinishedCall) -> bool {
    call.result.as_ref().is_err_and(|error| error.kind == ErrorKind::Cancelled)
}

/// How often each model was asked for each purpose, but for calls that are given up.
fn asked(written: &[Written]) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for call in calls(written).filter(|call| !is_given_up(call)) {
        *asked.entry(kind_of(&call)).or_default() += 1;
    }
    asked
}

#[track_caller]
fn assert_holds(old: &Value, new: &Value, what: &str) {
    if let Some(lack) = lacks(old, new) {
        panic!("{what}: {lack}");
    }
}

/// What was recorded, without a figure that was wrong then: where a ballot or a letter was asked for once more, the tokens are
/// those of both requests today, as the cost was then already.
fn as_counted_now(mut recorded: Value) -> Value {
    match &mut recorded {
        Value::Object(fields) => {
            let of_first = fields.get("usage").and_then(|usage| usage["cost_usd"].as_f64());
            if of_first.is_some() && fields.get("cost").is_some_and(|cost| cost.as_f64() != of_first) {
                fields.remove("usage");
            }
            fields.values_mut().for_each(|value| *value = as_counted_now(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = as_counted_now(item.take())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    recorded
}

/// Every recording of every version.
fn recordings() -> Vec<(String, Recorded)> {
    let all: Vec<(String, Recorded)> = directories().iter().flat_map(|dir| Recorded::all(dir)).collect();
    assert!(all.len() >= RECORDED.len(), "the fixtures are there");
    all
}

/// Executed as it is today, every feature of the list is what the recorder would write.
#[tokio::test]
async fn every_option_can_be_recorded_and_read_back() {
    for (name, second) in RECORDED {
        let (feature, id) = (feature(name), RunId::generate());
        let plan = plan(feature, *second);
        let executed = execute(feature, id, &plan, &[], Vec::new()).await;
        let recorded = Recorded {
            feature: (*name).to_owned(),
            run: id,
            plan: json!(plan),
            failed: executed.failed,
            message: json!(executed.message),
            written: executed.written,
        };
        let text = recorded.to_text();
        assert_eq!(Recorded::read(&text), recorded, "{name}");
        if let Some(directory) = recording() {
            let name = if *second { format!("{name}, second question") } else { (*name).to_owned() };
            recorded.save(&directory, &name);
        }
    }
}

#[test]
fn whatever_an_earlier_version_stored_of_a_run_is_read_with_all_that_it_says() {
    for (name, recorded) in recordings() {
        let plan: Plan = serde_json::from_value(recorded.plan.clone()).unwrap();
        assert_holds(&recorded.plan, &json!(plan), &format!("{name}: the plan"));
        let message: Deliberation = serde_json::from_value(recorded.message.clone()).unwrap();
        assert_holds(&recorded.message, &json!(message), &format!("{name}: the message"));
        for written in &recorded.written {
            let (old, new) = match written {
                Written::Call(call) => {
                    let read: FinishedCall = serde_json::from_value(call.clone()).unwrap();
                    (call, json!(read))
                }
                Written::Event(key, event) => {
                    let read = Event::read(event.to_string().as_bytes())
                        .unwrap_or_else(|error| panic!("{name}: {key}: {error}"));
                    (event, json!(read))
                }
                Written::Decision(..) => continue,
            };
            assert_holds(old, &new, &name);
        }
    }
}

/// From a plan alone; where the journal is whole, nothing is asked otherwise than it was then.
#[tokio::test]
async fn a_plan_of_an_earlier_version_is_executed_as_it_was_then() {
    for (name, recorded) in recordings() {
        let plan: Plan = serde_json::from_value(recorded.plan.clone()).unwrap();
        let now = execute(feature(&recorded.feature), recorded.run, &plan, &[], Vec::new()).await;
        let told = as_counted_now(json!(events(&recorded.written)));
        assert_holds(&as_counted_now(recorded.message), &json!(now.message), &format!("{name}: the message"));
        assert_holds(&told, &json!(now.events()), &format!("{name}: the events"));
        let calls_now: BTreeMap<String, FinishedCall> =
            calls(&now.written).map(|call| (call.key.clone(), call)).collect();
        assert_eq!(
            calls(&recorded.written).map(|call| call.key).collect::<BTreeSet<_>>(),
            calls_now.keys().cloned().collect::<BTreeSet<_>>(),
            "{name}: the places of calls"
        );
        for then in calls(&recorded.written) {
            let now = &calls_now[&then.key];
            let version = |text: &str| text.split_once(':').map(|(version, _)| version.to_owned());
            if version(&now.fingerprint) == version(&then.fingerprint) {
                assert_eq!(now.fingerprint, then.fingerprint, "{name}: {} asks something else", then.key);
            }
        }
    }
}

#[tokio::test]
async fn a_run_that_an_earlier_version_began_goes_on_from_wherever_it_was_and_pays_for_nothing_again() {
    for (name, recorded) in recordings() {
        let plan: Plan = serde_json::from_value(recorded.plan.clone()).unwrap();
        let whole = asked(&recorded.written);
        let given_up: BTreeSet<String> =
            calls(&recorded.written).filter(is_given_up).map(|call| kind_of(&call)).collect();
        let end = recorded.written.len();
        let message = as_counted_now(recorded.message.clone());
        let told = as_counted_now(json!(events(&recorded.written)));
        for cut in (0..end).step_by(3).chain([end]) {
            let left = &recorded.written[..cut];
            let now = execute(feature(&recorded.feature), recorded.run, &plan, left, Vec::new()).await;
            let at = format!("{name}, after {cut} of {end} records");
            let mut sum = asked(left);
            for (kind, count) in &now.asked {
                if !given_up.contains(kind) {
                    *sum.entry(kind.clone()).or_default() += count;
                }
            }
            assert_eq!(sum, whole, "{at}: every call once");
            assert_eq!(now.failed, recorded.failed, "{at}");
            assert_holds(&message, &json!(now.message), &format!("{at}: the message"));
            assert_holds(&told, &json!(now.events()), &at);
        }
    }
}

#[tokio::test]
async fn a_run_of_an_earlier_version_that_is_asked_again_pays_for_nothing_that_is_kept() {
    for (name, recorded) in recordings() {
        let stragglers = recorded.plan["quorum"].is_number();
        let all: Vec<FinishedCall> = calls(&recorded.written).collect();
        let everything: Vec<&str> = purposes().map(|purpose| purpose.name).collect();
        let places: [(RerunScope, &[&str]); 3] = [
            (RerunScope::Failed, &everything),
            (RerunScope::From(Part::Stage3), &["routing", "answer", "review"]),
            (RerunScope::From(Part::Stage2), &["routing", "answer"]),
        ];
        for (scope, kept) in places {
            let plan: Plan = serde_json::from_value(recorded.plan.clone()).unwrap();
            let plan = plan.rerun_of(recorded.run, scope.clone(), Vec::new(), Vec::new());
            let carried: Vec<FinishedCall> = all.iter().filter(|call| scope.keeps(call)).cloned().collect();
            let now = execute(feature(&recorded.feature), RunId::generate(), &plan, &[], carried).await;
            assert_eq!(now.failed, recorded.failed, "{name}, {scope:?}");
            // A straggler that answers now changes what the reviewers read.
            let kept = if stragglers { &["routing"][..] } else { kept };
            for call in all.iter().filter(|call| call.result.is_ok() && kept.contains(&call.purpose.as_ref()))
            {
                let asked = now.asked.get(&kind_of(call)).copied().unwrap_or_default();
                let failed =
                    all.iter().filter(|other| kind_of(other) == kind_of(call) && other.result.is_err());
                assert!(asked <= failed.count(), "{name}, {scope:?}: {} is paid again", call.key);
            }
        }
    }
}
