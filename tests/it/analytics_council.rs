//! The council beside its best member: which runs are compared, and at which cost.

use serde_json::json;

use crate::support::model_server::{AskedFor, Script};
use crate::support::ranked::{
    CIRCLE, CLEAR, Council, MEMBERS, all_say, label_of, only_one_says, pick, usage,
};

#[tokio::test]
async fn the_council_is_compared_with_its_best_member_where_costs_are_known() {
    let council = Council::settle().await;
    let ann = council.ann();
    let empty = ann.get("/api/analytics/council").await.ok();
    assert_eq!(
        pick(&empty, &["runs", "priced_runs", "council_cost", "cost_ratio"]),
        json!([0, 0, null, null])
    );
    council.rank(CLEAR, [""; 3], all_say);
    let priced = council.ask().await;
    council.rank(CIRCLE, [""; 3], all_say);
    council.ask().await;
    council.rank(CLEAR, [""; 3], only_one_says);
    council.ask().await;
    let opinion = json!({"better": {"member": "m/two"}});
    ann.put(&format!("/api/runs/{}/feedback", priced["run_id"].as_str().unwrap()), opinion).await.ok();
    let found = ann.get("/api/analytics/council").await.ok();
    // Nobody won the second alone, and of the third not every cost is known. Three answers, three
    // reviews, a synthesis; the title is not counted.
    let fields = ["runs", "priced_runs", "council_cost", "member_cost", "cost_ratio", "people"];
    let people = json!({"council": 0, "best_member": 0, "other_member": 1});
    assert_eq!(pick(&found, &fields), json!([2, 1, 1.75, 0.25, 7.0, people]));
    assert_eq!(council.app.admin().get("/api/admin/analytics/council").await.ok(), found);
    council.app.close().await;
}

#[tokio::test]
async fn a_run_that_took_answers_over_does_not_make_the_council_look_cheap() {
    let council = Council::settle().await;
    let ann = council.ann();
    council.rank(CLEAR, [""; 3], all_say);
    let first = council.ask().await;
    let again = format!("/api/runs/{}/retry", first["run_id"].as_str().unwrap());
    let fields = ["runs", "priced_runs", "council_cost"];
    let compared = async || pick(&ann.get("/api/analytics/council").await.ok(), &fields);
    assert_eq!(compared().await, json!([1, 1, 1.75]));
    let second = ann.post(&again, json!({"member": "m/one"})).await.ok()["run_id"].clone();
    let second = second.as_str().unwrap();
    ann.events(second, 0).await.rest().await;
    assert_eq!(compared().await, json!([1, 0, null]), "it paid for one answer of three");
    let all = json!({"from": "stage1"});
    let third = ann.post(&format!("/api/runs/{second}/retry"), all).await.ok()["run_id"].clone();
    ann.events(third.as_str().unwrap(), 0).await.rest().await;
    assert_eq!(compared().await, json!([1, 1, 1.75]), "everything was asked and paid again");
    council.app.close().await;
}

#[tokio::test]
async fn nor_does_one_that_also_asked_others_in_vain() {
    let council = Council::settle().await;
    let ann = council.ann();
    let only = |answering: &'static [&'static str]| {
        council.app.models.rule(move |request| {
            let model = request.model.as_str();
            if MEMBERS.contains(&model) && !answering.contains(&model) {
                return Some(Script::status(400, "not today"));
            }
            let text = if request.asked_for() == AskedFor::Review {
                let [best, other] = ["m/two", "m/one"].map(|member| label_of(request, member));
                format!("Both were read.\n\nFINAL RANKING:\n1. {best}\n2. {other}")
            } else {
                format!("The answer of {model}.")
            };
            Some(Script::answer(&text).usage(usage(all_say(request))))
        });
    };
    only(&["m/one"]);
    let first = council.ask().await;
    only(&["m/one", "m/two"]);
    let again = format!("/api/runs/{}/retry", first["run_id"].as_str().unwrap());
    let second = ann.post(&again, json!({})).await.ok()["run_id"].clone();
    ann.events(second.as_str().unwrap(), 0).await.rest().await;
    // Two calls for answers and two answers; but one of the calls failed, and one answer was there before.
    let found = ann.get("/api/analytics/council").await.ok();
    assert_eq!(pick(&found, &["runs", "priced_runs", "council_cost"]), json!([1, 0, null]));
    council.app.close().await;
}
