//! Crashes, purges, and a database that is away.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{ask, find, has, kinds};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;

#[tokio::test]
async fn entries_go_with_their_conversation_for_good_and_rest_while_it_can_be_restored() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let first = ask(&ann, "Why?", json!({})).await;
    let conversation = first[0].json["conversation_id"].as_str().unwrap();
    ann.send("DELETE", &format!("/api/conversations/{conversation}"), None).await.ok();
    assert!(!has(&ask(&ann, "Why?", json!({"cache_mode": "exact"})).await, "cache_hit"), "it is in the bin");
    let mut superuser = app.db.superuser().await;
    let sql = format!("DELETE FROM conversations WHERE id = '{conversation}'");
    sqlx::query(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM cache_entries").fetch_one(&mut superuser).await.unwrap();
    assert_eq!(left, 1, "only the second one's");
    app.close().await;
}

#[tokio::test]
async fn a_run_goes_on_without_the_cache_where_it_cannot_be_asked() {
    let app = TestApp::start().await;
    let mut superuser = app.db.superuser().await;
    for sql in ["ALTER TABLE cache_entries RENAME TO away", "ALTER TABLE cache_lookups RENAME TO away_too"] {
        sqlx::query(sql).execute(&mut superuser).await.unwrap();
    }
    let ann = app.user("ann");
    let events = ask(&ann, "Why?", json!({})).await;
    assert_eq!(find(&events, "cache_miss")["reason"], "unavailable");
    assert_eq!(find(&events, "cache_not_stored")["reason"], "unavailable");
    assert_eq!(events.last().unwrap().kind(), "complete", "{:?}", kinds(&events));
    app.close().await;
}

#[tokio::test]
async fn a_run_waits_for_the_cache_for_seconds_only() {
    let app = TestApp::start().await;
    let mut slow = app.db.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE cache_entries, cache_lookups").execute(&mut slow).await.unwrap();
    let ann = app.user("ann");
    // Each look at it would have taken thirty seconds, which is how long other statements may take.
    let asked = tokio::time::timeout(Duration::from_secs(60), ask(&ann, "Why?", json!({}))).await;
    let events = asked.expect("the run is over");
    assert_eq!(find(&events, "cache_miss")["reason"], "unavailable");
    assert_eq!(find(&events, "cache_not_stored")["reason"], "unavailable");
    assert_eq!(events.last().unwrap().kind(), "complete", "{:?}", kinds(&events));
    app.close().await;
}

#[tokio::test]
async fn an_offer_outlives_its_server_and_is_answered_at_the_next() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models).set("runs.lease_seconds", "1");
    let first = program.serve().await;
    let user = first.user("ann");
    ask(&user, "Why do tides turn?", json!({})).await;
    let calls = models.records().len();
    let id = user.conversation().await;
    let body = json!({"content": "Why do tides turn?", "use_cache": true, "cache_mode": "offer"});
    let mut stream = user.ask(&id, body).await;
    let run = stream.next().await.unwrap().json["run_id"].as_str().unwrap().to_owned();
    let offer = stream.until("cache_offer").await;
    first.kill();

    let second = program.serve().await;
    let user = second.user("ann");
    let taken: Value = user.post(&format!("/api/runs/{run}/cache"), json!({"take": true})).await.ok();
    assert_eq!(taken["taken"], true);
    let mut events = user.events(&run, 0).await;
    let all = events.rest().await;
    let offers: Vec<_> = all.iter().filter(|event| event.kind() == "cache_offer").collect();
    assert_eq!((offers.len(), &offers[0].json), (1, &offer.json), "offered once, until the same moment");
    assert!(has(&all, "cache_hit"));
    assert_eq!(all.last().unwrap().kind(), "complete");
    assert_eq!(models.records().len(), calls, "nobody was asked");
    let stats = user.get("/api/cache/stats").await.ok();
    assert_eq!((&stats["total_queries"], &stats["cache_hits"]), (&json!(2), &json!(1)));
}
