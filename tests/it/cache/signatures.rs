//! Finding the nearest of many earlier questions by their signatures.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;

use super::{ask, find, has};
use crate::support::app::TestApp;
use crate::support::model_server::Script;

/// As many components as a model's vectors have in a test.
const DIMENSION: usize = 64;

/// Every question has a vector of its own that looks random; one with another last word is near it.
fn like_a_model(app: &TestApp, dimension: usize) {
    app.models.embeddings(move |request| {
        let text = request.embedded();
        let (head, last) = text.rsplit_once(' ').unwrap_or((text, ""));
        let component = |text: &str, at: usize| {
            let [byte, ..]: [u8; 32] = Sha256::digest(format!("{text} {at}")).into();
            f32::from(byte) - 127.5
        };
        let vector: Vec<f32> =
            (0..dimension).map(|at| component(head, at) + component(last, at) / 16.0).collect();
        Some(Script::embedding(vector))
    });
}

fn question(thing: &str, last: &str) -> String {
    format!("Explain to me how the tides of the {thing} work {last}")
}

async fn unsigned(superuser: &mut PgConnection) -> i64 {
    let sql = "SELECT count(*) FROM cache_entries WHERE signature IS NULL";
    sqlx::query_scalar(sql).fetch_one(superuser).await.unwrap()
}

#[tokio::test]
async fn of_more_questions_than_are_compared_the_nearest_is_found() {
    let app = TestApp::start().await;
    like_a_model(&app, DIMENSION);
    let ann = app.user("ann");
    let things: Vec<String> =
        ('a'..='h').flat_map(|a| ('a'..='e').map(move |b| format!("{a}{b}moon"))).collect();
    assert!(things.len() > 32);
    for thing in &things {
        assert!(has(&ask(&ann, &question(thing, "please"), json!({})).await, "cache_stored"));
    }
    let mut superuser = app.db.superuser().await;
    assert_eq!(unsigned(&mut superuser).await, 0);
    let bits: Vec<i32> = sqlx::query_scalar("SELECT DISTINCT length(signature) FROM cache_entries")
        .fetch_all(&mut superuser)
        .await
        .unwrap();
    assert_eq!(bits, [i32::try_from(DIMENSION).unwrap()]);
    for thing in things.iter().step_by(13) {
        let again = ask(&ann, &question(thing, "thanks"), json!({})).await;
        assert_eq!(find(&again, "cache_hit")["cached_query"], question(thing, "please"));
    }
    app.close().await;
}

#[tokio::test]
async fn what_a_version_without_signatures_kept_is_found_and_gets_one() {
    let app = TestApp::start().await;
    like_a_model(&app, DIMENSION);
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    for user in [&ann, &bob] {
        ask(user, &question("sea", "please"), json!({})).await;
    }
    let mut superuser = app.db.superuser().await;
    let signature = "SELECT signature::text FROM cache_entries WHERE user_id = 'ann' AND query LIKE '%sea%'";
    let before: String = sqlx::query_scalar(signature).fetch_one(&mut superuser).await.unwrap();
    sqlx::query("UPDATE cache_entries SET signature = NULL").execute(&mut superuser).await.unwrap();

    let near = ask(&ann, &question("sea", "thanks"), json!({})).await;
    assert_eq!(find(&near, "cache_hit")["cached_query"], question("sea", "please"));
    assert_eq!(unsigned(&mut superuser).await, 2, "a look writes none");
    assert!(has(&ask(&ann, &question("lake", "please"), json!({})).await, "cache_stored"));
    assert_eq!(unsigned(&mut superuser).await, 1, "another's is not touched");
    let after: String = sqlx::query_scalar(signature).fetch_one(&mut superuser).await.unwrap();
    assert_eq!(after, before);
    let near = ask(&ann, &question("sea", "thanks"), json!({})).await;
    assert_eq!(find(&near, "cache_hit")["cached_query"], question("sea", "please"));
    app.close().await;
}

#[tokio::test]
async fn a_model_whose_vectors_become_longer_begins_anew() {
    let app = TestApp::start().await;
    like_a_model(&app, DIMENSION);
    let ann = app.user("ann");
    ask(&ann, &question("sea", "please"), json!({})).await;
    like_a_model(&app, 2 * DIMENSION);
    let longer = ask(&ann, &question("sea", "thanks"), json!({})).await;
    assert!(has(&longer, "cache_miss") && has(&longer, "cache_stored"));
    assert!(has(&ask(&ann, &question("lake", "please"), json!({})).await, "cache_stored"));
    assert!(has(&ask(&ann, &question("lake", "thanks"), json!({})).await, "cache_hit"));
    app.close().await;
}
