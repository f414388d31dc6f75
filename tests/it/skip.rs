//! Going on without a member, because the run's owner asks for it.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::events::{Event, Events, find};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Outcome, Record, Script, plausible};
use crate::support::process::{Process, Program};

/// Nothing that waits for a lease, or for the next look after leases, happens within a test.
const NO_POLLING: (&str, &str) = ("runs.lease_seconds", "3600");

fn count(events: &[Event], kind: &str) -> usize {
    events.iter().filter(|event| event.kind() == kind).count()
}

async fn skip(user: &User<'_>, run: &str, member: &str) -> crate::support::app::Answer {
    user.post(&format!("/api/runs/{run}/skip"), json!({"member": member})).await
}

/// What this model was asked for, in order.
fn asked(models: &ModelServer, model: &str) -> Vec<AskedFor> {
    let records = models.records().into_iter().map(|record| record.request);
    records.filter(|request| request.model == model).map(|request| request.asked_for()).collect()
}

/// One model says nothing at all when it is asked for this; the others say what they cost.
fn silent(models: &ModelServer, model: &'static str, kind: AskedFor) {
    models.rule(move |request| {
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25});
        let is_silent = request.model == model && request.asked_for() == kind;
        Some(if is_silent { Script::answer("").stall() } else { plausible(request).usage(usage) })
    });
}

/// Asks, and reads until so many of such events have come.
async fn ask_until(user: &User<'_>, body: Value, kind: &str, times: usize) -> (String, Vec<Event>, Events) {
    let id = user.conversation().await;
    let mut stream = user.ask(&id, body).await;
    let mut seen = Vec::new();
    while count(&seen, kind) < times {
        seen.push(stream.next().await.expect("an event"));
    }
    (seen[0].json["run_id"].as_str().expect("a run").to_owned(), seen, stream)
}

#[tokio::test]
async fn a_silent_member_is_gone_on_without_and_not_asked_again() {
    let app = TestApp::start().await;
    silent(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let body = json!({"content": "Why?", "use_refinement": true});
    let (run, mut events, mut stream) = ask_until(&ann, body, "stage1_model_complete", 3).await;

    let skipped = skip(&ann, &run, "m/one").await.ok();
    assert_eq!(skipped, json!({"status": "ok", "member": "m/one", "model": "m/one", "stage": "stage1"}));
    events.extend(stream.rest().await);
    app.models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;

    let told = find(&events, "member_skipped");
    assert_eq!(
        *told,
        json!({"type": "member_skipped", "member": "m/one", "model": "m/one", "stage": "stage1"})
    );
    let failed = find(&events, "stage1_error");
    assert_eq!(
        (&failed["member"], &failed["error_kind"], &failed["error"]),
        (&json!("m/one"), &json!("cancelled"), &json!("skipped: the council was told to go on without it"))
    );
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(asked(&app.models, "m/one"), [AskedFor::Answer], "neither for a review nor for a critique");
    assert_eq!(find(&events, "stage2_start")["abstained"][0]["reason"], "no_answer");

    let stored = ann.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["stage1"][0]["error"], failed["error"]);
    assert_eq!(stored["stage3"]["heading"], "Answer of 3 of 4 members");
    assert_eq!(
        stored["metadata"]["costs"]["by_stage"]["stage1"]["unknown_cost_calls"], 1,
        "it had been sent"
    );
    let over = skip(&ann, &run, "m/one").await;
    assert_eq!((over.status, &over.json()["detail"]), (409, &json!("this run is over")));
    app.close().await;
}

#[tokio::test]
async fn what_had_arrived_of_a_skipped_answer_is_kept() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.model == "m/one" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("Half a thought ").in_chunks(3).stall())
    });
    let ann = app.user("ann");
    let (run, mut events, mut stream) =
        ask_until(&ann, json!({"content": "Why?"}), "stage1_model_complete", 3).await;
    let shown = |events: &[Event]| -> String {
        let tokens = events.iter().filter(|it| it.kind() == "stage1_token" && it.json["member"] == "m/one");
        tokens.map(|event| event.json["content"].as_str().unwrap()).collect()
    };
    while !shown(&events).contains("thought") {
        events.push(stream.next().await.expect("an event"));
    }
    skip(&ann, &run, "m/one").await.ok();
    events.extend(stream.rest().await);
    assert_eq!(find(&events, "stage1_error")["data"]["response"], "Half a thought");
    app.close().await;
}

#[tokio::test]
async fn a_skipped_reviewer_abstains() {
    let app = TestApp::start().await;
    silent(&app.models, "m/two", AskedFor::Review);
    let ann = app.user("ann");
    let (run, mut events, mut stream) =
        ask_until(&ann, json!({"content": "Why?"}), "stage2_model_complete", 3).await;
    assert_eq!(skip(&ann, &run, "m/two").await.ok()["stage"], "stage2");
    events.extend(stream.rest().await);
    let complete = find(&events, "stage2_complete");
    assert_eq!(complete["data"][1]["error_kind"], "cancelled");
    let facts = &complete["metadata"]["aggregate"];
    assert_eq!((&facts["ballots"], &facts["abstentions"]), (&json!(3), &json!(1)));
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_skipped_critic_leaves_the_draft_to_the_others() {
    let app = TestApp::start().await;
    silent(&app.models, "m/two", AskedFor::Critique);
    let ann = app.user("ann");
    let body = json!({"content": "Why?", "use_refinement": true, "refinement_max_iterations": 1});
    let (run, mut events, mut stream) = ask_until(&ann, body, "critique_complete", 3).await;
    assert_eq!(skip(&ann, &run, "m/two").await.ok()["stage"], "refinement");
    events.extend(stream.rest().await);
    assert_eq!(count(&events, "revision_complete"), 1);
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn for_a_skipped_chairman_the_next_in_the_chain_writes() {
    let app = TestApp::start().await;
    silent(&app.models, "m/chair", AskedFor::Synthesis);
    let ann = app.user("ann");
    let (run, mut events, mut stream) = ask_until(&ann, json!({"content": "Why?"}), "stage3_start", 1).await;
    assert_eq!(skip(&ann, &run, "m/chair").await.ok()["stage"], "stage3");
    events.extend(stream.rest().await);
    assert_eq!(find(&events, "stage3_error")["error_kind"], "cancelled");
    assert_eq!(find(&events, "stage3_complete")["data"]["fallback_for"], "m/chair");
    assert_eq!(events.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn only_the_owner_skips_and_only_who_is_being_waited_for() {
    let app = TestApp::start().await;
    silent(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let (run, _, mut stream) = ask_until(&ann, json!({"content": "Why?"}), "stage1_model_complete", 3).await;

    assert_eq!(skip(&app.user("bob"), &run, "m/one").await.status, 404);
    assert_eq!(skip(&app.admin(), &run, "m/one").await.status, 404);
    assert_eq!(skip(&ann, "01900000-0000-7000-8000-000000000000", "m/one").await.status, 404);
    let answered = skip(&ann, &run, "m/two").await;
    assert_eq!(
        (answered.status, &answered.json()["title"]),
        (409, &json!("This member is not being waited for"))
    );
    let unknown = skip(&ann, &run, "m/nobody").await;
    assert_eq!(unknown.wrong_fields(), ["member"]);
    assert!(unknown.text.contains("m/one, m/two, m/three, m/four"), "{}", unknown.text);
    for wrong in [json!({}), json!({"member": 7})] {
        assert_eq!(ann.post(&format!("/api/runs/{run}/skip"), wrong).await.wrong_fields(), ["member"]);
    }
    // Once is as good as twice.
    assert_eq!(skip(&ann, &run, "m/one").await.status, 200);
    let events = stream.rest().await;
    assert_eq!(count(&events, "member_skipped"), 1);
    app.close().await;
}

#[tokio::test]
async fn a_run_that_waits_for_its_turn_asks_nobody_yet() {
    let app = TestApp::with("\n[runs]\nmax_per_user = 1\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        (request.asked_for() == AskedFor::Answer).then(|| Script::answer("").hold(&held).text("Yes."))
    });
    let ann = app.user("ann");
    let (_, _, mut first) = ask_until(&ann, json!({"content": "Why?"}), "stage1_start", 1).await;
    let id = ann.conversation().await;
    let mut second = ann.ask(&id, json!({"content": "And why?"})).await;
    let run = second.until("run_queued").await.json["run_id"].as_str().unwrap().to_owned();
    assert_eq!(skip(&ann, &run, "m/one").await.status, 409);
    gate.open();
    first.rest().await;
    second.rest().await;
    app.close().await;
}

#[tokio::test]
async fn a_member_that_was_skipped_can_be_asked_again_and_the_ballots_open_anew() {
    let app = TestApp::start().await;
    silent(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let (run, _, mut stream) = ask_until(&ann, json!({"content": "Why?"}), "stage1_model_complete", 3).await;
    skip(&ann, &run, "m/one").await.ok();
    stream.rest().await;
    app.models.rule(|_| None);
    let again = ann.post(&format!("/api/runs/{run}/retry"), json!({})).await.ok();
    let events = ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(asked(&app.models, "m/one"), [AskedFor::Answer, AskedFor::Answer, AskedFor::Review]);
    assert_eq!(find(&events, "stage2_complete")["data"].as_array().unwrap().len(), 4);
    app.close().await;
}

/// Two servers on one database; the first one's models know it by its key.
async fn two(db: &TestDb, models: &ModelServer, settings: &[(&str, &str)]) -> (Process, Process) {
    let program = Program::council(db, models).set("server.heartbeat_seconds", "1");
    let program = settings.iter().fold(program, |program, (key, value)| program.set(key, value));
    let key = "providers.scripted.api_key";
    let (one, other) = (program.clone().set(key, "sk-one"), program.set(key, "sk-other"));
    tokio::join!(one.serve(), other.serve())
}

#[tokio::test]
async fn a_member_is_skipped_from_another_server_as_soon_as_it_is_told() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    silent(&models, "m/one", AskedFor::Answer);
    let (one, other) = two(&db, &models, &[NO_POLLING]).await;
    let (run, _, mut stream) =
        ask_until(&one.user("ann"), json!({"content": "Why?"}), "stage1_model_complete", 3).await;
    skip(&other.user("ann"), &run, "m/one").await.ok();
    let events = stream.rest().await;
    assert_eq!(count(&events, "member_skipped"), 1);
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(asked(&models, "m/one"), [AskedFor::Answer]);
}

/// The server that executes the run dies after the request was answered, or before.
async fn outlives(by_the_one_that_dies: bool) {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    silent(&models, "m/one", AskedFor::Answer);
    let (one, other) = two(&db, &models, &[]).await;
    let (run, _, _stream) =
        ask_until(&one.user("ann"), json!({"content": "Why?"}), "stage1_model_complete", 3).await;
    let there = other.user("ann");
    if by_the_one_that_dies {
        skip(&one.user("ann"), &run, "m/one").await.ok();
        one.kill();
    } else {
        one.kill();
        skip(&there, &run, "m/one").await.ok();
    }
    let events = there.events(&run, 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(count(&events, "member_skipped"), 1);
    let by_other = |record: &Record| {
        record.request.header("authorization") == Some("Bearer sk-other") && record.request.model == "m/one"
    };
    assert!(!models.records().iter().any(by_other), "it is not asked by the server that goes on");
    assert_eq!(there.get(&format!("/api/runs/{run}")).await.ok()["stage1"][0]["error_kind"], "cancelled");
}

#[tokio::test]
async fn a_request_to_go_on_outlives_the_server_that_executes_the_run() {
    tokio::join!(outlives(true), outlives(false));
}
