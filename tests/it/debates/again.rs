//! Asking again for a debate: what stays, and what is expected of the rest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use llm_council::council::formats;
use llm_council::council::plan::Context;
use llm_council::council::rerun::{Part, RerunScope};
use llm_council::council::{Deliberation, Plan};

use super::*;
use crate::replay::harness;

/// The stage in which this is asked.
fn stage(asked: Asked) -> String {
    match asked {
        Asked::Round(round) => format!("round{round}"),
        Asked::Ballot | Asked::Repair => "stage2".to_owned(),
        Asked::Judgment => "stage3".to_owned(),
        Asked::Title => "title".to_owned(),
    }
}

/// How many calls each stage is expected to take when this answer is asked for again.
fn expected(body: &Value, stored: &Value, scope: &RerunScope) -> BTreeMap<String, u32> {
    let context = Context { settings: harness::settings(), first: false, ..Context::default() };
    let plan = Plan::parse(body, context).unwrap();
    let earlier: Deliberation = serde_json::from_value(stored.clone()).unwrap();
    let estimate = formats::estimate(&plan, &scope.kept(&earlier), |_, _| None);
    estimate.by_stage.into_iter().map(|(stage, calls)| (stage.as_str().to_owned(), calls.calls)).collect()
}

/// An app whose speakers say something else each time the first number goes up, and in which m/two says nothing in the
/// second round while that is so.
async fn speaking_anew() -> (TestApp, Arc<AtomicUsize>, Arc<AtomicBool>) {
    let (take, silent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (said, mute) = (take.clone(), silent.clone());
    let app = debating_but(move |request, asked| {
        let Asked::Round(round) = asked else { return None };
        if round == 2 && request.model == "m/two" && mute.load(Ordering::SeqCst) {
            return Some(refusal());
        }
        let text = format!("Take {}.\n\n{}", said.load(Ordering::SeqCst), speech(request, round));
        Some(Script::answer(&text).usage(usage()))
    })
    .await;
    (app, take, silent)
}

/// Asks again and reads to the end; how many calls of each stage were made.
async fn made_again(app: &TestApp, id: &str, run: &str, body: Value) -> (Debated, BTreeMap<String, u32>) {
    let ann = app.user("ann");
    let before = app.models.records().len();
    let again = ann.post(&format!("/api/runs/{run}/retry"), body).await.ok();
    let events = ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    let debated = Debated::over(&ann, id, events).await;
    assert_eq!(debated.end()["type"], "complete");
    let mut made: BTreeMap<String, u32> = BTreeMap::new();
    for record in app.models.records().split_off(before) {
        *made.entry(stage(asked(&record.request))).or_default() += 1;
    }
    (debated, made)
}

fn run_of(debated: &Debated) -> &str {
    debated.events[0].json["run_id"].as_str().unwrap()
}

#[tokio::test]
async fn what_stays_of_a_debate_is_not_expected_to_be_asked_again() {
    let (app, take, _) = speaking_anew().await;
    let rounds = |which: &[(&str, u32)]| -> BTreeMap<String, u32> {
        which.iter().map(|(stage, calls)| ((*stage).to_owned(), *calls)).collect()
    };
    let speaker = |round| RerunScope::Speaker { member: "m/two".to_owned(), round };
    let member = |round| json!({"member": "m/two", "round": round});
    let places: [(Value, RerunScope, BTreeMap<String, u32>); 6] = [
        (
            member(1),
            speaker(1),
            rounds(&[("round1", 1), ("round2", 3), ("round3", 3), ("stage2", 3), ("stage3", 1)]),
        ),
        (member(2), speaker(2), rounds(&[("round2", 1), ("round3", 3), ("stage3", 1)])),
        (member(3), speaker(3), rounds(&[("round3", 1), ("stage3", 1)])),
        (json!({"from": "stage3"}), RerunScope::From(Part::Stage3), rounds(&[("stage3", 1)])),
        (json!({"from": "stage2"}), RerunScope::From(Part::Stage2), rounds(&[("stage2", 3), ("stage3", 1)])),
        (
            json!({"from": "stage1"}),
            RerunScope::From(Part::Stage1),
            rounds(&[("round1", 3), ("round2", 3), ("round3", 3), ("stage2", 3), ("stage3", 1)]),
        ),
    ];
    for format in every() {
        for (nth, (body, scope, calls)) in places.iter().enumerate() {
            take.store(0, Ordering::SeqCst);
            let request = format.request(3, &json!({}));
            let debated = Debated::of(&app, request.clone()).await;
            let what = format!("{format:?}, {body}");
            assert_eq!(expected(&request, &debated.stored, scope), *calls, "{what}");
            take.store(nth + 1, Ordering::SeqCst);
            let (_, made) = made_again(&app, &debated.conversation, run_of(&debated), body.clone()).await;
            // Who did not read what is new has nothing else to say.
            let most = |(stage, made): (&String, &u32)| made <= calls.get(stage).unwrap_or(&0);
            assert!(made.iter().all(most), "{what}: {made:?}");
            let first = calls.iter().next().unwrap();
            assert_eq!(made.get(first.0), Some(first.1), "{what}: {made:?}");
            assert_eq!(made["stage3"], 1, "{what}");
        }
    }
    app.close().await;
}

#[tokio::test]
async fn whoever_failed_in_a_debate_changes_what_follows_and_nothing_before() {
    let (app, take, silent) = speaking_anew().await;
    for format in every() {
        take.store(0, Ordering::SeqCst);
        silent.store(true, Ordering::SeqCst);
        let request = format.request(3, &json!({}));
        let debated = Debated::of(&app, request.clone()).await;
        silent.store(false, Ordering::SeqCst);
        let calls = expected(&request, &debated.stored, &RerunScope::Failed);
        let of = |stage: &str, calls: u32| (stage.to_owned(), calls);
        assert_eq!(calls, BTreeMap::from([of("round2", 1), of("round3", 3), of("stage3", 1)]), "{format:?}");
        take.store(1, Ordering::SeqCst);
        let (after, made) = made_again(&app, &debated.conversation, run_of(&debated), json!({})).await;
        assert_eq!((made.get("round1"), made.get("stage2")), (None, None), "{format:?}: {made:?}");
        assert_eq!((made["round2"], made["stage3"]), (1, 1), "{format:?}: {made:?}");
        assert!(made["round3"] <= 3, "{format:?}: {made:?}");
        assert_eq!(after.round(3).len(), 3, "it is back");
    }
    app.close().await;
}

#[tokio::test]
async fn whoever_said_nothing_but_its_position_is_asked_again_with_what_failed() {
    let silent = Arc::new(AtomicBool::new(true));
    let mute = silent.clone();
    let app = debating_but(move |request, asked| {
        let is_mute = asked == Asked::Round(3) && request.model == "m/two" && mute.load(Ordering::SeqCst);
        is_mute.then(|| Script::answer("POSITION: UNCHANGED").usage(usage()))
    })
    .await;
    for format in every() {
        silent.store(true, Ordering::SeqCst);
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        assert_eq!(debated.round(3)[1]["error_kind"], "bad_response", "{format:?}");
        silent.store(false, Ordering::SeqCst);
        let (after, made) = made_again(&app, &debated.conversation, run_of(&debated), json!({})).await;
        assert_eq!((made.len(), made["round3"], made["stage3"]), (2, 1, 1), "{format:?}: {made:?}");
        assert!(after.round(3)[1]["error_kind"].is_null(), "{format:?}");
    }
    app.close().await;
}
