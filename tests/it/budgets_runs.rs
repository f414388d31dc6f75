//! Budgets inside runs: what a run may still spend, what it is told, and what it leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use jiff::Timestamp;
use llm_council::council::plan::Context;
use llm_council::council::run::{FinishedCall, Host};
use llm_council::council::{AnyEvent, Plan, Run, Token};
use llm_council::id::RunId;
use llm_council::llm::{CallError, ErrorKind};
use llm_council::runs::memory::{MemoryHost, MemoryStore};
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, plausible};
use crate::support::models::{Scripted, sensible};
use crate::support::money::{
    QUESTION, ask, budget, costing, estimated_at, list, only, plausibly, refused, reservations, same, set,
    set_prices, spent, usd,
};
use crate::support::process::Program;

/// A question whose four answers and title are all under way before the first of them is paid.
async fn ask_at_once(app: &TestApp, answer_usd: f64, other_usd: f64) -> Value {
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let usd = if request.asked_for() == AskedFor::Answer { answer_usd } else { other_usd };
        Some(plausibly(request, usd).hold(&held))
    });
    let opened = async {
        app.models.until(|records| records.len() == 5).await;
        gate.open();
    };
    let ann = app.user("ann");
    let (answer, ()) = tokio::join!(ask(&ann), opened);
    answer.ok()
}

#[tokio::test]
async fn a_run_that_costs_more_than_it_may_ends_with_what_it_has() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "run", 0.02)]).await;
    let run = ask_at_once(&app, 0.01, 0.0001).await;
    assert_eq!(run["status"], "complete");
    for answer in run["stage1"].as_array().unwrap() {
        assert_eq!(answer["error"], Value::Null, "{answer}");
    }
    for review in run["stage2"].as_array().unwrap() {
        assert_eq!(review["error_kind"], "budget", "{review}");
        let error = review["error"].as_str().unwrap();
        assert!(
            error.starts_with("This server's budget for one question is $0.02 and used up: $0.04"),
            "{error}"
        );
        assert!(error.contains("this call would cost about $"), "{error}");
    }
    assert_eq!(run["stage3"]["error_kind"], "budget");
    assert_eq!(app.models.records().len(), 5, "four answers and a title");
    let warned = run["metadata"]["budget_warnings"].as_array().unwrap();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert_eq!(reservations(&app).await, 0);
    // The journal holds the refusals as calls that were never sent.
    let row = sqlx::query("SELECT count(*) AS n, max(tries) AS tries FROM calls WHERE outcome = 'budget'")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert!(row.get::<i64, _>("n") >= 5);
    assert_eq!(row.get::<i32, _>("tries"), 0);
    app.close().await;
}

#[tokio::test]
async fn a_chairman_that_does_not_fit_is_stood_in_for_by_one_that_does() {
    let app = TestApp::start().await;
    set_prices(&app, |model| Some(if model == "m/chair" { 1e-5 } else { 1e-9 })).await;
    set(&app, &[budget("instance", None, "run", 0.13)]).await;
    // The reviews take what the chairman would need; the members are cheaper.
    costing(&app, |request| if request.asked_for() == AskedFor::Review { 0.03 } else { 0.0005 });
    let run = ask(&app.user("ann")).await.ok();
    assert_eq!(run["stage3"]["fallback_for"], "m/chair", "{}", run["stage3"]);
    assert_eq!(run["stage3"]["error"], Value::Null);
    let notes = run["stage3"]["notes"].as_array().unwrap();
    let told = |note: &Value| {
        note.as_str().unwrap().contains("m/chair could not write the final answer: This server's budget")
    };
    assert!(notes.iter().any(told), "{notes:?}");
    app.close().await;
}

/// The run failed, its members say which budget was in the way, and so does the run.
#[track_caller]
fn ends_for_want_of_budget(events: &[crate::support::events::Event]) {
    let end = events.last().unwrap();
    assert_eq!(end.kind(), "error");
    assert_eq!(end.json["message"], "No model answered: a budget is used up.");
    let member = events.iter().find(|event| event.kind() == "stage1_error" && event.json["model"] == "m/one");
    let reason = member.unwrap().json["error"].as_str().unwrap();
    assert!(reason.contains("This server's budget for a day is $"), "{reason}");
}

#[tokio::test]
async fn a_run_for_which_nothing_is_left_fails_and_says_why() {
    let app = TestApp::with("[runs]\nmax_live = 1\n").await;
    set_prices(&app, |_| None).await;
    set(&app, &[budget("instance", None, "day", 0.001)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausibly(request, 0.000_001).hold(&held)));
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let mut first = ann.ask(&ann.conversation().await, json!({"content": QUESTION})).await;
    first.until("stage1_start").await;
    // Let in while nobody knew what it costs; when its turn comes, the prices are known.
    let mut second = bob.ask(&bob.conversation().await, json!({"content": QUESTION})).await;
    second.until("run_queued").await;
    set_prices(&app, |_| Some(0.001)).await;
    gate.open();
    first.rest().await;
    ends_for_want_of_budget(&second.rest().await);
    assert_eq!(reservations(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn what_a_stopped_run_held_is_free_again() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "day", 0.015)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausibly(request, 0.0001).hold(&held)));
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": QUESTION})).await;
    events.until("stage1_start").await;
    same(usd(&only(&bob).await, "reserved_usd"), 0.01);
    same(usd(&refused(&ask(&bob).await)["budget"], "reserved_usd"), 0.01);
    ann.post(&format!("/api/conversations/{id}/message/cancel"), json!({})).await.ok();
    assert_eq!(events.rest().await.pop().unwrap().kind(), "cancelled");
    same(usd(&only(&bob).await, "reserved_usd"), 0.0);
    gate.open();
    ask(&bob).await.ok();
    app.close().await;
}

/// Nobody tells what a dropped call has cost, so it counts what was expected of it.
#[tokio::test]
async fn questions_that_are_stopped_use_a_budget_up_too() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "day", 1.0)]).await;
    let held = Gate::new();
    app.models.rule(move |request| Some(plausibly(request, 0.0001).hold(&held)));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": QUESTION})).await;
    app.models.until(|records| records.len() == 5).await;
    ann.post(&format!("/api/conversations/{id}/message/cancel"), json!({})).await.ok();
    assert_eq!(events.rest().await.pop().unwrap().kind(), "cancelled");
    let left = only(&ann).await;
    let once = usd(&left, "spent_usd");
    assert!(once > 0.0005 && once < 0.01, "{left}");
    assert_eq!(left["unknown_cost_calls"], 0);
    set(&app, &[budget("instance", None, "day", 0.01 + once / 2.0)]).await;
    refused(&ask(&ann).await);
    app.close().await;
}

#[tokio::test]
async fn calls_whose_cost_nobody_tells_count_what_was_expected_of_them() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "day", 1.0)]).await;
    app.models.rule(|request| Some(plausible(request).usage(Value::Null)));
    let run = ask(&app.user("ann")).await.ok();
    assert_eq!(run["metadata"]["costs"]["total_cost"], Value::Null);
    assert_eq!(run["metadata"]["costs"]["unknown_cost_calls"], 10);
    let left = only(&app.user("ann")).await;
    let usd = usd(&left, "spent_usd");
    assert!(usd > 0.001 && usd < 0.011, "{left}");
    assert_eq!(left["unknown_cost_calls"], 0);
    same(spent(&app).await, 0.0);
    app.close().await;
}

#[tokio::test]
async fn calls_that_cost_more_than_expected_overshoot_by_those_under_way_and_no_more() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "day", 0.035)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausibly(request, 0.01).hold(&held)));
    let people: Vec<User<'_>> = ["ann", "bob", "eve"].map(|name| app.user(name)).into();
    let all = async { join_all(people.iter().map(ask)).await };
    let opened = async {
        // Each has four answers and a title under way.
        app.models.until(|records| records.len() == 15).await;
        gate.open();
    };
    let (answers, ()) = tokio::join!(all, opened);
    for answer in answers {
        let run = answer.ok();
        assert_eq!(run["stage3"]["error_kind"], "budget", "{}", run["stage3"]);
    }
    assert_eq!(app.models.records().len(), 15, "nothing was asked after that");
    same(spent(&app).await, 0.15);
    refused(&ask(&people[0]).await);
    app.close().await;
}

/// Five questions of unknown price at once: what their first calls turn out to cost is more than there is.
#[tokio::test]
async fn calls_of_unknown_price_end_where_a_budget_is_used_up_by_them() {
    let app = TestApp::start().await;
    set_prices(&app, |_| None).await;
    set(&app, &[budget("instance", None, "day", 1.0)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausibly(request, 0.3).hold(&held)));
    let people: Vec<User<'_>> = ["ann", "bob", "eve", "joe", "sue"].map(|name| app.user(name)).into();
    let all = async { join_all(people.iter().map(ask)).await };
    let opened = async {
        app.models.until(|records| records.len() == 25).await;
        gate.open();
    };
    let (answers, ()) = tokio::join!(all, opened);
    for answer in answers {
        let error = answer.ok()["stage3"]["error"].as_str().unwrap().to_owned();
        assert!(error.contains("This server's budget for a day is $1.00"), "{error}");
        assert!(error.contains("what this call would cost is unknown"), "{error}");
    }
    assert_eq!(app.models.records().len(), 25, "nothing was asked after that");
    refused(&ask(&people[0]).await);
    app.close().await;
}

#[tokio::test]
async fn a_run_of_unknown_prices_ends_where_its_own_budget_does() {
    let app = TestApp::start().await;
    set_prices(&app, |_| None).await;
    set(&app, &[budget("instance", None, "run", 0.35)]).await;
    let run = ask_at_once(&app, 0.1, 0.001).await;
    assert_eq!(run["stage1"][0]["error"], Value::Null);
    assert_eq!(run["stage2"][0]["error_kind"], "budget", "{}", run["stage2"]);
    assert_eq!(app.models.records().len(), 5, "four answers and a title");
    app.close().await;
}

#[tokio::test]
async fn a_run_of_unknown_prices_ends_where_others_have_used_the_budget_up() {
    let app = TestApp::with("[runs]\nmax_live = 1\n").await;
    set_prices(&app, |_| None).await;
    set(&app, &[budget("instance", None, "day", 0.05)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausibly(request, 0.01).hold(&held)));
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let mut first = ann.ask(&ann.conversation().await, json!({"content": QUESTION})).await;
    first.until("stage1_start").await;
    let mut second = bob.ask(&bob.conversation().await, json!({"content": QUESTION})).await;
    second.until("run_queued").await;
    gate.open();
    first.rest().await;
    ends_for_want_of_budget(&second.rest().await);
    assert_eq!(reservations(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn calls_of_unknown_price_go_on_while_the_budget_lasts() {
    let app = TestApp::start().await;
    set_prices(&app, |_| None).await;
    set(&app, &[budget("instance", None, "day", 1.0), budget("instance", None, "run", 0.5)]).await;
    costing(&app, |_| 0.04);
    let run = ask(&app.user("ann")).await.ok();
    assert_eq!(run["stage3"]["error"], Value::Null, "{}", run["stage3"]);
    same(spent(&app).await, 0.4);
    assert_eq!(reservations(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn a_run_may_take_more_than_it_was_granted_while_the_budget_lasts() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "day", 1.0)]).await;
    costing(&app, |_| 0.005);
    let run = ask(&app.user("ann")).await.ok();
    assert_eq!(run["stage3"]["error"], Value::Null);
    assert_eq!(run["metadata"]["budget_warnings"], Value::Null);
    same(usd(&only(&app.user("ann")).await, "spent_usd"), 0.05);
    app.close().await;
}

#[tokio::test]
async fn a_budget_that_is_nearly_used_up_is_told_once_in_the_stream_and_kept_with_the_answer() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.0001);
    set(&app, &[budget("user", Some("ann"), "day", 0.012), budget("instance", None, "day", 5.0)]).await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": QUESTION})).await.rest().await;
    assert_eq!(events[1].kind(), "budget_warning", "right after the beginning");
    let warnings: Vec<_> = events.iter().filter(|event| event.kind() == "budget_warning").collect();
    assert_eq!(warnings.len(), 1);
    let data = &warnings[0].json["data"];
    assert_eq!(
        (&data["scope"], &data["name"], &data["period"]),
        (&json!("user"), &json!("ann"), &json!("day"))
    );
    same(usd(data, "reserved_usd"), 0.01);
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["metadata"]["budget_warnings"], json!([data]));
    app.close().await;
}

#[tokio::test]
async fn a_budget_that_the_last_call_brings_near_its_limit_is_told_too() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |request| if request.asked_for() == AskedFor::Synthesis { 0.09 } else { 0.0001 });
    set(&app, &[budget("user", Some("ann"), "day", 0.1)]).await;
    let run = ask(&app.user("ann")).await.ok();
    let warned = run["metadata"]["budget_warnings"].as_array().unwrap();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(usd(&warned[0], "spent_usd") > 0.09, "{warned:?}");
    app.close().await;
}

#[tokio::test]
async fn a_killed_servers_reservations_end_with_its_runs_on_another() {
    let db = TestDb::new().await;
    let models = ModelServer::start().await;
    models.models(list(|_| Some(1e-6)));
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let script = plausibly(request, 0.001);
        Some(if request.asked_for() == AskedFor::Review { script.hold(&held) } else { script })
    });
    let program = Program::council(&db, &models)
        .set("budgets.instance_per_day_usd", "1")
        .set("runs.lease_seconds", "1");
    let first = program.serve().await;
    let ann = first.user("ann");
    // The prices are known from here on.
    ann.get("/api/models").await.ok();
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": QUESTION})).await;
    events.until("stage1_complete").await;
    let before = only(&ann).await;
    assert!(usd(&before, "reserved_usd") > 0.0, "{before}");
    first.kill();
    let second = program.serve().await;
    let ann = second.user("ann");
    ann.get("/api/models").await.ok();
    let between = only(&ann).await;
    let in_all = |budget: &Value| usd(budget, "spent_usd") + usd(budget, "reserved_usd");
    same(in_all(&between), in_all(&before));
    assert!(usd(&between, "reserved_usd") > 0.0, "{between}");
    gate.open();
    let path = format!("/api/conversations/{id}");
    let ended = async {
        while ann.get(&path).await.ok()["messages"][1]["status"] != "complete" {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the run ends on the other server");
    let after = only(&ann).await;
    same(usd(&after, "reserved_usd"), 0.0);
    same(usd(&after, "spent_usd"), 0.01);
}

/// A journal in memory whose budget is used up when the reviews begin, or not.
struct BudgetedHost {
    journal: MemoryHost,
    is_used_up: bool,
    reserved: Mutex<BTreeSet<String>>,
}

#[async_trait]
impl Host for BudgetedHost {
    fn finished_call(&self, key: &str) -> Option<FinishedCall> {
        self.journal.finished_call(key)
    }

    fn decision(&self, key: &str) -> Option<Value> {
        self.journal.decision(key)
    }

    async fn commit_call(&self, call: &FinishedCall) {
        self.journal.commit_call(call).await;
    }

    async fn commit_decision(&self, key: &str, value: Value) {
        self.journal.commit_decision(key, value).await;
    }

    async fn publish(&self, key: &str, event: AnyEvent) {
        self.journal.publish(key, event).await;
    }

    async fn stream(&self, call: &str, token: Token) {
        self.journal.stream(call, token).await;
    }

    fn attempt(&self) -> u32 {
        self.journal.attempt()
    }

    fn now(&self) -> Timestamp {
        self.journal.now()
    }

    async fn reserve(&self, call: &str, _usd: Option<f64>) -> Result<(), CallError> {
        self.reserved.lock().unwrap().insert(call.to_owned());
        if self.is_used_up && call.starts_with("stage2/") {
            return Err(CallError::new(ErrorKind::Budget, "used up"));
        }
        Ok(())
    }
}

/// Whether a call was affordable is in the journal: what was refused stays refused, also when there is
/// money again, and what was not decided yet is decided then.
#[tokio::test]
async fn a_second_execution_reserves_only_for_calls_that_are_not_in_the_journal() {
    let settings = json!({
        "council_models": ["a/one", "b/two", "c/three"], "chairman_model": "a/chair", "title_model": "t/title",
        "utility_model": "t/title",
    });
    let settings = serde_json::from_value(settings).unwrap();
    let context = Context { settings, first: true, ..Context::default() };
    let plan = Plan::parse(&json!({"content": "Why?"}), context).unwrap();
    for commits in 0.. {
        let store = Arc::new(Mutex::new(MemoryStore::default()));
        let models = Arc::new(Scripted::new(|request| Ok(sensible(request))));
        let id = RunId::generate();
        let execute = async |attempt, dies_after, is_used_up| {
            let journal = MemoryHost::new(store.clone(), attempt, dies_after);
            let host = Arc::new(BudgetedHost { journal, is_used_up, reserved: Mutex::default() });
            let run = Run::new(id, host.clone(), models.clone());
            let died = tokio::select! {
                biased;
                () = host.journal.death() => true,
                ended = llm_council::council::deliberate(&run, &plan) => { ended.unwrap(); false }
            };
            (died, host)
        };
        let (died, _) = execute(1, Some(commits), true).await;
        if !died {
            assert!(commits > 10, "only {commits} commits");
            return;
        }
        let before: BTreeMap<String, FinishedCall> =
            store.lock().unwrap().calls.iter().map(|(key, call)| (key.clone(), call.clone())).collect();
        let (_, host) = execute(2, None, false).await;
        for (key, call) in &before {
            assert!(!host.reserved.lock().unwrap().contains(key), "{key} was reserved for twice");
            assert_eq!(store.lock().unwrap().calls[key], *call);
        }
        let deliberation = json!(host.journal.deliberation());
        for review in deliberation["stage2"].as_array().unwrap() {
            let key = format!("stage2/{}", review["member"].as_str().unwrap());
            let was_refused = before.get(&key).is_some_and(|call| call.result.is_err());
            assert_eq!(review["error_kind"] == "budget", was_refused, "{key} after {commits} commits");
        }
    }
}
