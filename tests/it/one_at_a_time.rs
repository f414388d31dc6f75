//! Members who answer and speak one after another, to be read along.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use llm_council::council::plan::Context;
use llm_council::council::{self, Plan, Run};
use llm_council::id::RunId;
use llm_council::llm::{CallError, ChatRequest, DeltaSink, Models, Reply};
use llm_council::runs::memory::{MemoryHost, MemoryStore};
use serde_json::{Value, json};

use crate::replay::harness::{search, settings};
use crate::replay::scripts;
use crate::support::app::{TestApp, User};
use crate::support::events::{Event, Events, find, kinds};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Outcome, Script};
use crate::support::models::Scripted;

const MEMBERS: [&str; 4] = ["m/one", "m/two", "m/three", "m/four"];

/// Every member's answer begins, and goes on when its gate is opened. Says whether one was asked before the one
/// before it was let go on.
struct Held {
    gates: [Gate; 4],
    opened: Arc<AtomicUsize>,
    too_early: Arc<AtomicUsize>,
}

impl Held {
    fn new(models: &ModelServer) -> Self {
        let held =
            Self { gates: [(); 4].map(|()| Gate::new()), opened: Arc::default(), too_early: Arc::default() };
        let (gates, opened, too_early) = (held.gates.clone(), held.opened.clone(), held.too_early.clone());
        models.rule(move |request| {
            let seat = MEMBERS.iter().position(|member| *member == request.model)?;
            (request.asked_for() == AskedFor::Answer).then(|| {
                if opened.load(Ordering::SeqCst) < seat {
                    too_early.fetch_add(1, Ordering::SeqCst);
                }
                Script::answer("").text("I think ").hold(&gates[seat]).text("so.\n\nCONFIDENCE: 8")
            })
        });
        held
    }

    fn open(&self, seat: usize) {
        self.opened.store(seat + 1, Ordering::SeqCst);
        self.gates[seat].open();
    }
}

/// Reads until this member writes.
async fn until_writes(stream: &mut Events, member: &str) -> Vec<Event> {
    let mut seen = Vec::new();
    loop {
        let event = stream.next().await.expect("an event");
        let writes = event.kind() == "stage1_token" && event.json["member"] == member;
        seen.push(event);
        if writes {
            return seen;
        }
    }
}

/// Who was asked for an answer, in order.
fn answering(models: &ModelServer) -> Vec<String> {
    let records = models.records().into_iter().map(|record| record.request);
    records.filter(|request| request.asked_for() == AskedFor::Answer).map(|request| request.model).collect()
}

/// A value's shape: names and kinds, without what they say.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::String(_) => json!("text"),
        Value::Number(_) => json!("number"),
        Value::Bool(_) | Value::Null => value.clone(),
    }
}

async fn stored(user: &User<'_>, conversation: &str) -> Value {
    user.get(&format!("/api/conversations/{conversation}")).await.ok()["messages"][1].clone()
}

#[tokio::test]
async fn members_answer_in_the_order_of_their_seats_and_the_message_is_as_ever() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let at_once = ann.conversation().await;
    let as_ever = ann.ask(&at_once, json!({"content": "Why?"})).await.rest().await;

    let held = Held::new(&app.models);
    let before = app.models.records().len();
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "one_at_a_time": true})).await;
    let mut events = Vec::new();
    for (seat, member) in MEMBERS.iter().enumerate() {
        events.extend(until_writes(&mut stream, member).await);
        let others = events.iter().filter(|event| event.kind() == "stage1_model_complete");
        assert_eq!(others.count(), seat, "all before {member} are done");
        held.open(seat);
    }
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(held.too_early.load(Ordering::SeqCst), 0);
    let asked: Vec<String> = answering(&app.models).split_off(MEMBERS.len());
    assert_eq!(asked, MEMBERS, "of {} calls after {before}", app.models.records().len());

    let distinct = |events: &[Event]| kinds(events).into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(distinct(&events), distinct(&as_ever));
    let (one, other) = (stored(&ann, &id).await, stored(&ann, &at_once).await);
    for part in ["stage1", "stage2", "stage3"] {
        assert_eq!(shape(&one[part])[0], shape(&other[part])[0], "{part}");
    }
    let names = |message: &Value| message.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    assert_eq!(names(&one["metadata"]), names(&other["metadata"]));
    app.close().await;
}

#[tokio::test]
async fn reviews_are_asked_for_at_once() {
    let app = TestApp::start().await;
    let ballots = Gate::new();
    let held = ballots.clone();
    app.models.rule(move |request| {
        (request.asked_for() == AskedFor::Review)
            .then(|| Script::answer("").hold(&held).text("FINAL RANKING:\n1. Response A"))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "one_at_a_time": true})).await;
    app.models
        .until(|records| {
            let open = |outcome| outcome == Outcome::Open;
            let reviews = records.iter().filter(|record| record.request.asked_for() == AskedFor::Review);
            reviews.filter(|record| open(record.outcome)).count() == MEMBERS.len()
        })
        .await;
    ballots.open();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_member_that_hangs_is_given_up_after_its_own_time_and_the_next_goes_on() {
    let app = TestApp::with("\n[council.timeouts.answer]\ntotal_ms = 1000\n").await;
    app.models.rule(|request| {
        let hangs =
            matches!(request.model.as_str(), "m/one" | "m/two") && request.asked_for() == AskedFor::Answer;
        hangs.then(|| Script::answer("Half a thought ").in_chunks(3).stall())
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "one_at_a_time": true})).await;
    let events = stream.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let answers = &find(&events, "stage1_complete")["data"];
    // When the last two are asked, both times of those before have passed.
    for (seat, kind) in [json!("timeout"), json!("timeout"), Value::Null, Value::Null].into_iter().enumerate()
    {
        assert_eq!(answers[seat]["error_kind"], kind, "{answers}");
    }
    assert_eq!(answering(&app.models), MEMBERS);
    app.close().await;
}

#[tokio::test]
async fn whoever_waits_or_writes_can_be_gone_on_without() {
    let app = TestApp::start().await;
    let held = Held::new(&app.models);
    let ann = app.user("ann");
    ann.put("/api/config", json!({"default_options": {"one_at_a_time": true}})).await.ok();
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    until_writes(&mut stream, "m/one").await;
    for member in ["m/two", "m/one"] {
        ann.post(&format!("/api/runs/{run}/skip"), json!({"member": member})).await.ok();
        assert_eq!(stream.until("member_skipped").await.json["member"], member);
    }
    held.open(1);
    until_writes(&mut stream, "m/three").await;
    held.open(2);
    until_writes(&mut stream, "m/four").await;
    held.open(3);
    let events = stream.rest().await;
    let answers = &find(&events, "stage1_complete")["data"];
    assert_eq!(
        [&answers[0]["response"], &answers[1]["response"]],
        ["I think", ""].map(|text| json!(text)).each_ref()
    );
    assert_eq!(answering(&app.models), ["m/one", "m/three", "m/four"], "who waited was never asked");
    app.close().await;
}

#[tokio::test]
async fn a_quorum_leaves_nobody_behind_who_has_not_been_asked() {
    let app = TestApp::start().await;
    let held = Held::new(&app.models);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "one_at_a_time": true, "quorum": 2});
    let mut stream = ann.ask(&id, body).await;
    held.open(0);
    held.open(1);
    let mut events = until_writes(&mut stream, "m/three").await;
    held.open(2);
    events.extend(stream.rest().await);
    assert_eq!(answering(&app.models), MEMBERS);
    let complete = find(&events, "stage1_complete");
    let pending: Vec<bool> = (0..4).map(|seat| complete["data"][seat]["pending"] == true).collect();
    assert_eq!(pending, [false, false, false, true], "only the last one can be slow");
    let error = find(&events, "stage1_error");
    assert_eq!(error["error"], "stopped: the council went on without it after 3 answers");
    app.close().await;
}

#[tokio::test]
async fn what_is_neither_true_nor_false_is_refused() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let answer = ann
        .post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?", "one_at_a_time": 1}))
        .await;
    assert_eq!(answer.wrong_fields(), ["one_at_a_time"]);
    app.close().await;
}

/// What members are asked for, to be read along.
const SPEAKING: [&str; 5] = ["answer", "debate_opening", "debate_critique", "debate_reply", "sub_answer"];

/// Counts the members' calls under way.
struct Watched {
    models: Scripted,
    now: AtomicUsize,
    most: AtomicUsize,
    /// Purpose, model and longest time of each call, in order.
    asked: Mutex<Vec<(&'static str, String, u64)>>,
}

#[async_trait]
impl Models for Watched {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        let (purpose, model) = (request.purpose.name, request.model.clone());
        self.asked.lock().unwrap().push((purpose, model, request.timeouts.total_ms));
        let speaks = SPEAKING.contains(&purpose);
        if speaks {
            self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        }
        let result = self.models.chat(request, sink).await;
        if speaks {
            self.now.fetch_sub(1, Ordering::SeqCst);
        }
        result
    }

    fn is_simulated(&self, _: &str) -> bool {
        false
    }
}

/// The most members' calls at once, and all calls in their order.
async fn watch(mut body: Value, script: scripts::Script) -> (usize, Vec<(&'static str, String, u64)>) {
    body["content"] = json!("Why?");
    let context = Context { settings: settings(), search: Some(search()), ..Context::default() };
    let plan = Plan::parse(&body, context).unwrap();
    let host = Arc::new(MemoryHost::new(Arc::new(Mutex::new(MemoryStore::default())), 1, None));
    let models = Arc::new(Watched {
        models: Scripted::new(script),
        now: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
        asked: Mutex::default(),
    });
    let run = Run::new(RunId::generate(), host, models.clone());
    council::deliberate(&run, &plan).await.unwrap();
    let asked = models.asked.lock().unwrap().clone();
    (models.most.load(Ordering::SeqCst), asked)
}

#[tokio::test]
async fn in_every_format_members_speak_one_after_another_and_each_for_two_minutes_at_most() {
    let bodies = [
        json!({}),
        json!({"use_tools": true}),
        json!({"use_escalation": true}),
        json!({"use_dynamic_routing": true}),
        json!({"reviewer_models": ["j/one", "a/one", "j/two"]}),
        json!({"mode": "debate"}),
        json!({"mode": "debate", "debate_style": "all_to_all"}),
        json!({"mode": "arena", "arena_rounds": 3}),
        json!({"mode": "decomposition"}),
        json!({"mode": "decomposition", "pick": "confidence"}),
    ];
    for mut body in bodies {
        let script =
            if body["use_tools"] == true { scripts::a_member_searches } else { scripts::answers_are_unsure };
        let (most, at_once) = watch(body.clone(), script).await;
        assert!(most > 1, "{body}");
        assert!(at_once.iter().all(|(.., total_ms)| *total_ms != 120_000));
        body["one_at_a_time"] = json!(true);
        let (most, asked) = watch(body.clone(), script).await;
        assert_eq!(most, 1, "{body}: {asked:?}");
        assert_eq!(asked.len(), at_once.len(), "as many calls as ever, {body}");
        for (purpose, model, total_ms) in &asked {
            let limit = if SPEAKING.contains(purpose) { 120_000 } else { *total_ms };
            assert_eq!(*total_ms, limit, "{purpose} {model}");
        }
        // Seat by seat: whoever comes before who spoke last begins another round.
        let routed = ["c/three", "b/two"];
        let council = ["a/one", "b/two", "c/three", "d/four", "e/five"];
        let seats = if body["use_dynamic_routing"] == true { &routed[..] } else { &council[..] };
        let seat = |model: &str| seats.iter().position(|seat| *seat == model);
        let speaking: Vec<(&str, usize)> = asked
            .iter()
            .filter(|(purpose, ..)| SPEAKING.contains(purpose))
            .filter_map(|(purpose, model, _)| Some((*purpose, seat(model)?)))
            .collect();
        for pair in speaking.windows(2) {
            let [(_, before), (_, then)] = pair else { unreachable!() };
            assert!(then >= before || *then == 0, "{body}: {speaking:?}");
        }
    }
}

#[tokio::test]
async fn a_second_try_and_searches_belong_to_the_turn() {
    let body = json!({"one_at_a_time": true, "system_prompt": "Be kind."});
    let (most, asked) = watch(body, scripts::system_prompts_are_rejected).await;
    let answering: Vec<&str> = asked
        .iter()
        .filter(|(purpose, ..)| *purpose == "answer")
        .map(|(_, model, _)| model.as_str())
        .collect();
    assert_eq!(most, 1);
    assert_eq!(answering.len(), 4, "one of three was asked twice: {answering:?}");
    assert!(answering.is_sorted(), "{answering:?}");
}
