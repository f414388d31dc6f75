use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::LiveRun;
use super::piece::{CallStatus, RunStatus};

/// What the web app makes of every stream is written beside it (`static/src/features/streams.test.ts`).
fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/streams")).to_owned()
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

static STREAMS: LazyLock<Vec<(String, Vec<Value>)>> = LazyLock::new(streams);

fn streams() -> Vec<(String, Vec<Value>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            entry.unwrap().file_name().into_string().unwrap().strip_suffix(".jsonl").map(Into::into)
        })
        .filter(|name: &String| !name.contains('.'))
        .collect();
    names.sort();
    assert!(names.len() > 30, "recorded streams: {}", names.len());
    names.into_iter().map(|name| (name.clone(), lines(&folder().join(format!("{name}.jsonl"))))).collect()
}

type Flat = BTreeMap<String, Value>;

/// A value by paths such as `answers/0/piece/text`; empty lists and objects stand as `[]` and `{}`.
fn flat(value: &Value, path: &str, into: &mut Flat) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(name, held)| flat(held, &below(name), into));
        }
        Value::Array(list) if !list.is_empty() => {
            list.iter().enumerate().for_each(|(at, held)| flat(held, &below(&at.to_string()), into));
        }
        Value::Object(_) => _ = into.insert(path.to_owned(), json!("{}")),
        Value::Array(_) => _ = into.insert(path.to_owned(), json!("[]")),
        // 1 and 1.0 are one number.
        Value::Number(number) => _ = into.insert(path.to_owned(), json!(number.as_f64())),
        Value::Null | Value::Bool(_) | Value::String(_) => _ = into.insert(path.to_owned(), value.clone()),
    }
}

fn flat_of(run: &LiveRun) -> Flat {
    let mut into = Flat::new();
    flat(&serde_json::to_value(run).unwrap(), "", &mut into);
    into
}

fn change(state: &mut Flat, change: &Value) {
    let none = Map::new();
    let of = |name: &str| change.get(name).and_then(Value::as_object).unwrap_or(&none);
    for (path, value) in of("set") {
        let value = value.as_f64().map_or_else(|| value.clone(), |number| json!(number));
        state.insert(path.clone(), value);
    }
    for (path, added) in of("add") {
        let text = format!("{}{}", state[path].as_str().unwrap(), added.as_str().unwrap());
        state.insert(path.clone(), json!(text));
    }
    for path in change.get("gone").and_then(Value::as_array).into_iter().flatten() {
        state.remove(path.as_str().unwrap());
    }
}

/// The first path at which two states differ, with both values.
fn difference(here: &Flat, there: &Flat) -> Option<String> {
    let paths: std::collections::BTreeSet<&String> = here.keys().chain(there.keys()).collect();
    let path = paths.into_iter().find(|path| here.get(*path) != there.get(*path))?;
    Some(format!("{path}: here {:?}, in the web app {:?}", here.get(path), there.get(path)))
}

#[test]
fn every_stream_comes_to_the_states_that_the_web_app_comes_to_event_by_event() {
    let mut differences = Vec::new();
    for (name, events) in STREAMS.iter() {
        let mut expected = lines(&folder().join(format!("{name}.states.jsonl"))).into_iter();
        let empty = flat_of(&LiveRun::default());
        let mut run = LiveRun::default();
        let mut state = empty.clone();
        for (at, event) in events.iter().enumerate() {
            run.apply(event);
            change(&mut state, &expected.next().unwrap_or_else(|| panic!("{name}: too few states")));
            if let Some(what) = difference(&flat_of(&run), &state) {
                differences.push(format!("{name}, event {} ({}): {what}", at + 1, event["type"]));
                break;
            }
        }
        let stored = folder().join(format!("{name}.message.json"));
        if stored.exists() {
            let last = lines(&folder().join(format!("{name}.states.jsonl"))).pop().unwrap();
            let mut message = lines(&stored).remove(0);
            // A message does not say which conversation it belongs to.
            message["conversation_id"] = json!("c1");
            let mut state = empty;
            change(&mut state, &last);
            if let Some(what) = difference(&flat_of(&LiveRun::of_message(&message)), &state) {
                differences.push(format!("{name}, stored: {what}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn a_stream_that_is_followed_again_comes_to_the_same_state() {
    for (name, events) in STREAMS.iter() {
        let mut run = LiveRun::default();
        events.iter().for_each(|event| run.apply(event));
        let once = run.clone();
        // A stream without a beginning of its own goes on from what is there.
        if events[0]["type"] == "run_started" {
            events.iter().for_each(|event| run.apply(event));
            assert_eq!(run, once, "{name}");
        }
    }
}

#[test]
fn what_a_run_ended_with_is_closed() {
    for (name, events) in STREAMS.iter() {
        let mut run = LiveRun::default();
        events.iter().for_each(|event| run.apply(event));
        if !run.status.is_live() {
            assert!(run.answers.iter().all(|answer| !answer.piece.status.is_open()), "{name}");
            assert_eq!(run.phase, "ended", "{name}");
        }
    }
}

#[test]
fn what_is_no_event_changes_nothing() {
    let mut run = LiveRun::default();
    for value in
        [json!(null), json!([]), json!("complete"), json!({}), json!({ "type": 7 }), json!({ "type": "new" })]
    {
        run.apply(&value);
    }
    assert_eq!(run, LiveRun::default());
}

#[test]
fn a_result_without_its_text_or_a_name_is_read_as_far_as_it_goes() {
    let mut run = LiveRun::default();
    run.apply(&json!({ "type": "stage1_start", "members": [{ "model": "a" }, 7, { "alias": "B" }] }));
    run.apply(&json!({ "type": "stage1_model_complete", "model": "a", "data": { "cost": "much" } }));
    let seats: Vec<(&str, CallStatus)> =
        run.answers.iter().map(|answer| (answer.piece.seat.member.as_str(), answer.piece.status)).collect();
    assert_eq!(seats, [("a", CallStatus::Done), ("B", CallStatus::Waiting)]);
    assert_eq!(run.status, RunStatus::Running);
}

/// Every text by models that the page shows.
fn written(run: &LiveRun) -> usize {
    let answers = run.answers.iter().map(|answer| answer.piece.text.len() + answer.piece.reasoning.len());
    let rounds =
        run.options.debate.iter().flat_map(|debate| &debate.rounds).flat_map(|round| &round.statements);
    let said = rounds.map(|entry| entry.piece.text.len() + entry.piece.reasoning.len());
    answers.sum::<usize>() + said.sum::<usize>() + run.final_answer.piece.text.len()
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9 ]{0,8}".prop_map(Value::from),
    ];
    let names = prop_oneof![
        Just("data".to_owned()),
        Just("content".to_owned()),
        Just("members".to_owned()),
        Just("member".to_owned()),
        Just("metadata".to_owned()),
        Just("result".to_owned()),
        Just("index".to_owned()),
        Just("round_number".to_owned()),
        Just("stage".to_owned()),
        "[a-z_]{1,6}",
    ];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// The types of events that streams have.
fn kinds(streams: &[(String, Vec<Value>)]) -> Vec<String> {
    let mut kinds: Vec<String> = streams
        .iter()
        .flat_map(|(_, events)| events)
        .filter_map(|event| event["type"].as_str().map(str::to_owned))
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_json_in_the_middle_of_a_stream_is_survived(
        junk in prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..12),
        which in any::<prop::sample::Index>(),
        until in any::<prop::sample::Index>(),
    ) {
        let kinds = kinds(&STREAMS);
        let (_, events) = which.get(&STREAMS);
        let mut run = LiveRun::default();
        events.iter().take(until.index(events.len())).for_each(|event| run.apply(event));
        for (kind, value) in junk {
            run.apply(&value);
            let mut event = value;
            if let Some(fields) = event.as_object_mut() {
                fields.insert("type".to_owned(), json!(kind.get(&kinds)));
                run.apply(&event);
            }
        }
        serde_json::to_value(&run).unwrap();
    }

    #[test]
    fn any_json_in_a_stored_message_is_survived(
        stages in prop::collection::vec((0..8usize, any_json()), 0..8),
        mode in prop::option::of("[a-z]{1,8}"),
    ) {
        let names =
            ["stage0", "stage1", "stage2", "stage3", "metadata", "rounds", "decomposition", "round_types"];
        let mut message = json!({ "mode": mode, "status": "running" });
        for (at, value) in stages {
            message[names[at]] = value;
        }
        serde_json::to_value(LiveRun::of_message(&message)).unwrap();
    }

    #[test]
    fn an_event_that_tells_nothing_makes_no_text_vanish(
        kind in any::<prop::sample::Index>(),
        value in prop_oneof![Just(Value::Null), Just(json!(7)), Just(json!("text")), Just(json!([]))],
        which in any::<prop::sample::Index>(),
        until in any::<prop::sample::Index>(),
    ) {
        let kinds = kinds(&STREAMS);
        let kind = kind.get(&kinds);
        // These reset something, whatever else they contain.
        let begins = ["run_started", "call_restarted"].contains(&kind.as_str()) || kind.ends_with("_start");
        let (_, events) = which.get(&STREAMS);
        let mut run = LiveRun::default();
        events.iter().take(until.index(events.len())).for_each(|event| run.apply(event));
        let before = written(&run);
        // A revision with a text does change something: it takes the place of the answer, however short it is.
        let response = if value.is_string() { &Value::Null } else { &value };
        let revises = kind == "revision_complete" && value.is_string();
        run.apply(&json!({ "type": kind, "data": value, "content": value, "metadata": value, "response": response }));
        if !begins && !revises {
            prop_assert!(written(&run) >= before, "{kind}");
        }
    }

    #[test]
    fn every_beginning_of_a_stream_folds_and_tokens_only_add(until in any::<prop::sample::Index>()) {
        for (name, events) in STREAMS.iter() {
            let mut run = LiveRun::default();
            for event in events.iter().take(until.index(events.len() + 1)) {
                let before = written(&run);
                run.apply(event);
                let is_token = event["type"].as_str().is_some_and(|kind| kind.ends_with("token"));
                prop_assert!(!is_token || written(&run) >= before, "{name}: {event}");
            }
        }
    }
}
