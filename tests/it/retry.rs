//! Asking again: what failed, one member, or from a stage on; what stays is not paid again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Record, Script, plausible};
use crate::support::money::{budget, estimated_at, plausibly, refused, set, usd};
use crate::support::process::Program;

const QUESTION: &str = "Why is the sky blue?";

/// How often a question of each kind reached the models: answers, reviews, final answers, titles.
fn asked(app: &TestApp) -> [usize; 4] {
    let records = app.models.records();
    [AskedFor::Answer, AskedFor::Review, AskedFor::Synthesis, AskedFor::Title]
        .map(|kind| records.iter().filter(|record| record.request.asked_for() == kind).count())
}

async fn ask(user: &User<'_>, conversation: &str) -> String {
    let path = format!("/api/conversations/{conversation}/message");
    user.post(&path, json!({"content": QUESTION})).await.ok()["run_id"].as_str().unwrap().to_owned()
}

/// Asks again and reads to the end; answers the new run and its last event.
async fn again(user: &User<'_>, run: &str, body: Value) -> (String, String) {
    let retried = user.post(&format!("/api/runs/{run}/retry"), body).await.ok();
    assert_eq!(retried["replaces"], *run);
    let new = retried["run_id"].as_str().unwrap().to_owned();
    assert_ne!(new, run);
    let last = user.events(&new, 0).await.rest().await.pop().unwrap();
    (new, last.kind().to_owned())
}

async fn answer(user: &User<'_>, conversation: &str) -> Value {
    user.get(&format!("/api/conversations/{conversation}")).await.ok()["messages"][1].clone()
}

fn fails(app: &TestApp, fails: fn(&str, AskedFor) -> bool) {
    app.models.rule(move |request| {
        fails(&request.model, request.asked_for()).then(|| Script::status(400, "not today"))
    });
}

#[tokio::test]
async fn a_member_that_failed_answers_at_last_and_is_reviewed_with_the_others() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    fails(&app, |model, kind| model == "m/one" && kind == AskedFor::Answer);
    let first = ask(&ann, &id).await;
    assert_eq!(asked(&app), [4, 3, 1, 1], "who did not answer does not review");
    let before = answer(&ann, &id).await;
    assert_eq!(before["stage1"][0]["error_kind"], "refused", "{before}");

    fails(&app, |_, _| false);
    let (second, end) = again(&ann, &first, json!({})).await;
    assert_eq!(end, "complete");
    assert_eq!(asked(&app), [5, 7, 2, 1], "one answer; what is said of the answers is said anew");
    let after = answer(&ann, &id).await;
    assert_eq!((&after["run_id"], &after["earlier_runs"]), (&json!(second), &json!([first])));
    assert_eq!(after["id"], before["id"], "the same place in the conversation");
    assert_eq!(after["stage1"][0]["response"], "A scripted answer of m/one.");
    assert_eq!(after["stage1"][1], before["stage1"][1]);
    assert_eq!(after["metadata"]["label_to_model"].as_object().unwrap().len(), 4);
    let conversation = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(conversation["message_count"], 2);
    // The first answer stays readable.
    let kept = ann.get(&format!("/api/runs/{first}")).await.ok();
    assert_eq!(kept["stage1"], before["stage1"]);
    assert_eq!(kept["stage3"], before["stage3"]);
    // And counts no more.
    let models = ann.get("/api/analytics").await.ok()["models"].clone();
    assert_eq!(
        (&models["m/one"]["ranked_queries"], &models["m/two"]["ranked_queries"]),
        (&json!(1), &json!(1))
    );
    app.close().await;
}

#[tokio::test]
async fn what_is_taken_over_costs_nothing_again() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let script = plausible(request);
        Some(script.usage(json!({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25})))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    let cost = async || answer(&ann, &id).await["metadata"]["costs"]["total_cost"].clone();
    assert_eq!(cost().await, 2.5, "ten calls");
    let labels = answer(&ann, &id).await["metadata"]["label_to_model"].clone();

    let (second, end) = again(&ann, &first, json!({"from": "stage3"})).await;
    assert_eq!((end.as_str(), asked(&app)), ("complete", [4, 4, 2, 1]));
    assert_eq!(cost().await, 0.25);
    let after = answer(&ann, &id).await;
    assert_eq!(after["metadata"]["label_to_model"], labels, "the reviews are those of before");
    assert_eq!(after["stage2"].as_array().unwrap().len(), 4);

    let (third, _) = again(&ann, &second, json!({"member": "m/two"})).await;
    assert_eq!(asked(&app)[0], 5, "one answer more");
    let (fourth, _) = again(&ann, &third, json!({"from": "stage2"})).await;
    assert_eq!(asked(&app)[0], 5);
    let (_, end) = again(&ann, &fourth, json!({"from": "stage1"})).await;
    assert_eq!((end.as_str(), asked(&app)[0]), ("complete", 9));
    assert_eq!(answer(&ann, &id).await["earlier_runs"].as_array().unwrap().len(), 4);
    assert_eq!(asked(&app)[3], 1, "one title");
    app.close().await;
}

/// The whole run is expected to cost $0.01, its last stage less than a third of that.
#[tokio::test]
async fn what_is_taken_over_needs_no_budget_again() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    let silent = Arc::new(AtomicBool::new(true));
    let chairmen = silent.clone();
    app.models.rule(move |request| {
        let fails = request.asked_for() == AskedFor::Synthesis && chairmen.load(Ordering::Relaxed);
        Some(if fails { Script::status(400, "not today") } else { plausibly(request, 0.0001) })
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    set(&app, &[budget("user", Some("ann"), "day", 0.006)]).await;
    let path = format!("/api/runs/{first}/retry");
    for (body, more_than) in [(json!({"from": "stage1"}), 0.009), (json!({"from": "stage2"}), 0.007)] {
        let problem = refused(&ann.post(&path, body).await);
        assert!(usd(&problem, "needed_usd") > more_than, "{problem}");
    }
    silent.store(false, Ordering::Relaxed);
    let (second, end) = again(&ann, &first, json!({})).await;
    assert_eq!((end.as_str(), asked(&app)[..2].to_vec()), ("complete", vec![4, 4]), "what had failed");
    let (third, end) = again(&ann, &second, json!({"from": "stage3"})).await;
    assert_eq!((end.as_str(), asked(&app)[..2].to_vec()), ("complete", vec![4, 4]));
    refused(&ann.post(&format!("/api/runs/{third}/retry"), json!({"member": "m/two"})).await);
    app.close().await;
}

#[tokio::test]
async fn a_run_that_failed_or_was_stopped_goes_on_from_what_it_has() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    fails(&app, |_, kind| kind == AskedFor::Answer);
    let mut events = ann.ask(&id, json!({"content": QUESTION})).await;
    let failed = events.rest().await;
    assert_eq!(failed.last().unwrap().kind(), "error");
    let first = failed[0].json["run_id"].as_str().unwrap().to_owned();

    // Stopped in the middle of the reviews.
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let script = plausible(request);
        Some(if request.asked_for() == AskedFor::Review { script.hold(&held) } else { script })
    });
    let retried = ann.post(&format!("/api/runs/{first}/retry"), json!({})).await.ok();
    let second = retried["run_id"].as_str().unwrap().to_owned();
    let mut events = ann.events(&second, 0).await;
    events.until("stage2_start").await;
    let running = ann.post(&format!("/api/runs/{second}/retry"), json!({})).await;
    assert_eq!(
        (running.status, running.json()["type"].as_str().unwrap().rsplit(':').next()),
        (409, Some("not-again"))
    );
    ann.post(&format!("/api/runs/{second}/cancel"), json!({})).await.ok();
    assert_eq!(events.rest().await.pop().unwrap().kind(), "cancelled");
    gate.open();
    let answers = asked(&app)[0];
    let (_, end) = again(&ann, &second, json!({})).await;
    assert_eq!((end.as_str(), asked(&app)[0]), ("complete", answers), "the answers were there");
    let title = ann.get(&format!("/api/conversations/{id}")).await.ok()["title"].clone();
    assert_eq!(title, "Why is the sky blue?");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_was_stopped_ends_as_stopped_even_if_what_it_takes_over_cannot_be_read() {
    let app = TestApp::with("[runs]\nmax_live = 1\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("Well.").hold(&held)));
    let mut other = bob.ask(&bob.conversation().await, json!({"content": QUESTION})).await;
    other.until("stage1_start").await;
    // It waits for the other one, and is stopped before it begins.
    let retried = ann.post(&format!("/api/runs/{first}/retry"), json!({"from": "stage2"})).await.ok();
    let second = retried["run_id"].as_str().unwrap().to_owned();
    let mut database = app.db.superuser().await;
    sqlx::raw_sql("ALTER TABLE calls RENAME COLUMN finished_at TO elsewhere")
        .execute(&mut database)
        .await
        .unwrap();
    let stopped = ann.post(&format!("/api/runs/{second}/cancel"), json!({})).await.ok();
    assert_eq!(stopped["cancelled"], true);
    assert_eq!(ann.events(&second, 0).await.rest().await.pop().unwrap().kind(), "cancelled");
    sqlx::raw_sql("ALTER TABLE calls RENAME COLUMN elsewhere TO finished_at")
        .execute(&mut database)
        .await
        .unwrap();
    gate.open();
    other.rest().await;
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_was_asked_for_in_vain_leaves_the_earlier_one_to_the_next_question() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    let text = answer(&ann, &id).await["stage3"]["response"].as_str().unwrap().to_owned();
    fails(&app, |_, kind| kind == AskedFor::Answer);
    let (_, end) = again(&ann, &first, json!({"from": "stage1"})).await;
    assert_eq!(end, "error");
    fails(&app, |_, _| false);
    ask(&ann, &id).await;
    let told = |record: &Record| record.request.body["messages"].to_string().contains(&text);
    assert!(app.models.records().iter().rev().take(9).any(told), "it is told what was said before");
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_asked_again_is_refused_with_the_reason() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    let path = format!("/api/runs/{first}/retry");
    let whole = ann.post(&path, json!({})).await;
    assert_eq!(whole.status, 409);
    assert!(
        whole.json()["detail"].as_str().unwrap().starts_with("nothing of this run failed"),
        "{}",
        whole.json()
    );
    let nobody = ann.post(&path, json!({"member": "m/nobody"})).await;
    assert_eq!(nobody.wrong_fields(), ["member"]);
    assert_eq!(ann.post(&path, json!({"member": "m/one", "from": "stage1"})).await.wrong_fields(), ["from"]);
    assert_eq!(
        ann.post(&path, json!({"member": 1, "from": "stage9"})).await.wrong_fields(),
        ["member", "from"]
    );
    assert_eq!(bob.post(&path, json!({"from": "stage1"})).await.status, 404);
    assert_eq!(app.models.records().len(), 10, "nobody was asked");

    ask(&ann, &id).await;
    let earlier = ann.post(&path, json!({"from": "stage3"})).await;
    assert_eq!(earlier.status, 409);
    assert!(
        earlier.json()["detail"].as_str().unwrap().contains("only the last answer of a branch"),
        "{}",
        earlier.json()
    );
    app.close().await;
}

#[tokio::test]
async fn a_key_that_is_used_twice_asks_again_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    let keyed = app.user("ann").with("Idempotency-Key", "again-1");
    let path = format!("/api/runs/{first}/retry");
    let one = keyed.post(&path, json!({"from": "stage3"})).await.ok();
    let other = keyed.post(&path, json!({"from": "stage3"})).await.ok();
    assert_eq!(one, other);
    let run = one["run_id"].as_str().unwrap();
    ann.events(run, 0).await.rest().await;
    assert_eq!(keyed.post(&path, json!({"from": "stage3"})).await.ok(), one);
    assert_eq!(asked(&app)[2], 2);
    app.close().await;
}

#[tokio::test]
async fn what_a_killed_server_had_taken_over_is_taken_over_again_and_not_paid() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models).set("runs.lease_seconds", "1");
    let first = program.serve().await;
    let ann = first.user("ann");
    let id = ann.conversation().await;
    let run = ask(&ann, &id).await;
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let script = plausible(request);
        Some(if request.asked_for() == AskedFor::Review { script.hold(&held) } else { script })
    });
    let path = format!("/api/runs/{run}/retry");
    let again = ann.post(&path, json!({"from": "stage2"})).await.ok()["run_id"].as_str().unwrap().to_owned();
    ann.events(&again, 0).await.until("stage1_complete").await;
    first.kill();
    let second = program.serve().await;
    gate.open();
    let ann = second.user("ann");
    let end = ann.events(&again, 0).await.rest().await.pop().unwrap();
    assert_eq!(end.kind(), "complete");
    let answers = |record: &&Record| record.request.asked_for() == AskedFor::Answer;
    assert_eq!(models.records().iter().filter(answers).count(), 4, "those of the first run");
    let after = answer(&ann, &id).await;
    assert_eq!((after["stage1"].as_array().unwrap().len(), &after["earlier_runs"]), (4, &json!([run])));
}

#[tokio::test]
async fn however_often_somebody_asks_again_what_stays_is_never_paid_again() {
    const TIMES: usize = 12;
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    app.models.rule(|request| Some(plausibly(request, 0.0001)));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id).await;
    let mut run = first.clone();
    let (mut needs, mut costs) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        // What it would need is said where it does not fit.
        set(&app, &[budget("user", Some("ann"), "day", 0.000_001)]).await;
        let path = format!("/api/runs/{run}/retry");
        needs.push(usd(&refused(&ann.post(&path, json!({"from": "stage3"})).await), "needed_usd"));
        set(&app, &[budget("user", Some("ann"), "day", 100.0)]).await;
        let (new, end) = again(&ann, &run, json!({"from": "stage3"})).await;
        assert_eq!(end, "complete");
        costs.push(answer(&ann, &id).await["metadata"]["costs"]["total_cost"].clone());
        run = new;
    }
    assert_eq!(asked(&app), [4, 4, 1 + TIMES, 1], "only the final answer is made again");
    assert!(needs.iter().all(|need| *need == needs[0] && *need < 0.004), "{needs:?}");
    assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");

    // Nor what an early run has and none since: the figures of the first go all the same.
    fails(&app, |_, kind| kind == AskedFor::Answer);
    for _ in 0..9 {
        run = again(&ann, &run, json!({"from": "stage1"})).await.0;
    }
    app.models.rule(|request| Some(plausibly(request, 0.0001)));
    let before = asked(&app);
    let (_, end) = again(&ann, &run, json!({})).await;
    assert_eq!((end.as_str(), asked(&app)), ("complete", before), "all of it was there");
    let models = ann.get("/api/analytics").await.ok()["models"].clone();
    assert_eq!(models["m/one"]["ranked_queries"], 1, "one answer counts once");
    assert_eq!(answer(&ann, &id).await["earlier_runs"].as_array().unwrap().len(), TIMES + 10);
    app.close().await;
}
