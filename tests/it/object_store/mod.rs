//! Files in an object store: what is kept there, how it ends, and what happens while the store does not do what it should.

mod keeping;
mod removal;
mod servers;
mod trouble;

use sqlx::AssertSqlSafe;

use crate::support::app::TestApp;
use crate::support::object_server::ObjectServer;

/// The smallest file that goes into the store in these tests.
const FROM: usize = 1000;
/// Some models see pictures.
const SEEING: &str = "image_models = [\"m/one\", \"m/ch*\"]\n";

/// An app that keeps files in a store.
async fn keeping() -> (TestApp, ObjectServer) {
    let store = ObjectServer::start().await;
    (TestApp::with(&format!("{SEEING}{}", store.toml(FROM))).await, store)
}

/// A text that is large enough for the store.
fn large(words: &str) -> Vec<u8> {
    format!("{words} ").repeat(FROM / words.len() + 1).into_bytes()
}

async fn number(app: &TestApp, sql: &str) -> i64 {
    let sql = AssertSqlSafe(format!("SELECT ({sql})::bigint"));
    sqlx::query_scalar(sql).fetch_one(&mut app.db.superuser().await).await.unwrap()
}

/// How many objects no file points to.
async fn loose(app: &TestApp) -> i64 {
    number(app, "SELECT count(*) FROM loose_objects").await
}

/// As if an hour had gone by.
async fn an_hour_later(app: &TestApp) {
    let sql = "UPDATE loose_objects SET due_at = due_at - interval '1 hour'";
    sqlx::query(sql).execute(&mut app.db.superuser().await).await.unwrap();
}

/// Removes what no file points to; says how many that were.
async fn sweep(app: &TestApp) -> u64 {
    app.app.objects.remove_loose(app.db.db()).await.unwrap()
}
