//! A person's own data as a whole: a copy of it, its end, holds, how long it is kept, and who may look at it.

mod access;
mod erasure;
mod export;
mod holds;
mod retention;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use crate::attachments::files::taken;
use crate::support::app::TestApp;
use crate::support::device::Device;
use crate::support::model_server::Script;

/// Words in everything that is written here.
const MARK: &str = "quokka";

/// Lets every model write the mark.
fn all_write_the_mark(app: &TestApp) {
    app.models.rule(|request| {
        let text = format!("The {MARK} of {}.", request.model);
        (!request.prompt().contains("FINAL RANKING")).then(|| Script::answer(&text))
    });
}

/// A conversation with one answer, and everything else that people leave here.
async fn settle(app: &TestApp, name: &str) -> (String, Value) {
    let person = app.user(name).with("remote-email", "someone@quokka.example").with("remote-groups", "staff");
    person.get("/api/user").await.ok();
    person.put("/api/config", json!({"chairman_alias": format!("The {MARK}")})).await.ok();
    person.post("/api/tokens", json!({"name": MARK})).await.ok();
    person.post("/api/settings/presets", json!({"name": MARK})).await.ok();
    let entry = json!({"kind": "rubric", "name": MARK, "text": format!("- A {MARK}"), "shared": true});
    person.post("/api/library", entry).await.ok();
    person.put("/api/budget", json!({"per_day_usd": 1000})).await.ok();
    let address = json!({"url": format!("https://hooks.example.com/{MARK}")});
    person.post("/api/webhooks", address).await.ok();
    let schedule =
        json!({"name": MARK, "cron": "@yearly", "request": {"content": format!("What of the {MARK}?")}});
    person.post("/api/schedules", schedule).await.ok();
    let mut device = Device::new().subscription("https://push.example.net/a-secret-place");
    device["name"] = json!(MARK);
    person.post("/api/push/devices", device).await.ok();
    let id = person.conversation().await;
    let file = taken(&person, &format!("{MARK}.txt"), format!("A {MARK} in a file.").as_bytes()).await;
    let content = format!("Why is the {MARK} scripted?");
    let question = json!({"content": content, "use_cache": true, "attachments": [file]});
    let keyed = person.clone().with("idempotency-key", &format!("{MARK}-key"));
    let run = keyed.post(&format!("/api/conversations/{id}/message"), question).await.ok();
    person.put(&format!("/api/conversations/{id}/tags"), json!({"tags": [MARK]})).await.ok();
    let folder = person.post("/api/folders", json!({"name": MARK})).await.ok()["id"].clone();
    let put = json!({"folder_id": folder});
    person.send("PATCH", &format!("/api/conversations/{id}"), Some(&put)).await.ok();
    let of_run = format!("/api/runs/{}/feedback", run["run_id"].as_str().unwrap());
    let comment = format!("The {MARK} was left out.");
    person.put(&of_run, json!({"thumb": "down", "comment": comment})).await.ok();
    (id, run)
}

/// How many rows there are.
async fn count(app: &TestApp, sql: &str) -> i64 {
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut app.db.superuser().await).await;
    row.unwrap_or_else(|error| panic!("{sql}: {error}")).get(0)
}

/// Does something past every scope.
async fn act(app: &TestApp, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut app.db.superuser().await).await.unwrap();
}
