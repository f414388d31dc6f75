//! Executing a plan with a journal that dies: what came of it, and whether that is what comes of it undisturbed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use llm_council::council::options::routing::Category;
use llm_council::council::plan::Context;
use llm_council::council::prompts::own::OwnTexts;
use llm_council::council::ranking::weights::Record;
use llm_council::council::run::FinishedCall;
use llm_council::council::searching::plan::SearchContext;
use llm_council::council::settings::{Member, Settings};
use llm_council::council::skip::Skip;
use llm_council::council::{self, Deliberation, Plan, Run};
use llm_council::id::RunId;
use llm_council::llm::{CallError, ChatRequest, ErrorKind, Reply, Sampling, SearchBackend};
use llm_council::runs::memory::{MemoryHost, MemoryStore};

use super::scripts::{Hold, Script};
use crate::support::models::Scripted;

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

/// Its name, what the models do, who of them waits, and the request.
pub type Feature = (&'static str, Script, Hold, &'static str);

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

pub fn plan(body: &str) -> Plan {
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
pub struct Seen {
    pub deliberation: Deliberation,
    pub events: BTreeMap<String, serde_json::Value>,
    pub calls: BTreeMap<String, usize>,
    pub failed: bool,
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

pub struct Executed {
    pub seen: Seen,
    pub commits: usize,
}

/// Executes a plan, letting the host die after each given number of commits, then to the end.
pub async fn execute(plan: &Plan, how: (Script, Hold), id: RunId, deaths: &[usize]) -> Executed {
    execute_without(&[], plan, how, id, deaths).await
}

/// The same for a run that is told from its beginning to go on without these.
pub async fn execute_without(
    skips: &[Skip],
    plan: &Plan,
    how: (Script, Hold),
    id: RunId,
    deaths: &[usize],
) -> Executed {
    execute_over(MemoryStore::default(), skips, plan, how, id, deaths).await
}

/// The same over what others have left.
pub async fn execute_over(
    store: MemoryStore,
    skips: &[Skip],
    plan: &Plan,
    (script, hold): (Script, Hold),
    id: RunId,
    deaths: &[usize],
) -> Executed {
    let requests = |run: &Run| skips.iter().for_each(|skip| run.skip(skip));
    let script = move |request: &ChatRequest, _: &MemoryStore| script(request);
    execute_with_requests(store, requests, plan, (script, hold), id, deaths).await
}

/// The same for a run of which somebody requests this from its beginning on. What models do may depend on what is stored.
pub async fn execute_with_requests(
    store: MemoryStore,
    requests: impl Fn(&Run),
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
        requests(&run);
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
    requests(&run);
    let failed = council::deliberate(&run, plan).await.is_err();
    let store = store.lock().unwrap();
    assert!(store.mismatches.is_empty(), "asks something else: {:?}", store.mismatches);
    let events = store
        .events
        .iter()
        .filter(|(key, _)| !key.starts_with("restart/"))
        .map(|(key, event)| (key.clone(), timeless(serde_json::from_str(&event.json()).unwrap())))
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
pub async fn check(features: &[Feature]) -> Vec<Seen> {
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
