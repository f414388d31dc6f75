//! Runs that look everything up: what their models call, what is found, and what must be stored of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::kinds::{Course, Kind};
use super::script::{case, said};
use crate::support::follower::Transcript;
use crate::support::model_server::{AskedFor, RecordedRequest, Script};
use crate::support::search_server::{Page, Says};

/// The calls of a run, in the order of the deliberation.
pub const CALLS: [&str; 24] = [
    "title",
    "stage0/split",
    "search/facts",
    "search/practice",
    "search/what",
    "stage1/m/one",
    "stage1/m/two",
    "search/first",
    "search/second",
    "stage1/m/one/tools/1",
    "search/third",
    "stage1/m/one/tools/2",
    "stage1/m/two/tools/1",
    "stage1/m/three",
    "stage1/m/four",
    "stage2/m/one",
    "stage2/m/two",
    "stage2/m/three",
    "stage2/m/four",
    "stage3/m/chair/check/1",
    "search/words",
    "stage3/m/chair/check/2",
    "search/call",
    "stage3/m/chair/check/3",
];
/// How many of them are searches.
const SEARCHES: usize = 8;
const THOUGHT: &str = "Is it so?";

/// What is searched for in a case. `about` is one word, which names the search; the case tells its run.
fn query(about: &str, case: usize) -> String {
    format!("{about} of case-{case:04}")
}

/// What a search is called here, whichever run makes it.
pub fn name(query: &str) -> String {
    format!("search/{}", query.split(' ').next().unwrap_or_default().to_lowercase())
}

/// What the ledger calls it.
pub fn ledger_key(query: &str) -> String {
    format!("search/{}", hex::encode(&Sha256::digest(query.to_lowercase().as_bytes())[..12]))
}

/// A call's place in the deliberation.
pub fn key(request: &RecordedRequest) -> String {
    let model = &request.model;
    match model.as_str() {
        "m/title" => "title".to_owned(),
        "m/small" => "stage0/split".to_owned(),
        "m/chair" => format!("stage3/{model}/check/{}", turns(request) + 1),
        _ if request.asked_for() == AskedFor::Review => format!("stage2/{model}"),
        _ => match turns(request) {
            0 => format!("stage1/{model}"),
            turn => format!("stage1/{model}/tools/{turn}"),
        },
    }
}

/// How often the model has spoken before.
fn turns(request: &RecordedRequest) -> usize {
    let messages = request.body["messages"].as_array().expect("messages");
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

/// What a model says that does not answer yet, and the chairman's text; none where it answers as in other runs.
pub fn turn(request: &RecordedRequest, case: usize) -> Option<Script> {
    let calls = |about: &[&str]| {
        let arguments: Vec<String> =
            about.iter().map(|about| json!({"query": query(about, case)}).to_string()).collect();
        let ids = ["call_a", "call_b"];
        let calls: Vec<(&str, &str, &str)> = ids
            .iter()
            .zip(&arguments)
            .map(|(id, arguments)| (*id, "search_web", arguments.as_str()))
            .collect();
        Script::answer("Let me look that up.").whole_calls(&calls)
    };
    Some(match key(request).as_str() {
        "stage0/split" => Script::answer(&format!(
            "RESEARCH: yes\n- Facts: {}\n- Practice: {}",
            query("facts", case),
            query("practice", case)
        )),
        "stage1/m/one" => calls(&["first", "second"]),
        "stage1/m/one/tools/1" => calls(&["third"]),
        // What another member searches for as well.
        "stage1/m/two" => calls(&["first"]),
        "stage3/m/chair/check/1" => {
            Script::answer(&format!("Thought: {THOUGHT}\nAction: search_web(\"{}\")", query("words", case)))
        }
        "stage3/m/chair/check/2" => calls(&["call"]),
        "stage3/m/chair/check/3" => {
            Script::answer(&format!("Thought: It is.\nAction: synthesize()\n\n{}", cited("m/chair", case)))
        }
        _ => return None,
    })
}

/// What a model says, with its source: the page that every search finds first, so it is the first of the run.
pub fn cited(model: &str, case: usize) -> String {
    format!("{} It is written [1].", said(model, case))
}

/// What the engine itself says.
fn engine_says(query: &str) -> String {
    format!("Much is known of {query} [1].")
}

fn shared(case: usize) -> String {
    format!("https://found.example/case-{case:04}")
}

/// A page that every search of the case finds, and one of its own.
pub fn found(query: &str, seed: u64, course: &Course) -> Says {
    let (of, name) = (case(query), name(query));
    let pages = vec![
        Page::new(&shared(of), "Of all", &format!("What all know of case-{of:04}.")),
        Page::new(&format!("{}/{name}", shared(of)), &name, &format!("What is written of {query}.")),
    ];
    let whole: Duration = course.pace(seed, of, &name);
    Says::Slowly(whole, Box::new(Says::Finds(Some(engine_says(query)), pages)))
}

/// The sources that a document tells, wherever they stand in it.
fn sources<'v>(value: &'v Value, into: &mut Vec<&'v Value>) {
    match value {
        Value::Object(fields) if ["n", "url", "query"].iter().all(|field| fields.contains_key(*field)) => {
            into.push(value);
        }
        Value::Object(fields) => fields.values().for_each(|value| sources(value, into)),
        Value::Array(values) => values.iter().for_each(|value| sources(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn numbers(sources: &Value) -> Value {
    sources.as_array().expect("sources").iter().map(|source| source["n"].clone()).collect()
}

/// The events of one type and model, in their order.
fn of<'t>(transcript: &'t Transcript, kind: &str, model: &str) -> Vec<&'t Value> {
    let events = transcript.events.iter().filter(|event| event.kind() == kind);
    events.map(|event| &event.json).filter(|event| event["model"] == model).collect()
}

/// Every source has one number, in the stored answer that of the events.
pub fn check(transcript: &Transcript, stored: &Value, of_case: usize, run: &str) {
    let mut told: BTreeMap<u64, &Value> = BTreeMap::new();
    for event in &transcript.events {
        let mut of_event = Vec::new();
        sources(&event.json, &mut of_event);
        for source in of_event {
            let known = *told.entry(source["n"].as_u64().unwrap()).or_insert(source);
            assert_eq!(known, source, "{run}: a number is one source's");
        }
    }
    let one_each: BTreeSet<&str> = told.values().map(|source| source["url"].as_str().unwrap()).collect();
    assert_eq!(one_each.len(), told.len(), "{run}: a source has one number: {told:#?}");
    assert!(told.keys().copied().eq(1..=SEARCHES as u64 + 1), "{run}: {told:#?}");
    assert_eq!(told[&1]["url"], shared(of_case), "{run}");
    let mut of_stored = Vec::new();
    sources(stored, &mut of_stored);
    for source in of_stored {
        assert_eq!(told[&source["n"].as_u64().unwrap()], source, "{run}");
    }
    let listed = stored["metadata"]["sources"].as_array().unwrap();
    assert!(listed.iter().eq(told.values().copied()), "{run}: {listed:#?} of {told:#?}");

    check_research(transcript, stored, of_case, run);
    for (place, model, asked) in [(0, "m/one", &["first", "second", "third"][..]), (1, "m/two", &["first"])] {
        let made = stored["stage1"][place]["tool_calls_made"].as_array().unwrap();
        let mut results = of(transcript, "stage1_tool_result", model);
        results.sort_by_key(|result| result["call_id"].as_str());
        assert_eq!((made.len(), results.len()), (asked.len(), asked.len()), "{run}: {made:#?}");
        for ((made, result), about) in made.iter().zip(results).zip(asked) {
            assert_eq!(made["args"]["query"], query(about, of_case), "{run}");
            assert_eq!(made["result_sources"], numbers(&result["sources"]), "{run}");
            assert_eq!((&made["ms"], made.get("error")), (&result["ms"], None), "{run}");
            let own = result["sources"][1]["url"].as_str().unwrap();
            assert!(own.ends_with(about), "{run}: {own} for {about}");
        }
    }
    let steps = stored["metadata"]["react"].as_array().unwrap();
    let observed = of(transcript, "react_observation", "m/chair");
    assert_eq!((steps.len(), observed.len()), (3, 2), "{run}: {steps:#?}");
    for ((step, seen), about) in steps.iter().zip(observed).zip(["words", "call"]) {
        assert_eq!(step["query"], query(about, of_case), "{run}");
        assert_eq!(step["sources"], numbers(&seen["sources"]), "{run}");
        assert_eq!(step["observation"], seen["observation"], "{run}");
    }
    assert_eq!((&steps[0]["thought"], &steps[2]["action"]), (&json!(THOUGHT), &json!("synthesize")), "{run}");
    let answers = stored["stage1"].as_array().unwrap();
    for text in answers.iter().chain([&stored["stage3"]]) {
        assert_eq!(text["citations"]["cited"], json!([1]), "{run}: {text}");
    }
    let costs = &stored["metadata"]["costs"]["by_stage"];
    // The members' later turns are calls of the first stage.
    for (stage, calls) in [("stage0", 1), ("search", SEARCHES), ("stage1", 7), ("stage3", 3)] {
        assert_eq!(costs[stage]["calls"], calls, "{run}: {stage}: {costs}");
    }
}

fn check_research(transcript: &Transcript, stored: &Value, case: usize, run: &str) {
    let event = |kind: &str| {
        let of_kind: Vec<_> = transcript.events.iter().filter(|event| event.kind() == kind).collect();
        assert_eq!(of_kind.len(), 1, "{run}: {kind}");
        &of_kind[0].json["data"]
    };
    let says = |about: &str| engine_says(&query(about, case));
    let research = &stored["stage0"];
    let response = format!("### Facts\n\n{}\n\n### Practice\n\n{}", says("facts"), says("practice"));
    assert_eq!(research["response"], response, "{run}");
    assert_eq!(research["sub_results"], event("stage0_complete")["sub_results"], "{run}");
    let search = &stored["metadata"]["web_search"];
    let told = event("web_search_complete");
    assert_eq!(search["query"], format!("What about case-{case:04}?"), "{run}");
    assert_eq!((&search["answer"], &search["error"]), (&told["answer"], &Value::Null), "{run}");
}

/// Its calls in their order, where these are all of them.
pub fn in_order(calls: &[String]) -> Vec<String> {
    let made: BTreeSet<&str> = calls.iter().map(String::as_str).collect();
    assert_eq!(made, CALLS.into(), "{:?}", Kind::Searching);
    CALLS.map(str::to_owned).to_vec()
}
