//! Asking a member again in the run in which it has failed, while the others still answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp, User};
use crate::support::db::TestDb;
use crate::support::events::{Event, Events, find, kinds};
use crate::support::model_server::{AskedFor, Gate, ModelServer, RecordedRequest, Script, plausible};
use crate::support::process::{Process, Program};

/// `m/one` fails with this status as long as it is unwell; the answer of `m/two` ends when the gate is opened.
fn moody(models: &ModelServer, status: u16) -> (Arc<AtomicBool>, Gate) {
    let (unwell, gate) = (Arc::new(AtomicBool::new(true)), Gate::new());
    let (is_unwell, held) = (unwell.clone(), gate.clone());
    models.rule(move |request| {
        let is_answer = request.asked_for() == AskedFor::Answer;
        Some(match request.model.as_str() {
            "m/one" if is_answer && is_unwell.load(Ordering::SeqCst) => Script::status(status, "not today"),
            "m/two" if is_answer => plausible(request).hold(&held),
            _ => plausible(request),
        })
    });
    (unwell, gate)
}

fn gets_well(unwell: &AtomicBool) {
    unwell.store(false, Ordering::SeqCst);
}

/// Reads on to the next event of this type that is about this member.
async fn until(stream: &mut Events, seen: &mut Vec<Event>, kind: &str, member: &str) {
    loop {
        let event = stream.next().await.expect("an event");
        let is_wanted = event.kind() == kind && event.json["member"] == member;
        seen.push(event);
        if is_wanted {
            return;
        }
    }
}

/// Asks, and reads until `m/one` has failed.
async fn ask_and_fail(user: &User<'_>, body: Value) -> (String, Vec<Event>, Events) {
    let id = user.conversation().await;
    let mut stream = user.ask(&id, body).await;
    let mut seen = Vec::new();
    until(&mut stream, &mut seen, "stage1_error", "m/one").await;
    (seen[0].json["run_id"].as_str().expect("a run").to_owned(), seen, stream)
}

async fn retry(user: &User<'_>, run: &str, member: &str) -> Answer {
    user.post(&format!("/api/runs/{run}/retry-member"), json!({"member": member})).await
}

/// The reason of a refusal.
#[track_caller]
fn refused(answer: &Answer) -> String {
    assert_eq!(answer.status, 409, "{}", answer.text);
    let problem = answer.json();
    assert_eq!(problem["type"], "urn:llm-council:problem:not-retried");
    problem["detail"].as_str().expect("a reason").to_owned()
}

/// The requests for answers of this model.
fn answers_of(models: &ModelServer, model: &str) -> Vec<RecordedRequest> {
    let requests = models.records().into_iter().map(|record| record.request);
    requests.filter(|request| request.model == model && request.asked_for() == AskedFor::Answer).collect()
}

fn count(events: &[Event], kind: &str) -> usize {
    events.iter().filter(|event| event.kind() == kind).count()
}

#[tokio::test]
async fn a_member_that_failed_answers_when_it_is_asked_again_and_is_reviewed_with_the_others() {
    let app = TestApp::start().await;
    let (unwell, gate) = moody(&app.models, 500);
    let ann = app.user("ann");
    let (run, mut events, mut stream) = ask_and_fail(&ann, json!({"content": "Why?", "verbosity": 2})).await;
    let before = answers_of(&app.models, "m/one").len();

    gets_well(&unwell);
    let begun = retry(&ann, &run, "m/one").await.ok();
    assert_eq!(
        begun,
        json!({"status": "ok", "member": "m/one", "model": "m/one", "stage": "stage1", "retry": 1})
    );
    until(&mut stream, &mut events, "stage1_model_complete", "m/one").await;
    assert_eq!(answers_of(&app.models, "m/one").len(), before + 1);
    assert_eq!(refused(&retry(&ann, &run, "m/one").await), "this member has answered");
    gate.open();
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");

    let told = find(&events, "member_retried");
    assert_eq!(
        (&told["member"], &told["stage"], &told["retry"]),
        (&json!("m/one"), &json!("stage1"), &json!(1))
    );
    assert!(told["started_at"].is_string());
    let place = |kind: &str| kinds(&events).iter().position(|it| *it == kind).unwrap();
    assert!(
        place("stage1_error") < place("member_retried") && place("member_retried") < place("stage1_complete")
    );
    assert!(events.iter().any(|event| event.json["message_fact"]["code"] == "asked_once_more"));
    let answer = &find(&events, "stage1_complete")["data"][0];
    assert_eq!(
        (&answer["response"], &answer["retries"], &answer["error"]),
        (&json!("A scripted answer of m/one."), &json!(1), &Value::Null)
    );
    assert_eq!(find(&events, "stage2_complete")["data"].as_array().unwrap().len(), 4, "it reviews, too");

    let stored = ann.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["stage1"][0], *answer);
    assert_eq!(stored["metadata"]["label_to_member"].as_object().unwrap().len(), 4);
    assert_eq!(stored["metadata"]["costs"]["by_stage"]["stage1"]["calls"], 5, "both calls are counted");
    let over = refused(&retry(&ann, &run, "m/one").await);
    assert!(over.contains("this run is over"), "{over}");

    // It did not fail for good: asked again for what failed, the run would change nothing.
    let nothing = ann.post(&format!("/api/runs/{run}/retry"), json!({})).await;
    assert_eq!(nothing.status, 409, "{}", nothing.text);
    assert!(nothing.text.contains("nothing of this run failed"), "{}", nothing.text);

    // What it answered is its answer also when the question is asked again from a later part on.
    let answers = answers_of(&app.models, "m/one").len();
    let again = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": "stage2"})).await.ok();
    let events = ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(find(&events, "stage1_complete")["data"][0]["response"], "A scripted answer of m/one.");
    assert_eq!(answers_of(&app.models, "m/one").len(), answers, "it is not paid for again");
    app.close().await;
}

/// In the first run it answered when it was asked again, in the second one at once.
#[tokio::test]
async fn of_two_answers_of_a_member_later_runs_keep_the_later_one() {
    let app = TestApp::start().await;
    let (gate, tries) = (Gate::new(), AtomicUsize::new(0));
    let held = gate.clone();
    app.models.rule(move |request| {
        let is_answer = request.asked_for() == AskedFor::Answer;
        Some(match request.model.as_str() {
            "m/one" if is_answer => match tries.fetch_add(1, Ordering::SeqCst) {
                0 => Script::status(400, "not today"),
                answer => Script::answer(&format!("Answer {answer}.")),
            },
            "m/two" if is_answer => plausible(request).hold(&held),
            _ => plausible(request),
        })
    });
    let ann = app.user("ann");
    let (mut run, _, mut stream) = ask_and_fail(&ann, json!({"content": "Why?"})).await;
    retry(&ann, &run, "m/one").await.ok();
    gate.open();
    assert_eq!(find(&stream.rest().await, "stage1_complete")["data"][0]["response"], "Answer 1.");
    for body in [json!({"member": "m/one"}), json!({"from": "stage2"}), json!({"from": "stage3"})] {
        let again = ann.post(&format!("/api/runs/{run}/retry"), body.clone()).await.ok();
        run = again["run_id"].as_str().expect("a run").to_owned();
        let events = ann.events(&run, 0).await.rest().await;
        assert_eq!(find(&events, "stage1_complete")["data"][0]["response"], "Answer 2.", "{body}");
    }
    app.close().await;
}

#[tokio::test]
async fn only_the_owner_asks_again_only_who_has_failed_and_three_times_at_most() {
    let app = TestApp::start().await;
    let (_unwell, gate) = moody(&app.models, 400);
    let ann = app.user("ann");
    let (run, mut events, mut stream) = ask_and_fail(&ann, json!({"content": "Why?"})).await;
    let has_answered =
        |event: &Event| event.kind() == "stage1_model_complete" && event.json["member"] == "m/three";
    if !events.iter().any(has_answered) {
        until(&mut stream, &mut events, "stage1_model_complete", "m/three").await;
    }

    for stranger in [app.user("bob"), app.admin()] {
        assert_eq!(retry(&stranger, &run, "m/one").await.status, 404);
    }
    assert_eq!(retry(&ann, "01900000-0000-7000-8000-000000000000", "m/one").await.status, 404);
    assert_eq!(refused(&retry(&ann, &run, "m/two").await), "this member is being asked");
    assert_eq!(refused(&retry(&ann, &run, "m/three").await), "this member has answered");
    let unknown = retry(&ann, &run, "m/nobody").await;
    assert_eq!(unknown.wrong_fields(), ["member"]);
    assert!(unknown.text.contains("m/one, m/two, m/three, m/four"), "{}", unknown.text);
    for wrong in [json!({}), json!({"member": 7})] {
        let answer = ann.post(&format!("/api/runs/{run}/retry-member"), wrong).await;
        assert_eq!(answer.wrong_fields(), ["member"]);
    }
    assert_eq!(answers_of(&app.models, "m/one").len(), 1, "nobody was asked again so far");

    for number in 1..=3 {
        assert_eq!(retry(&ann, &run, "m/one").await.ok()["retry"], number);
        until(&mut stream, &mut events, "stage1_error", "m/one").await;
    }
    assert!(refused(&retry(&ann, &run, "m/one").await).contains("three times already"));
    gate.open();
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!((count(&events, "member_retried"), count(&events, "stage1_error")), (3, 4));
    assert_eq!(answers_of(&app.models, "m/one").len(), 4);
    assert_eq!(find(&events, "stage1_complete")["data"][0]["retries"], 3);
    assert_eq!(find(&events, "stage2_start")["abstained"][0]["member"], "m/one");
    app.close().await;
}

#[tokio::test]
async fn nobody_is_asked_twice_at_once_nor_after_being_skipped() {
    let app = TestApp::start().await;
    let (unwell, gate) = moody(&app.models, 400);
    let ann = app.user("ann");
    let (run, mut events, mut stream) = ask_and_fail(&ann, json!({"content": "Why?"})).await;
    let (held, first) = (Gate::new(), gate.clone());
    let again = held.clone();
    gets_well(&unwell);
    app.models.rule(move |request| {
        let is_answer = request.asked_for() == AskedFor::Answer;
        Some(match request.model.as_str() {
            "m/one" if is_answer => plausible(request).hold(&again),
            "m/two" if is_answer => plausible(request).hold(&first),
            _ => plausible(request),
        })
    });
    retry(&ann, &run, "m/one").await.ok();
    assert_eq!(refused(&retry(&ann, &run, "m/one").await), "this member is being asked");
    app.models
        .until(|records| records.iter().filter(|record| record.request.model == "m/one").count() == 2)
        .await;

    // Who is asked again is waited for, and can be gone on without.
    let skipped = ann.post(&format!("/api/runs/{run}/skip"), json!({"member": "m/one"})).await.ok();
    assert_eq!(skipped["stage"], "stage1");
    until(&mut stream, &mut events, "stage1_error", "m/one").await;
    assert!(refused(&retry(&ann, &run, "m/one").await).contains("go on without this member"));
    gate.open();
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!((count(&events, "member_retried"), count(&events, "member_skipped")), (1, 1));
    app.close().await;
}

#[tokio::test]
async fn once_the_run_has_gone_on_with_the_answers_it_is_too_late() {
    let app = TestApp::start().await;
    let (answers, reviews, held) = (Gate::new(), Gate::new(), Gate::new());
    let (open, closed) = (answers.clone(), reviews.clone());
    app.models.rule(move |request| {
        let kind = request.asked_for();
        Some(match request.model.as_str() {
            "m/one" if kind == AskedFor::Answer => Script::status(400, "not today"),
            "m/three" if kind == AskedFor::Answer => plausible(request).hold(&open),
            // It is left behind by the quorum, and still at work.
            "m/four" if kind == AskedFor::Answer => plausible(request).hold(&held),
            "m/two" if kind == AskedFor::Review => plausible(request).hold(&closed),
            _ => plausible(request),
        })
    });
    let ann = app.user("ann");
    let (run, mut events, mut stream) = ask_and_fail(&ann, json!({"content": "Why?", "quorum": 2})).await;
    answers.open();
    while events.last().unwrap().kind() != "stage2_start" {
        events.push(stream.next().await.expect("an event"));
    }
    let late = refused(&retry(&ann, &run, "m/one").await);
    assert!(late.contains("only while others are waited for with it"), "{late}");
    reviews.open();
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(count(&events, "member_retried"), 0);
    assert_eq!(answers_of(&app.models, "m/one").len(), 1);
    app.close().await;
}

#[tokio::test]
async fn a_run_that_waits_or_has_no_answers_of_a_council_asks_nobody_again() {
    let app = TestApp::with("\n[runs]\nmax_per_user = 1\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausible(request).hold(&held)));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut first = ann.ask(&id, json!({"content": "Why?", "mode": "debate"})).await;
    let run = first.next().await.expect("an event").json["run_id"].as_str().unwrap().to_owned();
    let reason = refused(&retry(&ann, &run, "m/one").await);
    assert!(reason.contains("the answers are not asked for yet"), "{reason}");
    let id = ann.conversation().await;
    let mut second = ann.ask(&id, json!({"content": "And why?"})).await;
    let run = second.until("run_queued").await.json["run_id"].as_str().unwrap().to_owned();
    let reason = refused(&retry(&ann, &run, "m/one").await);
    assert!(reason.contains("the answers are not asked for yet"), "{reason}");
    gate.open();
    first.rest().await;
    second.rest().await;
    app.close().await;
}

/// Two servers on one database; models know which one asks by its key.
async fn two(db: &TestDb, models: &ModelServer, settings: &[(&str, &str)]) -> (Process, Process) {
    let program = Program::council(db, models).set("server.heartbeat_seconds", "1");
    let program = settings.iter().fold(program, |program, (key, value)| program.set(key, value));
    let key = "providers.scripted.api_key";
    let (one, other) = (program.clone().set(key, "sk-one"), program.set(key, "sk-other"));
    tokio::join!(one.serve(), other.serve())
}

#[tokio::test]
async fn a_member_is_asked_again_by_way_of_another_server() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let (unwell, gate) = moody(&models, 400);
    // Nothing that waits for a lease, or for the next look after leases, happens within the test.
    let (one, other) = two(&db, &models, &[("runs.lease_seconds", "3600")]).await;
    let (run, mut events, mut stream) = ask_and_fail(&one.user("ann"), json!({"content": "Why?"})).await;
    gets_well(&unwell);
    retry(&other.user("ann"), &run, "m/one").await.ok();
    until(&mut stream, &mut events, "stage1_model_complete", "m/one").await;
    gate.open();
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(answers_of(&models, "m/one").len(), 2);
}

/// The server that executes the run dies while the member is asked again, or when it has answered.
async fn outlives(has_answered: bool) {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let (unwell, gate) = moody(&models, 400);
    let (one, other) = two(&db, &models, &[]).await;
    let held = Gate::new();
    let run = {
        let ann = one.user("ann");
        let (run, mut events, mut stream) = ask_and_fail(&ann, json!({"content": "Why?"})).await;
        gets_well(&unwell);
        if !has_answered {
            let (again, first) = (held.clone(), gate.clone());
            models.rule(move |request| {
                let is_answer = request.asked_for() == AskedFor::Answer;
                Some(match request.model.as_str() {
                    "m/one" if is_answer => plausible(request).hold(&again),
                    "m/two" if is_answer => plausible(request).hold(&first),
                    _ => plausible(request),
                })
            });
        }
        retry(&ann, &run, "m/one").await.ok();
        if has_answered {
            until(&mut stream, &mut events, "stage1_model_complete", "m/one").await;
        }
        run
    };
    one.kill();
    held.open();
    gate.open();
    let there = other.user("ann");
    let events = there.events(&run, 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let of_it = |kind: &str| {
        events.iter().filter(|event| event.kind() == kind && event.json["member"] == "m/one").count()
    };
    assert_eq!(
        (of_it("member_retried"), of_it("stage1_error"), of_it("stage1_model_complete")),
        (1, 1, 1),
        "{:?}",
        kinds(&events)
    );
    let answers = answers_of(&models, "m/one");
    let by_other =
        answers.iter().filter(|request| request.header("authorization") == Some("Bearer sk-other"));
    assert_eq!(by_other.count(), usize::from(!has_answered), "only a call that was lost is made again");
    let stored = there.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["stage1"][0]["response"], "A scripted answer of m/one.");
    assert_eq!(stored["stage2"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn who_is_asked_again_is_asked_by_the_server_that_goes_on_only_where_its_answer_is_lost() {
    tokio::join!(outlives(true), outlives(false));
}
