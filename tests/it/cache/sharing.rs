//! Between people: nothing, unless an administrator says otherwise.

use serde_json::json;

use super::{ask, find, has};
use crate::support::app::TestApp;

#[tokio::test]
async fn without_sharing_nobody_is_given_anothers_answer() {
    let app = TestApp::start().await;
    ask(&app.user("ann"), "Why do tides turn?", json!({})).await;
    let bobs = ask(&app.user("bob"), "Why do tides turn?", json!({})).await;
    assert_eq!(find(&bobs, "cache_miss")["reason"], "empty");
    assert_eq!(find(&bobs, "cache_stored")["cache_size"], 1);
    app.close().await;
}

#[tokio::test]
async fn shared_answers_come_without_their_questions_and_leave_no_trace_of_who_asked() {
    let app = TestApp::with("[cache]\nsharing = \"everyone\"\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    ask(&ann, "why do tides turn", json!({})).await;
    let events = ask(&bob, "Why do tides turn?", json!({})).await;
    let hit = find(&events, "cache_hit");
    assert_eq!(hit["own"], false);
    assert!(hit.get("cached_query").is_none() && hit.get("cached_run_id").is_none(), "{hit}");
    let text: String = events.iter().map(|event| event.json.to_string()).collect();
    assert!(!text.contains("why do tides turn") && !text.contains("ann"), "{text}");
    assert_eq!(bob.get("/api/cache/entries").await.ok()["total"], 0, "it is not bob's to list or delete");
    assert_eq!(ann.get("/api/cache/entries").await.ok()["entries"][0]["shared"], true);
    let id = hit["cache_id"].as_str().unwrap();
    assert_eq!(bob.send("DELETE", &format!("/api/cache/entries/{id}"), None).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn what_others_think_of_a_shared_answer_counts_for_others_and_is_not_told_to_its_owner() {
    let app = TestApp::with("[cache]\nsharing = \"everyone\"\n").await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    ask(&ann, "Why do tides turn?", json!({})).await;
    let hit = ask(&bob, "Why do tides turn?", json!({})).await;
    assert!(has(&hit, "cache_hit"));
    let run = hit[0].json["run_id"].as_str().unwrap();
    bob.put(&format!("/api/runs/{run}/feedback"), json!({"thumb": "down"})).await.ok();
    let entries = ann.get("/api/cache/entries").await.ok();
    let entry = &entries["entries"][0];
    assert_eq!((&entry["hit_count"], &entry["thumbs_down"]), (&json!(1), &json!(0)), "{entry}");
    let eves = ask(&app.user("eve"), "Why do tides turn?", json!({})).await;
    assert!(!has(&eves, "cache_hit"), "a bad answer is given to nobody else");
    app.close().await;
}

#[tokio::test]
async fn among_groups_only_members_of_one_share() {
    let app = TestApp::with("[cache]\nsharing = \"groups\"\n").await;
    let (ann, bob, eve, loner) = (
        app.user("ann").with("Remote-Groups", "red,blue"),
        app.user("bob").with("Remote-Groups", "blue"),
        app.user("eve").with("Remote-Groups", "green"),
        app.user("loner"),
    );
    ask(&ann, "Why do tides turn?", json!({})).await;
    assert!(has(&ask(&bob, "Why do tides turn?", json!({})).await, "cache_hit"));
    assert!(!has(&ask(&eve, "Why do tides turn?", json!({})).await, "cache_hit"));
    assert!(!has(&ask(&loner, "Why do tides turn?", json!({})).await, "cache_hit"));
    app.close().await;
}

#[tokio::test]
async fn an_answer_whose_searches_tell_what_was_asked_is_not_shared() {
    let (app, search) = TestApp::searching("tavily", "[cache]\nsharing = \"everyone\"\n").await;
    let searching = json!({"use_web_search": true});
    ask(&app.user("ann"), "Why do tides turn?", searching.clone()).await;
    assert!(!has(&ask(&app.user("bob"), "Why do tides turn?", searching.clone()).await, "cache_hit"));
    assert!(has(&ask(&app.user("ann"), "Why do tides turn?", searching).await, "cache_hit"));
    drop(search);
    app.close().await;
}
