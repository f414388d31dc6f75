//! Where the cost of a call comes from, and what sums say of it.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Script};
use crate::support::ranked::{pick, usage};

#[tokio::test]
async fn a_cost_says_where_it_comes_from_and_an_unknown_one_is_not_nought() {
    let app = TestApp::start().await;
    let list = json!({"data": [
        {"id": "m/one", "pricing": {"prompt": "0.01", "completion": "0.02"}},
        {"id": "m/two"}, {"id": "openai/gpt-5.1"}, {"id": "m/four"},
    ]});
    app.models.models(Script::raw("application/json", list.to_string()));
    app.app.models.refresh_models().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", AskedFor::Answer) => Some(Script::answer("Yes.").usage(usage(Some(0.5)))),
        (_, AskedFor::Answer) => Some(Script::answer("Yes.").usage(usage(None))),
        _ => None,
    });
    let ann = app.user("ann");
    let body = json!({"content": "Why?", "models": ["m/one", "m/two", "openai/gpt-5.1", "m/four"]});
    let run = ann.post(&format!("/api/conversations/{}/message", ann.conversation().await), body).await.ok();
    let told: Vec<Value> = run["stage1"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| pick(&answer["usage"], &["cost_usd", "cost_source"]))
        .collect();
    // 10 tokens in and 5 out: 0.1 + 0.1 by the list, 10 × $1.25 + 5 × $10 per million by the built-in one.
    let micro = |value: &Value| (value[0].as_f64().unwrap_or(-1.0) * 1e9).round() / 1e9;
    assert_eq!(told.iter().map(micro).collect::<Vec<_>>(), [0.2, 0.5, 0.000_062_5, -1.0]);
    let sources: Vec<&Value> = told.iter().map(|value| &value[1]).collect();
    assert_eq!(sources, [&json!("listed"), &json!("reported"), &json!("built_in"), &Value::Null]);

    // m/one and gpt-5.1 review as well; m/two's review says nothing, nor do chairman and title.
    let fields = ["unknown_cost_calls", "estimated_cost_calls"];
    assert_eq!(pick(&run["metadata"]["costs"], &fields), json!([5, 4]));
    assert_eq!(pick(&run["metadata"]["costs"]["by_stage"]["stage1"], &fields), json!([1, 2]));
    let found = ann.get("/api/analytics").await.ok();
    let of = |model: &str| {
        pick(&found["models"][model], &["total_cost", "unknown_cost_calls", "estimated_cost_calls"])
    };
    assert_eq!(of("m/one"), json!([0.4, 0, 2]));
    assert_eq!(of("m/two"), json!([0.5, 1, 0]));
    assert_eq!(of("openai/gpt-5.1"), json!([0.000_125, 0, 2]));
    assert_eq!(of("m/four"), json!([null, 2, 0]), "unknown is not nought");
    let summary = &found["summary"];
    assert_eq!(
        pick(summary, &["total_cost", "unknown_cost_calls", "estimated_cost_calls"]),
        json!([0.900_125, 5, 4])
    );
    let sum = run["metadata"]["costs"]["total_cost"].as_f64().unwrap();
    assert!(
        (summary["total_cost"].as_f64().unwrap() - sum).abs() < 1e-6,
        "what is shown is the sum of the ledger"
    );
    assert!(summary["price_list_date"].as_str().unwrap().starts_with("20"));
    let runs = app.admin().get("/api/admin/runs").await.ok();
    assert_eq!(pick(&runs["runs"][0], &["unpriced_calls", "estimated_calls"]), json!([5, 4]));
    app.close().await;
}
