//! Scheduled questions: asked at their times, each time once, by whichever server, and what is refused is said.

mod firing;
mod kept;
mod limits;
mod servers;

use llm_council::server::schedules::round;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use crate::support::app::{TestApp, User};

/// A question for every working day.
pub fn every_morning() -> Value {
    json!({
        "name": "Herons",
        "request": {"content": "What is new about herons?"},
        "cron": "0 8 * * 1-5",
        "time_zone": "Europe/Berlin",
    })
}

/// Makes a schedule; gives its id.
pub async fn schedule(user: &User<'_>, change: Value) -> String {
    let mut body = every_morning();
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    user.post("/api/schedules", body).await.ok()["id"].as_str().unwrap().to_owned()
}

pub async fn shown(user: &User<'_>, id: &str) -> Value {
    user.get(&format!("/api/schedules/{id}")).await.ok()
}

pub async fn changed(user: &User<'_>, id: &str, change: Value) -> Value {
    user.send("PATCH", &format!("/api/schedules/{id}"), Some(&change)).await.ok()
}

pub async fn results(user: &User<'_>, id: &str) -> Vec<Value> {
    let all = user.get(&format!("/api/schedules/{id}/results")).await.ok();
    all["results"].as_array().unwrap().clone()
}

/// Does something past every scope.
pub async fn act(app: &TestApp, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut app.db.superuser().await).await.unwrap();
}

pub async fn count(app: &TestApp, sql: &str) -> i64 {
    let row = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_one(&mut app.db.superuser().await).await;
    row.unwrap_or_else(|error| panic!("{sql}: {error}")).get(0)
}

/// Lets this time come for every schedule that is not paused, and whatever is due be asked or refused.
pub async fn comes(app: &TestApp, time: &str) {
    act(app, &format!("UPDATE schedules SET next_at = {time} WHERE next_at IS NOT NULL")).await;
    round(&app.app).await.unwrap();
}

/// Waits for the end of a run.
pub async fn ended(user: &User<'_>, run: &str) -> Value {
    user.events(run, 0).await.rest().await;
    user.get(&format!("/api/runs/{run}")).await.ok()
}
