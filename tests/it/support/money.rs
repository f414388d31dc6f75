//! Prices, costs and budgets for tests.

use serde_json::{Value, json};

use super::app::{Answer, TestApp, User};
use super::model_server::{ModelServer, RecordedRequest, Script, plausible};

pub const MODELS: [&str; 6] = ["m/one", "m/two", "m/three", "m/four", "m/chair", "m/title"];
pub const QUESTION: &str = "Why is the sky blue?";

/// The price list: every model at this many US dollars a token.
pub fn list(usd: impl Fn(&str) -> Option<f64>) -> Script {
    let item = |model: &str| match usd(model) {
        Some(usd) => {
            json!({"id": model, "pricing": {"prompt": usd.to_string(), "completion": usd.to_string()}})
        }
        None => json!({"id": model}),
    };
    let data: Vec<Value> = MODELS.into_iter().map(item).collect();
    Script::raw("application/json", json!({ "data": data }).to_string())
}

pub async fn set_prices(app: &TestApp, usd: impl Fn(&str) -> Option<f64>) {
    app.models.models(list(usd));
    app.app.models.refresh_models().await;
}

/// Sets prices so that a first question is estimated at this many US dollars.
pub async fn estimated_at(app: &TestApp, usd: f64) {
    let unit = 1e-6;
    set_prices(app, |_| Some(unit)).await;
    let asker = app.user("estimator");
    let path = format!("/api/conversations/{}/message/estimate", asker.conversation().await);
    let estimate = asker.post(&path, json!({"content": QUESTION})).await.ok();
    let cost = estimate["cost_usd"].as_f64().unwrap();
    set_prices(app, |_| Some(unit * usd / cost)).await;
    let estimate = asker.post(&path, json!({"content": QUESTION})).await.ok();
    assert!((estimate["cost_usd"].as_f64().unwrap() - usd).abs() < usd * 1e-9, "{estimate}");
}

/// Every call reports this cost.
pub fn costing(app: &TestApp, usd: impl Fn(&RecordedRequest) -> f64 + Send + Sync + 'static) {
    costing_on(&app.models, usd);
}

pub fn costing_on(models: &ModelServer, usd: impl Fn(&RecordedRequest) -> f64 + Send + Sync + 'static) {
    models.rule(move |request| Some(plausibly(request, usd(request))));
}

pub fn plausibly(request: &RecordedRequest, usd: f64) -> Script {
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": usd});
    plausible(request).usage(usage)
}

pub fn budget(scope: &str, name: Option<&str>, period: &str, limit_usd: f64) -> Value {
    json!({"scope": scope, "name": name, "period": period, "limit_usd": limit_usd})
}

pub async fn set(app: &TestApp, budgets: &[Value]) {
    app.admin().put("/api/admin/budgets", json!({ "budgets": budgets })).await.ok();
}

/// Asks in a new conversation and waits for the end.
pub async fn ask(user: &User<'_>) -> Answer {
    let path = format!("/api/conversations/{}/message", user.conversation().await);
    user.post(&path, json!({"content": QUESTION})).await
}

/// The refusal's body, its figures being numbers.
#[track_caller]
pub fn refused(answer: &Answer) -> Value {
    assert_eq!(answer.status, 402, "{}", answer.text);
    let problem = answer.json();
    assert_eq!(problem["type"], "urn:llm-council:problem:budget-reached");
    for figure in ["limit_usd", "spent_usd", "reserved_usd"] {
        assert!(problem["budget"][figure].is_f64(), "{figure} in {problem}");
    }
    problem
}

/// The one budget that binds this user.
pub async fn only(user: &User<'_>) -> Value {
    let mine = user.get("/api/budget").await.ok();
    let budgets = mine["budgets"].as_array().unwrap();
    assert_eq!(budgets.len(), 1, "{mine}");
    budgets[0].clone()
}

pub fn usd(budget: &Value, figure: &str) -> f64 {
    budget[figure].as_f64().unwrap_or_else(|| panic!("no {figure}: {budget}"))
}

#[track_caller]
pub fn same(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} is not {right}");
}

/// What the ledger says.
pub async fn spent(app: &TestApp) -> f64 {
    sqlx::query_scalar("SELECT coalesce(sum(cost_usd), 0) FROM calls")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap()
}

pub async fn reservations(app: &TestApp) -> i64 {
    let sql = "SELECT count(*) FROM reservations";
    sqlx::query_scalar(sql).fetch_one(&mut app.db.superuser().await).await.unwrap()
}
