//! The entries of a person and their figures.

use serde_json::{Value, json};

use super::{ask, find, has};
use crate::support::app::TestApp;

#[tokio::test]
async fn entries_are_listed_searched_and_deleted_by_their_owner_only() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    for question in ["Why do tides turn?", "What is 100 % of 7_5?", "Who turns the stars?"] {
        ask(&ann, question, json!({})).await;
    }
    let all = ann.get("/api/cache/entries?limit=2").await.ok();
    assert_eq!((&all["total"], all["entries"].as_array().unwrap().len()), (&json!(3), 2));
    let entry = &all["entries"][0];
    assert_eq!(entry["query"], "Who turns the stars?", "the newest first");
    assert!(entry.get("vector").is_none() && entry.get("embedding").is_none());
    assert_eq!((&entry["embedding_method"], &entry["format"]), (&json!("api"), &json!("council")));
    let found = |query: &'static str| {
        let ann = &ann;
        async move {
            let found = ann.get(&format!("/api/cache/entries?q={query}")).await.ok();
            found["total"].as_u64().unwrap()
        }
    };
    assert_eq!((found("turn").await, found("TURN%20tides").await), (2, 1));
    assert_eq!((found("%25").await, found("7_5").await, found("7x5").await), (1, 1, 0), "signs are signs");
    for query in ["limit=0", "limit=201", "limit=x", "q=%00"] {
        assert_eq!(ann.get(&format!("/api/cache/entries?{query}")).await.status, 422, "{query}");
    }

    let id = entry["id"].as_str().unwrap();
    assert_eq!(bob.get("/api/cache/entries").await.ok()["total"], 0);
    assert_eq!(bob.send("DELETE", &format!("/api/cache/entries/{id}"), None).await.status, 404);
    assert_eq!(bob.send("DELETE", "/api/cache", None).await.ok()["entries_cleared"], 0);
    assert_eq!(ann.send("DELETE", &format!("/api/cache/entries/{id}"), None).await.ok()["deleted"], id);
    assert_eq!(ann.send("DELETE", &format!("/api/cache/entries/{id}"), None).await.status, 404);
    assert_eq!(ann.send("DELETE", "/api/cache/entries/none", None).await.status, 404);
    assert!(!has(&ask(&ann, "Who turns the stars?", json!({})).await, "cache_hit"));
    assert_eq!(ann.send("DELETE", "/api/cache", None).await.ok()["entries_cleared"], 3);
    assert_eq!(ann.get("/api/cache/info").await.ok()["cache_size"], 0);
    app.close().await;
}

#[tokio::test]
async fn an_entry_is_deleted_by_its_short_path_as_well_and_each_deletion_is_noted() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    for question in ["Why do tides turn?", "Who turns the stars?"] {
        ask(&ann, question, json!({})).await;
    }
    let all = ann.get("/api/cache/entries").await.ok();
    let id = all["entries"][0]["id"].as_str().unwrap();
    let path = format!("/api/cache/{id}");
    assert_eq!(bob.send("DELETE", &path, None).await.status, 404);
    assert_eq!(ann.send("DELETE", &path, None).await.ok()["deleted"], id);
    assert_eq!(ann.send("DELETE", &path, None).await.status, 404);
    assert_eq!(ann.send("DELETE", "/api/cache/none", None).await.status, 404);
    assert_eq!(ann.send("DELETE", "/api/cache/stats", None).await.ok()["success"], true, "it is no id");
    assert_eq!(ann.send("DELETE", "/api/cache", None).await.ok()["entries_cleared"], 1);
    let log = app.admin().get("/api/admin/audit?action=cache").await.ok();
    let noted: Vec<[&Value; 4]> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| [&entry["user"], &entry["action"], &entry["target"], &entry["details"]])
        .collect();
    let (who, none, nothing) = (json!("ann"), Value::Null, json!({}));
    assert_eq!(
        noted,
        [
            [&who, &json!("cache.clear"), &none, &json!({"entries": 1})],
            [&who, &json!("cache.clear_stats"), &none, &nothing],
            [&who, &json!("cache.delete"), &json!(id), &nothing],
        ],
        "and nothing of those that were refused"
    );
    assert!(!log.to_string().contains("tides"), "{log}");
    app.close().await;
}

#[tokio::test]
async fn figures_count_each_question_once_and_can_be_forgotten() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25});
        Some(crate::support::model_server::plausible(request).usage(usage))
    });
    let ann = app.user("ann");
    let first = ask(&ann, "Why?", json!({})).await;
    ask(&ann, "Why?", json!({})).await;
    let cost = find(&first, "costs_complete")["data"]["total_cost"].as_f64().unwrap();
    let stats = ann.get("/api/cache/stats").await.ok();
    assert_eq!(
        (&stats["total_queries"], &stats["cache_hits"], &stats["cache_misses"]),
        (&json!(2), &json!(1), &json!(1))
    );
    assert_eq!((&stats["hit_rate"], &stats["cost_saved"]), (&json!(0.5), &json!(cost)));
    assert_eq!(stats["total_cost_saved"], stats["cost_saved"]);
    let info = ann.get("/api/cache/info").await.ok();
    assert_eq!(
        (&info["cache_size"], &info["total_entry_hits"], &info["stats"]),
        (&json!(1), &json!(1), &stats)
    );
    let everybody = app.admin().get("/api/admin/cache").await.ok();
    assert_eq!(
        (&everybody["entries"], &everybody["users"], &everybody["hits"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert!(!everybody.to_string().contains("Why"));
    assert_eq!(ann.get("/api/admin/cache").await.status, 403);
    ann.send("DELETE", "/api/cache/stats", None).await.ok();
    assert_eq!(ann.get("/api/cache/stats").await.ok()["total_queries"], 0);
    assert_eq!(ann.get("/api/cache/info").await.ok()["cache_size"], 1, "the answers stay");
    app.close().await;
}

#[tokio::test]
async fn how_it_is_set_up_is_said_to_everybody_and_can_be_changed() {
    let app = TestApp::with("[cache]\nsharing = \"groups\"\nmax_entries = 3\n").await;
    let ann = app.user("ann");
    let config = ann.get("/api/cache/config").await.ok();
    assert_eq!((&config["sharing"], &config["max_entries"]), (&json!("groups"), &json!(3)));
    assert_eq!((&config["max_cache_entries"], &config["use_api_embeddings"]), (&json!(3), &json!(true)));
    assert_eq!((&config["similarity_threshold"], &config["cache_mode"]), (&json!(0.92), &json!("serve")));
    let embeddings = ann.get("/api/embeddings/config").await.ok();
    assert_eq!(embeddings["default_model"], "openai/text-embedding-3-small");
    assert_eq!(
        (&embeddings["embedding_dimension"], &embeddings["hash_dimension"]),
        (&json!(1536), &json!(256))
    );
    assert_eq!(
        (&embeddings["dimensions"], &embeddings["api_url"], &embeddings["method"]),
        (&json!(1536), &json!(app.models.base_url()), &json!("api"))
    );
    let options = json!({"use_cache": true, "cache_mode": "exact", "cache_similarity_threshold": 0.85});
    let changed = json!({"embedding_model": "m/vectors", "default_options": options});
    ann.put("/api/config", changed).await.ok();
    let config = ann.get("/api/cache/config").await.ok();
    assert_eq!((&config["embedding_model"], &config["cache_mode"]), (&json!("m/vectors"), &json!("exact")));
    let info = ann.get("/api/cache/info").await.ok();
    for said in [&config, &info] {
        assert_eq!(said["similarity_threshold"], 0.85, "{said}");
    }
    ann.put("/api/config", json!({"use_api_embeddings": false})).await.ok();
    let embeddings = ann.get("/api/embeddings/config").await.ok();
    assert_eq!((&embeddings["method"], &embeddings["api_url"]), (&json!("hash"), &Value::Null));
    assert_eq!(ann.put("/api/config", json!({"embedding_model": "two words"})).await.status, 422);
    let wrong = json!({"default_options": {"cache_mode": "sometimes"}});
    assert_eq!(ann.put("/api/config", wrong).await.status, 422);
    app.close().await;
}

#[tokio::test]
async fn a_search_says_what_would_be_given_and_is_paid() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ask(&ann, "Why do tides turn?", json!({})).await;
    let same = ann.post("/api/cache/search?query=why%20do%20tides%20turn", json!({})).await.ok();
    assert_eq!((&same["found"], &same["cached_query"]), (&json!(true), &json!("Why do tides turn?")));
    let other = ann.post("/api/cache/search?query=Who%20wrote%20Faust", json!({})).await.ok();
    assert_eq!(other, json!({"found": false}));
    let prompted = "/api/cache/search?query=Why%20do%20tides%20turn&system_prompt=Rhyme";
    assert_eq!(ann.post(prompted, json!({})).await.ok()["found"], false);
    assert_eq!(
        app.user("bob").post("/api/cache/search?query=Why%20do%20tides%20turn", json!({})).await.ok()["found"],
        false
    );
    for query in ["", "?query=", "?query=x&similarity_threshold=0.2"] {
        assert_eq!(ann.post(&format!("/api/cache/search{query}"), json!({})).await.status, 422, "{query}");
    }

    let search = "/api/cache/search";
    let by_query = ann.send("POST", &format!("{search}?query=why%20do%20tides%20turn"), None).await.ok();
    assert_eq!(by_query, same, "without a body");
    let body = json!({"query": "why do tides turn", "system_prompt": null, "similarity_threshold": 0.9});
    assert_eq!(ann.post(search, body.clone()).await.ok(), same);
    assert_eq!(
        ann.post(&format!("{search}?query=Who%20wrote%20Faust"), body).await.ok(),
        same,
        "the body counts"
    );
    let rhymed = json!({"query": "why do tides turn", "system_prompt": "Rhyme"});
    assert_eq!(ann.post(search, rhymed).await.ok()["found"], false);
    assert_eq!(ann.send("POST", search, None).await.wrong_fields(), ["query"]);
    let wrong = json!({"query": 7, "system_prompt": [], "similarity_threshold": "high"});
    assert_eq!(
        ann.post(search, wrong).await.wrong_fields(),
        ["query", "system_prompt", "similarity_threshold"]
    );
    assert_eq!(ann.post(search, json!([])).await.wrong_fields(), ["body"]);
    let usage = app.admin().get("/api/admin/usage?by=format").await.ok();
    assert!(usage.to_string().contains("cache_search"), "{usage}");
    app.close().await;
}

#[tokio::test]
async fn the_one_that_was_not_used_for_longest_makes_room() {
    let app = TestApp::with("[cache]\nmax_entries = 2\n").await;
    let ann = app.user("ann");
    ask(&ann, "What is one?", json!({})).await;
    ask(&ann, "Who wrote Faust?", json!({})).await;
    assert!(has(&ask(&ann, "What is one?", json!({})).await, "cache_hit"));
    ask(&ann, "Where does the Danube end?", json!({})).await;
    assert!(has(&ask(&ann, "What is one?", json!({})).await, "cache_hit"));
    assert!(!has(&ask(&ann, "Who wrote Faust?", json!({})).await, "cache_hit"));
    assert_eq!(ann.get("/api/cache/info").await.ok()["cache_size"], 2);
    app.close().await;
}
