//! Ballots that count by what earlier runs say about their authors, over HTTP.

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::events::find;

#[tokio::test]
async fn without_earlier_runs_every_ballot_counts_the_same_and_says_so() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let metadata = &find(&events, "stage2_complete")["metadata"];
    assert_eq!(metadata["use_weighted_consensus"], true, "on unless it is switched off");
    let info = &metadata["weights_info"];
    assert_eq!((&info["has_historical_data"], &info["total_models_tracked"]), (&json!(false), &json!(4)));
    assert_eq!(info["weight_range"], json!({"min": 1.0, "max": 1.0}));
    assert_eq!(
        info["weights"]["m/two"],
        json!({"model": "m/two", "runs": 0, "win_rate": 0.0, "has_history": false, "raw_weight": 1.0, "weight": 1.0,
               "normalized_weight": 1.0,
               "weight_explanation": "1.00: weighed from 2 ranked answers on; it has none yet"})
    );
    for row in metadata["aggregate_rankings"].as_array().unwrap() {
        assert_eq!((&row["weights_applied"], &row["rank_change"]), (&json!(false), &json!(0)));
        assert_eq!(row["average_rank"], row["weighted_average_rank"]);
        assert_eq!(row["borda"], row["weighted_borda"]);
        assert_eq!(row["voters"], 3, "all but its author");
    }
    let stored = &ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1];
    for field in ["use_weighted_consensus", "weights_info", "aggregate_rankings"] {
        assert_eq!(stored["metadata"][field], metadata[field], "{field}");
    }
    app.close().await;
}

#[tokio::test]
async fn weights_that_are_switched_off_are_not_told() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_weighted_consensus": false});
    let events = ann.ask(&id, body).await.rest().await;
    let metadata = &find(&events, "stage2_complete")["metadata"];
    assert_eq!(metadata["use_weighted_consensus"], false);
    assert!(metadata.get("weights_info").is_none());
    let wrong = json!({"content": "Why?", "use_weighted_consensus": "yes"});
    let path = format!("/api/conversations/{id}/message");
    assert_eq!(ann.post(&path, wrong).await.wrong_fields(), ["use_weighted_consensus"]);
    app.close().await;
}

#[tokio::test]
async fn the_weights_of_the_models_in_force_are_listed_and_read_one_by_one() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"tier1_models": ["t/one", "t/two"]})).await.ok();
    let info = ann.get("/api/weights").await.ok();
    let models: Vec<&String> = info["weights"].as_object().unwrap().keys().collect();
    assert_eq!(models, ["m/four", "m/one", "m/three", "m/two", "t/one", "t/two"]);
    assert_eq!(info["models_with_history"], 0);
    for path in ["/api/weights/t/one", "/api/weights/t%2Fone"] {
        assert_eq!(ann.get(path).await.ok(), info["weights"]["t/one"], "{path}");
    }
    assert_eq!(ann.get("/api/weights/x/unknown").await.status, 404);
    assert_eq!(ann.get("/api/weights/").await.status, 404);
    app.close().await;
}
