//! Budgets when a question is asked: which are admitted, what the refusal says, who sets and sees what.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Gate, Script};
use crate::support::money::{
    QUESTION, ask, budget, costing, estimated_at, only, plausibly, refused, reservations, same, set,
    set_prices, spent, usd,
};

#[tokio::test]
async fn of_eleven_questions_at_once_under_a_cent_the_eleventh_is_refused_before_any_call() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.00095).await;
    set(&app, &[budget("instance", None, "day", 0.01)]).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| Some(plausibly(request, 0.000_08).hold(&held)));
    let people: Vec<User<'_>> = (0..11).map(|n| app.user(&format!("user-{n}"))).collect();
    let conversations = join_all(people.iter().map(User::conversation)).await;
    let asked = join_all(people.iter().zip(&conversations).map(|(user, id)| {
        let path = format!("/api/conversations/{id}/message/stream");
        let request = user.request("POST", &path).header("content-type", "application/json");
        request.body(json!({"content": QUESTION}).to_string()).send()
    }))
    .await;
    let (mut streams, mut refusals) = (Vec::new(), Vec::new());
    for response in asked {
        let response = response.unwrap();
        if response.status() == 200 { streams.push(response) } else { refusals.push(response) }
    }
    assert_eq!((streams.len(), refusals.len()), (10, 1));
    // Ten runs have made their first five calls; the eleventh none.
    app.models.until(|records| records.len() == 50).await;
    let refusal = refusals.pop().unwrap();
    assert_eq!(refusal.status(), 402);
    let problem: Value = serde_json::from_str(&refusal.text().await.unwrap()).unwrap();
    assert_eq!(problem["budget"]["scope"], "instance");
    assert_eq!(problem["budget"]["period"], "day");
    same(usd(&problem["budget"], "limit_usd"), 0.01);
    same(usd(&problem["budget"], "spent_usd") + usd(&problem["budget"], "reserved_usd"), 0.0095);
    same(usd(&problem, "needed_usd"), 0.00095);
    let detail = problem["detail"].as_str().unwrap();
    for part in [
        "This server's budget for a day",
        "is $0.01:",
        "is spent, and $0.0095 is set aside",
        "$0.00095",
        "It resets at",
    ] {
        assert!(detail.contains(part), "{part} is not in {detail}");
    }
    gate.open();
    for stream in streams {
        let text = stream.text().await.unwrap();
        assert!(text.contains(r#""type":"complete""#), "{text}");
    }
    assert_eq!(app.models.records().len(), 100, "ten runs of ten calls");
    let left = only(&app.user("user-0")).await;
    same(usd(&left, "spent_usd"), spent(&app).await);
    same(usd(&left, "spent_usd"), 100.0 * 0.000_08);
    same(usd(&left, "reserved_usd"), 0.0);
    assert_eq!(reservations(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn one_question_after_the_other_uses_a_budget_up_and_the_next_day_it_starts_anew() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.001);
    set(&app, &[budget("user", Some("Ann"), "day", 0.035), budget("user", Some("ann"), "month", 0.09)]).await;
    let ann = app.user("ann");
    for _ in 0..3 {
        ask(&ann).await.ok();
    }
    let problem = refused(&ask(&ann).await);
    assert_eq!((&problem["budget"]["name"], &problem["budget"]["period"]), (&json!("ann"), &json!("day")));
    same(usd(&problem["budget"], "spent_usd"), 0.03);
    ask(&app.user("bob")).await.ok();

    let yesterday = "UPDATE calls SET finished_at = date_trunc('day', now(), 'UTC') - interval '1 second'";
    sqlx::query(yesterday).execute(&mut app.db.superuser().await).await.unwrap();
    ask(&ann).await.ok();
    let long_ago = "UPDATE calls SET finished_at = finished_at - interval '40 days' WHERE user_id = 'ann'";
    sqlx::query(long_ago).execute(&mut app.db.superuser().await).await.unwrap();
    for budget in ann.get("/api/budget").await.ok()["budgets"].as_array().unwrap() {
        same(usd(budget, "spent_usd"), 0.0);
        assert!(budget["resets_at"].as_str().unwrap().ends_with("T00:00:00Z"), "{budget}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_month_counts_the_days_before_today() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.002);
    set(&app, &[budget("user", Some("ann"), "month", 0.025)]).await;
    let ann = app.user("ann");
    ask(&ann).await.ok();
    let first = "UPDATE calls SET finished_at = date_trunc('month', now(), 'UTC')";
    sqlx::query(first).execute(&mut app.db.superuser().await).await.unwrap();
    let problem = refused(&ask(&ann).await);
    assert_eq!(problem["budget"]["period"], "month");
    same(usd(&problem["budget"], "spent_usd"), 0.02);
    app.close().await;
}

/// One member's whole run costs more than was expected of it.
#[tokio::test]
async fn the_lower_of_an_admins_budget_and_ones_own_cap_binds() {
    let app = TestApp::with("[budgets]\nuser_per_day_usd = 5\n").await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.0001);
    let ann = app.user("ann");
    let capped = ann.put("/api/budget", json!({"per_day_usd": 0.005, "per_month_usd": 100})).await.ok();
    assert_eq!(capped["budgets"].as_array().unwrap().len(), 3, "{capped}");
    let problem = refused(&ask(&ann).await);
    assert_eq!(problem["budget"]["set_by"], "oneself");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .starts_with("The cap you have set yourself for a day is $0.005; this"),
        "{problem}"
    );
    ask(&app.user("bob")).await.ok();
    ann.put("/api/budget", json!({"per_day_usd": null})).await.ok();
    ask(&ann).await.ok();
    // A higher cap of one's own changes nothing.
    set(&app, &[budget("user", Some("ann"), "day", 0.001)]).await;
    ann.put("/api/budget", json!({"per_day_usd": 1000})).await.ok();
    assert_eq!(refused(&ask(&ann).await)["budget"]["set_by"], "admin");
    let wrong = ann.put("/api/budget", json!({"per_day_usd": -1, "per_run_usd": "much"})).await;
    assert_eq!(wrong.wrong_fields(), ["per_run_usd", "per_day_usd"]);
    app.close().await;
}

#[tokio::test]
async fn an_admins_budget_takes_the_place_of_the_configured_one() {
    let app = TestApp::with("[budgets]\nuser_per_day_usd = 0.005\ninstance_per_month_usd = 9\n").await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.0001);
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    assert_eq!(refused(&ask(&ann).await)["budget"]["set_by"], "config");
    set(&app, &[budget("user", Some("ann"), "day", 1.0)]).await;
    ask(&ann).await.ok();
    refused(&ask(&bob).await);
    let all = app.admin().get("/api/admin/budgets").await.ok();
    same(usd(&all["defaults"], "user_per_day_usd"), 0.005);
    let names: Vec<_> = all["budgets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (b["scope"].clone(), b["set_by"].clone()))
        .collect();
    assert_eq!(names, [(json!("instance"), json!("config")), (json!("user"), json!("admin"))]);
    same(usd(&all["budgets"][0], "spent_usd"), spent(&app).await);
    app.close().await;
}

#[tokio::test]
async fn a_group_spends_together_also_through_a_token_and_nobody_else_is_bound() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.001);
    set(&app, &[budget("group", Some("eng"), "day", 0.025)]).await;
    let ann = app.user("ann").with("remote-groups", "eng,ops");
    let bob = app.user("bob").with("remote-groups", "eng");
    ann.get("/api/user").await.ok();
    let new = json!({"name": "cli", "permissions": ["ask", "read"]});
    let token = ann.post("/api/tokens", new).await.ok();
    ask(&ann).await.ok();
    ask(&bob).await.ok();
    let problem = refused(&ask(&ann).await);
    assert_eq!((&problem["budget"]["scope"], &problem["budget"]["name"]), (&json!("group"), &json!("eng")));
    assert!(problem["detail"].as_str().unwrap().contains("the group “eng”"), "{problem}");
    refused(&ask(&bob).await);
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let by_token = app.user("").without_identity().with("authorization", &bearer);
    refused(&ask(&by_token).await);
    same(usd(&only(&by_token).await, "spent_usd"), 0.02);
    // Who is in it counts when asking, not later.
    ask(&app.user("bob")).await.ok();
    same(usd(&only(&bob).await, "spent_usd"), 0.02);
    assert_eq!(app.user("eve").get("/api/budget").await.ok()["budgets"], json!([]));
    app.close().await;
}

#[tokio::test]
async fn calls_of_unknown_price_are_let_through_until_the_budget_is_used_up_and_counted() {
    let app = TestApp::start().await;
    set_prices(&app, |model| (model != "m/two").then_some(1e-9)).await;
    app.models.rule(|request| match request.model.as_str() {
        "m/two" => None,
        _ => Some(plausibly(request, 0.001)),
    });
    set(&app, &[budget("user", Some("ann"), "day", 0.008)]).await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message/estimate", ann.conversation().await);
    let estimate = ann.post(&path, json!({"content": QUESTION})).await.ok();
    assert_eq!(estimate["unknown_price_models"], json!(["m/two"]));
    assert!(estimate["cost_usd"].as_f64().unwrap() > 0.0);
    ask(&ann).await.ok();
    let left = only(&ann).await;
    assert_eq!(left["unknown_cost_calls"], 2);
    same(usd(&left, "spent_usd"), 0.008);
    let problem = refused(&ask(&ann).await);
    assert_eq!(problem["unknown_price_models"], json!(["m/two"]));
    app.close().await;
}

#[tokio::test]
async fn calls_of_unknown_price_are_refused_where_the_configuration_says_so() {
    let app = TestApp::with("[budgets]\nunknown_prices = \"refuse\"\n").await;
    set_prices(&app, |model| (model != "m/two").then_some(1e-9)).await;
    let ann = app.user("ann");
    ask(&ann).await.ok();
    set(&app, &[budget("user", Some("ann"), "day", 5.0)]).await;
    let asked = app.models.records().len();
    let problem = refused(&ask(&ann).await);
    assert_eq!(problem["needed_usd"], Value::Null);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.ends_with("No price is known for m/two."), "{detail}");
    assert_eq!(app.models.records().len(), asked);
    app.close().await;
}

#[tokio::test]
async fn what_costs_nothing_is_let_in_when_a_budget_is_used_up() {
    let app = TestApp::start().await;
    set_prices(&app, |_| Some(0.0)).await;
    set(&app, &[budget("instance", None, "month", 0.0)]).await;
    costing(&app, |_| 0.0);
    ask(&app.user("ann")).await.ok();
    set_prices(&app, |_| Some(1e-9)).await;
    refused(&ask(&app.user("ann")).await);
    app.close().await;
}

#[tokio::test]
async fn an_estimate_refuses_what_the_door_refuses_asks_nobody_and_shows_the_budgets() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    set(&app, &[budget("instance", None, "day", 1.0)]).await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message/estimate", ann.conversation().await);
    assert_eq!(ann.post(&path, json!({"content": ""})).await.wrong_fields(), ["content"]);
    assert_eq!(
        ann.post(&path, json!({"content": "?", "models": ["m/one"]})).await.wrong_fields(),
        ["models"]
    );
    assert_eq!(app.user("bob").post(&path, json!({"content": "?"})).await.status, 404);
    let estimate = ann.post(&path, json!({"content": QUESTION})).await.ok();
    assert_eq!(estimate["calls"], 10);
    assert_eq!(estimate["unknown_price_models"], json!([]));
    let stages = estimate["by_stage"].as_object().unwrap();
    let sum: f64 = stages.values().map(|stage| stage["cost_usd"].as_f64().unwrap()).sum();
    same(sum, usd(&estimate, "cost_usd"));
    assert_eq!(stages.keys().collect::<Vec<_>>(), ["stage1", "stage2", "stage3", "title"]);
    same(usd(&estimate["budgets"][0], "limit_usd"), 1.0);
    assert_eq!(app.models.records().len(), 0);
    app.close().await;
}

#[tokio::test]
async fn a_first_question_is_estimated_without_a_conversation_and_none_is_made() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    let ann = app.user("ann");
    let body = json!({"content": QUESTION, "use_cot": true});
    let estimate = ann.post("/api/estimate", body.clone()).await.ok();
    let path = format!("/api/conversations/{}/message/estimate", ann.conversation().await);
    assert_eq!(estimate, ann.post(&path, body).await.ok());
    assert_eq!(estimate["by_stage"]["title"]["calls"], 1);
    assert_eq!(ann.post("/api/estimate", json!({"content": ""})).await.wrong_fields(), ["content"]);
    let bob = app.user("bob");
    bob.post("/api/estimate", json!({"content": QUESTION})).await.ok();
    assert_eq!(bob.get("/api/conversations").await.ok(), json!([]));
    app.close().await;
}

#[tokio::test]
async fn an_estimate_says_what_the_door_would_say() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.001);
    set(&app, &[budget("user", Some("ann"), "day", 0.025)]).await;
    let ann = app.user("ann");
    let estimate = async || ann.post("/api/estimate", json!({"content": QUESTION})).await.ok();
    let plenty = estimate().await;
    assert_eq!((&plenty["nearly_used_up"], &plenty["refusal"]), (&json!([]), &Value::Null));
    ask(&ann).await.ok();
    let nearly = estimate().await;
    assert_eq!(nearly["refusal"], Value::Null);
    same(usd(&nearly["nearly_used_up"][0], "spent_usd"), 0.01);
    same(usd(&nearly["nearly_used_up"][0], "reserved_usd"), 0.01);
    same(usd(&nearly["budgets"][0], "reserved_usd"), 0.0);
    ask(&ann).await.ok();
    let over = estimate().await;
    assert_eq!(over["nearly_used_up"], json!([]));
    let refusal = refused(&ask(&ann).await);
    for told in ["detail", "budget", "needed_usd"] {
        assert_eq!(over["refusal"][told], refusal[told], "{told}");
    }
    set_prices(&app, |_| Some(0.0)).await;
    assert_eq!(estimate().await["refusal"], Value::Null, "what costs nothing is let in");
    app.close().await;
}

/// The tokens that a text of this kind is expected to have.
fn usual_tokens(kind: AskedFor) -> usize {
    match kind {
        AskedFor::Answer | AskedFor::Review => 1_200,
        AskedFor::Synthesis | AskedFor::Revision => 2_000,
        AskedFor::Selection => 2_500,
        AskedFor::Critique | AskedFor::Attack => 800,
        AskedFor::Title | AskedFor::Routing | AskedFor::Severity => 20,
    }
}

#[tokio::test]
async fn an_estimate_expects_prompts_about_as_long_as_they_become() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    app.models.rule(|request| {
        let kind = request.asked_for();
        let end = match kind {
            AskedFor::Review => {
                let labels = request.labels();
                let list = labels.iter().enumerate().map(|(at, label)| format!("{}. {label}", at + 1));
                format!("\n\nFINAL RANKING:\n{}", list.collect::<Vec<_>>().join("\n"))
            }
            AskedFor::Attack => "\n\nSEVERITY: major".to_owned(),
            AskedFor::Selection => {
                "\n\nSELECTED: A\n\nREASONING:\nSo.\n\nFINAL RESPONSE:\nUNCHANGED".to_owned()
            }
            AskedFor::Title | AskedFor::Routing | AskedFor::Severity => return None,
            AskedFor::Answer | AskedFor::Synthesis | AskedFor::Revision | AskedFor::Critique => String::new(),
        };
        let words = "wrong ".repeat(usual_tokens(kind) * 4 / 6);
        Some(Script::answer(&(words + &end)).in_chunks(3))
    });
    let ann = app.user("ann");
    ann.put("/api/config", json!({"multi_chairman_models": ["m/one", "m/chair"]})).await.ok();
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let body = json!({
        "content": QUESTION, "use_multi_chairman": true, "use_refinement": true, "refinement_max_iterations": 1,
        "use_adversary": true,
    });
    let estimate = ann.post(&format!("{path}/estimate"), body.clone()).await.ok();
    ann.post(&path, body).await.ok();
    let records = app.models.records();
    assert_eq!(estimate["calls"], records.len());
    let sent = |kinds: &[AskedFor]| -> f64 {
        let of_kind = records.iter().filter(|record| kinds.contains(&record.request.asked_for()));
        of_kind.map(|record| record.request.prompt().chars().count() as f64 / 4.0).sum()
    };
    for (stages, kinds) in [
        (&["stage1"][..], &[AskedFor::Answer][..]),
        (&["stage2"], &[AskedFor::Review]),
        (&["stage3"], &[AskedFor::Synthesis, AskedFor::Selection]),
        (&["refinement", "adversary"], &[AskedFor::Critique, AskedFor::Revision, AskedFor::Attack]),
        (&["title"], &[AskedFor::Title]),
    ] {
        let tokens = |stage: &&str| estimate["by_stage"][stage]["prompt_tokens"].as_f64().unwrap();
        let expected: f64 = stages.iter().map(tokens).sum();
        let real = sent(kinds);
        assert!((expected / real - 1.0).abs() < 0.1, "{stages:?}: {expected} expected, {real} sent");
    }
    app.close().await;
}

#[tokio::test]
async fn two_admins_at_once_do_not_undo_each_others_budgets_and_what_they_did_is_noted() {
    let app = TestApp::start().await;
    let admins = [app.admin(), app.user("rita").with("remote-groups", "admins")];
    let change = |n: usize| {
        let own = budget("user", Some(&format!("u{n}")), "day", 1.0);
        // In different orders.
        let mut both =
            vec![budget("instance", None, "day", n as f64), budget("group", Some("eng"), "day", 2.0)];
        if n.is_multiple_of(2) {
            both.reverse();
        }
        both.push(own);
        json!({ "budgets": both })
    };
    let asked = (0..20).map(|n| admins[n % 2].put("/api/admin/budgets", change(n)));
    for answer in join_all(asked).await {
        answer.ok();
    }
    let all = app.admin().get("/api/admin/budgets").await.ok();
    assert_eq!(all["budgets"].as_array().unwrap().len(), 22);
    set(&app, &[json!({"scope": "user", "name": "u0", "period": "day", "limit_usd": null})]).await;
    let page = app.admin().get("/api/admin/budgets?limit=5&offset=19").await.ok();
    assert_eq!(page["budgets"].as_array().unwrap().len(), 2);
    let log = app.admin().get("/api/admin/audit?limit=500").await.ok();
    let changes: Vec<&Value> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["action"] == "budget.change")
        .collect();
    assert_eq!(changes.len(), 61);
    assert_eq!(changes[0]["target"], "user/u0/day");
    assert_eq!(changes[0]["details"], json!({"before_usd": 1.0, "limit_usd": null}));
    app.close().await;
}

#[tokio::test]
async fn a_short_page_of_budgets_shows_no_default_that_is_not_in_force() {
    let app = TestApp::with("[budgets]\nper_run_usd = 1\ninstance_per_month_usd = 500\n").await;
    set(&app, &[budget("instance", None, "day", 5.0), budget("instance", None, "month", 80.0)]).await;
    let page = app.admin().get("/api/admin/budgets?limit=1").await.ok();
    let shown: Vec<_> = page["budgets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["period"].as_str().unwrap(), one["set_by"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [("run", "config"), ("day", "admin")]);
    app.close().await;
}

#[tokio::test]
async fn of_a_request_for_caps_the_log_keeps_the_caps_alone() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let letter = "a secret ".repeat(1_000);
    ann.put("/api/budget", json!({"per_day_usd": 5, "per_month_usd": null, "letter": letter})).await.ok();
    ann.put("/api/budget", json!({"letter": letter})).await.ok();
    ann.put("/api/budget", json!({})).await.ok();
    let log = app.admin().get("/api/admin/audit?limit=500").await.ok();
    let entries = log["entries"].as_array().unwrap().iter();
    let noted: Vec<&Value> = entries.filter(|entry| entry["action"] == "budget.cap").collect();
    assert_eq!(noted.len(), 1, "nothing is noted of those that change nothing: {noted:?}");
    assert_eq!(noted[0]["details"], json!({"per_day_usd": 5.0, "per_month_usd": null}));
    app.close().await;
}

#[tokio::test]
async fn only_admins_set_budgets_and_wrong_ones_change_nothing() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let good = budget("user", Some("ann"), "day", 1e6);
    for answer in
        [ann.get("/api/admin/budgets").await, ann.put("/api/admin/budgets", json!({"budgets": [good]})).await]
    {
        assert_eq!(answer.status, 403);
    }
    let wrong = app.admin().put("/api/admin/budgets", json!({"budgets": [good, {"scope": "team"}]})).await;
    assert_eq!(wrong.wrong_fields(), ["budgets.1.scope", "budgets.1.period", "budgets.1.limit_usd"]);
    assert_eq!(app.admin().get("/api/admin/budgets").await.ok()["budgets"], json!([]));
    let token = ann.post("/api/tokens", json!({"name": "cli"})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let by_token = app.user("").without_identity().with("authorization", &bearer);
    assert_eq!(by_token.put("/api/budget", json!({"per_day_usd": 9})).await.status, 403);
    app.close().await;
}

#[tokio::test]
async fn nobody_sees_another_persons_budget_cap_or_spending() {
    let app = TestApp::start().await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.001);
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    set(&app, &[budget("user", Some("ann"), "day", 7.0), budget("instance", None, "month", 70.0)]).await;
    ann.put("/api/budget", json!({"per_month_usd": 6})).await.ok();
    ask(&ann).await.ok();
    let theirs = only(&bob).await;
    assert_eq!(theirs["scope"], "instance");
    same(usd(&theirs, "spent_usd"), 0.01);
    assert_eq!(ann.get("/api/budget").await.ok()["budgets"].as_array().unwrap().len(), 3);
    app.close().await;
}

/// Each draws on three budgets that others draw on, too.
#[tokio::test]
async fn many_at_once_in_several_groups_wait_for_each_other_and_nobody_is_turned_away() {
    let app = TestApp::with("[budgets]\nuser_per_day_usd = 5\ninstance_per_day_usd = 500\n").await;
    estimated_at(&app, 0.01).await;
    costing(&app, |_| 0.0001);
    let groups = ["red", "green", "blue"];
    set(&app, &groups.map(|group| budget("group", Some(group), "month", 50.0))).await;
    let people: Vec<User<'_>> = (0..18)
        .map(|n| {
            let (first, second) = (groups[n % 3], groups[(n + 1 + n % 2) % 3]);
            app.user(&format!("user-{n}")).with("remote-groups", &format!("{first},{second}"))
        })
        .collect();
    for answer in join_all(people.iter().map(ask)).await {
        answer.ok();
    }
    for budget in people[0].get("/api/budget").await.ok()["budgets"].as_array().unwrap() {
        same(usd(budget, "reserved_usd"), 0.0);
    }
    same(spent(&app).await, 18.0 * 10.0 * 0.0001);
    app.close().await;
}
