//! What people think of a run, and what becomes of it in the figures.

use serde_json::{Value, json};

use crate::support::model_server::{Gate, Script};
use crate::support::ranked::{Council, pick, two_runs};

#[tokio::test]
async fn a_person_says_which_answer_was_better_and_may_think_again() {
    let (council, [first, second]) = two_runs().await;
    let ann = council.ann();
    let of_run = format!("/api/runs/{first}/feedback");
    assert_eq!(
        ann.get(&of_run).await.ok(),
        json!({"run_id": first, "thumb": null, "better": null, "updated_at": null})
    );
    let said = ann.put(&of_run, json!({"thumb": "up", "better": {"member": "m/two"}})).await.ok();
    assert_eq!(pick(&said, &["thumb", "better"]), json!(["up", {"member": "m/two"}]));
    assert_eq!(ann.get(&of_run).await.ok(), said);
    let thumbs = async || {
        pick(
            &ann.get("/api/analytics/chairman").await.ok()["models"]["m/chair"],
            &["thumbs_up", "thumbs_down"],
        )
    };
    assert_eq!(thumbs().await, json!([1, 0]));
    assert_eq!(ann.get("/api/analytics/recent").await.ok()["queries"][1]["thumb"], "up");
    // Preferred to both others.
    let people = async || {
        let board = ann.get("/api/analytics/leaderboard?source=people").await.ok();
        board["models"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| pick(row, &["model", "comparisons", "wins"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        people().await,
        [json!(["m/two", 2, 2.0]), json!(["m/one", 1, 0.0]), json!(["m/three", 1, 0.0])]
    );
    let ballots = ann.get("/api/analytics/leaderboard").await.ok();
    assert_eq!(ballots["models"][0]["model"], "m/one", "people and ballots are counted apart");

    let said = ann.put(&of_run, json!({"thumb": "down", "better": "council"})).await.ok();
    assert_eq!(
        pick(&said, &["thumb", "better"]),
        json!(["down", "council"]),
        "it takes the place of the first"
    );
    assert_eq!((thumbs().await, people().await), (json!([0, 1]), vec![]));
    let only = ann.put(&of_run, json!({"better": {"member": "m/one"}})).await.ok();
    assert_eq!(pick(&only, &["thumb", "better"]), json!([null, {"member": "m/one"}]));
    assert_eq!(ann.send("DELETE", &of_run, None).await.ok()["deleted"], true);
    assert_eq!(ann.send("DELETE", &of_run, None).await.ok()["deleted"], false);
    assert_eq!(people().await, Vec::<Value>::new());

    let of_second = format!("/api/runs/{second}/feedback");
    for (body, field) in [
        (json!({}), "thumb"),
        (json!({"thumb": null, "better": null}), "thumb"),
        (json!({"thumb": "sideways"}), "thumb"),
        (json!({"thumb": true}), "thumb"),
        (json!({"better": "m/one"}), "better"),
        (json!({"better": {"member": "m/nobody"}}), "better.member"),
        (json!({"better": {"member": 3}}), "better"),
        (json!([]), "body"),
    ] {
        assert_eq!(ann.put(&of_second, body.clone()).await.wrong_fields(), [field], "{body}");
    }
    assert_eq!(ann.get(&of_second).await.ok()["updated_at"], Value::Null, "nothing was stored");
    council.app.close().await;
}

#[tokio::test]
async fn a_run_is_judged_when_it_is_over() {
    let council = Council::settle().await;
    let gate = Gate::new();
    let held = gate.clone();
    council.app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let ann = council.ann();
    let mut events = ann.ask(&council.conversation, json!({"content": "Why?"})).await;
    let run = events.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let answer = ann.put(&format!("/api/runs/{run}/feedback"), json!({"thumb": "up"})).await;
    assert_eq!((answer.status, &answer.json()["run_id"]), (409, &json!(run)));
    gate.open();
    events.rest().await;
    ann.put(&format!("/api/runs/{run}/feedback"), json!({"thumb": "up"})).await.ok();
    council.app.close().await;
}
