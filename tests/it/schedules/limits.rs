//! What is refused at the door, and what may be spent.

use llm_council::server::schedules::round;
use serde_json::{Value, json};

use super::{act, changed, comes, count, ended, every_morning, results, schedule, shown};
use crate::projects::{holding, released};
use crate::support::app::TestApp;
use crate::support::model_server::plausible;
use crate::support::money::{budget, costing, estimated_at, plausibly, same, set};

#[tokio::test]
async fn a_schedule_that_is_paused_and_renamed_at_once_is_both() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    let holder = holding(&app, "SELECT FROM schedules FOR UPDATE").await;
    tokio::join!(
        changed(&ann, &id, json!({"paused": true})),
        changed(&ann, &id, json!({"name": "Storks", "budget_usd": 3})),
        released(&app, holder, 2, "COMMIT"),
    );
    let now = shown(&ann, &id).await;
    assert_eq!(
        (&now["paused"], &now["name"], &now["budget_usd"]),
        (&json!(true), &json!("Storks"), &json!(3.0))
    );
    app.close().await;
}

#[tokio::test]
async fn a_schedule_that_comes_due_while_it_is_asked_by_hand_is_asked_afterwards() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    act(&app, "UPDATE schedules SET next_at = now()").await;
    let another = "SELECT pg_advisory_xact_lock(hashtextextended('llm-council/start/ann', 0))";
    let holder = holding(&app, another).await;
    let path = format!("/api/schedules/{id}/run");
    let comes_due = async {
        // Another question of hers is just being started, and this one waits for it.
        released(&app, app.db.superuser().await, 1, "SELECT 1").await;
        round(&app.app).await.unwrap();
        released(&app, holder, 1, "COMMIT").await;
    };
    let (by_hand, ()) = tokio::join!(ann.post(&path, json!({})), comes_due);
    ended(&ann, by_hand.ok()["run_id"].as_str().unwrap()).await;
    round(&app.app).await.unwrap();
    let results = results(&ann, &id).await;
    assert_eq!(results.len(), 2);
    for result in &results {
        ended(&ann, result["run"]["run_id"].as_str().unwrap()).await;
    }
    app.close().await;
}

#[tokio::test]
async fn everything_that_is_wrong_is_said_at_once_and_nothing_is_made() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let wrong = async |body: Value| ann.post("/api/schedules", body).await.wrong_fields();
    assert_eq!(wrong(json!({})).await, ["name", "cron", "request"]);
    let body = json!({
        "name": " ", "cron": "at eight", "time_zone": "Mars/Olympus", "budget_usd": -1, "paused": "no",
        "request": {"content": "", "quorum": 9, "mode": "shouting", "attachments": ["x"], "use_cache": true,
                    "parent_message_id": "01890000-0000-7000-8000-000000000000"},
    });
    let mut fields = wrong(body).await;
    fields.sort();
    for field in [
        "budget_usd",
        "cron",
        "name",
        "paused",
        "request.attachments",
        "request.content",
        "request.mode",
        "request.parent_message_id",
        "request.use_cache",
        "time_zone",
    ] {
        assert!(fields.iter().any(|one| one == field), "{field}: {fields:?}");
    }
    assert!(fields.iter().all(|field| !field.starts_with("request.") || field.len() > 8), "{fields:?}");
    for (change, field) in [
        (json!({"cron": "0 0 30 2 *"}), "cron"),
        (json!({"cron": "*/10 * * * *"}), "cron"),
        (json!({"cron": 8}), "cron"),
        (json!({"request": "Why?"}), "request"),
        (json!({"request": {"content": "Why?", "new_conversation": true}}), "request.new_conversation"),
        (json!({"request": {"content": "Why?", "models": [{"model": ""}]}}), "request.models.0.model"),
        (json!({"name": "a\u{0}b"}), "name"),
    ] {
        let mut body = every_morning();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let fields = wrong(body).await;
        assert!(fields.contains(&field.to_owned()), "{change}: {fields:?}");
    }
    assert_eq!(count(&app, "SELECT count(*) FROM schedules").await, 0);

    // The same when one is changed, and it stays as it was.
    let id = schedule(&ann, json!({})).await;
    let before = shown(&ann, &id).await;
    let change = json!({"cron": "* * * * *", "request": {"content": ""}, "name": ""});
    let answer = ann.send("PATCH", &format!("/api/schedules/{id}"), Some(&change)).await;
    let mut fields = answer.wrong_fields();
    fields.sort();
    assert_eq!(fields, ["cron", "name", "request.content"]);
    assert!(answer.text.contains("at least 15 minutes must lie between two times"), "{}", answer.text);
    assert_eq!(shown(&ann, &id).await, before);
    app.close().await;
}

#[tokio::test]
async fn what_an_expression_means_is_said_before_it_is_used() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let path = "/api/schedule-times?cron=30%209%20*%20*%201&time_zone=Asia/Kolkata";
    let times = ann.get(path).await.ok()["next_times"].as_array().unwrap().clone();
    assert_eq!(times.len(), 3);
    assert!(times.iter().all(|time| time.as_str().unwrap().ends_with("T09:30:00+05:30")), "{times:?}");
    let wrong = ann.get("/api/schedule-times?cron=soon&time_zone=Nowhere").await;
    assert_eq!(wrong.wrong_fields(), ["cron", "time_zone"]);
    app.close().await;
}

#[tokio::test]
async fn a_user_has_so_many_and_none_where_they_are_switched_off() {
    let app = TestApp::with("\n[schedules]\nmax_per_user = 2\nmin_interval_minutes = 60\n").await;
    let ann = app.user("ann");
    schedule(&ann, json!({})).await;
    let second = schedule(&ann, json!({"name": "Storks", "cron": "@hourly"})).await;
    assert_eq!(ann.post("/api/schedules", every_morning()).await.wrong_fields(), ["name"]);
    let list = ann.get("/api/schedules").await.ok();
    assert_eq!((&list["most"], &list["min_interval_minutes"]), (&json!(2), &json!(60)));
    let names: Vec<_> = list["schedules"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Herons", "Storks"]);
    // Somebody else's do not count.
    schedule(&app.user("bob"), json!({})).await;
    ann.send("DELETE", &format!("/api/schedules/{second}"), None).await.ok();
    schedule(&ann, json!({})).await;
    app.close().await;

    let app = TestApp::with("\n[schedules]\nmax_per_user = 0\n").await;
    let ann = app.user("ann");
    assert_eq!(ann.post("/api/schedules", every_morning()).await.status, 403);
    // One from before asks nothing, and says why.
    act(
        &app,
        "INSERT INTO schedules (id, user_id, name, request, cron, time_zone, next_at)
         VALUES (gen_random_uuid(), 'ann', 'Herons', '{\"content\": \"Why?\"}', '@daily', 'UTC', now())",
    )
    .await;
    comes(&app, "now()").await;
    let one = ann.get("/api/schedules").await.ok()["schedules"][0].clone();
    assert_eq!(one["last_result"]["refusal"], "scheduled questions are switched off on this server");
    assert_eq!(count(&app, "SELECT count(*) FROM runs").await, 0);
    app.close().await;
}

#[tokio::test]
async fn a_token_asks_what_is_there_and_makes_nothing_that_outlives_it() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    let token = async |permissions: Value| {
        let made = ann.post("/api/tokens", json!({"name": "mine", "permissions": permissions})).await.ok();
        let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
        app.user("").without_identity().with("authorization", &bearer)
    };
    let program = token(json!(["read", "ask"])).await;
    let path = format!("/api/schedules/{id}");
    assert_eq!(program.get(&path).await.ok()["name"], "Herons");
    assert_eq!(program.post("/api/schedules", every_morning()).await.status, 403);
    assert_eq!(program.send("PATCH", &path, Some(&json!({"paused": true}))).await.status, 403);
    assert_eq!(program.send("DELETE", &path, None).await.status, 403);
    assert_eq!(token(json!(["read"])).await.post(&format!("{path}/run"), json!({})).await.status, 403);
    let asked = program.post(&format!("{path}/run"), json!({})).await.ok();
    ended(&ann, asked["run_id"].as_str().unwrap()).await;
    app.close().await;
}

#[tokio::test]
async fn its_runs_cost_no_more_in_a_month_than_its_budget() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    estimated_at(&app, 1.0).await;
    costing(&app, |_| 0.1);
    let id = schedule(&ann, json!({"budget_usd": 2.5})).await;
    for (nth, spent) in [(1, 0.9), (2, 1.8)] {
        comes(&app, "now()").await;
        let run = results(&ann, &id).await[0]["run"].clone();
        ended(&ann, run["run_id"].as_str().unwrap_or_else(|| panic!("{nth}: refused"))).await;
        same(shown(&ann, &id).await["spent_usd"].as_f64().unwrap(), spent);
    }
    comes(&app, "now()").await;
    let last = results(&ann, &id).await.remove(0);
    let why = last["refusal"].as_str().unwrap();
    let begin = "the budget of this schedule is $2.50 in a calendar month, and $1.80 is spent; the question would cost about $";
    assert!(why.starts_with(begin), "{why}");
    let problem = &last["problem"];
    assert_eq!(problem["type"], "urn:llm-council:problem:schedule-budget-reached");
    assert_eq!(problem["limit_usd"], 2.5);
    same(problem["spent_usd"].as_f64().unwrap(), 1.8);
    let by_hand = ann.post(&format!("/api/schedules/{id}/run"), json!({})).await;
    assert_eq!(
        (by_hand.status, by_hand.json()["title"].as_str()),
        (402, Some("The budget of the schedule is reached"))
    );
    assert_eq!(count(&app, "SELECT count(*) FROM conversations WHERE user_id = 'ann'").await, 2);
    // Last month's runs are last month's.
    act(&app, "UPDATE calls SET finished_at = date_trunc('month', now(), 'UTC') - interval '1 hour'").await;
    same(shown(&ann, &id).await["spent_usd"].as_f64().unwrap(), 0.0);
    comes(&app, "now()").await;
    let run = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    ended(&ann, &run).await;
    // And what others of hers cost is not this one's.
    let other = schedule(&ann, json!({"budget_usd": 1})).await;
    let asked = ann.post(&format!("/api/schedules/{other}/run"), json!({})).await.ok();
    ended(&ann, asked["run_id"].as_str().unwrap()).await;
    app.close().await;
}

#[tokio::test]
async fn the_cost_of_a_run_is_the_one_that_stands_everywhere_else() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    let cost = async || {
        let asked = ann.post(&format!("/api/schedules/{id}/run"), json!({})).await.ok();
        ended(&ann, asked["run_id"].as_str().unwrap()).await;
        let run = results(&ann, &id).await[0]["run"].clone();
        let recent = ann.get("/api/analytics/recent?limit=1").await.ok()["queries"][0].clone();
        assert_eq!(run["unknown_cost_calls"], recent["unknown_cost_calls"], "{run} {recent}");
        assert_eq!(run["cost_usd"].is_null(), recent["total_cost"].is_null(), "{run} {recent}");
        (run["cost_usd"].as_f64(), run["unknown_cost_calls"].as_i64())
    };
    // What nobody knows the price of is not free …
    assert_eq!(cost().await, (None, Some(9)));
    // … and what is of unknown cost has not cost what was expected of it.
    estimated_at(&app, 1.0).await;
    app.models.rule(|request| {
        let uncounted = json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0});
        Some(match request.model.as_str() {
            "m/one" => plausible(request).usage(uncounted),
            _ => plausibly(request, 0.1),
        })
    });
    let (known, unknown) = cost().await;
    same(known.unwrap(), 0.7);
    assert_eq!(unknown, Some(2));
    app.close().await;
}

#[tokio::test]
async fn what_is_under_way_counts_as_much_as_it_is_expected_to_cost() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    estimated_at(&app, 1.0).await;
    let gate = crate::support::model_server::Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |_| Some(crate::support::model_server::Script::answer("").hold(&held).text("Late.")));
    let id = schedule(&ann, json!({"budget_usd": 1.5})).await;
    let path = format!("/api/schedules/{id}/run");
    let asked = ann.post(&path, json!({})).await.ok();
    // Without the title, which it has already.
    let expected = shown(&ann, &id).await["spent_usd"].as_f64().unwrap();
    assert!((0.9..1.0).contains(&expected), "{expected}");
    assert_eq!(ann.post(&path, json!({})).await.status, 402);
    gate.open();
    ended(&ann, asked["run_id"].as_str().unwrap()).await;
    app.close().await;
}

#[tokio::test]
async fn the_budgets_of_its_owner_hold_too() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    estimated_at(&app, 1.0).await;
    let id = schedule(&ann, json!({})).await;
    set(&app, &[budget("user", Some("ann"), "day", 0.5)]).await;
    comes(&app, "now()").await;
    let last = results(&ann, &id).await.remove(0);
    assert!(last["refusal"].as_str().unwrap().contains("would cost about"), "{last}");
    changed(&ann, &id, json!({"name": "Storks"})).await;
    set(&app, &[budget("user", Some("ann"), "day", 50.0)]).await;
    comes(&app, "now()").await;
    let run = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    ended(&ann, &run).await;
    app.close().await;
}
