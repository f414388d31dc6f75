//! Ballots that count by what earlier runs say about their authors, over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::find;
use crate::support::model_server::{AskedFor, RecordedRequest, Script};

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
        json!({"model": "m/two", "runs": 0, "total_queries": 0, "win_rate": 0.0, "has_history": false, "raw_weight": 1.0, "weight": 1.0,
               "normalized_weight": 1.0,
               "weight_explanation": "1.00: weighed from 2 ranked answers on; it has none yet",
               "weight_explanation_fact": {"code": "too_few_runs", "weight": 1.0, "runs": 0, "needed": 2}})
    );
    for row in metadata["aggregate_rankings"].as_array().unwrap() {
        assert_eq!((&row["weights_applied"], &row["rank_change"]), (&json!(false), &json!(0)));
        assert_eq!(row["average_rank"], row["weighted_average_rank"]);
        assert_eq!(row["borda"], row["weighted_borda"]);
        assert_eq!(row["voters"], 4, "its author too");
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
    assert_eq!(
        (&info["weights"]["t/one"]["runs"], &info["weights"]["t/one"]["total_queries"]),
        (&json!(0), &json!(0))
    );
    for path in ["/api/weights/t/one", "/api/weights/t%2Fone"] {
        assert_eq!(ann.get(path).await.ok(), info["weights"]["t/one"], "{path}");
    }
    assert_eq!(ann.get("/api/weights/x/unknown").await.status, 404);
    assert_eq!(ann.get("/api/weights/").await.status, 404);
    app.close().await;
}

/// A ballot that knows whose answers it ranks, as no real reviewer does.
fn ballot(request: &RecordedRequest, best_first: [&str; 3]) -> Script {
    let label = |model: &str| {
        let of_it = format!("A scripted answer of m/{model}.");
        let (before, _) = request.prompt().split_once(&of_it).expect("its answer");
        let heading = before.rsplit_once("[Response ").expect("its heading").1;
        heading.chars().next().expect("a letter")
    };
    let lines: Vec<String> =
        (1..).zip(best_first).map(|(n, model)| format!("{n}. Response {}", label(model))).collect();
    Script::answer(&format!("FINAL RANKING:\n{}", lines.join("\n")))
}

fn column<'a>(metadata: &'a Value, field: &str) -> Vec<(&'a str, &'a Value)> {
    let rows = metadata["aggregate_rankings"].as_array().unwrap();
    rows.iter().map(|row| (row["model"].as_str().unwrap(), &row[field])).collect()
}

/// Worked by hand.
#[tokio::test]
async fn whoever_did_well_before_counts_for_more() {
    let app = TestApp::start().await;
    let differs = Arc::new(AtomicBool::new(false));
    let differ = differs.clone();
    app.models.rule(move |request| {
        if request.asked_for() != AskedFor::Review {
            return None;
        }
        let differ = differ.load(Ordering::SeqCst);
        Some(match (request.model.as_str(), differ) {
            ("m/one", false) => ballot(request, ["two", "three", "four"]),
            ("m/two", false) => ballot(request, ["one", "three", "four"]),
            ("m/three", false) => ballot(request, ["one", "two", "four"]),
            ("m/four", false) => ballot(request, ["one", "two", "three"]),
            ("m/one", true) => ballot(request, ["four", "two", "three"]),
            ("m/two", true) => ballot(request, ["three", "four", "one"]),
            ("m/three", true) => ballot(request, ["one", "two", "four"]),
            (_, _) => ballot(request, ["three", "two", "one"]),
        })
    });
    let ann = app.user("ann");
    let ask = async |mut body: Value| {
        // As worked out by hand below: each ballot over the three others.
        body["self_votes"] = json!("left_out");
        let id = ann.conversation().await;
        let events = ann.ask(&id, body).await.rest().await;
        find(&events, "stage2_complete")["metadata"].clone()
    };
    for _ in 0..2 {
        let metadata = ask(json!({"content": "Why?"})).await;
        assert_eq!(column(&metadata, "weights_applied")[0], ("m/one", &json!(false)), "too few runs so far");
    }

    // Twice everybody put one before two before three before four. By others: one 1, 1, 1; two 1, 2, 2;
    // three 2, 2, 3; four 3, 3, 3. All said 8, which is worth (7/9)·0.1 = 0.0778. So, with
    // 1 + wins·1.5 + 0.5/rank + 0.0778:
    //   one   1 + 1.5 + 0.5/1.00 + 0.0778 = 3.0778, at most 2.5
    //   two   1 + 0   + 0.5/1.67 + 0.0778 = 1.3772
    //   three 1 + 0   + 0.5/2.33 + 0.0778 = 1.2924
    //   four  1 + 0   + 0.5/3.00 + 0.0778 = 1.2444
    // Their mean is 1.6035: 1.5591, 0.8589, 0.8060, 0.7761.
    differs.store(true, Ordering::SeqCst);
    let metadata = ask(json!({"content": "Why?"})).await;
    let weights = &metadata["weights_info"]["weights"];
    for (model, raw, weight, normalized) in [
        ("m/one", 3.0778, 2.5, 1.5591),
        ("m/two", 1.3772, 1.3772, 0.8589),
        ("m/three", 1.2924, 1.2924, 0.806),
        ("m/four", 1.2444, 1.2444, 0.7761),
    ] {
        let one = &weights[model];
        assert_eq!(one["runs"], 2);
        for (field, expected) in [("raw_weight", raw), ("weight", weight), ("normalized_weight", normalized)]
        {
            let figure = one[field].as_f64().unwrap();
            assert!((figure - expected).abs() < 1.1e-4, "{model} {field}: {figure}, not {expected}");
        }
    }
    assert_eq!(
        (&weights["m/one"]["win_rate"], &weights["m/one"]["average_rank"]),
        (&json!(100.0), &json!(1.0))
    );

    // Borda of the third run, each ballot 1, a half, 0. By heads: three 0, 1, 1 = 0.6667; four 1, ½, 0 and
    // two ½, ½, ½ = 0.5; one 0, 1, 0 = 0.3333. By weights: four (1.5591 + 0.8589/2) / 3.2240 = 0.6168;
    // three (0.8589 + 0.7761) / 3.1941 = 0.5119; two 0.5; one 0.8060 / 2.4410 = 0.3302.
    let change = column(&metadata, "rank_change");
    assert_eq!(
        change,
        [("m/four", &json!(1)), ("m/three", &json!(-1)), ("m/two", &json!(-1)), ("m/one", &json!(0))]
    );
    let expected = [("m/four", 0.6168), ("m/three", 0.5119), ("m/two", 0.5), ("m/one", 0.3302)];
    for ((model, score), (expected_model, expected)) in
        column(&metadata, "weighted_borda").into_iter().zip(expected)
    {
        assert_eq!(model, expected_model);
        assert!((score.as_f64().unwrap() - expected).abs() < 1.1e-4, "{model}: {score}");
    }
    assert!(column(&metadata, "weights_applied").iter().all(|(_, applied)| **applied == json!(true)));
    assert_eq!(metadata["aggregate"]["winner"], "m/four");

    let plain = ask(json!({"content": "Why?", "use_weighted_consensus": false})).await;
    let bordas: Vec<&Value> = column(&plain, "borda").into_iter().map(|(_, score)| score).collect();
    assert_eq!(bordas, [&json!(0.6667), &json!(0.5), &json!(0.5), &json!(0.3333)]);
    assert_eq!(plain["aggregate"]["winner"], "m/three");

    assert_eq!(ann.get("/api/weights/m/one").await.ok()["runs"], 4);
    let bob = app.user("bob").get("/api/weights").await.ok();
    assert_eq!(bob["has_historical_data"], false, "each has weights of their own");
    app.close().await;
}
