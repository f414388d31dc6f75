//! The semantic cache, from outside: what is found, what is not, what a person is asked, and what it costs.

mod offers;
mod routes;
mod scope;
mod sharing;
mod signatures;
mod survival;

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::events::Event;
use crate::support::model_server::Script;

/// The events of a question with the cache on, in a conversation of its own.
async fn ask(user: &User<'_>, question: &str, more: Value) -> Vec<Event> {
    let id = user.conversation().await;
    let mut body = json!({"content": question, "use_cache": true});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    user.ask(&id, body).await.rest().await
}

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().filter(|event| !event.is_token()).map(Event::kind).collect()
}

fn find<'e>(events: &'e [Event], kind: &str) -> &'e Value {
    &events
        .iter()
        .find(|event| event.kind() == kind)
        .unwrap_or_else(|| panic!("no {kind}: {:?}", kinds(events)))
        .json
}

fn has(events: &[Event], kind: &str) -> bool {
    events.iter().any(|event| event.kind() == kind)
}

/// The run and its stored answer.
async fn stored(user: &User<'_>, events: &[Event]) -> Value {
    let run = events[0].json["run_id"].as_str().unwrap();
    user.get(&format!("/api/runs/{run}")).await.ok()
}

/// Questions that a model of vectors holds for the same: two that share all but their last word.
fn alike(app: &TestApp) {
    app.models.embeddings(|request| {
        let text = request.embedded();
        let (head, last) = text.rsplit_once(' ').unwrap_or((text, ""));
        let axis = |text: &str| text.bytes().fold(7usize, |sum, byte| sum * 31 % 61 + usize::from(byte)) % 61;
        let mut vector = vec![0.0; 64];
        vector[axis(head)] = 1.0;
        vector[61 + axis(last) % 3] = 0.05;
        Some(Script::embedding(vector))
    });
}

#[tokio::test]
async fn the_same_question_is_answered_once_and_given_again_with_all_its_results() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let first = ask(&ann, "Why do tides turn?", json!({"use_refinement": true})).await;
    assert_eq!(kinds(&first)[1..3], ["cache_check_start", "cache_miss"]);
    assert_eq!(find(&first, "cache_miss")["reason"], "empty");
    let kept = find(&first, "cache_stored");
    assert_eq!((&kept["embedding_method"], &kept["cache_size"]), (&json!("api"), &json!(1)));
    assert_eq!(first.last().unwrap().kind(), "complete");
    let calls = app.models.records().len();

    let again = ask(&ann, "  why do  Tides turn", json!({"use_refinement": true})).await;
    assert_eq!(app.models.records().len(), calls, "nobody is asked again");
    assert_eq!(app.models.embedding_records().len(), 1, "the same text needs no vector");
    let hit = find(&again, "cache_hit");
    assert_eq!((&hit["similarity"], &hit["exact"], &hit["own"]), (&json!(1.0), &json!(true), &json!(true)));
    assert_eq!(hit["cached_query"], "Why do tides turn?");
    assert_eq!((&hit["cache_id"], &hit["hit_count"]), (&kept["cache_id"], &json!(1)));
    assert_eq!(hit["cached_response"], find(&first, "refinement_complete")["final_response"]);
    for kind in ["stage1_complete", "stage2_complete", "stage3_complete"] {
        assert_eq!(find(&again, kind)["data"], find(&first, kind)["data"], "{kind}");
        assert!(find(&again, kind)["data"].is_array() || find(&again, kind)["data"].is_object(), "{kind}");
    }
    assert_eq!(find(&again, "costs_complete")["data"]["by_stage"], json!({}), "it costs nothing");
    assert_eq!(kinds(&again)[kinds(&again).len() - 3..], ["costs_complete", "title_complete", "complete"]);
    assert_eq!(find(&again, "title_complete")["data"], find(&first, "title_complete")["data"]);
    assert!(!has(&again, "cache_stored"), "an answer that is given again is not kept again");

    let (one, two) = (stored(&ann, &first).await, stored(&ann, &again).await);
    for part in ["stage1", "stage2", "stage3"] {
        assert_eq!(one[part], two[part], "{part}");
    }
    for part in ["aggregate_rankings", "label_to_model", "refinement"] {
        assert_eq!(one["metadata"][part], two["metadata"][part], "{part}");
    }
    let told = &two["metadata"]["cache"];
    assert_eq!((&told["outcome"], &told["cached"]["cache_id"]), (&json!("hit"), &kept["cache_id"]));
    assert_eq!(one["metadata"]["cache"]["stored"]["cache_id"], kept["cache_id"]);
    app.close().await;
}

#[tokio::test]
async fn a_question_that_is_near_enough_is_answered_with_the_earlier_answer() {
    let app = TestApp::start().await;
    alike(&app);
    let ann = app.user("ann");
    ask(&ann, "Explain to me how the tides of the sea work please", json!({})).await;
    let near = ask(&ann, "Explain to me how the tides of the sea work thanks", json!({})).await;
    let hit = find(&near, "cache_hit");
    assert!(hit["similarity"].as_f64().unwrap() > 0.99 && hit["exact"] == false, "{hit}");
    assert_eq!(find(&near, "costs_complete")["data"]["by_stage"]["cache"]["calls"], 1, "the vector is paid");

    let strict = json!({"cache_similarity_threshold": 1.0});
    let miss = ask(&ann, "Explain to me how the tides of the sea work cheers", strict).await;
    let miss = find(&miss, "cache_miss");
    assert_eq!(miss["reason"], "below_threshold");
    assert!(miss["best_similarity"].as_f64().unwrap() > 0.99, "{miss}");
    app.close().await;
}

#[tokio::test]
async fn a_question_that_is_near_and_differs_in_a_number_is_asked() {
    let app = TestApp::start().await;
    alike(&app);
    let ann = app.user("ann");
    ask(&ann, "How many people lived in Berlin in 1990", json!({})).await;
    let other = ask(&ann, "How many people lived in Berlin in 2020", json!({})).await;
    let miss = find(&other, "cache_miss");
    assert_eq!(miss["reason"], "differs", "{miss}");
    assert!(miss["difference"].is_string(), "{miss}");
    assert!(has(&other, "stage1_complete"));
    app.close().await;
}

#[tokio::test]
async fn where_no_model_makes_a_vector_only_the_same_text_is_found() {
    let app = TestApp::start().await;
    app.models.embeddings(|_| Some(Script::status(401, "{}")));
    let ann = app.user("ann");
    let first = ask(&ann, "Why do tides turn?", json!({})).await;
    assert_eq!(find(&first, "cache_miss")["reason"], "embedding_failed");
    assert_eq!(find(&first, "cache_stored")["embedding_method"], "hash");
    assert!(has(&ask(&ann, "Why do tides turn?", json!({})).await, "cache_hit"));
    let stats = ann.get("/api/cache/stats").await.ok();
    assert_eq!((&stats["total_queries"], &stats["cache_hits"]), (&json!(2), &json!(1)));
    assert_eq!(stats["embedding_failures"], 1);
    app.close().await;
}

#[tokio::test]
async fn without_an_embedding_model_nearly_the_same_text_is_found() {
    let app = TestApp::with("[cache]\nuse_api_embeddings = false\n").await;
    let ann = app.user("ann");
    let question = "Explain to me in a few sentences why the tides of the sea turn twice a day";
    ask(&ann, question, json!({})).await;
    let near =
        ask(&ann, &question.replace("sentences", "sentence"), json!({"cache_similarity_threshold": 0.8}))
            .await;
    assert!(has(&near, "cache_hit"), "{}", find(&near, "cache_miss"));
    assert!(app.models.embedding_records().is_empty());
    app.close().await;
}

/// As with a model that is not to be asked: nothing has failed, and what is kept can be found again.
#[tokio::test]
async fn where_the_provider_has_no_embeddings_nearly_the_same_text_is_found() {
    let none = "[providers.groq]\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key = \"sk-groq\"\n\
                [cache]\nembedding_model = \"groq:m/vectors\"\n";
    let app = TestApp::with(none).await;
    let ann = app.user("ann");
    let question = "Explain to me in a few sentences why the tides of the sea turn twice a day";
    let first = ask(&ann, question, json!({})).await;
    assert_eq!(find(&first, "cache_miss")["reason"], "empty");
    let kept = find(&first, "cache_stored");
    assert_eq!((&kept["embedding_method"], &kept["embedding_model"]), (&json!("hash"), &Value::Null));
    let nearly = question.replace("sentences", "sentence");
    let near = ask(&ann, &nearly, json!({"cache_similarity_threshold": 0.8})).await;
    assert!(has(&near, "cache_hit"), "{}", find(&near, "cache_miss"));
    let search = json!({"query": nearly, "similarity_threshold": 0.8});
    assert_eq!(ann.post("/api/cache/search", search).await.ok()["cached_query"], question);
    assert_eq!(ann.get("/api/cache/stats").await.ok()["embedding_failures"], 0);
    assert!(app.models.embedding_records().is_empty());

    assert_eq!(ann.get("/api/cache/config").await.ok()["use_api_embeddings"], false);
    let embeddings = ann.get("/api/embeddings/config").await.ok();
    assert_eq!((&embeddings["method"], &embeddings["api_url"]), (&json!("hash"), &Value::Null));
    let expected = |model: &'static str| {
        let ann = &ann;
        async move {
            ann.put("/api/config", json!({"embedding_model": model})).await.ok();
            let estimate =
                ann.post("/api/estimate", json!({"content": "Why?", "use_cache": true})).await.ok();
            estimate["by_stage"].get("cache").is_some()
        }
    };
    assert_eq!((expected("groq:m/vectors").await, expected("m/vectors").await), (false, true));
    app.close().await;
}

#[tokio::test]
async fn in_exact_mode_nothing_is_compared_or_paid() {
    let app = TestApp::start().await;
    alike(&app);
    let ann = app.user("ann");
    let exact = json!({"cache_mode": "exact"});
    ask(&ann, "Explain to me how the tides of the sea work please", exact.clone()).await;
    let near = ask(&ann, "Explain to me how the tides of the sea work thanks", exact.clone()).await;
    assert_eq!(find(&near, "cache_miss")["reason"], "empty");
    assert!(app.models.embedding_records().is_empty());
    let same = ask(&ann, "Explain to me how the tides of the sea work please", exact).await;
    assert!(has(&same, "cache_hit"));
    app.close().await;
}

#[tokio::test]
async fn an_answer_of_which_something_is_missing_is_not_kept() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.model == "m/one").then(|| Script::status(401, "{}")));
    let ann = app.user("ann");
    let events = ask(&ann, "Why?", json!({})).await;
    assert_eq!(find(&events, "cache_not_stored")["reason"], "incomplete");
    assert_eq!(ann.get("/api/cache/info").await.ok()["cache_size"], 0);
    app.close().await;
}

#[tokio::test]
async fn a_debate_that_somebody_left_and_parts_that_not_all_answered_are_not_kept() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let prompt = request.prompt();
        if prompt.starts_with("Say whether the question") {
            return Some(Script::answer("SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.9"));
        }
        if prompt.starts_with("Split the question") {
            return Some(Script::answer("1. What are tides?\n2. Why do they turn?"));
        }
        let fails = prompt.contains("Criticise this position")
            || prompt.starts_with("The question below is one part");
        (request.model == "m/one" && fails).then(|| Script::status(401, "{}"))
    });
    let ann = app.user("ann");
    for (mode, end) in [("debate", "judgment_complete"), ("decomposition", "decomposition_complete")] {
        let events = ask(&ann, "What are tides, and why do they turn?", json!({"mode": mode})).await;
        assert!(has(&events, end), "{mode}: {:?}", kinds(&events));
        assert_eq!(find(&events, "cache_not_stored")["reason"], "incomplete", "{mode}");
    }
    assert_eq!(ann.get("/api/cache/info").await.ok()["cache_size"], 0);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_is_asked_for_again_is_asked_and_kept_in_the_place_of_the_earlier_one() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let first = ask(&ann, "Why?", json!({})).await;
    let run = first[0].json["run_id"].as_str().unwrap();
    let calls = app.models.records().len();
    let retried = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": "stage1"})).await.ok();
    let again = ann.events(retried["run_id"].as_str().unwrap(), 0).await.rest().await;
    assert!(!has(&again, "cache_check_start") && has(&again, "cache_stored"), "{:?}", kinds(&again));
    assert!(app.models.records().len() > calls);
    assert_eq!(find(&again, "cache_stored")["cache_size"], 1);
    let hit = ask(&ann, "Why?", json!({})).await;
    assert_eq!(find(&hit, "cache_hit")["cached_run_id"], again[0].json["run_id"]);
    app.close().await;
}

#[tokio::test]
async fn of_an_answer_that_is_given_again_only_the_whole_is_asked_again() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ask(&ann, "Why?", json!({})).await;
    let hit = ask(&ann, "Why?", json!({})).await;
    assert!(has(&hit, "cache_hit"));
    let path = format!("/api/runs/{}/retry", hit[0].json["run_id"].as_str().unwrap());
    let calls = app.models.records().len();
    for part in [json!({"from": "stage3"}), json!({"from": "stage2"}), json!({"member": "m/one"})] {
        let refused = ann.post(&path, part.clone()).await;
        let says_why = refused.text.contains("ask everybody again");
        assert_eq!((refused.status, says_why), (409, true), "{part}: {}", refused.text);
    }
    assert_eq!(app.models.records().len(), calls);
    let again = ann.post(&path, json!({"from": "stage1"})).await.ok();
    let events = ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    assert!(has(&events, "complete") && app.models.records().len() > calls, "{:?}", kinds(&events));
    app.close().await;
}

#[tokio::test]
async fn a_hit_is_in_no_analytics_and_what_people_think_of_it_counts_for_the_answer() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ask(&ann, "Why?", json!({})).await;
    let before = ann.get("/api/analytics").await.ok();
    let hit = ask(&ann, "Why?", json!({})).await;
    assert!(has(&hit, "cache_hit"));
    assert_eq!(ann.get("/api/analytics").await.ok(), before);

    let run = hit[0].json["run_id"].as_str().unwrap();
    ann.put(&format!("/api/runs/{run}/feedback"), json!({"thumb": "down"})).await.ok();
    let entries = ann.get("/api/cache/entries").await.ok();
    let entry = &entries["entries"][0];
    assert_eq!((&entry["thumbs_down"], &entry["hit_count"]), (&json!(1), &json!(1)), "{entry}");
    let asked = ask(&ann, "Why?", json!({})).await;
    assert!(!has(&asked, "cache_hit"), "a bad answer is not given again");
    app.close().await;
}

#[tokio::test]
async fn every_format_is_given_again_as_it_was() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    for format in [
        json!({"mode": "debate"}),
        json!({"mode": "debate", "debate_style": "all_to_all"}),
        json!({"mode": "arena"}),
        json!({"mode": "decomposition"}),
    ] {
        let first = ask(&ann, "Why do tides turn?", format.clone()).await;
        let again = ask(&ann, "Why do tides turn?", format.clone()).await;
        assert!(has(&again, "cache_hit"), "{format}: {:?}", kinds(&again));
        let (mut one, mut two) = (stored(&ann, &first).await, stored(&ann, &again).await);
        for stored in [&mut one, &mut two] {
            let stored = stored.as_object_mut().unwrap();
            stored.retain(|name, _| {
                !["id", "run_id", "conversation_id", "message_id", "created_at", "finished_at", "title"]
                    .contains(&name.as_str())
            });
            let metadata = stored["metadata"].as_object_mut().unwrap();
            metadata.retain(|name, _| !["cache", "costs", "title"].contains(&name.as_str()));
        }
        assert_eq!(one, two, "{format}");
    }
    app.close().await;
}

#[tokio::test]
async fn wrong_fields_are_all_named() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_cache": true, "cache_similarity_threshold": 0.3, "cache_mode": "never"});
    let refused = ann.post(&format!("/api/conversations/{id}/message"), body).await;
    assert_eq!(refused.wrong_fields(), ["cache_similarity_threshold", "cache_mode"]);
    app.close().await;
}
